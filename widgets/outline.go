package widgets

import (
	"image"
	"image/color"
	"math"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"

	"strata/layout"
	"strata/render"
)

// An outline is drawn around one allocation. It is recorded when what it
// depends on changes, and replayed else.
type outline struct {
	ops   op.Ops
	call  op.CallOp
	key   outlineKey
	rects []image.Rectangle
}

type outlineKey struct {
	id      layout.ID
	version uint64
	colour  color.NRGBA
	width   int
}

// draw draws the outline, width dp thick where the allocation has room.
func (o *outline) draw(gtx giolayout.Context, s Scene, id layout.ID, c color.NRGBA, width float32) {
	px := max(1, int(math.Round(float64(width*gtx.Metric.PxPerDp))))
	if key := (outlineKey{id, s.Version(), c, px}); key != o.key {
		o.key = key
		o.rects = appendOutline(o.rects[:0], s.Outline(id), px)
		o.ops.Reset()
		rec := op.Record(&o.ops)
		if len(o.rects) > 0 {
			var p clip.Path
			p.Begin(&o.ops)
			for _, r := range o.rects {
				rectPath(&p, r)
			}
			paint.FillShape(&o.ops, c, clip.Outline{Path: p.End()}.Op())
		}
		o.call = rec.Stop()
	}
	o.call.Add(gtx.Ops)
}

// appendOutline appends the edge of runs as rectangles inside them: width
// pixels along the top, the bottom and wherever a side borders on something
// else. Runs of equal rows are taken together, so that a straight edge costs
// one rectangle.
func appendOutline(dst []image.Rectangle, runs []render.Run, width int) []image.Rectangle {
	add := func(x0, y0, x1, y1 int) {
		if x1 > x0 && y1 > y0 {
			dst = append(dst, image.Rect(x0, y0, x1, y1))
		}
	}
	// side adds what of a side from y0 to y1 the neighbour k does not cover.
	side := func(x0, x1, y0, y1, k, touching int) {
		if k < 0 || k >= len(runs) || runs[k].X != touching || runs[k].Bottom <= y0 || runs[k].Top >= y1 {
			add(x0, y0, x1, y1)
			return
		}
		add(x0, y0, x1, runs[k].Top)
		add(x0, runs[k].Bottom, x1, y1)
	}
	for i := 0; i < len(runs); {
		r := runs[i]
		j := i + 1
		for j < len(runs) && runs[j].Top == r.Top && runs[j].Bottom == r.Bottom && runs[j].X == r.X+j-i {
			j++
		}
		x1 := r.X + j - i
		edge := min(width, (r.Bottom-r.Top+1)/2)
		add(r.X, r.Top, x1, r.Top+edge)
		add(r.X, r.Bottom-edge, x1, r.Bottom)
		depth := min(width, x1-r.X)
		side(r.X, r.X+depth, r.Top, r.Bottom, i-1, r.X-1)
		side(x1-depth, x1, r.Top, r.Bottom, j, x1)
		i = j
	}
	return dst
}
