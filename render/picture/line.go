package picture

import (
	"image"
	"image/color"
	"math"

	"strata/layout"
	"strata/layout/search"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// A Line is drawn over the timeline, in its scale.
type Line struct {
	Label  string // in the legend; may be empty
	Colour color.RGBA
	// Column is the least and the most bytes of a part [x0, x1) of the axis.
	Column func(x0, x1 float64) (low, high int64)
}

// NewLine is the line of an amount of the allocator's, or of a series.
func NewLine(of *state.Curve, axis layout.Axis, p *colour.Palette) Line {
	c := p.Text
	switch {
	case of.Series != "":
		c = colour.Mix(p.Text, p.Hues[(2*of.Number+1)%len(p.Hues)], .7)
	case of.Amount != state.Reserved:
		c = colour.Mix(p.Background, p.Text, .6)
	}
	return Line{of.Title() + ", at most " + units.Bytes(of.Peak), c, func(x0, x1 float64) (int64, int64) {
		return of.Column(axis, x0, x1)
	}}
}

// MatchesLine is the line of what the matches of a search held.
func MatchesLine(r *search.Result, axis layout.Axis, p *colour.Palette) Line {
	return Line{"matches of " + r.Query.Text, p.Curve, func(x0, x1 float64) (int64, int64) {
		held := r.Column(axis, x0, x1)
		return held, held
	}}
}

// absent is Top and Bottom of a run where the line is not known.
const absent = math.MaxInt32

// Runs is where the line lies in a picture of a view, a run for each column. It may be outside of it.
func (l *Line) Runs(v render.View, size image.Point) []raster.Run {
	runs := make([]raster.Run, size.X)
	dx := (v.X1 - v.X0) / float64(size.X)
	base := math.Round(v.X0 / dx) // the picture's columns lie at whole multiples of their width
	y := func(bytes int64) int {
		return int(math.Round(max(-8, min(v.YPixel(float64(bytes), size.Y), float64(size.Y)+8))))
	}
	for x := range runs {
		low, high := l.Column((base+float64(x))*dx, (base+float64(x)+1)*dx)
		if high == state.Unknown {
			runs[x] = raster.Run{X: x, Top: absent, Bottom: absent}
			continue
		} else if low == state.Unknown {
			low = high
		}
		runs[x] = raster.Run{X: x, Top: y(high), Bottom: y(low)}
	}
	return runs
}

// Strokes are the rectangles of a line so thick through runs.
func Strokes(runs []raster.Run, thick int) (strokes []image.Rectangle) {
	up, down := thick-thick/2, thick/2
	for i := 0; i < len(runs); {
		r, j := runs[i], i+1
		for j < len(runs) && runs[j].Top == r.Top && runs[j].Bottom == r.Bottom {
			j++
		}
		if i = j; r.Top == absent {
			continue
		}
		strokes = append(strokes, image.Rect(r.X, r.Top-up, j, r.Bottom+down))
		if j < len(runs) && runs[j].Top != absent && (runs[j].Top > r.Bottom || runs[j].Bottom < r.Top) {
			top, bottom := min(r.Top, runs[j].Top), max(r.Bottom, runs[j].Bottom)
			strokes = append(strokes, image.Rect(j-down, top-up, j+up, bottom+down))
		}
	}
	return strokes
}

// Between are the rectangles from one line down to a lower one.
func Between(upper, lower []raster.Run) (gap []image.Rectangle) {
	for i := 0; i < len(upper); {
		top, bottom, j := upper[i].Top, lower[i].Top, i+1
		for j < len(upper) && upper[j].Top == top && lower[j].Top == bottom {
			j++
		}
		if top < bottom {
			gap = append(gap, image.Rect(i, top, j, bottom))
		}
		i = j
	}
	return gap
}

// A TradeTick is a pixel column in which the allocator traded with the driver.
type TradeTick struct {
	X           int
	First, Last int // of the trades in it
	Flush       bool
}

// TradeTicks are the columns of a picture of a view, w pixels wide, that have trades.
func TradeTicks(trades []state.Trade, v render.View, w int) (ticks []TradeTick) {
	for i := range trades {
		x := int(math.Floor(v.XPixel(trades[i].X[v.Axis], w)))
		switch n := len(ticks) - 1; {
		case x < 0 || x >= w:
		case n >= 0 && ticks[n].X == x:
			ticks[n].Last, ticks[n].Flush = i, ticks[n].Flush || trades[i].Flush
		default:
			ticks = append(ticks, TradeTick{x, i, i, trades[i].Flush})
		}
	}
	return ticks
}

// lines draws the lines over the picture, each with a margin that sets it off, and what is between the first two.
func (c *chart) lines() {
	p, pal := c.plot, &c.opt.Palette
	in := func(rects []image.Rectangle, margin int) []image.Rectangle {
		moved := make([]image.Rectangle, len(rects))
		for i, r := range rects {
			moved[i] = r.Inset(-margin).Add(p.Min).Intersect(p)
		}
		return moved
	}
	runs := make([][]raster.Run, len(c.opt.Lines))
	for i := range runs {
		runs[i] = c.opt.Lines[i].Runs(c.view, p.Size())
	}
	if c.opt.Shade && len(runs) > 1 {
		c.on.rects(c.opt.Lines[0].Colour, 60, in(Between(runs[0], runs[1]), 0)...)
	}
	for i := range runs {
		strokes := Strokes(runs[i], 2*c.line)
		c.on.rects(pal.Background, 200, in(strokes, c.line)...)
		c.on.rects(c.opt.Lines[i].Colour, 255, in(strokes, 0)...)
	}
	for _, t := range TradeTicks(c.opt.Trades, c.view, p.Dx()) {
		ink, height := pal.Text, c.space/2
		if t.Flush {
			ink, height = pal.Pinned, c.space
		}
		x := p.Min.X + t.X
		c.fill(image.Rect(x, p.Max.Y-height, x+c.line, p.Max.Y), ink)
	}
}
