package layout

import (
	"math"
	"sort"
)

// Bars is where phases lie on an axis, made once so that they can be drawn at any zoom without looking at each. It
// is immutable.
type Bars struct {
	phases  *Phases
	x0, x1  []float64   // of each phase, in the axis' unit
	covered [][]float64 // of each level: the length of its phases before each
}

// Bars places the phases on an axis of their timeline. It takes some time for many phases.
func (p *Phases) Bars(t *Timeline, axis Axis) *Bars {
	b := &Bars{phases: p, x0: make([]float64, len(p.All)), x1: make([]float64, len(p.All))}
	for i := range p.All {
		b.x0[i], b.x1[i] = t.XOfTime(axis, p.All[i].Start), t.XOfTime(axis, p.All[i].End)
	}
	for _, level := range p.levels {
		sums := make([]float64, len(level)+1)
		for i, ph := range level {
			sums[i+1] = sums[i] + b.x1[ph] - b.x0[ph]
		}
		b.covered = append(b.covered, sums)
	}
	return b
}

// Span is where a phase begins and ends on the axis.
func (b *Bars) Span(phase int32) (x0, x1 float64) { return b.x0[phase], b.x1[phase] }

// A Bar is how a phase, or several that are too short to be told apart, show in a picture.
type Bar struct {
	X0, X1 float64 // pixels; they may lie outside the picture
	Phase  int32   // index into Phases.All; of a cell its first one
	Count  int     // above 1: a cell of so many phases
	Dense  float64 // of a cell: the part of it that is covered, 0 to 1
}

// Cell is how many pixels wide the cells are that short phases of one level are counted in.
const Cell = 4

// Appear appends what shows of a level in a picture of the part [from, to] of the axis, w pixels wide, from left to
// right: bars that do not overlap and are at least a cell apart or wide. Their number is bounded by w; its cost is
// that times a search. Cells lie at multiples of their width on the axis, so that they do not flicker while
// panning.
func (b *Bars) Appear(dst []Bar, level int, from, to float64, w int) []Bar {
	phases := b.phases.levels[level]
	scale := float64(w) / (to - from)
	px := func(x float64) float64 { return (x - from) * scale }
	i := sort.Search(len(phases), func(i int) bool { return b.x1[phases[i]] >= from })
	for i < len(phases) {
		ph := phases[i]
		x0, x1 := b.x0[ph], b.x1[ph]
		if x0 > to {
			break
		}
		if (x1-x0)*scale >= Cell {
			dst = append(dst, Bar{X0: px(x0), X1: px(x1), Phase: ph, Count: 1})
			i++
			continue
		}
		// All that begin in this cell, but for a last one that is long.
		edge := (math.Floor(x0*scale/Cell) + 1) * Cell / scale
		rest := phases[i:]
		n := max(1, sort.Search(len(rest), func(k int) bool { return b.x0[rest[k]] >= edge }))
		if last := rest[n-1]; n > 1 && (b.x1[last]-b.x0[last])*scale >= Cell {
			n--
		}
		bar := Bar{X0: px(x0), X1: px(x1), Phase: ph, Count: n}
		if n > 1 {
			bar.X0, bar.X1 = px(edge)-Cell, px(edge)
			bar.Dense = min(1, (b.covered[level][i+n]-b.covered[level][i])*scale/Cell)
		}
		dst = append(dst, bar)
		i += n
	}
	return dst
}
