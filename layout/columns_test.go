package layout

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRange: the lowest and the highest total of a part are those of the states that hold somewhere in it.
func TestRange(t *testing.T) {
	s, d := device(event{alloc, 0, 100, 1000}, event{alloc, 512, 300, 1010}, event{free, 0, 100, 1025},
		event{alloc, 1024, 700, 1040}, event{free, 512, 300, 1041}, event{free, 1024, 700, 1090})
	tl := New(s, d, Options{})
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		x0 := rng.Float64() * tl.Extent(Time)
		x1 := x0 + rng.Float64()*(tl.Extent(Time)-x0)
		low, high := int64(math.MaxInt64), int64(0)
		for state, total := range tl.Total {
			from, to := math.Inf(-1), math.Inf(1)
			if state > 0 {
				from = float64(tl.TimeOf(state - 1))
			}
			if state < len(tl.Actions) {
				to = float64(tl.TimeOf(state))
			}
			if from < x1 && to > x0 {
				low, high = min(low, total), max(high, total)
			}
		}
		if b := tl.Range(Time, x0, x1); b.Low != low || b.High != high {
			t.Fatalf("%g to %g µs: %d to %d, wanted %d to %d", x0, x1, b.Low, b.High, low, high)
		}
	}
	if b := tl.Range(Events, 0, tl.Extent(Events)); b.Low != 100 || b.High != 1000 {
		t.Errorf("the whole run: %+v", b)
	}
	if b := tl.Range(Events, -5, -1); b != (Band{}) {
		t.Errorf("outside: %+v", b)
	}
}
