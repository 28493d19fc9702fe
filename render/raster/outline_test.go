package raster

import (
	"math/rand/v2"
	"slices"
	"testing"

	"strata/layout"
	"strata/layout/traces"
)

// scanned is the outline found by looking at every pixel.
func scanned(w, h int, at func(x, y int) layout.ID, id layout.ID) []Run {
	var runs []Run
	for x := range w {
		for y := 0; y < h; y++ {
			if at(x, y) != id {
				continue
			}
			top := y
			for y < h && at(x, y) == id {
				y++
			}
			runs = append(runs, Run{x, top, y})
		}
	}
	return runs
}

func TestOutline(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range 60 {
		live := 1 + rng.IntN(40)
		tl := laidOut(traces.Random(rng, 1+rng.IntN(300), live), layout.Options{})
		r := rasterize(t, tl, randomView(rng, tl), 1+rng.IntN(60), 1+rng.IntN(60))
		for id := range layout.ID(len(tl.Size)) {
			if got, want := r.Outline(id), scanned(r.W, r.H, r.At, id); !slices.Equal(got, want) {
				t.Fatalf("outline of %d is %v, want %v", id, got, want)
			}
		}
	}
}
