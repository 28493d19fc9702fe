// Package picture draws a view with axes, ticks and labels as PNG or SVG.
package picture

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"strings"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// Options are how a chart is drawn.
type Options struct {
	W, H    int // pixels of the whole picture, at least MinSize
	Palette colour.Palette
	Colours colour.Mode
	Rules   *category.Rules // of categories, a person's own, nil for none
	// Colouring is taken in place of one made of Palette and Colours, if it is not nil: with matches of a search that
	// stand out, say.
	Colouring *colour.Colouring
	// Bands is drawn in place of allocations: one band for each group that it has, exact in each column. nil: none.
	Bands *breakdown.Grouping
	Title string  // above the picture; may be empty
	Scale float64 // of text and distances; 0 means 1

	Limit      int64  // bytes of the device's memory, a line; 0 draws none
	LimitLabel string // beside that line; may be empty

	// Offset is memory the snapshot does not know of, bytes: it is in every total and a hatched base under the stack,
	// as far as the view shows it.
	Offset int64
	// Phases are drawn as a lane above the timeline; nil draws none.
	Phases *layout.Phases

	// Pinned and Hovered are allocations to outline; the zero value of both is that of an allocation, so Outlined
	// says whether they count.
	Outlined        bool
	Pinned, Hovered layout.ID

	// Lines are drawn over the picture; Shade fills what is between the first, which is the higher one, and the second.
	Lines []Line
	Shade bool
	// Trades are marked at the lower edge.
	Trades []state.Trade
}

// MinSize and MaxSize are the least and the most pixels of a chart in either direction.
const (
	MinSize = 64
	MaxSize = 16384
)

// Draw draws what the window's timeline draws: the picture of a view with axes, ticks, the peak and what the options
// say. The error says which size is out of range, or is that of ctx.
func Draw(ctx context.Context, t *layout.Timeline, v render.View, opt Options) (*image.RGBA, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, opt.W, opt.H))
	return img, chartOn(ctx, t, v, opt, func(w *writer) canvas { return &bitmap{img, w} })
}

// SVG writes the same chart as Scalable Vector Graphics: blocks, lines and text, no picture of pixels. However many
// allocations there are, the file has a few megabytes at most.
func SVG(ctx context.Context, out io.Writer, t *layout.Timeline, v render.View, opt Options) error {
	if err := opt.check(); err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	s := &svg{ctx: ctx, w: w}
	if err := chartOn(ctx, t, v, opt, func(text *writer) canvas { s.begin(opt, text); return s }); err != nil {
		return err
	}
	w.WriteString("</svg>\n")
	return w.Flush()
}

// IsSVG reports whether a file's name asks for SVG.
func IsSVG(name string) bool { return strings.EqualFold(filepath.Ext(name), ".svg") }

// Write writes a chart as SVG, or else as PNG.
func Write(ctx context.Context, out io.Writer, svg bool, t *layout.Timeline, v render.View, opt Options) error {
	if svg {
		return SVG(ctx, out, t, v, opt)
	}
	img, err := Draw(ctx, t, v, opt)
	if err != nil {
		return err
	}
	return png.Encode(out, img)
}

// check says what is out of range.
func (opt *Options) check() error {
	for _, n := range [...]int{opt.W, opt.H} {
		if n < MinSize || n > MaxSize {
			return fmt.Errorf("a picture of %d×%d pixels cannot be drawn; both sides must be %d to %d",
				opt.W, opt.H, MinSize, MaxSize)
		}
	}
	return nil
}

// chartOn draws a chart on a canvas that is made for its text.
func chartOn(ctx context.Context, t *layout.Timeline, v render.View, opt Options, on func(*writer) canvas) error {
	if !(opt.Scale > 0) {
		opt.Scale = 1
	}
	opt.Scale = min(opt.Scale, 8)
	c := &chart{t: t, view: v, opt: opt, space: int(math.Round(8 * opt.Scale)), line: max(1, int(opt.Scale))}
	var err error
	if c.writer, err = newWriter(math.Round(13 * opt.Scale)); err != nil {
		return err
	}
	c.on = on(c.writer)
	colouring := opt.Colouring
	if colouring == nil {
		colouring = colour.NewWith(t, opt.Colours, opt.Palette, opt.Rules)
	}
	c.colouring = colouring
	c.place()
	c.fill(image.Rect(0, 0, opt.W, opt.H), opt.Palette.Panel)
	c.fill(c.plot.Inset(-c.line), opt.Palette.Line) // a frame around the timeline
	if err := c.stack(ctx); err != nil {
		return err
	}
	c.base()
	c.lane()
	c.lines()
	c.ticks()
	c.legend()
	c.title()
	c.nothing()
	c.reservePeak()
	c.limit()
	c.ooms()
	c.peak()
	return nil
}

// stack draws the timeline itself.
func (c *chart) stack(ctx context.Context) error {
	if c.bands != nil {
		c.drawBands()
		return ctx.Err()
	}
	r, err := raster.New(ctx, c.t, c.view, c.plot.Dx(), c.plot.Dy())
	if err != nil {
		return err
	}
	xs, ys := c.gridLines()
	if err := c.on.picture(c.plot, r, c.colouring, xs, ys); err != nil {
		return err
	}
	c.outlines(r)
	return nil
}

// A chart is one picture being drawn.
type chart struct {
	t         *layout.Timeline
	view      render.View
	opt       Options
	colouring *colour.Colouring
	bands     *Bands // nil for none
	on        canvas
	writer    *writer
	plot      image.Rectangle // the timeline itself
	space     int             // unit of distance, pixels
	line      int             // thickness of lines
	ticksX    []render.Tick
	ticksY    []render.Tick
	rows      []chartRow        // of the lane
	keys      []legendKey       // placed under the axis
	taken     []image.Rectangle // where labels are
}

// place finds the room of the timeline: what the labels leave. Where they would leave nothing there are none.
func (c *chart) place() {
	w, h := c.opt.W, c.opt.H
	top := c.space + c.writer.height + c.space
	bottom := c.space + c.writer.height + c.space/2
	if h-top-bottom < h/3 {
		top, bottom = c.space, c.space
	}
	scale := func(px int) int { return int(float64(px) / c.opt.Scale) }
	if top > c.space {
		bottom += c.placeLegend(h - bottom)
		top = c.placeLane(top, h-bottom)
	}
	base := float64(c.opt.Offset)
	c.ticksY = render.ByteTicks(c.view.Y0+base, c.view.Y1+base, scale(h-top-bottom))
	left := 0
	for _, t := range c.ticksY {
		left = max(left, c.writer.width(mono, t.Label))
	}
	left += 2 * c.space
	right := 2 * c.space
	if w-left-right < w/3 {
		left, right, c.ticksY = c.space, c.space, nil
	}
	c.plot = image.Rect(left, top, w-right, h-bottom)
	if c.opt.Bands != nil {
		c.bands = NewBands(c.opt.Bands, c.view, c.colouring, c.plot.Dx())
	}
	if bottom == c.space {
		return
	}
	switch x0, x1, px := c.view.X0, c.view.X1, scale(c.plot.Dx()); c.view.Axis {
	case layout.Time:
		c.ticksX = render.TimeTicks(x0, x1, px)
	default:
		c.ticksX = render.StepTicks(c.t, x0, x1, px)
	}
}

// gridLines is where ticks lie in the picture, pixels from its corner.
func (c *chart) gridLines() (xs, ys []int) {
	w, h := c.plot.Dx(), c.plot.Dy()
	for _, t := range c.ticksX {
		xs = append(xs, max(0, min(int(math.Floor(c.view.XPixel(t.At, w))), w-1)))
	}
	for _, t := range c.ticksY {
		ys = append(ys, max(0, min(int(math.Floor(c.view.YPixel(t.At-float64(c.opt.Offset), h))), h-1)))
	}
	return xs, ys
}

// ticks draws the marks on the axes with their labels.
func (c *chart) ticks() {
	p, w, q := c.plot, c.writer, c.opt.Palette.Quiet
	xs, ys := c.gridLines()
	for i, t := range c.ticksY {
		y := p.Min.Y + ys[i]
		c.fill(image.Rect(p.Min.X-c.space/2, y, p.Min.X, y+c.line), c.opt.Palette.Line)
		c.text(mono, p.Min.X-c.space-w.width(mono, t.Label), y+w.ascent*2/5, t.Label, q)
	}
	end := 0 // of the label before: none may touch the next
	for i, t := range c.ticksX {
		x := p.Min.X + xs[i]
		c.fill(image.Rect(x, p.Max.Y, x+c.line, p.Max.Y+c.space/2), c.opt.Palette.Line)
		width := w.width(mono, t.Label)
		at := min(max(x-width/2, c.space/2), c.opt.W-width-c.space/2)
		if at >= end {
			c.text(mono, at, p.Max.Y+c.space+w.ascent, t.Label, q)
			end = at + width + c.space
		}
	}
}

func (c *chart) fill(r image.Rectangle, with color.RGBA) { c.on.rects(with, 255, r) }

func (c *chart) text(f typeface, x, y int, s string, colour color.RGBA) {
	if s != "" {
		c.on.text(f, x, y, c.writer.width(f, s), s, colour)
	}
}

// title writes the title, and on the right what the axis counts.
func (c *chart) title() {
	p, w := c.plot, c.writer
	if p.Min.Y == c.space {
		return
	}
	y := c.space + w.ascent
	axis := "event order, in steps"
	if c.view.Axis == layout.Time {
		axis = "time after the first event"
	}
	room := p.Dx()
	width, title := w.width(regular, axis), w.width(regular, c.opt.Title)
	if width+2*c.space+title <= room || title == 0 && width <= room {
		c.text(regular, p.Max.X-width, y, axis, c.opt.Palette.Quiet)
		room -= width + 2*c.space
	}
	if title := w.fit(regular, c.opt.Title, room); title != "" {
		c.text(regular, p.Min.X, y, title, c.opt.Palette.Text)
	}
}

// peakMark is the triangle at the highest point of the run, by rows of pixels, if that is in view: from above, or
// where there is no room above from below. The last is the point itself.
func (c *chart) peakMark() (rows []image.Rectangle, down bool, tip image.Point) {
	p := c.plot
	x := c.t.X(c.view.Axis, c.t.PeakState)
	if c.t.PeakBytes == 0 || x < c.view.X0 || x >= c.view.X1 || float64(c.t.PeakBytes) <= c.view.Y0 {
		return nil, false, tip
	}
	px := p.Min.X + int(c.view.XPixel(x, p.Dx()))
	py := p.Min.Y + int(c.view.YPixel(float64(c.t.PeakBytes), p.Dy()))
	size := c.space
	down = py-size-c.line >= p.Min.Y
	py = max(py, p.Min.Y)
	for i := range size {
		half := (size - i) / 2
		y := py - c.line - size + i
		if !down { // no room above, or above the view: point up at it
			half, y = i/2, py+c.line+i
		}
		rows = append(rows, image.Rect(px-half, y, px+half+1, y+1)) // beside the plot, too
	}
	return rows, down, image.Pt(px, py)
}

// reservePeak keeps other labels off the mark of the peak.
func (c *chart) reservePeak() {
	if rows, _, _ := c.peakMark(); rows != nil {
		c.taken = append(c.taken, rows[0].Union(rows[len(rows)-1]))
	}
}

// peak marks the highest point of the run, if it is in view, with its bytes.
func (c *chart) peak() {
	rows, down, tip := c.peakMark()
	if rows == nil {
		return
	}
	w := c.writer
	c.on.rects(c.opt.Palette.Text, 255, rows...)
	label := units.Bytes(c.t.PeakBytes + c.opt.Offset)
	base := tip.Y - c.line - c.space/4
	if !down {
		base = tip.Y + c.line + w.ascent
	}
	c.labelled(mono, c.beside(tip.X, w.width(mono, label)), base, label, c.opt.Palette.Text)
}
