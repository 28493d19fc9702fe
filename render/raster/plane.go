package raster

import (
	"context"
	"math"

	"strata/layout"
	"strata/render"
)

// A Zoom is what a pixel of a plane stands for: dx of the axis' unit, dy bytes. The plane's column 0 begins at the
// axis' zero and its row 0 at byte 0; rows count upwards.
type Zoom struct {
	Axis   layout.Axis
	DX, DY float64
}

// Plane makes the raster of w by h pixels of a plane from a column and a row on. Rasters of one zoom agree on the
// pixels that they share. The error is that of ctx.
func Plane(ctx context.Context, t *layout.Timeline, z Zoom, left, bottom, w, h int) (*Raster, error) {
	r := &Raster{W: w, H: h, Timeline: t, all: make([]layout.ID, w*(before+h+after)), View: render.View{
		Axis: z.Axis, X0: float64(left) * z.DX, X1: float64(left+w) * z.DX,
		Y0: float64(bottom) * z.DY, Y1: float64(bottom+h) * z.DY,
	}}
	r.measure(func(y int) float64 { return (float64(bottom+h-1-y) + .5) * z.DY })
	r.choose(func(c int) float64 { return float64(left+c) * z.DX }, 0, w)
	if err := r.columns(ctx, 0, w); err != nil {
		return nil, err
	}
	return r, nil
}

// Part copies a rectangle of a raster into one of its own.
func (r *Raster) Part(x, y, w, h int) *Raster {
	v := r.View
	p := &Raster{W: w, H: h, Timeline: r.Timeline, View: render.View{Axis: v.Axis,
		X0: v.XAt(float64(x), r.W), X1: v.XAt(float64(x+w), r.W),
		Y0: v.YAt(float64(y+h), r.H), Y1: v.YAt(float64(y), r.H)}}
	p.moments = append([]layout.Moment(nil), r.moments[x:x+before+w+after]...)
	p.bands = append([]layout.Band(nil), r.bands[x:x+before+w+after]...)
	p.bytes = append([]int64(nil), r.bytes[y:y+before+h+after]...)
	p.all = make([]layout.ID, w*(before+h+after))
	for row := range before + h + after {
		copy(p.all[row*w:][:w], r.all[(y+row)*r.W+x:])
	}
	p.share()
	return p
}

// Sample makes a raster of another view from the pixels of this one.
func (r *Raster) Sample(v render.View, w, h int) *Raster {
	p := &Raster{View: v, W: w, H: h, Timeline: r.Timeline}
	p.moments = make([]layout.Moment, before+w+after)
	p.bands = make([]layout.Band, before+w+after)
	from := make([]int, w)
	for x := range p.moments {
		at := math.Floor(r.View.XPixel(v.XAt(float64(x-before)+.5, w), r.W))
		p.moments[x] = layout.NoMoment
		if at >= 0 && at < float64(r.W) {
			p.moments[x], p.bands[x] = r.Columns[int(at)], r.Bands[int(at)]
		}
		if x >= before && x < before+w {
			from[x-before] = int(min(max(at, -1), float64(r.W)))
		}
	}
	p.bytes = make([]int64, before+h+after)
	p.all = make([]layout.ID, w*(before+h+after))
	for y := range p.bytes {
		centre := v.YAt(float64(y-before)+.5, h)
		p.bytes[y] = int64(math.Floor(centre))
		row := int(min(max(math.Floor(r.View.YPixel(centre, r.H)), -1), float64(r.H)))
		for x, c := range from {
			p.all[y*w+x] = r.At(c, row)
		}
	}
	p.share()
	return p
}
