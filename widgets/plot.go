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

// Layout draws the timeline: grid, picture, outlines, peak, axes.
func (tl *Timeline) Layout(gtx giolayout.Context, th *Theme, t *layout.Timeline, v render.View, s Scene, sel Selection) giolayout.Dimensions {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	fill(gtx.Ops, image.Rectangle{Max: size}, th.Ground)
	if t == nil || tl.plot.Dx() < 2 || tl.plot.Dy() < 2 {
		return giolayout.Dimensions{Size: size}
	}
	gtx.Constraints.Min = image.Point{}
	tl.listen(gtx)
	tl.picture(gtx, th, s, sel)
	tl.yAxis(gtx, th, v)
	tl.xAxis(gtx, th, v)
	tl.peak(gtx, th, t, v)
	return giolayout.Dimensions{Size: size}
}

// picture draws the scene and the outlines.
func (tl *Timeline) picture(gtx giolayout.Context, th *Theme, s Scene, sel Selection) {
	if s == nil {
		return
	}
	defer op.Offset(tl.plot.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: tl.plot.Size()}.Push(gtx.Ops).Pop()
	s.Add(gtx.Ops)
	if sel.Hovered >= 0 && sel.Hovered != sel.Pinned {
		tl.outlines[0].draw(gtx, s, sel.Hovered, th.Hover, 1)
	}
	if sel.Pinned >= 0 {
		tl.outlines[1].draw(gtx, s, sel.Pinned, th.Red, 2)
	}
}

// yAxis draws the byte labels and the grid.
func (tl *Timeline) yAxis(gtx giolayout.Context, th *Theme, v render.View) {
	for _, tick := range render.ByteTicks(v.Y0, v.Y1, tl.plot.Dy()) {
		y := tl.plot.Min.Y + int(math.Round(v.YPixel(tick.At, tl.plot.Dy())))
		if y > tl.plot.Max.Y {
			continue
		}
		fill(gtx.Ops, image.Rect(tl.plot.Min.X, y-1, tl.plot.Max.X, y), th.Grid)
		c, d := measure(gtx, Label{Face: Mono, Size: SmallSize, Colour: th.Quiet, Text: tick.Label}.widget(th))
		at := max(0, min(y-d.Size.Y/2-1, gtx.Constraints.Max.Y-d.Size.Y))
		place(gtx.Ops, image.Pt(tl.plot.Min.X-d.Size.X-gtx.Dp(8), at), c)
	}
}

// xAxis draws the labels below the picture.
func (tl *Timeline) xAxis(gtx giolayout.Context, th *Theme, v render.View) {
	y := tl.plot.Max.Y
	fill(gtx.Ops, image.Rect(tl.plot.Min.X, y, tl.plot.Max.X, y+1), th.Line)
	ticks := render.StepTicks
	if v.Axis == layout.Time {
		ticks = render.TimeTicks
	}
	end := -1 << 20
	for _, tick := range ticks(v.X0, v.X1, tl.plot.Dx()) {
		x := tl.plot.Min.X + int(math.Round(v.XPixel(tick.At, tl.plot.Dx())))
		if x < tl.plot.Min.X || x > tl.plot.Max.X {
			continue
		}
		fill(gtx.Ops, image.Rect(x, y, x+1, y+gtx.Dp(4)), th.Quiet)
		c, d := measure(gtx, Label{Face: Mono, Size: SmallSize, Colour: th.Quiet, Text: tick.Label}.widget(th))
		at := max(gtx.Dp(2), min(x-d.Size.X/2, gtx.Constraints.Max.X-d.Size.X-gtx.Dp(2)))
		if at < end+gtx.Dp(10) {
			continue
		}
		place(gtx.Ops, image.Pt(at, y+gtx.Dp(7)), c)
		end = at + d.Size.X
	}
}

// peak marks where the run's highest point is, with its size.
func (tl *Timeline) peak(gtx giolayout.Context, th *Theme, t *layout.Timeline, v render.View) {
	if t.PeakBytes == 0 {
		return
	}
	x := int(math.Round(v.XPixel(t.X(v.Axis, t.PeakState), tl.plot.Dx()))) + tl.plot.Min.X
	y := int(math.Round(v.YPixel(float64(t.PeakBytes), tl.plot.Dy()))) + tl.plot.Min.Y
	if x < tl.plot.Min.X || x > tl.plot.Max.X || y > tl.plot.Max.Y || y < tl.plot.Min.Y-gtx.Dp(1) {
		return
	}
	c, d := measure(gtx, Label{Face: MonoStrong, Size: SmallSize, Colour: th.Text, Text: render.Bytes(t.PeakBytes)}.widget(th))
	tip := image.Pt(x, y-gtx.Dp(1))
	at := image.Pt(x+gtx.Dp(9), y-gtx.Dp(4)-d.Size.Y)
	if at.Y < 0 { // no room above: beside it
		at.Y = max(0, y-gtx.Dp(1)-d.Size.Y/2)
	}
	if at.X+d.Size.X > tl.plot.Max.X {
		at.X = x - gtx.Dp(9) - d.Size.X
	}
	triangle(gtx, tip, false, th.Text)
	place(gtx.Ops, at, c)
}

// An outline is drawn around one allocation. It is recorded when what it
// depends on changes, and replayed else.
type outline struct {
	ops  op.Ops
	call op.CallOp
	key  outlineKey
}

type outlineKey struct {
	id      layout.ID
	version uint64
	colour  color.NRGBA
	width   int
}

// draw draws the outline, width pixels thick where the allocation has room.
func (o *outline) draw(gtx giolayout.Context, s Scene, id layout.ID, c color.NRGBA, width int) {
	width = max(1, int(math.Round(float64(width)*float64(gtx.Metric.PxPerDp))))
	if key := (outlineKey{id, s.Version(), c, width}); key != o.key || id < 0 {
		o.key = key
		o.ops.Reset()
		rec := op.Record(&o.ops)
		if path, ok := outlinePath(&o.ops, s.Outline(id), width); ok {
			paint.FillShape(&o.ops, c, path)
		}
		o.call = rec.Stop()
	}
	o.call.Add(gtx.Ops)
}

// outlinePath is the edge of runs: all their pixels that are within width of
// a pixel outside. Runs of equal rows are taken together, so that a straight
// edge costs one rectangle.
func outlinePath(ops *op.Ops, runs []render.Run, width int) (clip.Op, bool) {
	if len(runs) == 0 {
		return clip.Op{}, false
	}
	var p clip.Path
	p.Begin(ops)
	rect := func(x0, y0, x1, y1 int) {
		if x1 > x0 && y1 > y0 {
			rectPath(&p, image.Rect(x0, y0, x1, y1))
		}
	}
	for i := 0; i < len(runs); {
		r := runs[i]
		j := i + 1
		for j < len(runs) && runs[j].Top == r.Top && runs[j].Bottom == r.Bottom && runs[j].X == r.X+j-i {
			j++
		}
		x1 := r.X + j - i
		edge := min(width, (r.Bottom-r.Top+1)/2)
		rect(r.X, r.Top, x1, r.Top+edge)
		rect(r.X, r.Bottom-edge, x1, r.Bottom)
		joint := func(k int) (top, bottom int, ok bool) {
			if k < 0 || k >= len(runs) {
				return 0, 0, false
			}
			touching := runs[k].X == r.X-1 || runs[k].X == x1
			return runs[k].Top, runs[k].Bottom, touching
		}
		side := min(width, x1-r.X)
		verticals(rect, r, r.X, r.X+side, joint, i-1)
		verticals(rect, r, x1-side, x1, joint, j)
		i = j
	}
	return clip.Outline{Path: p.End()}.Op(), true
}

// verticals draws the part of a run's side that its neighbour does not cover.
func verticals(rect func(x0, y0, x1, y1 int), r render.Run, x0, x1 int, joint func(int) (int, int, bool), k int) {
	top, bottom, ok := joint(k)
	if !ok || bottom <= r.Top || top >= r.Bottom {
		rect(x0, r.Top, x1, r.Bottom)
		return
	}
	rect(x0, r.Top, x1, top)
	rect(x0, bottom, x1, r.Bottom)
}
