package tiles

import (
	"math/rand/v2"

	"strata/layout"
	"strata/render"
	"strata/render/raster"
)

// randomView is a view of a part of a timeline, now and then reaching beyond the data, at any zoom.
func randomView(rng *rand.Rand, t *layout.Timeline) render.View {
	v := render.Whole(t, layout.Axis(rng.IntN(2)))
	for range rng.IntN(3) {
		v = v.ZoomX(v.XAt(rng.Float64(), 1), 1+rng.Float64()*20)
	}
	for range rng.IntN(3) {
		v = v.ZoomY(v.YAt(rng.Float64(), 1), 1+rng.Float64()*20)
	}
	if rng.IntN(4) == 0 {
		v = v.Pan((v.X1-v.X0)*(rng.Float64()-.5), (v.Y1-v.Y0)*(rng.Float64()-.5))
	}
	return v
}

// scanned is the outline found by looking at every pixel.
func scanned(w, h int, at func(x, y int) layout.ID, id layout.ID) []raster.Run {
	var runs []raster.Run
	for x := range w {
		for y := 0; y < h; y++ {
			if at(x, y) != id {
				continue
			}
			top := y
			for y < h && at(x, y) == id {
				y++
			}
			runs = append(runs, raster.Run{X: x, Top: top, Bottom: y})
		}
	}
	return runs
}
