package query

import (
	"math"

	"github.com/ncruces/go-sqlite3"
)

// A cursor walks the rows of a table that fit a plan. It finds them a block at a time, so that the first row is
// there at once and nothing is copied, unless they are to be sorted: then it keeps four bytes for each.
type cursor struct {
	v     *vtab
	parts []*part
	bases []int // the first row's number, by part
	rest  []bound

	at      int // parts[at] is being walked
	lo, hi  int // its rows still to be looked at
	list    []int32
	listed  bool    // rows come from list instead of [lo, hi)
	filters []bound // what must be tested row by row

	found []int32 // rows that fit, of the part
	pos   int
	buf   [block]int64

	sorted bool    // found holds all rows, numbered through the parts
	keys   []int64 // and this the values they are sorted by, of column keyCol
	keyCol int
	one    [1]int64
	steps  int
	walks  int // begun by this cursor: a join begins many
}

// Filter starts a walk.
func (c *cursor) Filter(idxNum int, _ string, arg ...sqlite3.Value) error {
	p := &c.v.plans[idxNum]
	c.walks++
	c.parts, c.at, c.pos, c.sorted = nil, -1, 0, false
	c.found, c.lo, c.hi, c.listed, c.list = c.found[:0], 0, 0, false, nil
	bounds, ok := c.v.bounds(p, arg)
	if !ok {
		return nil
	}
	c.parts, c.rest = c.v.t.devices(bounds)
	c.bases = c.bases[:0]
	base := 0
	for _, part := range c.parts {
		c.bases = append(c.bases, base)
		base += part.ready().n
	}
	if len(p.order) > 0 && base <= math.MaxInt32 {
		return c.sort(p.order)
	}
	return c.fill()
}

// enter begins the next part; false at the end.
func (c *cursor) enter() bool {
	c.at++
	if c.at >= len(c.parts) {
		return false
	}
	p := c.parts[c.at]
	c.lo, c.hi, c.filters, c.listed = 0, p.n, c.filters[:0], false
	for _, b := range c.rest {
		if col := &c.v.t.cols[b.col]; col.ascends && (col.certain || p.isSorted(b.col)) {
			c.lo, c.hi = p.span(b.col, c.lo, c.hi, b.least, b.most)
		} else {
			c.filters = append(c.filters, b)
		}
	}
	for i, b := range c.filters {
		if c.hi-c.lo < 2*block {
			break
		}
		rows, ok := c.indexed(p, b)
		if ok {
			c.list, c.listed = rows, true
			c.filters = append(c.filters[:i], c.filters[i+1:]...)
			break
		}
	}
	return true
}

// indexed finds the rows of a bound by the index of its column, where there is one or the walk looks up so much that
// making it pays. Of a range that holds many rows a scan is as good.
func (c *cursor) indexed(p *part, b bound) ([]int32, bool) {
	x := p.index(b.col, c.walks > fewLookups)
	if x == nil {
		return nil, false
	}
	rows := x.between(b.least, b.most)
	return rows, len(rows) < p.n/8
}

// fill finds the next rows that fit. Afterwards there are some, or the walk has ended.
func (c *cursor) fill() error {
	c.found, c.pos = c.found[:0], 0
	for len(c.found) == 0 {
		if c.at < 0 || !c.listed && c.lo >= c.hi || c.listed && len(c.list) == 0 {
			if !c.enter() {
				return nil
			}
			continue
		}
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		if c.listed {
			n := min(block, len(c.list))
			c.test(c.list[:n], c.lo, c.hi)
			c.list = c.list[n:]
			continue
		}
		n := min(block, c.hi-c.lo)
		c.scan(c.lo, n)
		c.lo += n
	}
	return nil
}

// scan keeps those of n rows that pass the filters.
func (c *cursor) scan(from, n int) {
	p := c.parts[c.at]
	if len(c.filters) > 0 {
		c.v.c.tested += int64(n)
	}
	if len(c.filters) == 0 {
		for row := from; row < from+n; row++ {
			c.found = append(c.found, int32(row))
		}
		return
	}
	for i, b := range c.filters {
		if i == 1 && len(c.found) < n/4 {
			rest := c.found
			c.found = c.found[:0]
			c.check(rest, c.filters[1:])
			return
		}
		vals := c.buf[:n]
		p.loads[b.col](vals, from)
		if i == 0 {
			for j, v := range vals {
				if v >= b.least && v <= b.most {
					c.found = append(c.found, int32(from+j))
				}
			}
			continue
		}
		kept := c.found[:0]
		for _, row := range c.found {
			if v := vals[int(row)-from]; v >= b.least && v <= b.most {
				kept = append(kept, row)
			}
		}
		c.found = kept
	}
}

// test keeps those rows of an index that lie in [lo, hi) and pass the filters.
func (c *cursor) test(rows []int32, lo, hi int) {
	c.v.c.tested += int64(len(rows))
	inside := make([]int32, 0, len(rows))
	for _, r := range rows {
		if int(r) >= lo && int(r) < hi {
			inside = append(inside, r)
		}
	}
	c.check(inside, c.filters)
}

// check appends those rows that pass filters, looked up one by one. It may write over the rows it reads.
func (c *cursor) check(rows []int32, filters []bound) {
	p := c.parts[c.at]
next:
	for _, row := range rows {
		for _, b := range filters {
			if p.loads[b.col](c.one[:], int(row)); c.one[0] < b.least || c.one[0] > b.most {
				continue next
			}
		}
		c.found = append(c.found, row)
	}
}

// sort finds all rows, numbers them through the parts and sorts them.
func (c *cursor) sort(by []order) error {
	var all []int32
	for {
		if err := c.fill(); err != nil {
			return err
		}
		if len(c.found) == 0 {
			break
		}
		base := int32(c.bases[c.at])
		for _, row := range c.found {
			all = append(all, base+row)
		}
	}
	var values []int64
	for i := len(by) - 1; i >= 0; i-- {
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		if values == nil {
			values = make([]int64, len(all))
		}
		c.values(values, all, by[i].col)
		sortRows(values, all, by[i].desc)
	}
	c.found, c.pos, c.sorted, c.keys, c.keyCol = all, 0, true, values, by[0].col
	return nil
}

// values loads a column for rows that are numbered through the parts.
func (c *cursor) values(dst []int64, rows []int32, col int) {
	for i := 0; i < len(rows); {
		if col < 0 {
			dst[i] = int64(rows[i])
			i++
			continue
		}
		at := c.partOf(int(rows[i]))
		p, base := c.parts[at], int32(c.bases[at])
		// Runs of neighbours are loaded at once.
		n := 1
		for i+n < len(rows) && rows[i+n] == rows[i]+int32(n) && int(rows[i+n]-base) < p.n {
			n++
		}
		p.loads[col](dst[i:i+n], int(rows[i]-base))
		i += n
	}
}

// partOf is the part that a row numbered through the parts lies in.
func (c *cursor) partOf(row int) int {
	at := len(c.bases) - 1
	for at > 0 && c.bases[at] > row {
		at--
	}
	return at
}

// place is the part and the row in it that the cursor stands on.
func (c *cursor) place() (*part, int) {
	row := int(c.found[c.pos])
	if !c.sorted {
		return c.parts[c.at], row
	}
	at := c.partOf(row)
	return c.parts[at], row - c.bases[at]
}

// Next goes to the next row.
func (c *cursor) Next() error {
	c.pos++
	if c.steps++; c.steps%block == 0 {
		c.v.c.visited(block)
	}
	if c.pos < len(c.found) || c.sorted {
		return nil
	}
	return c.fill()
}

// EOF reports whether the walk has ended.
func (c *cursor) EOF() bool { return c.pos >= len(c.found) }

// RowID numbers the rows of a walk's parts.
func (c *cursor) RowID() (int64, error) {
	if c.sorted {
		return int64(c.found[c.pos]), nil
	}
	return int64(c.bases[c.at]) + int64(c.found[c.pos]), nil
}

// Column gives SQLite a value.
func (c *cursor) Column(ctx sqlite3.Context, n int) error {
	if c.sorted && n == c.keyCol {
		c.v.t.cols[n].result(ctx, c.keys[c.pos])
		return nil
	}
	p, row := c.place()
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
