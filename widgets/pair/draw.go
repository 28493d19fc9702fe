package pair

import (
	"image"
	"image/color"
	"math"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/render"
	"strata/widgets/kit"
)

// Layout draws both timelines.
func (c *Chart) Layout(gtx C, th *kit.Theme, s *State) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	gtx.Constraints.Min = image.Point{}
	c.listen(gtx)
	for side := range s.Sides {
		c.plot(gtx, th, s, side)
		c.bytes(gtx, th, s.View, side)
		c.axis(gtx, th, s, side)
		c.marks(gtx, th, s, side)
	}
	c.cursor(gtx, th)
	return D{Size: size}
}

// plot draws the ground, the picture and the title of a side.
func (c *Chart) plot(gtx C, th *kit.Theme, s *State, side int) {
	plot, what := c.plots[side], &s.Sides[side]
	kit.Fill(gtx.Ops, plot, th.Ground)
	if what.Picture != nil {
		area := clip.Rect(plot).Push(gtx.Ops)
		what.Picture.Add(gtx.Ops, plot.Min)
		ink := color.NRGBA{R: 0x0b, G: 0x10, B: 0x20, A: 255}
		for _, n := range what.Names {
			call, d := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Text: n.Text, Colour: ink}.Line(th))
			kit.Place(gtx.Ops, plot.Min.Add(image.Pt(n.X, n.Mid-d.Size.Y/2)), call)
		}
		area.Pop()
	}
	if x := c.pixel(s.View, what.End); x < plot.Max.X { // the run is over there
		kit.Fill(gtx.Ops, image.Rect(max(x, plot.Min.X), plot.Min.Y, plot.Max.X, plot.Max.Y), th.Shade)
	}
	top := plot.Min.Y - gtx.Dp(titleHeight)
	letter := kit.Label{Face: kit.Strong, Colour: th.Link, Text: [...]string{"A", "B"}[side]}
	x := plot.Min.X + gtx.Dp(2)
	call, d := kit.Measure(gtx, letter.Line(th))
	kit.Place(gtx.Ops, image.Pt(x, top+gtx.Dp(2)), call)
	x += d.Size.X + gtx.Dp(8)
	gtx.Constraints.Max.X = max(0, plot.Max.X-x)
	call, _ = kit.Measure(gtx, th.Small(what.Title).Line(th))
	kit.Place(gtx.Ops, image.Pt(x, top+gtx.Dp(4)), call)
}

// bytes draws the labels of bytes and the grid.
func (c *Chart) bytes(gtx C, th *kit.Theme, v render.View, side int) {
	plot := c.plots[side]
	for _, tick := range render.ByteTicks(v.Y0, v.Y1, int(gtx.Metric.PxToDp(plot.Dy()))) {
		y := plot.Min.Y + int(math.Round(v.YPixel(tick.At, plot.Dy())))
		if y > plot.Max.Y || y < plot.Min.Y {
			continue
		}
		kit.Fill(gtx.Ops, image.Rect(plot.Min.X, y-1, plot.Max.X, y), th.Grid)
		call, d := kit.Measure(gtx, th.Figures(tick.Label).Line(th))
		at := max(plot.Min.Y-d.Size.Y/2, min(y-d.Size.Y/2-1, plot.Max.Y-d.Size.Y/2))
		kit.Place(gtx.Ops, image.Pt(plot.Min.X-d.Size.X-gtx.Dp(8), at), call)
	}
}

// axis draws the labels below a plot.
func (c *Chart) axis(gtx C, th *kit.Theme, s *State, side int) {
	plot, what := c.plots[side], &s.Sides[side]
	y := plot.Max.Y
	kit.Fill(gtx.Ops, image.Rect(plot.Min.X, y, plot.Max.X, y+1), th.Line)
	call, d := kit.Measure(gtx, th.Small(what.Axis).Line(th))
	kit.Place(gtx.Ops, image.Pt(gtx.Dp(4), y+gtx.Dp(7)), call)
	end := gtx.Dp(4) + d.Size.X
	for _, tick := range what.Ticks {
		x := c.pixel(s.View, tick.At)
		if x < plot.Min.X || x > plot.Max.X {
			continue
		}
		kit.Fill(gtx.Ops, image.Rect(x, y, x+1, y+gtx.Dp(4)), th.Quiet)
		call, d := kit.Measure(gtx, th.Figures(tick.Label).Line(th))
		at := max(gtx.Dp(2), min(x-d.Size.X/2, gtx.Constraints.Max.X-d.Size.X-gtx.Dp(2)))
		if at < end+gtx.Dp(10) {
			continue
		}
		kit.Place(gtx.Ops, image.Pt(at, y+gtx.Dp(7)), call)
		end = at + d.Size.X
	}
}

// marks draws the peak and the moment of a side.
func (c *Chart) marks(gtx C, th *kit.Theme, s *State, side int) {
	plot, what := c.plots[side], &s.Sides[side]
	x, y := c.pixel(s.View, what.Peak), plot.Min.Y+int(math.Round(s.View.YPixel(float64(what.PeakBytes), plot.Dy())))
	if what.PeakBytes > 0 && x >= plot.Min.X && x <= plot.Max.X && y >= plot.Min.Y && y <= plot.Max.Y {
		kit.Triangle(gtx, th, image.Pt(x, y-gtx.Dp(1)), false, th.Text)
		label := kit.Label{Face: kit.MonoStrong, Size: kit.SmallSize, Colour: th.Text, Text: what.PeakText}
		call, d := kit.Measure(gtx, label.Line(th))
		at := image.Pt(x+gtx.Dp(9), max(plot.Min.Y, y-gtx.Dp(3)-d.Size.Y))
		if at.X+d.Size.X > plot.Max.X {
			at.X = x - gtx.Dp(9) - d.Size.X
		}
		ground := image.Rectangle{Min: at, Max: at.Add(d.Size)}.Inset(-gtx.Dp(2))
		kit.FillRound(gtx, th, ground, kit.WithAlpha(th.Panel, 190))
		kit.Place(gtx.Ops, at, call)
	}
	if x := c.pixel(s.View, what.Moment); x >= plot.Min.X && x <= plot.Max.X {
		ink := th.Accent
		if !s.Chosen {
			ink = kit.WithAlpha(th.Quiet, 200)
		}
		kit.Fill(gtx.Ops, image.Rect(x, plot.Min.Y, x+1, plot.Max.Y), kit.WithAlpha(ink, 150))
		kit.Triangle(gtx, th, image.Pt(x, plot.Max.Y+gtx.Dp(1)), true, ink)
	}
}

// cursor draws a faint line at the pointer through both.
func (c *Chart) cursor(gtx C, th *kit.Theme) {
	_, at, ok := c.Pointer()
	if !ok {
		return
	}
	for _, plot := range c.plots {
		kit.Fill(gtx.Ops, image.Rect(plot.Min.X+at.X, plot.Min.Y, plot.Min.X+at.X+1, plot.Max.Y), th.Cursor)
	}
}

// pixel is where a place of A's axis is in the window.
func (c *Chart) pixel(v render.View, at float64) int {
	x := math.Round(v.XPixel(at, c.plots[0].Dx()))
	return c.plots[0].Min.X + int(max(-1e6, min(x, 1e6)))
}

// LayoutTip draws lines about what is under the pointer beside it; origin is where the chart lies in the window.
func (c *Chart) LayoutTip(gtx C, th *kit.Theme, origin image.Point, lines []string) {
	side, at, ok := c.Pointer()
	if !ok || len(lines) == 0 {
		return
	}
	window := gtx.Constraints.Max
	gtx.Constraints.Min = image.Point{}
	gtx.Constraints.Max.X = min(window.X, gtx.Dp(460))
	inset := giolayout.Inset{Left: 12, Right: 14, Top: 9, Bottom: 9}
	call, d := kit.Measure(gtx, kit.Padded(inset, th.Titled(lines)))
	kit.FloatBeside(gtx, th, origin.Add(c.plots[side].Min).Add(at), window, call, d)
}
