package growth

import (
	"math/rand/v2"
	"testing"
)

// TestCachesOfManySizes: a cache that holds a buffer for each size it has met fills more and more slowly. It is rarely
// mistaken for growth.
func TestCachesOfManySizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range 200 {
		met := map[int]bool{}
		y := []int64{0}
		for range 100 {
			met[rng.IntN(20)] = true
			y = append(y, int64(len(met))<<20)
		}
		if v, found := judge(y); found && !v.stopped {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 200 caches are said to grow", wrong)
	}
}

// TestNoise: what goes up and down by chance is not said to grow.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	for range 1000 {
		y := make([]int64, 40)
		for i := range y {
			y[i] = 1<<30 + rng.Int64N(1<<20)
			if i > 0 && rng.IntN(2) == 0 {
				y[i] = y[i-1]
			}
		}
		if _, found := judge(y); found {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 1,000 curves of chance are said to grow, or to have grown", wrong)
	}
}
