package layout

import (
	"math"
	"slices"
)

// A Band is how high the stack is in a part of an axis, bytes: the least, the mean weighted by how long each height is
// shown, and the most. A state that is shown for no time at all counts for High alone.
type Band struct{ Low, Mean, High int64 }

// summaryBits: a block of a summary has 1<<summaryBits pieces.
const summaryBits = 5

// A summary holds Low and the sum of bytes × width of blocks of pieces of an axis, so that a wide column costs
// a look at each block and at the pieces of the two blocks that it cuts.
type summary struct {
	low []int64
	sum []float64 // of all blocks before; one more than low
}

// A piece of an axis shows one height or, at the end of a free, a slide from one to another: an action on the Events
// axis, a state on the Time axis.
type piece struct {
	from, to    float64
	first, last int64 // bytes; if they differ, the last slideSteps lead from one to the other
}

// pieces is how many pieces an axis has.
func (t *Timeline) pieces(axis Axis) int { return len(t.Actions) + int(axis) }

// begin is where piece i of an axis begins, and where the one before ends.
func (t *Timeline) begin(axis Axis, i int) float64 {
	switch {
	case axis == Events:
		return float64(t.Timestep[i])
	case i == 0:
		return 0
	case i > len(t.Actions):
		return t.Extent(Time)
	}
	return float64(t.TimeOf(i - 1))
}

// piece is piece i of an axis, from where it begins to where the next one does.
func (t *Timeline) piece(axis Axis, i int, from, to float64) piece {
	if axis == Time {
		return piece{from, to, t.Total[i], t.Total[i]}
	}
	p := piece{from, to, t.Total[t.Shown(int32(i))], t.Total[i+1]}
	if to-from == 1 {
		p.last = p.first
	}
	return p
}

// part is the lowest height of a piece in [x0, x1), and the sum of bytes × width; math.MaxInt64 and 0 if it has no
// width there.
func (p *piece) part(x0, x1 float64) (low int64, sum float64) {
	x0, x1 = max(x0, p.from), min(x1, p.to)
	if x0 >= x1 {
		return math.MaxInt64, 0
	}
	slide, drop := p.to-slideSteps, float64(p.first-p.last)
	u, v := max(0, x0-slide)/slideSteps, max(0, x1-slide)/slideSteps
	if drop == 0 {
		u, v = 0, 0
	}
	return p.first - int64(drop*v), float64(p.first)*(x1-x0) - drop*(v*v-u*u)/2*slideSteps
}

func (t *Timeline) summarize(axis Axis) summary {
	n := t.pieces(axis)
	blocks := (n + 1<<summaryBits - 1) >> summaryBits
	s := summary{low: make([]int64, blocks), sum: make([]float64, 1, blocks+1)}
	from, total := 0., 0.
	for k := range s.low {
		low := int64(math.MaxInt64)
		for i := k << summaryBits; i < min(n, (k+1)<<summaryBits); i++ {
			to := t.begin(axis, i+1)
			if p := t.piece(axis, i, from, to); from < to {
				low = min(low, p.last)
				total += float64(p.first)*(to-from) - float64(p.first-p.last)*slideSteps/2
			}
			from = to
		}
		s.low[k], s.sum = low, append(s.sum, total)
	}
	return s
}

// band is what the stack does in [x0, x1), which has a part of the pieces [first, end) and comes up to high.
func (t *Timeline) band(axis Axis, x0, x1 float64, first, end int, high int64) Band {
	if first >= end {
		return Band{}
	}
	low, all, s := high, 0., t.summaries[axis]()
	last := (end - 1) >> summaryBits
	from := t.begin(axis, first)
	for i := first; i < end; i++ {
		if k := i >> summaryBits; i > first && i == k<<summaryBits && k < last {
			all += s.sum[last] - s.sum[k]
			low = min(low, slices.Min(s.low[k:last]))
			i = last << summaryBits
			from = t.begin(axis, i)
		}
		to := t.begin(axis, i+1)
		p := t.piece(axis, i, from, to)
		least, sum := p.part(x0, x1)
		low, all, from = min(low, least), all+sum, to
	}
	mean := min(high, int64(math.Round(all/(x1-x0))))
	return Band{min(low, mean), mean, high}
}
