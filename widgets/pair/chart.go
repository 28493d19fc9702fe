// Package pair draws two timelines under each other on one scale of bytes, their horizontal axes tied.
package pair

import (
	"image"
	"math"
	"time"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"strata/render"
	"strata/widgets/kit"
)

type (
	// C is Gio's, under a short name.
	C = giolayout.Context
	// D is Gio's, under a short name.
	D = giolayout.Dimensions
)

// A Picture is what a plot shows.
type Picture interface {
	Add(ops *op.Ops, at image.Point)
}

// A State is what a Chart shows. Places are on A's axis; sides are 0 for A, above, and 1 for B.
type State struct {
	View   render.View
	Chosen bool // the moments, by the person
	Sides  [2]Side
}

// A Side is one of the two timelines.
type Side struct {
	Title     string
	Picture   Picture // nil while there is none
	Names     []Name  // on the picture
	Ticks     []render.Tick
	Axis      string // what the axis counts, and how it is tied
	Moment    float64
	Peak      float64 // place of the highest point
	PeakBytes int64
	PeakText  string
	End       float64 // where the run ends
}

// A Name is a text on the picture.
type Name struct {
	Text   string
	X, Mid int // pixels: where it begins, and the middle of its height
}

// An Event is what the user did with the chart.
type Event struct {
	View    render.View
	Changed bool
	Moment  *Move
	Fit     bool // the height is to be fitted
}

// A Move puts the moment of one side, or of both, to a place.
type Move struct {
	Side  int
	At    float64
	Alone bool
}

// dragging is what a drag does.
type dragging uint8

const (
	still dragging = iota
	panning
	moving
)

// A Chart is the two plots. Its zero value is ready.
type Chart struct {
	// Notch is how much one notch of the wheel scrolls on this system.
	Notch float32

	plots   [2]image.Rectangle
	strips  [2]image.Rectangle // of the axes
	pointer f32.Point
	inside  bool
	drag    dragging
	side    int // of the drag
	alone   bool
	last    f32.Point
	moved   bool
	click   time.Duration
	tag     int8
}

// The heights of what is around a plot.
const (
	titleHeight = unit.Dp(20)
	stripHeight = unit.Dp(26)
)

// Prepare tells the chart its size before events are read, and returns the size of a plot's picture.
func (c *Chart) Prepare(gtx C, size image.Point, gutter int) image.Point {
	half := size.Y / 2
	for i := range c.plots {
		top := i * half
		c.plots[i] = image.Rect(gutter, top+gtx.Dp(titleHeight), size.X-gtx.Dp(14), top+half-gtx.Dp(stripHeight))
		if c.plots[i].Empty() {
			c.plots[i] = image.Rectangle{Min: c.plots[i].Min, Max: c.plots[i].Min.Add(image.Pt(1, 1))}
		}
		c.strips[i] = image.Rect(gutter, c.plots[i].Max.Y, c.plots[i].Max.X, top+half)
	}
	return c.plots[0].Size()
}

// Gutter is the width that the labels of bytes need.
func (c *Chart) Gutter(gtx C, th *kit.Theme, v render.View, height int) int {
	widest := gtx.Dp(44)
	for _, t := range render.ByteTicks(v.Y0, v.Y1, int(gtx.Metric.PxToDp(height))) {
		widest = max(widest, th.Width(gtx, th.Figures(t.Label)))
	}
	step := gtx.Dp(12)
	return (widest + gtx.Dp(18) + step - 1) / step * step
}

// Plot is where the picture of a side is.
func (c *Chart) Plot(side int) image.Rectangle { return c.plots[side] }

// Strip is where the axis of a side is.
func (c *Chart) Strip(side int) image.Rectangle { return c.strips[side] }

// Pointer is where in the picture of a side the pointer is; false where it is in none.
func (c *Chart) Pointer() (side int, at image.Point, ok bool) {
	p := image.Pt(int(math.Floor(float64(c.pointer.X))), int(math.Floor(float64(c.pointer.Y))))
	for i, plot := range c.plots {
		if c.inside && p.In(plot) && !c.moved {
			return i, p.Sub(plot.Min), true
		}
	}
	return 0, image.Point{}, false
}

// Update reads the pointer.
func (c *Chart) Update(gtx C, s *State) Event {
	e := Event{View: s.View}
	filter := pointer.Filter{Target: &c.tag, Kinds: kit.AllPointer, ScrollX: kit.AnyScroll, ScrollY: kit.AnyScroll}
	for p := range kit.Events[pointer.Event](gtx, filter) {
		c.handle(gtx, p, &e)
	}
	e.Changed = e.View != s.View
	return e
}

func (c *Chart) handle(gtx C, p pointer.Event, e *Event) {
	c.pointer = p.Position
	switch p.Kind {
	case pointer.Enter, pointer.Move:
		c.inside = true
	case pointer.Leave:
		c.inside = false
	case pointer.Scroll:
		c.inside = true
		c.scroll(p, e)
	case pointer.Press:
		c.press(p, e)
	case pointer.Drag:
		c.dragTo(gtx, p, e)
	case pointer.Release:
		c.drag, c.moved = still, false
	case pointer.Cancel:
		c.drag, c.moved, c.inside = still, false, false
	}
}

// press begins a drag; in a strip it moves the moment at once.
func (c *Chart) press(p pointer.Event, e *Event) {
	if c.drag != still || !p.Buttons.Contain(pointer.ButtonPrimary) && !p.Buttons.Contain(pointer.ButtonTertiary) {
		return
	}
	c.inside, c.last, c.moved, c.drag = true, p.Position, false, panning
	at := image.Pt(int(p.Position.X), int(p.Position.Y))
	for i, strip := range c.strips {
		if at.In(strip) {
			c.drag, c.side, c.alone = moving, i, p.Modifiers.Contain(key.ModShift)
			e.Moment = &Move{i, c.axisAt(e.View, p.Position), c.alone}
			return
		}
	}
	const double = 350 * time.Millisecond
	if p.Time-c.click < double {
		e.Fit = true
	}
	c.click = p.Time
}

func (c *Chart) dragTo(gtx C, p pointer.Event, e *Event) {
	if c.drag == still {
		return
	}
	if !c.moved {
		c.moved = true
		gtx.Execute(pointer.GrabCmd{Tag: &c.tag, ID: p.PointerID})
	}
	if c.drag == moving {
		e.Moment = &Move{c.side, c.axisAt(e.View, p.Position), c.alone}
		return
	}
	d, size := p.Position.Sub(c.last), c.plots[0].Size()
	c.last = p.Position
	v := e.View
	e.View = v.Pan(-float64(d.X)/float64(size.X)*(v.X1-v.X0), float64(d.Y)/float64(size.Y)*(v.Y1-v.Y0))
}

// scroll zooms at the pointer, with Shift the bytes, or pans sideways.
func (c *Chart) scroll(p pointer.Event, e *Event) {
	notch := float64(c.Notch)
	if notch <= 0 {
		notch = 20
	}
	dx, dy := float64(p.Scroll.X)/notch, float64(p.Scroll.Y)/notch
	shift := p.Modifiers.Contain(key.ModShift)
	if shift { // Gio turns Shift+wheel into sideways scrolling
		dy, dx = dy+dx, 0
	}
	factor := math.Pow(1.25, -max(-8, min(8, dy)))
	v := e.View
	switch {
	case shift:
		plot := c.plots[0]
		if int(p.Position.Y) >= c.plots[1].Min.Y {
			plot = c.plots[1]
		}
		y := min(max(float64(p.Position.Y)-float64(plot.Min.Y), 0), float64(plot.Dy()))
		e.View = v.ZoomY(v.YAt(y, plot.Dy()), factor)
	case dx != 0:
		e.View = v.Pan(dx*.08*(v.X1-v.X0), 0)
	default:
		e.View = v.ZoomX(c.axisAt(v, p.Position), factor)
	}
}

// axisAt is a place on A's axis.
func (c *Chart) axisAt(v render.View, p f32.Point) float64 {
	plot := c.plots[0]
	return v.XAt(min(max(float64(p.X)-float64(plot.Min.X), 0), float64(plot.Dx())), plot.Dx())
}

// listen makes the chart's area take the pointer.
func (c *Chart) listen(gtx C) {
	event.Op(gtx.Ops, &c.tag)
	semantic.LabelOp("Two timelines").Add(gtx.Ops)
	at := image.Pt(int(c.pointer.X), int(c.pointer.Y))
	switch {
	case c.drag == moving || c.inside && (at.In(c.strips[0]) || at.In(c.strips[1])):
		pointer.CursorColResize.Add(gtx.Ops)
	case c.drag == panning && c.moved:
		pointer.CursorGrabbing.Add(gtx.Ops)
	default:
		pointer.CursorCrosshair.Add(gtx.Ops)
	}
}
