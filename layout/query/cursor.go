package query

import (
	"errors"
	"math"
	"slices"

	"github.com/ncruces/go-sqlite3"
)

// A cursor walks the rows of a table that fit a plan. It finds them a block at a time, so that the first row is
// there at once and nothing is copied, unless they are to be sorted: then it keeps four bytes for each.
type cursor struct {
	v    *vtab
	walk walk
	rest []bound

	part    *part // being walked; nil before the first
	base    int64 // the number of its first row
	from    int   // rows [from, end) of it are not looked at yet
	end     int
	list    []int32 // or these, found by an index
	filters []bound // what must be tested row by row

	found []int32 // rows that fit, of the part
	pos   int
	buf   [block]int64

	sorted *sorted // nil while rows come as they lie
	one    [1]int64
	steps  int
	walks  int // begun by this cursor: a join begins many
}

// A sorted is what found means where it is sorted: rows of several parts, numbered through them.
type sorted struct {
	parts  []*part
	first  []int32 // of each part: its first row, numbered through the parts
	base   []int64 // of each part: see cursor
	keys   []int64 // the values that found is sorted by, of column keyCol
	keyCol int
}

// Filter starts a walk.
func (c *cursor) Filter(idxNum int, _ string, arg ...sqlite3.Value) error {
	p, k := &c.v.plans[idxNum], c.v.t.keyed
	c.walks++
	c.part, c.pos, c.sorted = nil, 0, nil
	c.found, c.list = c.found[:0], nil
	bounds, ok := c.v.bounds(p, arg)
	if !ok {
		return nil
	}
	c.walk, c.rest = newWalk(c.v.c.db, c.v.t, bounds)
	if keys := c.walk.keys; k != nil && k.must != "" && (keys.least == null+1 || keys.most == math.MaxInt64) {
		return errors.New(k.must)
	}
	if len(p.order) > 0 {
		return c.sort(p.order)
	}
	return c.fill()
}

// enter begins the next part; false at the end.
func (c *cursor) enter() bool {
	p := c.walk.next()
	if p == nil {
		return false
	}
	c.part, c.base, c.from, c.end = p, c.walk.base(), 0, p.n
	c.list, c.filters = nil, c.filters[:0]
	for _, b := range c.rest {
		if c.v.t.cols[b.col].number {
			c.from, c.end = int(max(int64(c.from), b.least)), int(min(int64(c.end)-1, b.most))+1
		} else {
			c.filters = append(c.filters, b)
		}
	}
	if c.end-c.from < 2*block || c.v.t.keyed != nil {
		return true
	}
	for i, b := range c.filters {
		// The first look-ups have no index; a join soon has it.
		x := p.index(b.col, c.walks > fewLookups)
		if x == nil {
			continue
		}
		if rows := x.between(b.least, b.most); len(rows) < p.n/8 { // of more, a scan is as good
			from, end := int32(c.from), int32(c.end)
			c.list = slices.DeleteFunc(slices.Clone(rows), func(row int32) bool { return row < from || row >= end })
			c.from, c.filters = c.end, slices.Delete(c.filters, i, i+1)
			break
		}
	}
	return true
}

// fill finds the next rows that fit. Afterwards there are some, or the walk has ended.
func (c *cursor) fill() error {
	c.found, c.pos = c.found[:0], 0
	for len(c.found) == 0 {
		if c.part == nil || c.from >= c.end && len(c.list) == 0 {
			if !c.enter() {
				return nil
			}
			continue
		}
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		if n := min(block, len(c.list)); n > 0 {
			c.found, c.list = append(c.found, c.list[:n]...), c.list[n:]
			c.keep(c.filters)
			continue
		}
		c.scan(min(block, c.end-c.from))
	}
	return nil
}

// scan looks at the next n rows. The values of the first filter are loaded all at once.
func (c *cursor) scan(n int) {
	first := bound{least: math.MinInt64, most: math.MaxInt64}
	if len(c.filters) > 0 {
		first = c.filters[0]
		c.part.loads[first.col](c.buf[:n], c.from)
		c.v.c.tested += int64(n)
	}
	for i, v := range c.buf[:n] {
		if v >= first.least && v <= first.most {
			c.found = append(c.found, int32(c.from+i))
		}
	}
	c.from += n
	if len(c.filters) > 1 {
		c.keep(c.filters[1:])
	}
}

// keep drops those found that do not pass filters.
func (c *cursor) keep(filters []bound) {
	if len(filters) == 0 {
		return
	}
	c.v.c.tested += int64(len(c.found))
	c.found = slices.DeleteFunc(c.found, func(row int32) bool {
		for _, b := range filters {
			if c.part.loads[b.col](c.one[:], int(row)); c.one[0] < b.least || c.one[0] > b.most {
				return true
			}
		}
		return false
	})
}

// sort finds all rows, numbers them through the parts and sorts them.
func (c *cursor) sort(by []order) error {
	s := &sorted{keyCol: by[0].col}
	var all []int32
	var end int32
	for {
		if err := c.fill(); err != nil {
			return err
		}
		if len(c.found) == 0 {
			break
		}
		if n := len(s.parts); n == 0 || s.parts[n-1] != c.part {
			s.parts, s.first, s.base = append(s.parts, c.part), append(s.first, end), append(s.base, c.base)
			end += int32(c.part.n)
		}
		first := s.first[len(s.first)-1]
		for _, row := range c.found {
			all = append(all, first+row)
		}
	}
	s.keys = make([]int64, len(all))
	for _, o := range slices.Backward(by) {
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		s.load(s.keys, all, o.col)
		sortRows(s.keys, all, o.desc)
	}
	c.found, c.pos, c.sorted = all, 0, s
	return nil
}

// load loads a column for rows that are numbered through the parts.
func (s *sorted) load(dst []int64, rows []int32, col int) {
	for i := 0; i < len(rows); {
		if col < 0 {
			dst[i] = int64(rows[i])
			i++
			continue
		}
		at, row := s.place(rows[i])
		p := s.parts[at]
		// Runs of neighbours are loaded at once.
		n := 1
		for i+n < len(rows) && rows[i+n] == rows[i]+int32(n) && row+n < p.n {
			n++
		}
		p.loads[col](dst[i:i+n], row)
		i += n
	}
}

// place is the part that a row numbered through the parts lies in, and its number there.
func (s *sorted) place(row int32) (part, rowInPart int) {
	at := len(s.first) - 1
	for at > 0 && s.first[at] > row {
		at--
	}
	return at, int(row - s.first[at])
}

// place is the part and the row in it that the cursor stands on, and the number of the part's first row.
func (c *cursor) place() (p *part, row int, base int64) {
	if c.sorted == nil {
		return c.part, int(c.found[c.pos]), c.base
	}
	at, row := c.sorted.place(c.found[c.pos])
	return c.sorted.parts[at], row, c.sorted.base[at]
}

// Next goes to the next row.
func (c *cursor) Next() error {
	c.pos++
	if c.steps++; c.steps%block == 0 {
		c.v.c.visited(block)
	}
	if c.pos < len(c.found) || c.sorted != nil {
		return nil
	}
	return c.fill()
}

// EOF reports whether the walk has ended.
func (c *cursor) EOF() bool { return c.pos >= len(c.found) }

// RowID numbers the rows of a table.
func (c *cursor) RowID() (int64, error) {
	_, row, base := c.place()
	return base + int64(row), nil
}

// Column gives SQLite a value.
func (c *cursor) Column(ctx sqlite3.Context, n int) error {
	if c.sorted != nil && n == c.sorted.keyCol {
		c.v.t.cols[n].result(ctx, c.sorted.keys[c.pos])
		return nil
	}
	p, row, _ := c.place()
	p.loads[n](c.one[:], row)
	c.v.t.cols[n].result(ctx, c.one[0])
	return nil
}

// result gives SQLite the value that a number stands for.
func (c *column) result(ctx sqlite3.Context, v int64) {
	switch {
	case v == null:
		ctx.ResultNull()
	case c.text != nil:
		ctx.ResultText(c.text(v))
	default:
		ctx.ResultInt64(v)
	}
}
