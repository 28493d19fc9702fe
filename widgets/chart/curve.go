package chart

import (
	"image"
	"image/color"
	"math"

	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout/search"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/render/picture"
	"strata/render/raster"
	"strata/widgets/kit"
)

// Allocator is what the timeline shows of the allocator beside the blocks.
type Allocator struct {
	Curves []*state.Curve // drawn as lines: the allocator's, the highest first, and then others
	Shade  bool           // what is between the first two
	Trades []state.Trade  // with the driver, marked at the lower edge
}

// curves draws lines over the timeline, in its scale. They are recorded when what they depend on changes.
type curves struct {
	ops  op.Ops
	call op.CallOp
	key  curvesKey
	runs [][]raster.Run
}

// mostCurves is how many lines are drawn at most beside that of a search.
const mostCurves = 8

type curvesKey struct {
	result *search.Result
	shown  [mostCurves]*state.Curve
	shade  bool
	view   render.View
	size   image.Point
	dark   bool
	px     int
}

// drawCurves draws the lines of the allocator and of a search over the picture.
func (tl *Timeline) drawCurves(gtx C, th *kit.Theme, v render.View) {
	size := tl.plot.Size()
	key := curvesKey{result: tl.matched(), shade: tl.Allocator.Shade, view: v, size: size, dark: th.Dark,
		px: max(1, gtx.Dp(1))}
	if copy(key.shown[:], tl.Allocator.Curves); key.result == nil && key.shown[0] == nil {
		return
	}
	defer op.Offset(tl.plot.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	if key != tl.curves.key {
		tl.curves.key = key
		tl.curves.record(th)
	}
	tl.curves.call.Add(gtx.Ops)
}

// matched is the search whose line is drawn, nil without.
func (tl *Timeline) matched() *search.Result {
	if r := tl.Matches; r != nil && r.Count > 0 {
		return r
	}
	return nil
}

// tops marks the most that each line has.
func (tl *Timeline) tops(gtx C, th *kit.Theme, v render.View) {
	for i, c := range tl.Allocator.Curves[:min(mostCurves, len(tl.Allocator.Curves))] {
		mark := Mark{Kind: CurveMark, Index: i}
		tl.top(gtx, th, v, point{c.PeakX[v.Axis], c.Peak}, th.Text, c.Title(), mark)
	}
	if r := tl.matched(); r != nil {
		tl.top(gtx, th, v, point{r.Timeline.X(v.Axis, r.PeakState), r.PeakBytes}, th.Link, "matches", Mark{})
	}
}

// A point is a place of the axis and bytes.
type point struct {
	x     float64
	bytes int64
}

// top marks the highest point of a line, if it is in view.
func (tl *Timeline) top(gtx C, th *kit.Theme, v render.View, p point, colour color.NRGBA, name string, mark Mark) {
	size := tl.plot.Size()
	x, y := int(math.Round(v.XPixel(p.x, size.X))), int(math.Round(v.YPixel(float64(p.bytes), size.Y)))
	if x < 0 || x >= size.X || y < 0 || y >= size.Y {
		return
	}
	at := tl.plot.Min.Add(image.Pt(x, y))
	dot := image.Rectangle{Min: at, Max: at}.Inset(-gtx.Dp(3))
	kit.FillRound(gtx, th, dot, colour)
	text := kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text, Text: name + " " + units.Bytes(p.bytes)}
	label := tl.label(gtx, th, text, func(d image.Point) image.Point { return beside(tl.plot, at, d, gtx.Dp(8)) })
	if mark.Kind != NoMark {
		tl.answers(mark, label, dot)
	}
}

// record makes the lines, and what is shaded between them.
func (c *curves) record(th *kit.Theme) {
	k := &c.key
	palette := colour.Light()
	if k.dark {
		palette = colour.Dark()
	}
	var lines []picture.Line
	for _, of := range k.shown {
		if of != nil {
			lines = append(lines, picture.NewLine(of, k.view.Axis, &palette))
		}
	}
	if k.result != nil {
		lines = append(lines, picture.MatchesLine(k.result, k.view.Axis, &palette))
	}
	c.runs = c.runs[:0]
	for i := range lines {
		c.runs = append(c.runs, lines[i].Runs(k.view, k.size))
	}
	c.ops.Reset()
	rec := op.Record(&c.ops)
	if k.shade && k.shown[1] != nil {
		c.fill(picture.Between(c.runs[0], c.runs[1]), 0, kit.WithAlpha(color.NRGBA(lines[0].Colour), 28))
	}
	for i, runs := range c.runs {
		strokes := picture.Strokes(runs, k.px)
		c.fill(strokes, k.px, kit.WithAlpha(th.Ground, 200))
		c.fill(strokes, 0, color.NRGBA(lines[i].Colour))
	}
	c.call = rec.Stop()
}

// fill fills rectangles that are in order of their columns, with a margin around each.
func (c *curves) fill(rects []image.Rectangle, margin int, colour color.NRGBA) {
	if len(rects) == 0 {
		return
	}
	var p clip.Path
	p.Begin(&c.ops)
	var all image.Rectangle
	for _, r := range rects {
		r = r.Inset(-margin)
		all = all.Union(r)
		kit.RectPath(&p, r)
	}
	kit.FillWide(&c.ops, all, p.End(), colour)
}

// trades marks where the allocator took memory from the driver or gave it back.
func (tl *Timeline) trades(gtx C, th *kit.Theme, v render.View) {
	for _, t := range picture.TradeTicks(tl.Allocator.Trades, v, tl.plot.Dx()) {
		colour, height := th.Text, gtx.Dp(4)
		if t.Flush {
			colour, height = th.Red, gtx.Dp(8)
		}
		x := tl.plot.Min.X + t.X
		kit.Fill(gtx.Ops, image.Rect(x, tl.plot.Max.Y-height, x+max(1, gtx.Dp(1)), tl.plot.Max.Y), colour)
		tl.answers(Mark{TradeMark, t.First, t.Last}, image.Rect(x-gtx.Dp(1), tl.plot.Max.Y-gtx.Dp(9), x+gtx.Dp(2),
			tl.plot.Max.Y))
	}
}
