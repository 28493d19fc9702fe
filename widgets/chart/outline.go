package chart

import (
	"image"
	"image/color"
	"math"

	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout"
	"strata/render/raster"
	"strata/widgets/kit"
)

// An outline is drawn around one allocation. It is recorded when what it depends on changes, and replayed else.
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

// fewRects is up to how many rectangles drawn for themselves cost less than a
// path, for which the graphics system begins a second picture.
const fewRects = 16

// draw draws the outline, width dp thick where the allocation has room.
func (o *outline) draw(gtx C, s Scene, id layout.ID, c color.NRGBA, width float32) {
	px := max(1, int(math.Round(float64(width*gtx.Metric.PxPerDp))))
	if key := (outlineKey{id, s.Version(), c, px}); key != o.key {
		o.key = key
		o.rects = raster.AppendEdge(o.rects[:0], s.Outline(id), px)
		o.ops.Reset()
		rec := op.Record(&o.ops)
		switch {
		case len(o.rects) <= fewRects:
			for _, r := range o.rects {
				kit.Fill(&o.ops, r, c)
			}
		default:
			var p clip.Path
			p.Begin(&o.ops)
			for _, r := range o.rects {
				kit.RectPath(&p, r)
			}
			var area image.Rectangle
			for _, r := range o.rects {
				area = area.Union(r)
			}
			kit.FillWide(&o.ops, area, p.End(), c)
		}
		o.call = rec.Stop()
	}
	o.call.Add(gtx.Ops)
}
