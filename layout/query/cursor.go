package query

import (
	"errors"
	"math"
	"slices"

	"github.com/ncruces/go-sqlite3"
)

// A cursor walks the rows of a table that fit a plan, one after another, so that the first is there at once and nothing
// is copied, unless they are to be sorted: then it keeps eight bytes for each.
type cursor struct {
	v       *vtab
	walk    walk
	rest    []bound
	filters []bound // what must be tested row by row

	at, end int     // rows [at, end) of the walk's part are not looked at yet
	list    []int32 // where it is not nil: of these rows, found by an index

	part *part // of the row it stands on; nil at the end
	row  int

	// Where the rows are sorted: those yet to come, and the values of the first column they are sorted by, which
	// GROUP BY asks for. To look them up again in the order of another column takes as long as the sorting.
	sorted []ref
	keys   []int64
	keyCol int

	steps int
	walks int // begun by this cursor: a join begins many
}

// A ref is a row of a table whose parts last.
type ref struct{ part, row int32 }

// Filter starts a walk.
func (c *cursor) Filter(idxNum int, _ string, arg ...sqlite3.Value) error {
	p, k := &c.v.plans[idxNum], c.v.t.keyed
	c.walks++
	c.part, c.sorted, c.keys = nil, nil, nil
	bounds, ok := c.v.bounds(p, arg)
	if !ok {
		return nil
	}
	c.walk, c.rest = newWalk(c.v.t, bounds)
	if keys := c.walk.keys; k != nil && k.must != "" && (keys.least == null+1 || keys.most == math.MaxInt64) {
		return errors.New(k.must)
	}
	c.enter()
	if len(p.order) > 0 {
		return c.sort(p.order)
	}
	return c.advance()
}

// enter begins the next part.
func (c *cursor) enter() {
	p := c.walk.next()
	if p == nil {
		return
	}
	c.at, c.end = 0, p.n
	c.list, c.filters = nil, c.filters[:0]
	for _, b := range c.rest {
		if c.v.t.Columns[b.col].number {
			c.at, c.end = int(max(int64(c.at), b.least)), int(min(int64(c.end)-1, b.most))+1
		} else {
			c.filters = append(c.filters, b)
		}
	}
	if c.end-c.at < fewRows || c.v.t.keyed != nil {
		return
	}
	for _, b := range c.filters {
		// The first look-ups have no index; a join soon has it.
		x := p.index(b.col, c.walks > fewLookups)
		if x == nil {
			continue
		}
		// Of more rows that do not lie in order a scan is as good.
		if rows := x.between(b.least, b.most); b.least == b.most || len(rows) < p.n/8 {
			c.filters = append(c.filters, bound{col: rowNumber, least: int64(c.at), most: int64(c.end) - 1})
			c.list, c.at, c.end = rows, 0, len(rows)
			return
		}
	}
}

// advance goes to the next row that fits.
func (c *cursor) advance() error {
	for {
		p := c.walk.part
		if p == nil {
			c.part = nil
			return nil
		}
		for c.at < c.end {
			if c.at%block == 0 {
				if err := c.v.c.cancelled(); err != nil {
					return err
				}
			}
			row := c.at
			if c.list != nil {
				row = int(c.list[c.at])
			}
			c.at++
			if c.fits(p, row) {
				c.part, c.row = p, row
				return nil
			}
		}
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		c.enter()
	}
}

// fits reports whether a row passes the filters.
func (c *cursor) fits(p *part, row int) bool {
	for i := range c.filters {
		b := &c.filters[i]
		if v := p.value(b.col, row); v < b.least || v > b.most {
			return false
		}
	}
	return true
}

// sort finds all rows and sorts them.
func (c *cursor) sort(by []order) error {
	var all []ref
	for {
		if err := c.advance(); err != nil {
			return err
		}
		if c.part == nil {
			break
		}
		all = append(all, ref{int32(c.walk.at), int32(c.row)})
	}
	keys := make([]int64, len(all))
	for _, o := range slices.Backward(by) {
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		for i, r := range all {
			keys[i] = c.v.t.parts[r.part].value(o.col, int(r.row))
		}
		sortRows(keys, all, o.desc)
	}
	c.sorted, c.keys, c.keyCol = all, keys, by[0].col
	c.stand()
	return nil
}

// stand puts the cursor on the first of the sorted rows.
func (c *cursor) stand() {
	if c.part = nil; len(c.sorted) > 0 {
		r := c.sorted[0]
		c.part, c.row, c.walk.at = c.v.t.parts[r.part], int(r.row), int(r.part)
	}
}

// Next goes to the next row.
func (c *cursor) Next() error {
	if c.steps++; c.steps%block == 0 {
		c.v.c.rows.Add(block)
		if tell := c.v.c.tell; tell != nil {
			tell(block)
		}
	}
	if c.sorted != nil {
		c.sorted, c.keys = c.sorted[1:], c.keys[1:]
		c.stand()
		return nil
	}
	return c.advance()
}

// EOF reports whether the walk has ended.
func (c *cursor) EOF() bool { return c.part == nil }

// RowID numbers the rows of a table.
func (c *cursor) RowID() (int64, error) { return c.walk.base() + int64(c.row), nil }

// Column gives SQLite a value.
func (c *cursor) Column(ctx sqlite3.Context, n int) error {
	col, v := &c.v.t.Columns[n], int64(0)
	if c.sorted != nil && n == c.keyCol {
		v = c.keys[0]
	} else {
		v = c.part.loads[n](c.row)
	}
	switch {
	case v == null:
		ctx.ResultNull()
	case col.text != nil:
		ctx.ResultText(col.text(v))
	default:
		ctx.ResultInt64(v)
	}
	return nil
}
