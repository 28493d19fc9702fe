package layout

import (
	"math/rand/v2"
	"testing"
)

// TestPyramidFindsTheFirst: of equal maxima the first one is found, whatever the range.
func TestPyramidFindsTheFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	values := make([]int64, 1000)
	for i := range values {
		values[i] = int64(rng.IntN(3))
	}
	p := NewMaxima(values)
	for range 5000 {
		lo := rng.IntN(len(values))
		hi := lo + rng.IntN(len(values)-lo)
		want := lo
		for i := lo; i <= hi; i++ {
			if values[i] > values[want] {
				want = i
			}
		}
		if got := p.First(int32(lo), int32(hi)); int(got) != want {
			t.Fatalf("the first maximum of [%d, %d] is at %d, found at %d", lo, hi, want, got)
		}
	}
	all := NewMaxima(make([]int64, 1000))
	if got := all.First(0, 999); got != 0 {
		t.Errorf("of equal values the one at %d", got)
	}
}
