package layout

import (
	"math/bits"
	"sort"
)

// A Moment names what a place on an axis shows: the state Step, and on the Events axis, while action Step (a free)
// lets the blocks above slide down, how far they have come.
type Moment struct {
	Step int32
	// Slide is 0 outside slides, else 1 + the part of the way done in 65536ths. During a slide the freed block is
	// gone and those above lie lower by that part of its size.
	Slide uint32
}

// NoMoment is outside the data.
var NoMoment = Moment{Step: -1}

// slid is how many bytes a block above a freed one of that size has come down.
func (m Moment) slid(size int64) int64 {
	if m.Slide == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(size), uint64(m.Slide-1))
	return int64(hi<<48 | lo>>16)
}

// Sliding returns the allocation that slides out of the stack at m and the bytes by which those above it have come
// down, or None and 0.
func (t *Timeline) Sliding(m Moment) (ID, int64) {
	if m.Slide == 0 || m.Step < 0 {
		return None, 0
	}
	id := ^t.Actions[m.Step]
	return id, m.slid(t.Size[id])
}

// Height is the top of the stack at a moment, bytes, the band of undrawn allocations included; 0 outside the data.
func (t *Timeline) Height(m Moment) int64 {
	if m.Step < 0 {
		return 0
	}
	_, down := t.Sliding(m)
	return t.Total[m.Step] - down
}

// Shown is the state an action shows at its first timestep: an alloc the one it leads to, a free the one it starts
// from.
func (t *Timeline) Shown(a int32) int32 {
	if t.Actions[a] >= 0 {
		return a + 1
	}
	return a
}

// StateOf is the state that a step shows at its first timestep, so that a block being freed counts; a step before the
// first is the start, one behind the last the end.
func (t *Timeline) StateOf(step int64) int32 {
	switch {
	case step < 0:
		return 0
	case step >= int64(len(t.Actions)):
		return int32(len(t.Actions))
	}
	return t.Shown(int32(step))
}

// actionAt is the action in progress at timestep x, 0 ≤ x < Extent.
func (t *Timeline) actionAt(x float64) int32 {
	n := len(t.Actions)
	return int32(sort.Search(n, func(a int) bool { return float64(t.Timestep[a]) > x }) - 1)
}

// StepAt is the step in progress at a place on the Events axis: the number of an action, of which no option changes the
// numbering; at the end of the axis the number of actions.
func (t *Timeline) StepAt(x float64) int64 {
	if x >= t.Extent(Events) {
		return int64(len(t.Actions))
	}
	return int64(max(0, t.actionAt(x)))
}

// Steps are the steps that make and end an allocation: 0 if it was there before, the number of actions if it is never
// freed.
func (t *Timeline) Steps(id ID) (first, last int64) {
	last = int64(len(t.Actions))
	if d := t.Death[id]; d != Never {
		last = int64(d) - 1
	}
	return max(0, int64(t.Birth[id])-1), last
}

// Column chooses the moment that stands for the part [x0, x1) of an axis: the one at which the stack is highest,
// the earliest of those. A column that lies wholly inside a slide shows it as it is at x0.
func (t *Timeline) Column(axis Axis, x0, x1 float64) Moment {
	m, _, _, _ := t.column(axis, x0, x1, 0)
	return m
}

// column is Column where no action before from is in progress at x0 or later. It returns that for a column that
// begins at x1, and which pieces [first, end) of the axis the column has a part of.
func (t *Timeline) column(axis Axis, x0, x1 float64, from int) (m Moment, first, end, next int) {
	p := t.part(axis, x0, x1, from)
	m = p.begin
	if p.lo <= p.hi {
		best := Moment{Step: t.peaks.First(p.lo, p.hi)}
		if m.Step < 0 || t.Height(best) > t.Height(m) {
			m = best
		}
	}
	return m, p.first, p.end, p.next
}

// A part is what shows in a part of an axis: the moment where it begins, NoMoment on the Time axis, and then states lo
// to hi, none if hi is less. first, end and next are as in column.
type part struct {
	begin            Moment
	lo, hi           int32
	first, end, next int
}

// States says what shows in the part [x0, x1) of an axis: the moment where it begins, or NoMoment, and then the states
// from lo to hi, none if hi is less.
func (t *Timeline) States(axis Axis, x0, x1 float64) (begin Moment, lo, hi int32) {
	p := t.part(axis, x0, x1, 0)
	return p.begin, p.lo, p.hi
}

func (t *Timeline) part(axis Axis, x0, x1 float64, from int) part {
	n := len(t.Actions)
	if x1 <= 0 || x0 >= t.Extent(axis) || n == 0 {
		return part{NoMoment, 0, -1, from, from, from}
	}
	x0 = max(x0, 0)
	if axis == Time { // everything happens at its microsecond
		lo := searchFrom(from, n, func(a int) bool { return float64(t.TimeOf(a)) >= x0 })
		hi := searchFrom(lo, n, func(a int) bool { return float64(t.TimeOf(a)) >= x1 })
		if lo < hi && x0 > 0 && float64(t.TimeOf(lo)) == x0 {
			lo++ // the state before ended exactly where the part begins
		}
		return part{NoMoment, int32(lo), int32(hi), lo, hi + 1, hi}
	}
	after := searchFrom(from, n, func(a int) bool { return float64(t.Timestep[a]) > x0 })
	next := searchFrom(after, n, func(a int) bool { return float64(t.Timestep[a]) >= x1 })
	a0, a1 := after-1, max(after-1, next-1)
	p := part{Moment{Step: t.Shown(int32(a0))}, 0, -1, a0, a1 + 1, next}
	if since := x0 - float64(t.Timestep[a0]) - 1; since >= 0 && t.Timestep[a0+1]-t.Timestep[a0] > 1 {
		p.begin = Moment{Step: int32(a0), Slide: 1 + uint32(since/slideSteps*65536)}
	}
	if a1 > a0 {
		p.lo, p.hi = t.Shown(int32(a0+1)), t.Shown(int32(a1))
	}
	return p
}

// searchFrom is sort.Search over [from, n), quick where the answer is near.
func searchFrom(from, n int, f func(int) bool) int {
	low, step := from, 1
	for low+step < n && !f(low+step) {
		low += step
		step *= 2
	}
	high := min(n, low+step)
	return low + sort.Search(high-low, func(i int) bool { return f(low + i) })
}

// ColumnsBetween chooses the moments of n columns, appending to dst: the i-th is [edge(i), edge(i+1)), and edges
// ascend. If bands is not nil, its first n are set to what the stack does in the columns, outside the data to 0.
func (t *Timeline) ColumnsBetween(dst []Moment, bands []Band, axis Axis, n int, edge func(i int) float64) []Moment {
	x0, from := edge(0), 0
	for i := range n {
		x1 := edge(i + 1)
		m, first, end, next := t.column(axis, x0, x1, from)
		dst = append(dst, m)
		if bands != nil {
			bands[i] = t.band(axis, max(0, x0), min(x1, t.Extent(axis)), first, end, t.Height(m))
		}
		x0, from = x1, next
	}
	return dst
}

// Range is what the stack does in a part [x0, x1) of an axis.
func (t *Timeline) Range(axis Axis, x0, x1 float64) Band {
	var b [1]Band
	t.ColumnsBetween(nil, b[:], axis, 1, func(i int) float64 { return x0 + float64(i)*(x1-x0) })
	return b[0]
}
