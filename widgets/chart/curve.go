package chart

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout/search"
	"strata/layout/units"
	"strata/render"
	"strata/widgets/kit"
)

// A curve draws what the matches of a search held over time as a line over the timeline, in its scale. It is recorded
// when what it depends on changes.
type curve struct {
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

// drawMatches draws the curve of a search over the picture, and how much the matches held at most, where they did.
func (tl *Timeline) drawMatches(gtx C, th *kit.Theme, v render.View) {
	r, size := tl.Matches, tl.plot.Size()
	if r == nil || r.Count == 0 {
		return
	}
	offset := op.Offset(tl.plot.Min).Push(gtx.Ops)
	area := clip.Rect{Max: size}.Push(gtx.Ops)
	c := &tl.curve
	if key := (curveKey{r, v, size, th.Link, gtx.Dp(1)}); key != c.key {
		c.key = key
		c.record(th, r, v, size, max(1, gtx.Dp(1)))
	}
	c.call.Add(gtx.Ops)
	area.Pop()
	offset.Pop()
	x := int(math.Round(v.XPixel(r.Timeline.X(v.Axis, r.PeakState), size.X)))
	y := int(math.Round(v.YPixel(float64(r.PeakBytes), size.Y)))
	if x < 0 || x >= size.X || y < 0 || y >= size.Y {
		return
	}
	dot := gtx.Dp(3)
	at := tl.plot.Min.Add(image.Pt(x, y))
	kit.FillRound(gtx, th, image.Rectangle{Min: at, Max: at}.Inset(-dot), th.Link)
	text := kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text, Text: "matches " + units.Bytes(r.PeakBytes)}
	tl.label(gtx, th, text, func(d image.Point) image.Point { return beside(tl.plot, at, d, gtx.Dp(8)) })
}

// record makes the line: in every pixel column the most that was held in it.
func (c *curve) record(th *kit.Theme, r *search.Result, v render.View, size image.Point, px int) {
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

// line draws the steps of the curve, thick pixels wide and around it a margin.
func (c *curve) line(colour color.NRGBA, thick, margin int) {
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
	kit.FillWide(&c.ops, image.Rect(-thick, slices.Min(c.ys)-thick, len(c.ys)+thick, slices.Max(c.ys)+thick),
		p.End(), colour)
}
