package chart

import (
	"image"
	"image/color"
	"math"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/render/picture"
	"strata/widgets/kit"
)

// limits draws all that is under the outlines' level of attention: the base,
// the phases' lines, the capacity, what ran out of memory.
func (tl *Timeline) limits(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) {
	area := clip.Rect(tl.plot).Push(gtx.Ops)
	tl.phaseLines(gtx, th)
	tl.base(gtx, th, v)
	area.Pop()
	tl.taken = tl.taken[:0]
	if tip, ok := tl.peakTip(gtx, t, v); ok { // no label lies under its mark
		tl.taken = append(tl.taken, image.Rect(tip.X-gtx.Dp(5), tip.Y-gtx.Dp(7), tip.X+gtx.Dp(5), tip.Y))
	}
	tl.capacity(gtx, th, v)
	tl.ooms(gtx, th, t, v)
}

// free is the nearest place under a box where no label is yet; it is taken then.
func (tl *Timeline) free(gtx C, box image.Rectangle) image.Point {
	for range tl.taken { // each can be in the way once
		for _, r := range tl.taken {
			if box.Overlaps(r) {
				box = box.Add(image.Pt(0, r.Max.Y+gtx.Dp(3)-box.Min.Y))
			}
		}
	}
	tl.taken = append(tl.taken, box)
	return box.Min
}

// base hatches what lies under the stack.
func (tl *Timeline) base(gtx C, th *kit.Theme, v render.View) {
	l := &tl.Limits
	if l.Offset == 0 {
		return
	}
	r := tl.plot
	r.Min.Y += int(math.Round(v.YPixel(0, tl.plot.Dy())))
	if r = r.Intersect(tl.plot); r.Empty() {
		return
	}
	kit.Fill(gtx.Ops, r, th.Card)
	kit.Hatch(gtx.Ops, r, gtx.Dp(9), gtx.Dp(2), kit.WithAlpha(th.Quiet, 70))
	kit.Fill(gtx.Ops, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), th.Quiet)
	text := "+" + units.Bytes(l.Offset) + " outside of the snapshot"
	if r.Dy() >= gtx.Dp(18) {
		tl.tag(gtx, th, text, func(d image.Point) image.Point {
			return image.Pt(r.Min.X+gtx.Dp(8), r.Min.Y+(r.Dy()-d.Y)/2)
		})
	}
}

// phaseLines draws where phases START, and dashed where they END.
func (tl *Timeline) phaseLines(gtx C, th *kit.Theme) {
	for _, l := range tl.Lines {
		c, w := kit.WithAlpha(l.Colour, 56), 1
		if l.Strong {
			c, w = kit.WithAlpha(l.Colour, 230), max(1, gtx.Dp(1))
		}
		x := tl.plot.Min.X + l.X
		if !l.End {
			kit.Fill(gtx.Ops, image.Rect(x, tl.plot.Min.Y, x+w, tl.plot.Max.Y), c)
			continue
		}
		line := image.Rect(x, tl.plot.Min.Y, x+w, tl.plot.Max.Y)
		th.Dashed(gtx, line, kit.Dashes{On: gtx.Dp(5), Off: gtx.Dp(4), Colour: c})
	}
}

// capacity draws the dashed line of the GPU's memory, or, where it is out of view, which way it is.
func (tl *Timeline) capacity(gtx C, th *kit.Theme, v render.View) {
	l := &tl.Limits
	if l.Capacity.Bytes == 0 {
		return
	}
	dim := kit.WithAlpha(th.Red, 190)
	text := l.Capacity.Label()
	y := tl.plot.Min.Y + int(math.Round(v.YPixel(float64(l.CapacityAt()), tl.plot.Dy())))
	under := false
	switch {
	case y < tl.plot.Min.Y:
		text, y = "↑ "+text, tl.plot.Min.Y
		under = true
	case y >= tl.plot.Max.Y:
		text, y = "↓ "+text, tl.plot.Max.Y
	default:
		line := image.Rect(tl.plot.Min.X, y, tl.plot.Max.X, y+max(1, gtx.Dp(1)))
		tl.taken = append(tl.taken, line) // no label lies under it
		th.Dashed(gtx, line, kit.Dashes{On: gtx.Dp(6), Off: gtx.Dp(4), Colour: dim})
	}
	gtx.Constraints.Max.X = tl.plot.Dx()
	tl.label(gtx, th, kit.Label{Size: kit.SmallSize, Colour: th.Red, Text: text}, func(d image.Point) image.Point {
		at := image.Pt(tl.plot.Max.X-d.X-gtx.Dp(6), y-d.Y-gtx.Dp(2))
		if under || at.Y < 0 {
			at.Y = y + gtx.Dp(2)
		}
		return at
	})
}

// label writes over the picture, on a ground that keeps it readable, as near to a place as there is no label yet, and
// returns where.
func (tl *Timeline) label(gtx C, th *kit.Theme, l kit.Label,
	place func(size image.Point) image.Point) image.Rectangle {
	c, d := kit.Measure(gtx, l.Line(th))
	at := place(d.Size)
	r := image.Rectangle{Min: at, Max: at.Add(d.Size)}
	r = r.Add(tl.free(gtx, r).Sub(at))
	kit.Fill(gtx.Ops, r.Inset(-gtx.Dp(2)), kit.WithAlpha(th.Ground, 200))
	kit.Place(gtx.Ops, r.Min, c)
	return r
}

// oomReach is how near the pointer must be to an out-of-memory marker for its label to come first, dp.
const oomReach = 6

// ooms marks where memory ran out: from the top of the stack as high as what was asked for would have reached.
func (tl *Timeline) ooms(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) {
	p, over := tl.Pointer()
	near, nearest := -1, gtx.Dp(oomReach)+1
	lastX := math.MinInt
	var shown []int // indexes of those drawn, left to right
	for i, o := range tl.Limits.OOMs {
		x := int(math.Floor(v.XPixel(t.XOfOOM(v.Axis, o), tl.plot.Dx())))
		if x < 0 || x > tl.plot.Dx() || x == lastX {
			continue // thousands of retries draw as many lines as there are pixels
		}
		lastX = x
		x = min(x, tl.plot.Dx()-1)
		bar := tl.oom(gtx, th, t, v, o, x+tl.plot.Min.X)
		tl.answers(Mark{Kind: OOMMark, Index: i}, triangleArea(gtx, image.Pt(x+tl.plot.Min.X, tl.plot.Min.Y)), bar)
		shown = append(shown, i)
		if d := max(x-p.X, p.X-x); over && d < nearest {
			near, nearest = i, d
		}
	}
	label := func(i int) {
		o := tl.Limits.OOMs[i]
		x := tl.plot.Min.X + int(math.Floor(v.XPixel(t.XOfOOM(v.Axis, o), tl.plot.Dx())))
		tl.answers(Mark{Kind: OOMMark, Index: i}, tl.oomLabel(gtx, th, picture.OOMText(o), x))
	}
	tl.labelled = tl.plot.Min.X - 1
	if near >= 0 {
		label(near)
		return
	}
	for _, i := range shown {
		label(i)
	}
}

// oom draws one marker and returns where its bar is.
func (tl *Timeline) oom(gtx C, th *kit.Theme, t *layout.Timeline, v render.View, o layout.OOM, x int) image.Rectangle {
	area := clip.Rect(tl.plot).Push(gtx.Ops)
	total := float64(t.Total[o.State])
	bottom := tl.plot.Min.Y + int(math.Round(v.YPixel(total, tl.plot.Dy())))
	top := tl.plot.Min.Y + int(math.Round(v.YPixel(total+float64(o.Asked), tl.plot.Dy())))
	bottom, top = min(bottom, tl.plot.Max.Y), max(top, tl.plot.Min.Y-1)
	w := max(1, gtx.Dp(1))
	kit.Fill(gtx.Ops, image.Rect(x, tl.plot.Min.Y, x+w, tl.plot.Max.Y), kit.WithAlpha(th.Red, 90))
	if top < bottom {
		kit.Fill(gtx.Ops, image.Rect(x-w, top, x+2*w, bottom), th.Red)
		kit.Fill(gtx.Ops, image.Rect(x-gtx.Dp(4), top, x+gtx.Dp(5), top+w), th.Red)
	}
	area.Pop()
	kit.Triangle(gtx, th, image.Pt(x, tl.plot.Min.Y), false, th.Red)
	return image.Rect(x-gtx.Dp(4), top, x+gtx.Dp(5), bottom)
}

// oomLabel writes beside a marker, unless there is a label already. It returns where.
func (tl *Timeline) oomLabel(gtx C, th *kit.Theme, text string, x int) image.Rectangle {
	gtx.Constraints.Max.X = tl.plot.Dx()
	c, d := kit.Measure(gtx, kit.Padded(giolayout.Inset{Left: 6, Right: 6, Top: 2, Bottom: 3},
		kit.Label{Size: kit.SmallSize, Colour: th.Red, Text: text}.Line(th)))
	at := image.Pt(x+gtx.Dp(8), tl.plot.Min.Y+gtx.Dp(3))
	if at.X+d.Size.X > tl.plot.Max.X {
		at.X = x - gtx.Dp(8) - d.Size.X
	}
	box := image.Rectangle{Min: at, Max: at.Add(d.Size)}
	if at.X <= tl.labelled {
		return image.Rectangle{}
	}
	at = tl.free(gtx, box)
	tl.labelled = at.X + d.Size.X
	defer op.Offset(at).Push(gtx.Ops).Pop()
	r := image.Rectangle{Max: d.Size}
	var layers [3]kit.RoundRect
	for i, c := range [...]color.NRGBA{kit.WithAlpha(th.Ground, 235), kit.WithAlpha(th.Red, 150), th.Ground} {
		layers[i] = kit.RoundRect{Rect: r.Inset(i), Radius: gtx.Dp(kit.Radius) - i, Colour: c}
	}
	th.RoundRects(gtx, layers[:]...)
	c.Add(gtx.Ops)
	return image.Rectangle{Min: at, Max: at.Add(d.Size)}
}
