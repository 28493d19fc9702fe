package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"strata/layout"
)

func TestAnnotated(t *testing.T) {
	run := func(lengths ...int) *layout.Timeline {
		var all []any
		at := 1000
		for i, n := range lengths {
			all = append(all, annotation(fmt.Sprintf("step %d", i+len(lengths)), at, at+10*n)...)
			at += 10 * n
		}
		return timeline(t, slices.Repeat([]alloc{from(512)}, (at-1000)/10), all...)
	}
	a, b := run(2, 4, 2), run(4, 2, 1)
	for _, c := range []struct {
		axis layout.Axis
		want [][2]float64
	}{
		{layout.Events, [][2]float64{{0, 0}, {1, 2}, {2, 4}, {4, 5}, {6, 6}, {8, 7}}},
		{layout.Time, [][2]float64{{0, 0}, {10, 20}, {20, 40}, {40, 50}, {60, 60}}},
	} {
		l := Annotated(a, b, layout.AllPhases(a), layout.AllPhases(b), c.axis)
		for _, w := range c.want {
			if math.Abs(l.ToB(w[0])-w[1]) > 1e-9 || math.Abs(l.ToA(w[1])-w[0]) > 1e-9 {
				t.Errorf("axis %v: %v of A lies above %v, %v of B below %v; want %v", c.axis, w[0], l.ToB(w[0]), w[1],
					l.ToA(w[1]), w)
			}
		}
	}
	bare := timeline(t, []alloc{from(1)})
	if Annotated(a, bare, layout.AllPhases(a), layout.AllPhases(bare), layout.Events) != nil {
		t.Error("aligned without annotations")
	}
}

// TestRising: the knots rise on both sides, whatever annotations a file has, and stretches cover what is asked for.
func TestRising(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var ties []knot
		for range 1 + rng.IntN(20) {
			ties = append(ties, knot{float64(rng.IntN(20)), float64(rng.IntN(20))})
		}
		l := &Alignment{knots: rising(ties)}
		for i, k := range l.knots[1:] {
			if k[0] <= l.knots[i][0] || k[1] <= l.knots[i][1] {
				t.Fatalf("%v of %v", l.knots, ties)
			}
		}
		at := -3.0
		l.Stretches(at, 25, func(a0, a1, b0, b1 float64) {
			if a0 != at || a1 <= a0 || b1 < b0 {
				t.Fatalf("%v to %v, %v to %v after %v", a0, a1, b0, b1, at)
			}
			at = a1
		})
		if at != 25 {
			t.Fatalf("the stretches end at %v", at)
		}
	}
}

// TestMoments: a step of a repeated phase is found in B by its name, else by its place among the steps.
func TestMoments(t *testing.T) {
	run := func(first int) *layout.Timeline {
		var all []any
		for i := range 4 {
			all = append(all, annotation(fmt.Sprintf("step %d", first+i), 1000+20*i, 1010+20*i)...)
		}
		return timeline(t, slices.Repeat([]alloc{from(512)}, 8), all...)
	}
	for _, c := range []struct {
		first int
		want  string
	}{{1, "step 2"}, {101, "step 102"}, {2, "step 2"}} {
		tl := [2]*layout.Timeline{run(1), run(c.first)}
		phases := [2]*layout.Phases{layout.AllPhases(tl[0]), layout.AllPhases(tl[1])}
		m, _, err := Moments(tl, phases, "phase:step 2", "")
		if err != nil || m[0].Name != "step 2" || m[1].Name != c.want {
			t.Errorf("from %d: %v, %v", c.first, m, err)
		}
		if _, side, err := Moments(tl, phases, "peak", "phase:nothing"); err == nil || side != 1 {
			t.Errorf("side %d: %v", side, err)
		}
	}
}
