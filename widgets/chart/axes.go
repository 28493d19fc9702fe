package chart

import (
	"image"
	"math"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// Layout draws the timeline: grid, picture, outlines, peak, axes.
func (tl *Timeline) Layout(gtx C, th *kit.Theme, t *layout.Timeline, v render.View, s Scene, sel describe.Selection) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	if t == nil || tl.plot.Dx() < 2 || tl.plot.Dy() < 2 {
		return D{Size: size}
	}
	gtx.Constraints.Min = image.Point{}
	tl.listen(gtx)
	tl.marks = tl.marks[:0]
	tl.picture(gtx, th, s, sel)
	tl.nothing(gtx, th, t)
	tl.drawCurves(gtx, th, v) // below all labels
	tl.limits(gtx, th, t, v)
	tl.tags = tl.cursorTags(gtx, th, t, v)
	tl.yAxis(gtx, th, v)
	tl.xAxis(gtx, th, t, v)
	tl.peak(gtx, th, t, v)
	tl.tops(gtx, th, v)
	tl.trades(gtx, th, v)
	tl.playhead(gtx, th, v)
	tl.cursor(gtx, th)
	tl.drawRulers(gtx, th, t, v)
	tl.drawRegion(gtx, th, t, v)
	return D{Size: size}
}

// picture draws the scene and the outlines.
func (tl *Timeline) picture(gtx C, th *kit.Theme, s Scene, sel describe.Selection) {
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

// nothing says why the plot is empty, where it is.
func (tl *Timeline) nothing(gtx C, th *kit.Theme, t *layout.Timeline) {
	why := t.Nothing()
	if why == "" {
		return
	}
	gtx.Constraints.Max.X = max(0, min(gtx.Dp(420), tl.plot.Dx()-gtx.Dp(32)))
	c, d := kit.Measure(gtx, th.Aside(why).Centred(th))
	kit.Place(gtx.Ops, tl.plot.Min.Add(tl.plot.Size().Sub(d.Size).Div(2)), c)
}

// yAxis draws the byte labels and the grid.
func (tl *Timeline) yAxis(gtx C, th *kit.Theme, v render.View) {
	base := float64(tl.Limits.Offset)
	for _, tick := range render.ByteTicks(v.Y0+base, v.Y1+base, inDp(gtx, tl.plot.Dy())) {
		y := tl.plot.Min.Y + int(math.Round(v.YPixel(tick.At-base, tl.plot.Dy())))
		if y > tl.plot.Max.Y {
			continue
		}
		kit.Fill(gtx.Ops, image.Rect(tl.plot.Min.X, y-1, tl.plot.Max.X, y), th.Grid)
		c, d := kit.Measure(gtx, th.Figures(tick.Label).Line(th))
		at := image.Pt(tl.plot.Min.X-d.Size.X-gtx.Dp(8), max(0, min(y-d.Size.Y/2-1, gtx.Constraints.Max.Y-d.Size.Y)))
		if !tl.underTag(at, d.Size) {
			kit.Place(gtx.Ops, at, c)
		}
	}
}

// inDp is a length in dp: ticks are as dense as on a screen of scale 1.
func inDp(gtx C, px int) int { return int(gtx.Metric.PxToDp(px)) }

// xAxis draws the labels below the picture.
func (tl *Timeline) xAxis(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) {
	y := tl.plot.Max.Y
	kit.Fill(gtx.Ops, image.Rect(tl.plot.Min.X, y, tl.plot.Max.X, y+1), th.Line)
	ticks, title := render.TimeTicks(v.X0, v.X1, inDp(gtx, tl.plot.Dx())), "time"
	if v.Axis == layout.Events {
		ticks, title = render.StepTicks(t, v.X0, v.X1, inDp(gtx, tl.plot.Dx())), "step"
	}
	c, d := kit.Measure(gtx, th.Small(title).Line(th))
	end := gtx.Dp(4) + d.Size.X
	if !tl.underTag(image.Pt(gtx.Dp(4), y+gtx.Dp(7)), d.Size) {
		kit.Place(gtx.Ops, image.Pt(gtx.Dp(4), y+gtx.Dp(7)), c)
	}
	for _, tick := range ticks {
		x := tl.plot.Min.X + int(math.Round(v.XPixel(tick.At, tl.plot.Dx())))
		if x < tl.plot.Min.X || x > tl.plot.Max.X {
			continue
		}
		kit.Fill(gtx.Ops, image.Rect(x, y, x+1, y+gtx.Dp(4)), th.Quiet)
		c, d := kit.Measure(gtx, th.Figures(tick.Label).Line(th))
		at := max(gtx.Dp(2), min(x-d.Size.X/2, gtx.Constraints.Max.X-d.Size.X-gtx.Dp(2)))
		if at < end+gtx.Dp(10) {
			continue
		}
		if !tl.underTag(image.Pt(at, y+gtx.Dp(7)), d.Size) {
			kit.Place(gtx.Ops, image.Pt(at, y+gtx.Dp(7)), c)
		}
		end = at + d.Size.X
	}
}

// peakTip is where the run's highest point is, if it is in view.
func (tl *Timeline) peakTip(gtx C, t *layout.Timeline, v render.View) (image.Point, bool) {
	x := int(math.Round(v.XPixel(t.X(v.Axis, t.PeakState), tl.plot.Dx()))) + tl.plot.Min.X
	y := int(math.Round(v.YPixel(float64(t.PeakBytes), tl.plot.Dy()))) + tl.plot.Min.Y
	high := y <= tl.plot.Max.Y && y >= tl.plot.Min.Y-gtx.Dp(1)
	shown := t.PeakBytes != 0 && x >= tl.plot.Min.X && x <= tl.plot.Max.X && high
	return image.Pt(x, y-gtx.Dp(1)), shown
}

// peak marks the highest point, with its size.
func (tl *Timeline) peak(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) {
	tip, ok := tl.peakTip(gtx, t, v)
	if !ok {
		return
	}
	bytes := units.Bytes(t.PeakBytes + tl.Limits.Offset)
	text := kit.Label{Face: kit.MonoStrong, Size: kit.SmallSize, Colour: th.Text, Text: bytes}
	kit.Triangle(gtx, th, tip, false, th.Text)
	label := tl.label(gtx, th, text, func(d image.Point) image.Point { return beside(tl.plot, tip, d, gtx.Dp(9)) })
	tl.answers(Mark{Kind: PeakMark}, label, triangleArea(gtx, tip))
}

// triangleArea is where the pointer meets a triangle that points down to tip.
func triangleArea(gtx C, tip image.Point) image.Rectangle {
	return image.Rect(tip.X-gtx.Dp(7), tip.Y-gtx.Dp(10), tip.X+gtx.Dp(8), tip.Y+gtx.Dp(2))
}

// beside is where a label goes that belongs to a point: above it and to the right, to the left where the picture ends.
func beside(plot image.Rectangle, p, label image.Point, gap int) image.Point {
	at := image.Pt(p.X+gap, p.Y-gap/3-label.Y)
	if at.Y < 0 { // no room above: beside it
		at.Y = max(0, p.Y-label.Y/2)
	}
	if at.X+label.X > plot.Max.X {
		at.X = p.X - gap - label.X
	}
	return at
}

// An axisTag is a small label with a ground of its own over an axis.
type axisTag struct {
	at   image.Rectangle
	text op.CallOp
}

// cursorTags are the tags on both axes that say where the pointer is, none if
// it is not over the picture. They are there before the axes are drawn, so that
// no label of an axis looks out from under one.
func (tl *Timeline) cursorTags(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) [2]axisTag {
	p, ok := tl.Pointer()
	if !ok {
		return [2]axisTag{}
	}
	size := tl.plot.Size()
	x, y := tl.plot.Min.X+p.X, tl.plot.Min.Y+p.Y
	at := v.XAt(float64(p.X), size.X)
	label := units.Count(t.StepAt(at))
	if v.Axis == layout.Time {
		label = units.PreciseTime(at, (v.X1-v.X0)/float64(size.X))
	}
	bytes := max(0, v.YAt(float64(p.Y)+.5, size.Y)+float64(tl.Limits.Offset))
	level := units.PreciseBytes(bytes, (v.Y1-v.Y0)/float64(size.Y))
	return [2]axisTag{
		newTag(gtx, th, label, func(d image.Point) image.Point {
			left := max(tl.plot.Min.X-gtx.Dp(8), min(x-d.X/2, gtx.Constraints.Max.X-d.X))
			return image.Pt(left, tl.plot.Max.Y+gtx.Dp(4))
		}),
		newTag(gtx, th, level, func(d image.Point) image.Point {
			return image.Pt(max(0, tl.plot.Min.X-d.X-gtx.Dp(3)), max(0, min(y-d.Y/2, gtx.Constraints.Max.Y-d.Y)))
		}),
	}
}

// underTag reports whether a label would lie under one of the pointer's tags.
func (tl *Timeline) underTag(at, size image.Point) bool {
	label := image.Rectangle{Min: at, Max: at.Add(size)}
	return label.Overlaps(tl.tags[0].at) || label.Overlaps(tl.tags[1].at)
}

// cursor draws a faint line at the pointer, and on both axes where it is.
func (tl *Timeline) cursor(gtx C, th *kit.Theme) {
	p, ok := tl.Pointer()
	if !ok {
		return
	}
	x := tl.plot.Min.X + p.X
	kit.Fill(gtx.Ops, image.Rect(x, tl.plot.Min.Y, x+1, tl.plot.Max.Y), th.Cursor)
	for _, t := range tl.tags {
		t.draw(gtx, th)
	}
}

// tag draws such a label.
func (tl *Timeline) tag(gtx C, th *kit.Theme, text string, position func(size image.Point) image.Point) {
	newTag(gtx, th, text, position).draw(gtx, th)
}

func (t axisTag) draw(gtx C, th *kit.Theme) {
	kit.FillRound(gtx, th, t.at, th.Raised)
	kit.Place(gtx.Ops, t.at.Min, t.text)
}

// newTag measures a tag and finds its place.
func newTag(gtx C, th *kit.Theme, text string, position func(size image.Point) image.Point) axisTag {
	c, d := kit.Measure(gtx, kit.Padded(giolayout.Inset{Left: 5, Right: 5, Top: 1, Bottom: 2},
		kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text, Text: text}.Line(th)))
	at := position(d.Size)
	return axisTag{image.Rectangle{Min: at, Max: at.Add(d.Size)}, c}
}

// drawRegion shows the region that is being marked, with its length and its lowest and highest totals.
func (tl *Timeline) drawRegion(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) {
	x0, x1, ok := tl.Region(v)
	if !ok {
		tl.marked = ""
		return
	}
	left := tl.plot.Min.X + int(math.Round(v.XPixel(x0, tl.plot.Dx())))
	right := tl.plot.Min.X + int(math.Round(v.XPixel(x1, tl.plot.Dx())))
	r := image.Rect(left, tl.plot.Min.Y, max(right, left+1), tl.plot.Max.Y)
	kit.Fill(gtx.Ops, image.Rect(tl.plot.Min.X, r.Min.Y, r.Min.X, r.Max.Y), th.Shade)
	kit.Fill(gtx.Ops, image.Rect(r.Max.X, r.Min.Y, tl.plot.Max.X, r.Max.Y), th.Shade)
	kit.Border(gtx.Ops, r, th.Accent)
	length := units.Plural(t.StepAt(x1)-t.StepAt(x0), "step")
	if v.Axis == layout.Time {
		length = units.Duration(x1 - x0)
	}
	if x1 > x0 {
		b := t.Range(v.Axis, x0, x1)
		length += "  ·  " + units.BytesRange(b.Low+tl.Limits.Offset, b.High+tl.Limits.Offset)
	}
	tl.marked = length
	tl.tag(gtx, th, length, func(d image.Point) image.Point {
		return image.Pt(max(tl.plot.Min.X, min((left+right-d.X)/2, tl.plot.Max.X-d.X)), tl.plot.Min.Y+gtx.Dp(6))
	})
}
