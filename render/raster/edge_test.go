package raster

import (
	"image"
	"math/rand/v2"
	"testing"
)

// TestOutlineIsTheEdge compares the rectangles with the definition, on random shapes: inside the runs, and with every
// pixel of them that has a neighbour outside.
func TestOutlineIsTheEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const w, h = 24, 20
	for range 2000 {
		var runs []Run
		inside := func(x, y int) bool {
			for _, r := range runs {
				if r.X == x && y >= r.Top && y < r.Bottom {
					return true
				}
			}
			return false
		}
		top, bottom := rng.IntN(h-1), 0
		bottom = top + 1 + rng.IntN(h-top)
		for x := range w {
			switch rng.IntN(5) {
			case 0: // a gap
				continue
			case 1:
				top = rng.IntN(h - 1)
				bottom = top + 1 + rng.IntN(h-top)
			}
			runs = append(runs, Run{X: x, Top: top, Bottom: min(bottom, h)})
		}
		for _, width := range []int{1, 2, 3} {
			var got [w][h]bool
			for _, r := range AppendEdge(nil, runs, width) {
				for x := r.Min.X; x < r.Max.X; x++ {
					for y := r.Min.Y; y < r.Max.Y; y++ {
						if !inside(x, y) {
							t.Fatalf("width %d: %v is outside %v", width, image.Pt(x, y), runs)
						}
						got[x][y] = true
					}
				}
			}
			for x := range w {
				for y := range h {
					edge := inside(x, y) && !(inside(x-1, y) && inside(x+1, y) && inside(x, y-1) && inside(x, y+1))
					if edge && !got[x][y] || width == 1 && got[x][y] && !edge {
						t.Fatalf("width %d: pixel %v is drawn %v, is edge %v, of %v",
							width, image.Pt(x, y), got[x][y], edge, runs)
					}
				}
			}
		}
	}
}

// TestStraightOutlineIsCheap: what the graphics system is given does not grow with the length of a straight block.
func TestStraightOutlineIsCheap(t *testing.T) {
	var runs []Run
	for x := range 4000 {
		runs = append(runs, Run{X: x, Top: 10, Bottom: 50})
	}
	if n := len(AppendEdge(nil, runs, 2)); n != 4 {
		t.Fatalf("%d rectangles for a rectangle", n)
	}
}
