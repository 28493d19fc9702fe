package query

import (
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
	return rows, 1000 * rows
}

// A walk goes through the parts of a table that bounds leave. Those of a keyed table are made for one key after
// another, and each is good until the next.
type walk struct {
	db        *DB
	t         *table
	devices   bound
	keys      bound
	at        int   // of the part, or of the device's, in the table; -1 before the first
	key, last int64 // the next key of the device, and its last
	cols      [][]int64
}

// newWalk begins a walk. rest is the bounds that rows have to be tested for.
func newWalk(db *DB, t *table, bounds []bound) (w walk, rest []bound) {
	all := bound{least: null + 1, most: math.MaxInt64}
	w = walk{db: db, t: t, devices: all, keys: all, at: -1, last: -1}
	for _, b := range bounds {
		switch {
		case t.isDevice(b.col):
			w.devices = b
		case t.keyed != nil && b.col == t.keyed.key:
			w.keys = b
		default:
			rest = append(rest, b)
		}
	}
	return w, rest
}

// next is the next part, nil at the end.
func (w *walk) next() *part {
	for {
		if w.key <= w.last {
			if p := w.make(); p.n > 0 {
				return p
			}
			continue
		}
		if w.at++; w.at == len(w.t.parts) {
			w.at--
			return nil
		}
		p := w.t.parts[w.at]
		switch {
		case p.device < w.devices.least || p.device > w.devices.most:
		case w.t.keyed == nil:
			return p.ready()
		default:
			first, last := w.t.keyed.keys(w.db.lane(p.device))
			w.key, w.last = max(first, w.keys.least), min(last, w.keys.most)
		}
	}
}

// make makes the part of the next key.
func (w *walk) make() *part {
	device := w.t.parts[w.at].device
	for i := range w.cols {
		w.cols[i] = w.cols[i][:0]
	}
	w.cols = w.t.keyed.rows(w.db.lane(device), w.key, w.cols)
	w.key++
	loads := []loader{constant(device)}
	for _, c := range w.cols {
		loads = append(loads, ints(c))
	}
	return &part{device: device, n: len(w.cols[0]), loads: loads}
}

// base is a number for the first row of the part at hand, so that the rows of a table have each their own in every
// walk. SQLite tells rows apart by it where a condition holds an OR.
func (w *walk) base() int64 {
	if w.t.keyed != nil {
		return int64(w.at)<<58 + w.key<<27
	}
	return int64(w.at) << 40
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

// stateOf is the state that a step shows at its first timestep; the start comes before the first, the end after the
// last.
func stateOf(t *layout.Timeline, step int64) int32 {
	switch {
	case step < 0:
		return 0
	case step >= int64(len(t.Actions)):
		return int32(len(t.Actions))
	}
	return t.Shown(int32(step))
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
