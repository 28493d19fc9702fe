// Package raster turns a timeline and a view into pixels: which allocation each of them shows, and the way back from
// a pixel to it. PERFORMANCE.md beside the parent package says what was tried to make that fast.
package raster

import (
	"context"
	"math"
	"runtime"

	"strata/layout"
	"strata/render"
)

// A Raster is a view in pixels: which allocation each of them shows.
//
// Column c stands for [X0+c·dx, X0+(c+1)·dx) and shows the moment in it at which the stack is highest; row y shows
// what covers the byte at its centre. So IDs[y*W+x] is what layout.Timeline.Hit(Columns[x], ByteAt(y)) says.
type Raster struct {
	View    render.View
	W, H    int
	IDs     []layout.ID     // row-major, row 0 on top
	Columns []layout.Moment // what each column shows
	Bands   []layout.Band   // what the stack does in each column's part of the axis

	Timeline *layout.Timeline
	// all is IDs with one more row above and three below, and moments is Columns with one more on the left and three
	// on the right, so that the painter knows how a block at the border goes on. bytes is the byte at the centre of
	// each row of all.
	all     []layout.ID
	moments []layout.Moment
	bands   []layout.Band
	bytes   []int64
}

// How far beyond the border a Raster knows, pixels. Margin is both together: so many more rows than H are kept.
const (
	before = 1
	after  = minSeparated - 1
	Margin = before + after
)

// measure finds what each row stands for: centre is the middle of a row.
func (r *Raster) measure(centre func(y int) float64) {
	r.moments = make([]layout.Moment, before+r.W+after)
	r.bands = make([]layout.Band, before+r.W+after)
	r.bytes = make([]int64, before+r.H+after)
	for i := range r.bytes {
		r.bytes[i] = int64(math.Floor(centre(i - before)))
	}
	r.share()
}

// choose finds what the columns [from, to) stand for, and those beyond a border they reach: left is the left edge of
// a column.
func (r *Raster) choose(left func(c int) float64, from, to int) {
	first, end := from, to
	if from == 0 {
		first = -before
	}
	if to == r.W {
		end += after
	}
	at := before + first
	r.Timeline.ColumnsBetween(r.moments[at:at], r.bands[at:], r.View.Axis, end-first,
		func(i int) float64 { return left(first + i) })
}

// share makes the exported slices from the private ones.
func (r *Raster) share() {
	r.IDs = r.all[before*r.W : (before+r.H)*r.W]
	r.Columns = r.moments[before : before+r.W]
	r.Bands = r.bands[before : before+r.W]
}

// halves is the least number of pixels worth a second goroutine.
const halves = 1 << 16

// New makes the raster of a view, w by h pixels, on two cores if it is large. The error is that of ctx.
func New(ctx context.Context, t *layout.Timeline, v render.View, w, h int) (*Raster, error) {
	r := &Raster{View: v, W: w, H: h, Timeline: t, all: make([]layout.ID, w*(before+h+after))}
	dx, height := (v.X1-v.X0)/float64(w), v.Y1-v.Y0
	r.measure(func(y int) float64 { return v.Y1 - (float64(y)+.5)*height/float64(h) })
	part := func(from, to int) error {
		r.choose(func(c int) float64 { return v.X0 + float64(c)*dx }, from, to)
		return r.columns(ctx, from, to)
	}
	if w*h < halves || w < 4*stripe || runtime.GOMAXPROCS(0) == 1 {
		if err := part(0, w); err != nil {
			return nil, err
		}
		return r, nil
	}
	middle := w / 2 / stripe * stripe
	done := make(chan error)
	go func() { done <- part(0, middle) }()
	err := part(middle, w)
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
