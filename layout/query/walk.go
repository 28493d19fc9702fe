package query

import (
	"math"

	"github.com/ncruces/go-sqlite3"

	"strata/layout"
)

// A keyed table makes its rows for a key that the query asks for: the live set of a step, the polygon of an
// allocation. Its columns are device, the key, and what rows gives.
type keyed struct {
	// must says why a query without the key is refused; "" if it is not.
	must string
	// keys are the first and the last key that a device has.
	keys func(l *lane) (first, last int64)
	// rows is the number of rows of one key, and the columns after it.
	rows func(l *lane, key int64) (int, []loader)
	each float64 // rows of one key, for the planner
}

// keyColumn is the column of the key.
const keyColumn = 1

// cost is what rows for a key cost.
func (k *keyed) cost(tests []test) (rows, cost float64) {
	rows = 1e9
	for _, t := range tests {
		if t.col != keyColumn {
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
	t         *TableInfo
	devices   bound
	keys      bound
	part      *part // at hand; nil at the end
	at        int   // of the part, or of the device's, in the table; -1 before the first
	key, last int64 // the next key of the device, and its last
}

// newWalk begins a walk. rest is the bounds that rows have to be tested for.
func newWalk(t *TableInfo, bounds []bound) (w walk, rest []bound) {
	all := bound{least: null + 1, most: math.MaxInt64}
	w = walk{t: t, devices: all, keys: all, at: -1, last: -1}
	for _, b := range bounds {
		switch {
		case t.isDevice(b.col):
			w.devices = b
		case t.keyed != nil && b.col == keyColumn:
			w.keys = b
		default:
			rest = append(rest, b)
		}
	}
	return w, rest
}

// next goes to the next part and returns it, nil at the end.
func (w *walk) next() *part {
	for w.key > w.last {
		if w.at++; w.at == len(w.t.parts) {
			w.at--
			w.part = nil
			return nil
		}
		p := w.t.parts[w.at]
		switch {
		case p.device() < w.devices.least || p.device() > w.devices.most:
		case w.t.keyed == nil:
			w.part = p.ready()
			return w.part
		default:
			first, last := w.t.keyed.keys(p.lane)
			w.key, w.last = max(first, w.keys.least), min(last, w.keys.most)
		}
	}
	l := w.t.parts[w.at].lane
	n, loads := w.t.keyed.rows(l, w.key)
	w.part = &part{lane: l, n: n, loads: append([]loader{constant(int64(l.d.Index)), constant(w.key)}, loads...)}
	w.key++
	return w.part
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
func liveAt(l *lane, step int64) (int, []loader) {
	t := l.timeline()
	live := t.Live(nil, t.StateOf(step))
	offsets := make([]int64, len(live)+1)
	for i, id := range live {
		offsets[i+1] = offsets[i] + t.Size[id]
	}
	return len(live), []loader{ints(live), ints(offsets)}
}

// polygonOf is the corners of an allocation's lower edge.
func polygonOf(l *lane, id int64) (int, []loader) {
	steps, offsets := l.timeline().Polygon(layout.ID(id))
	return len(steps), []loader{number, ints(steps), ints(offsets)}
}
