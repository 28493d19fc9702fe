package query

import (
	"fmt"
	"math"

	"github.com/ncruces/go-sqlite3"

	"strata/layout"
)

// A keyed table makes its rows for a key that the query asks for: the live set of a step, the polygon of an
// allocation. Its columns are device, and then those that begin with the key.
type keyed struct {
	key int // the column
	// must says why a query without the key is refused; "" if it is not.
	must string
	// first and last are the keys a device has.
	keys func(t *layout.Timeline) (first, last int64)
	// rows is the values of all columns from the second on, for one key.
	rows func(t *layout.Timeline, key int64, dst [][]int64) [][]int64
	each float64 // rows of one key, for the planner
}

// cost is what rows for a key cost.
func (k *keyed) cost(tests []test) (rows, cost float64) {
	rows = 1e9
	for _, t := range tests {
		if t.col != k.key {
			continue
		}
		if t.op == sqlite3.INDEX_CONSTRAINT_EQ {
			return k.each, 1e4
		}
		rows /= 30 // a range has two ends
	}
	return rows, 1e12
}

// A keyedCursor walks the rows of all keys asked for, made one key at a time.
type keyedCursor struct {
	v         *vtab
	timelines []*part
	at        int
	next, end int64
	least     int64
	most      int64
	cols      [][]int64
	pos       int
	n         int
	row       int64
}

// Filter starts a walk.
func (c *keyedCursor) Filter(idxNum int, _ string, arg ...sqlite3.Value) error {
	k := c.v.t.keyed
	*c = keyedCursor{v: c.v, cols: c.cols, at: -1, end: -1, least: math.MinInt64, most: math.MaxInt64}
	bounds, ok := c.v.bounds(&c.v.plans[idxNum], arg)
	if !ok {
		return nil
	}
	var rest []bound
	c.timelines, rest = c.v.t.devices(bounds)
	bounded := false
	for _, b := range rest {
		if b.col == k.key {
			c.least, c.most = b.least, b.most
			bounded = b.least > null+1 && b.most < math.MaxInt64
		}
	}
	if k.must != "" && !bounded {
		return fmt.Errorf("%s", k.must)
	}
	return c.fill()
}

// fill makes the rows of the next key that has any.
func (c *keyedCursor) fill() error {
	k := c.v.t.keyed
	c.pos, c.n = 0, 0
	for c.n == 0 {
		if err := c.v.c.cancelled(); err != nil {
			return err
		}
		if c.next > c.end || c.at < 0 {
			c.at++
			if c.at >= len(c.timelines) {
				return nil
			}
			first, last := k.keys(c.timeline())
			c.next, c.end = max(first, c.least), min(last, c.most)
			continue
		}
		for i := range c.cols {
			c.cols[i] = c.cols[i][:0]
		}
		c.cols = k.rows(c.timeline(), c.next, c.cols)
		c.n = len(c.cols[0])
		c.next++
	}
	return nil
}

func (c *keyedCursor) timeline() *layout.Timeline { return c.v.c.db.lane(c.timelines[c.at].device) }

// Next goes to the next row.
func (c *keyedCursor) Next() error {
	c.pos++
	if c.row++; c.row%block == 0 {
		c.v.c.visited(block)
	}
	if c.pos < c.n {
		return nil
	}
	return c.fill()
}

// EOF reports whether the walk has ended.
func (c *keyedCursor) EOF() bool { return c.pos >= c.n }

// RowID numbers the rows of a walk.
func (c *keyedCursor) RowID() (int64, error) { return c.row, nil }

// Column gives SQLite a value.
func (c *keyedCursor) Column(ctx sqlite3.Context, n int) error {
	if n == 0 {
		ctx.ResultInt64(c.timelines[c.at].device)
		return nil
	}
	c.v.t.cols[n].result(ctx, c.cols[n-1][c.pos])
	return nil
}

// liveAt is the live set that a step shows, bottom to top. Step -1 is the start, the number of steps is the end.
func liveAt(t *layout.Timeline, step int64, dst [][]int64) [][]int64 {
	if dst == nil {
		dst = make([][]int64, 3)
	}
	var offset int64
	for _, id := range t.Live(nil, stateOf(t, step)) {
		dst[0] = append(dst[0], step)
		dst[1] = append(dst[1], int64(id))
		dst[2] = append(dst[2], offset)
		offset += t.Size[id]
	}
	return dst
}

// stateOf is the state that a step shows at its first timestep, as the reference viewer does: an alloc the one it
// leads to, a free the one it starts from.
func stateOf(t *layout.Timeline, step int64) int32 {
	switch {
	case step < 0:
		return 0
	case step >= int64(len(t.Actions)):
		return int32(len(t.Actions))
	case t.Actions[step] >= 0:
		return int32(step) + 1
	}
	return int32(step)
}

// polygonOf is the corners of an allocation's lower edge.
func polygonOf(t *layout.Timeline, id int64, dst [][]int64) [][]int64 {
	if dst == nil {
		dst = make([][]int64, 4)
	}
	steps, offsets := t.Polygon(layout.ID(id))
	for i, s := range steps {
		dst[0] = append(dst[0], id)
		dst[1] = append(dst[1], int64(i))
		dst[2] = append(dst[2], int64(s))
		dst[3] = append(dst[3], offsets[i])
	}
	return dst
}
