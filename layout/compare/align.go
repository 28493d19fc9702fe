package compare

import (
	"cmp"
	"slices"
	"sort"

	"strata/layout"
)

// An Alignment says which place on the axis of one timeline lies above which of the other one. Between its knots it is
// straight. It is immutable.
type Alignment struct {
	Axis  layout.Axis
	knots []knot
	ends  [2]float64 // of the axes
}

// A knot ties a place in A to one in B, in the unit of the axis.
type knot [2]float64

// Straight ties step to step, or time to time since the start.
func Straight(a, b *layout.Timeline, axis layout.Axis) *Alignment {
	return &Alignment{Axis: axis, knots: []knot{{0, 0}, {1, 1}}, ends: [2]float64{a.Extent(axis), b.Extent(axis)}}
}

// Annotated ties the n-th occurrence of each annotation in A to the n-th of its name in B; nil where they have none in
// common. Names that differ in numbers alone are one name. Where annotations changed places, the most that keep one
// order are tied.
func Annotated(a, b *layout.Timeline, pa, pb *layout.Phases, axis layout.Axis) *Alignment {
	if !a.HasTime() || !b.HasTime() {
		return nil
	}
	type nth struct {
		name string
		n    int
	}
	places := func(t *layout.Timeline, phases *layout.Phases) map[nth][2]float64 {
		count := map[string]int{}
		found := map[nth][2]float64{}
		for i := range phases.All {
			p := &phases.All[i]
			if p.Instant {
				continue
			}
			name := digits.ReplaceAllString(p.Name, "N")
			count[name]++
			found[nth{name, count[name]}] = [2]float64{t.XOfTime(axis, p.Start), t.XOfTime(axis, p.End)}
		}
		return found
	}
	inA, inB := places(a, pa), places(b, pb)
	var ties []knot
	for k, x := range inA {
		if y, is := inB[k]; is {
			ties = append(ties, knot{x[0], y[0]}, knot{x[1], y[1]})
		}
	}
	if ties == nil {
		return nil
	}
	ends := [2]float64{a.Extent(axis), b.Extent(axis)}
	ties = append(ties, knot{0, 0}, ends)
	return &Alignment{Axis: axis, knots: rising(ties), ends: ends}
}

// rising is the longest list of knots that rise on both sides.
func rising(ties []knot) []knot {
	slices.SortFunc(ties, func(x, y knot) int { return cmp.Or(cmp.Compare(x[0], y[0]), -cmp.Compare(x[1], y[1])) })
	tails, before := []int{}, make([]int, len(ties)) // of lists by length, and what each knot follows
	for i, k := range ties {
		n := sort.Search(len(tails), func(n int) bool { return ties[tails[n]][1] >= k[1] })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	var out []knot
	for i := tails[len(tails)-1]; i >= 0; i = before[i] {
		out = append(out, ties[i])
	}
	slices.Reverse(out)
	return out
}

// Pieces is how many stretches have a scale of their own.
func (l *Alignment) Pieces() int { return len(l.knots) - 1 }

// Extent is where the later of the two ends, on A's axis.
func (l *Alignment) Extent() float64 { return max(l.ends[0], l.ToA(l.ends[1])) }

// ToB is the place in B that lies below a place in A; beyond the knots the axis goes on as at their end.
func (l *Alignment) ToB(x float64) float64 { return l.to(x, 0) }

// ToA is the place in A above a place in B.
func (l *Alignment) ToA(x float64) float64 { return l.to(x, 1) }

func (l *Alignment) to(x float64, from int) float64 {
	k := l.knots
	if len(k) < 2 {
		return x
	}
	i := sort.Search(len(k)-2, func(i int) bool { return x < k[i+1][from] })
	return k[i][1-from] + (x-k[i][from])*(k[i+1][1-from]-k[i][1-from])/(k[i+1][from]-k[i][from])
}

// Stretches calls f for each piece of A's axis between two places, with the piece of B that lies below it.
func (l *Alignment) Stretches(x0, x1 float64, f func(a0, a1, b0, b1 float64)) {
	for i := sort.Search(len(l.knots), func(i int) bool { return l.knots[i][0] > x0 }); x0 < x1; i++ {
		end := x1
		if i < len(l.knots) {
			end = min(end, l.knots[i][0])
		}
		if end > x0 {
			f(x0, end, l.ToB(x0), l.ToB(end))
		}
		x0 = end
	}
}
