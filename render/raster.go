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
	// painter knows how a block at the border goes on. bytes is the byte at
	// the centre of each row of all.
	all     []layout.ID
	moments []layout.Moment
	bytes   []int64
}

// How far beyond the border a Raster knows, pixels.
const (
	before = 1
	after  = minSeparated - 1
)

// newRaster makes the raster of a view without its pixels.
func newRaster(t *layout.Timeline, v View, w, h int) *Raster {
	r := &Raster{View: v, W: w, H: h, t: t, all: make([]layout.ID, w*(before+h+after))}
	dx, height := (v.X1-v.X0)/float64(w), v.Y1-v.Y0
	r.measure(func(c int) float64 { return v.X0 + float64(c)*dx },
		func(y int) float64 { return v.Y1 - (float64(y)+.5)*height/float64(h) })
	return r
}

// measure finds what each column and each row stands for: left is the left
// edge of a column, centre the middle of a row.
func (r *Raster) measure(left func(c int) float64, centre func(y int) float64) {
	r.moments = make([]layout.Moment, 0, before+r.W+after)
	x0 := left(-before)
	for c := -before; c < r.W+after; c++ {
		x1 := left(c + 1)
		r.moments = append(r.moments, r.t.Column(r.View.Axis, x0, x1))
		x0 = x1
	}
	r.bytes = make([]int64, before+r.H+after)
	for i := range r.bytes {
		r.bytes[i] = int64(math.Floor(centre(i - before)))
	}
	r.share()
}

// share makes the exported slices from the private ones.
func (r *Raster) share() {
	r.IDs = r.all[before*r.W : (before+r.H)*r.W]
	r.Columns = r.moments[before : before+r.W]
	r.Tops = make([]int64, r.W)
	for x, m := range r.Columns {
		r.Tops[x] = r.t.Height(m)
	}
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

// ByteAt is the byte at the centre of row y, 0 ≤ y < H, rounded down.
func (r *Raster) ByteAt(y int) int64 { return r.bytes[y+before] }
