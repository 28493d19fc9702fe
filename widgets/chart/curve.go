package chart

import (
	"image"
	"image/color"
	"math"
	"slices"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout"
	"strata/layout/search"
	"strata/layout/units"
	"strata/render"
	"strata/widgets/kit"
)

// A Curve draws what the matches of a search held over time as a line over
// the timeline, in its scale. It is recorded when what it depends on changes.
type Curve struct {
	ops  op.Ops
	call op.CallOp
	key  curveKey
	ys   []int
}

type curveKey struct {
	result *search.Result
	view   render.View
	size   image.Point
	colour color.NRGBA
	px     int
}

// Layout draws the curve as wide and high as the constraints: the picture of
// the view.
func (c *Curve) Layout(gtx giolayout.Context, th *kit.Theme, r *search.Result, v render.View) {
	size := gtx.Constraints.Max
	if r == nil || r.Count == 0 || size.X < 2 || size.Y < 2 {
		return
	}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	if key := (curveKey{r, v, size, th.Link, gtx.Dp(1)}); key != c.key {
		c.key = key
		c.record(th, r, v, size, max(1, gtx.Dp(1)))
	}
	c.call.Add(gtx.Ops)
	c.mark(gtx, th, r, v, size)
}

// record makes the line: in every pixel column the most that was held in it.
func (c *Curve) record(th *kit.Theme, r *search.Result, v render.View, size image.Point, px int) {
	c.ys = c.ys[:0]
	dx := (v.X1 - v.X0) / float64(size.X)
	base := math.Round(v.X0 / dx) // the picture's columns lie at whole multiples of their width
	for x := range size.X {
		held := r.Column(v.Axis, (base+float64(x))*dx, (base+float64(x)+1)*dx)
		y := math.Round(v.YPixel(float64(held), size.Y))
		c.ys = append(c.ys, int(max(-8, min(y, float64(size.Y)+8))))
	}
	c.ops.Reset()
	rec := op.Record(&c.ops)
	c.line(kit.WithAlpha(th.Ground, 200), 2*px, px)
	c.line(th.Link, px, 0)
	c.call = rec.Stop()
}

// line draws the steps of the curve, thick pixels wide and around it a
// margin.
func (c *Curve) line(colour color.NRGBA, thick, margin int) {
	if len(c.ys) == 0 {
		return
	}
	var p clip.Path
	p.Begin(&c.ops)
	for i := 0; i < len(c.ys); {
		y, j := c.ys[i], i+1
		for j < len(c.ys) && c.ys[j] == y {
			j++
		}
		kit.RectPath(&p, image.Rect(i-margin, y-thick, j+margin, y+margin))
		if j < len(c.ys) {
			top, bottom := min(y, c.ys[j]), max(y, c.ys[j])
			kit.RectPath(&p, image.Rect(j-margin, top-thick, j+max(1, thick-margin), bottom+margin))
		}
		i = j
	}
	kit.FillWide(&c.ops, image.Rect(-thick, slices.Min(c.ys)-thick, len(c.ys)+thick, slices.Max(c.ys)+thick), p.End(), colour)
}

// mark says how much the matches held at most, where they did.
func (c *Curve) mark(gtx giolayout.Context, th *kit.Theme, r *search.Result, v render.View, size image.Point) {
	x := int(math.Round(v.XPixel(r.Timeline.X(v.Axis, r.PeakState), size.X)))
	y := int(math.Round(v.YPixel(float64(r.PeakBytes), size.Y)))
	if x < 0 || x >= size.X || y < 0 || y >= size.Y {
		return
	}
	gtx.Constraints = giolayout.Constraints{Max: size}
	label, d := kit.Measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Inset{Left: 5, Right: 5, Top: 1, Bottom: 2}.Layout(gtx,
			kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text, Text: "matches " + units.Bytes(r.PeakBytes)}.Line(th))
	})
	dot := gtx.Dp(3)
	kit.FillRound(gtx, th, image.Rect(x-dot, y-dot, x+dot, y+dot), th.Link)
	at := markPlace(image.Pt(x, y), d.Size, size, gtx.Dp(8), peakLabel(gtx, th, r.Timeline, v, size))
	defer op.Offset(at).Push(gtx.Ops).Pop()
	kit.FillRound(gtx, th, image.Rectangle{Max: d.Size}, kit.WithAlpha(th.Ground, 220))
	label.Add(gtx.Ops)
}

// peakLabel is about where the timeline writes the run's peak, with some room
// around it; empty where that is off the picture.
func peakLabel(gtx giolayout.Context, th *kit.Theme, t *layout.Timeline, v render.View, size image.Point) image.Rectangle {
	x := int(math.Round(v.XPixel(t.X(v.Axis, t.PeakState), size.X)))
	y := int(math.Round(v.YPixel(float64(t.PeakBytes), size.Y)))
	if x < 0 || x > size.X || y < -gtx.Dp(1) || y > size.Y {
		return image.Rectangle{}
	}
	_, d := kit.Measure(gtx, kit.Label{Face: kit.MonoStrong, Size: kit.SmallSize, Text: units.Bytes(t.PeakBytes)}.Line(th))
	width := d.Size.X + gtx.Dp(9)
	if x+width > size.X {
		x -= width
	}
	return image.Rect(x, y-gtx.Dp(4)-d.Size.Y, x+width, y).Inset(-gtx.Dp(2))
}

// markPlace is where a label goes that belongs to a point: above it and to
// the right, or where that would cover what is taken, to the left or below.
func markPlace(p, label, size image.Point, gap int, taken image.Rectangle) image.Point {
	var at image.Point
	for _, at = range []image.Point{
		{p.X + gap, p.Y - label.Y - gap*2/3},
		{p.X - gap - label.X, p.Y - label.Y - gap*2/3},
		{p.X + gap, p.Y + gap},
	} {
		inside := image.Pt(max(0, min(at.X, size.X-label.X)), max(0, min(at.Y, size.Y-label.Y)))
		if at.X >= 0 && !(image.Rectangle{Min: inside, Max: inside.Add(label)}).Overlaps(taken) {
			return inside
		}
		at = inside
	}
	return at
}
