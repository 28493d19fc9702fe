package render

import (
	"context"
	"math"
	"runtime"

	"strata/layout"
)

// A Raster is a view in pixels: which allocation each of them shows.
//
// Column c stands for [X0+c·dx, X0+(c+1)·dx) and shows the moment in it at
// which the stack is highest; row y shows what covers the byte at its centre.
// So IDs[y*W+x] is what layout.Timeline.Hit(Columns[x], ByteAt(y)) says.
type Raster struct {
	View    View
	W, H    int
	IDs     []layout.ID     // row-major, row 0 on top
	Columns []layout.Moment // what each column shows
	Tops    []int64         // height of the stack in each column, bytes

	t *layout.Timeline
	// all is IDs with one more row above and three below, and moments is
	// Columns with one more on the left and three on the right, so that the
	// painter knows how a block at the border goes on.
	all     []layout.ID
	moments []layout.Moment
}

// How far beyond the border a Raster knows, pixels.
const (
	before = 1
	after  = minSeparated - 1
)

// newRaster makes the raster without its pixels.
func newRaster(t *layout.Timeline, v View, w, h int) *Raster {
	r := &Raster{View: v, W: w, H: h, t: t}
	r.all = make([]layout.ID, w*(before+h+after))
	r.IDs = r.all[before*w : (before+h)*w]
	r.moments = make([]layout.Moment, 0, before+w+after)
	dx := (v.X1 - v.X0) / float64(w)
	for c := -before; c < w+after; c++ {
		r.moments = append(r.moments, t.Column(v.Axis, v.X0+float64(c)*dx, v.X0+float64(c+1)*dx))
	}
	r.Columns = r.moments[before : before+w]
	r.Tops = make([]int64, w)
	for x, m := range r.Columns {
		r.Tops[x] = t.Height(m)
	}
	return r
}

// halves is the least number of pixels worth a second goroutine.
const halves = 1 << 16

// Rasterize makes the raster of a view, w by h pixels, on two cores if it is
// large. The error is that of ctx.
func Rasterize(ctx context.Context, t *layout.Timeline, v View, w, h int) (*Raster, error) {
	r := newRaster(t, v, w, h)
	if w*h < halves || w < 4*stripe || runtime.GOMAXPROCS(0) == 1 {
		if err := r.columns(ctx, 0, w); err != nil {
			return nil, err
		}
		return r, nil
	}
	middle := w / 2 / stripe * stripe
	done := make(chan error)
	go func() { done <- r.columns(ctx, 0, middle) }()
	err := r.columns(ctx, middle, w)
	if other := <-done; err == nil {
		err = other
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// At is the allocation at a pixel, None outside the raster.
func (r *Raster) At(x, y int) layout.ID {
	if x < 0 || x >= r.W || y < 0 || y >= r.H {
		return layout.None
	}
	return r.IDs[y*r.W+x]
}

// ByteAt is the byte at the centre of row y, rounded down.
func (r *Raster) ByteAt(y int) int64 {
	return int64(math.Floor(r.View.Y1 - (float64(y)+.5)*(r.View.Y1-r.View.Y0)/float64(r.H)))
}

// A Run is what one allocation covers of a pixel column: rows Top ≤ y < Bottom.
type Run struct{ X, Top, Bottom int }

// Outline is where an allocation lies in the raster, a run for each column
// in which it has a pixel, from left to right.
func (r *Raster) Outline(id layout.ID) []Run {
	var runs []Run
	for x := range r.Columns {
		top := 0
		for top < r.H && r.IDs[top*r.W+x] != id {
			top++
		}
		if top == r.H {
			continue
		}
		bottom := top + 1
		for bottom < r.H && r.IDs[bottom*r.W+x] == id {
			bottom++
		}
		runs = append(runs, Run{x, top, bottom})
	}
	return runs
}
