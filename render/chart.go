package render

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"strata/layout"
)

// ChartOptions are how a chart is drawn.
type ChartOptions struct {
	W, H    int // pixels of the whole picture, at least MinChart
	Palette Palette
	Colours ColourMode
	Title   string  // above the picture; may be empty
	Scale   float64 // of text and distances; 0 means 1

	Limit      int64  // bytes of the device's memory, a line; 0 draws none
	LimitLabel string // beside that line; may be empty

	// Offset is memory the snapshot does not know of, bytes: it is in every
	// total and a hatched base under the stack, as far as the view shows it.
	Offset int64
	// Phases are drawn as a lane above the timeline; nil draws none.
	Phases *layout.Phases
}

// MinChart and MaxChart are the least and the most pixels of a chart in either
// direction.
const (
	MinChart = 64
	MaxChart = 16384
)

// Chart draws what the window's timeline draws: the picture of a view with
// axes, ticks and the peak. The error says which size is out of range, or is
// that of ctx.
func Chart(ctx context.Context, t *layout.Timeline, v View, opt ChartOptions) (*image.RGBA, error) {
	for _, n := range [...]int{opt.W, opt.H} {
		if n < MinChart || n > MaxChart {
			return nil, fmt.Errorf("a picture of %d×%d pixels cannot be drawn; both sides must be %d to %d", opt.W, opt.H, MinChart, MaxChart)
		}
	}
	if !(opt.Scale > 0) {
		opt.Scale = 1
	}
	opt.Scale = min(opt.Scale, 8)
	img := image.NewRGBA(image.Rect(0, 0, opt.W, opt.H))
	c := &chart{t: t, view: v, opt: opt, img: img, space: int(math.Round(8 * opt.Scale)), line: max(1, int(opt.Scale))}
	var err error
	if c.writer, err = newWriter(img, math.Round(13*opt.Scale)); err != nil {
		return nil, err
	}
	c.place()
	r, err := Rasterize(ctx, t, v, c.plot.Dx(), c.plot.Dy())
	if err != nil {
		return nil, err
	}
	draw.Draw(img, img.Rect, image.NewUniform(opt.Palette.Panel), image.Point{}, draw.Src)
	r.Paint(img.SubImage(c.plot).(*image.RGBA), NewColouring(t, opt.Colours, opt.Palette))
	c.base()
	c.grid(r)
	c.lane()
	c.frame()
	c.title()
	c.limit()
	c.ooms()
	c.peak()
	return img, nil
}

// A chart is one picture being drawn.
type chart struct {
	t      *layout.Timeline
	view   View
	opt    ChartOptions
	img    *image.RGBA
	writer *writer
	plot   image.Rectangle // the timeline itself
	space  int             // unit of distance, pixels
	line   int             // thickness of lines
	ticksX []Tick
	ticksY []Tick
	rows   []chartRow        // of the lane
	taken  []image.Rectangle // where labels are
}

// place finds the room of the timeline: what the labels leave. Where they
// would leave nothing there are none.
func (c *chart) place() {
	w, h := c.opt.W, c.opt.H
	top := c.space + c.writer.height + c.space
	bottom := c.space + c.writer.height + c.space/2
	if h-top-bottom < h/3 {
		top, bottom = c.space, c.space
	}
	scale := func(px int) int { return int(float64(px) / c.opt.Scale) }
	if top > c.space {
		top = c.placeLane(top, h-bottom)
	}
	base := float64(c.opt.Offset)
	c.ticksY = ByteTicks(c.view.Y0+base, c.view.Y1+base, scale(h-top-bottom))
	left := 0
	for _, t := range c.ticksY {
		left = max(left, c.writer.width(c.writer.mono, t.Label))
	}
	left += 2 * c.space
	right := 2 * c.space
	if w-left-right < w/3 {
		left, right, c.ticksY = c.space, c.space, nil
	}
	c.plot = image.Rect(left, top, w-right, h-bottom)
	if bottom == c.space {
		return
	}
	switch x0, x1, px := c.view.X0, c.view.X1, scale(c.plot.Dx()); c.view.Axis {
	case layout.Time:
		c.ticksX = TimeTicks(x0, x1, px)
	default:
		c.ticksX = StepTicks(x0, x1, px)
	}
}

// grid draws the ticks with their labels, and lines across the background.
func (c *chart) grid(r *Raster) {
	p, w := c.plot, c.writer
	q := c.opt.Palette.Quiet
	for _, t := range c.ticksY {
		y := p.Min.Y + int(math.Floor(c.view.YPixel(t.At-float64(c.opt.Offset), p.Dy())))
		y = min(y, p.Max.Y-1)
		for x := range p.Dx() {
			if r.At(x, y-p.Min.Y) == layout.None && t.At >= float64(c.opt.Offset) {
				c.img.SetRGBA(p.Min.X+x, y, c.opt.Palette.Grid)
			}
		}
		c.fill(image.Rect(p.Min.X-c.space/2, y, p.Min.X, y+c.line), c.opt.Palette.Line)
		w.text(w.mono, p.Min.X-c.space-w.width(w.mono, t.Label), y+w.ascent*2/5, t.Label, q)
	}
	end := 0 // of the label before: none may touch the next
	for _, t := range c.ticksX {
		x := p.Min.X + int(math.Floor(c.view.XPixel(t.At, p.Dx())))
		x = min(x, p.Max.X-1)
		for y := range p.Dy() {
			if r.At(x-p.Min.X, y) == layout.None && c.view.YAt(float64(y)+.5, p.Dy()) >= 0 {
				c.img.SetRGBA(x, p.Min.Y+y, c.opt.Palette.Grid)
			}
		}
		c.fill(image.Rect(x, p.Max.Y, x+c.line, p.Max.Y+c.space/2), c.opt.Palette.Line)
		width := w.width(w.mono, t.Label)
		at := min(max(x-width/2, 0), c.opt.W-width)
		if at >= end {
			w.text(w.mono, at, p.Max.Y+c.space+w.ascent, t.Label, q)
			end = at + width + c.space
		}
	}
}

func (c *chart) fill(r image.Rectangle, with color.RGBA) {
	draw.Draw(c.img, r, image.NewUniform(with), image.Point{}, draw.Src)
}

// frame draws a line around the timeline, outside it.
func (c *chart) frame() {
	p, l, col := c.plot, c.line, c.opt.Palette.Line
	c.fill(image.Rect(p.Min.X-l, p.Min.Y-l, p.Max.X+l, p.Min.Y), col)
	c.fill(image.Rect(p.Min.X-l, p.Max.Y, p.Max.X+l, p.Max.Y+l), col)
	c.fill(image.Rect(p.Min.X-l, p.Min.Y, p.Min.X, p.Max.Y), col)
	c.fill(image.Rect(p.Max.X, p.Min.Y, p.Max.X+l, p.Max.Y), col)
}

// title writes the title, and on the right what the axis counts.
func (c *chart) title() {
	p, w := c.plot, c.writer
	if p.Min.Y == c.space {
		return
	}
	y := c.space + w.ascent
	axis := "event order, in timesteps"
	if c.view.Axis == layout.Time {
		axis = "time after the first event"
	}
	room := p.Dx()
	if width := w.width(w.regular, axis); width <= room {
		w.text(w.regular, p.Max.X-width, y, axis, c.opt.Palette.Quiet)
		room -= width + 2*c.space
	}
	if title := w.fit(w.regular, c.opt.Title, room); title != "" {
		w.text(w.regular, p.Min.X, y, title, c.opt.Palette.Text)
	}
}

// peak marks the highest point of the run, if it is in view, with its bytes.
func (c *chart) peak() {
	if c.t.PeakBytes == 0 {
		return
	}
	p, w := c.plot, c.writer
	x := c.t.X(c.view.Axis, c.t.PeakState)
	if x < c.view.X0 || x >= c.view.X1 || float64(c.t.PeakBytes) <= c.view.Y0 {
		return
	}
	px := p.Min.X + int(c.view.XPixel(x, p.Dx()))
	py := p.Min.Y + int(c.view.YPixel(float64(c.t.PeakBytes), p.Dy()))
	size := c.space
	down := py-size-c.line >= p.Min.Y
	py = max(py, p.Min.Y)
	for i := range size {
		half := (size - i) / 2
		y := py - c.line - size + i
		if !down { // no room above, or above the view: point up at it
			half, y = i/2, py+c.line+i
		}
		c.fill(image.Rect(px-half, y, px+half+1, y+1).Intersect(p), c.opt.Palette.Text)
	}
	label := Bytes(c.t.PeakBytes + c.opt.Offset)
	width := w.width(w.mono, label)
	at := px + size
	if at+width > p.Max.X {
		at = px - size - width
	}
	base := py - c.line - c.space/4
	if !down {
		base = py + c.line + w.ascent
	}
	// The label may lie on the picture: a ground keeps it readable.
	ground := image.Rect(at-c.space/4, base-w.ascent+c.line, at+width+c.space/4, base+c.space/4)
	moved := c.free(ground)
	base += moved.Y - ground.Min.Y
	c.fill(ground.Add(moved.Sub(ground.Min)).Intersect(p), c.opt.Palette.Background)
	w.text(w.mono, at, base, label, c.opt.Palette.Text)
}
