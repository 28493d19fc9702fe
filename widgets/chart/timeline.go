// Package chart draws what lies along the horizontal axis: the timeline with its axes, rulers, outlines and marks, the
// minimap, the lane of annotations and the curve of a search.
package chart

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

	"strata/layout"
	"strata/layout/search"
	"strata/render"
	"strata/render/raster"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

type (
	// C is a context, named as in Gio's own examples.
	C = giolayout.Context
	// D is the dimensions of a widget, named as in Gio's own examples.
	D = giolayout.Dimensions
)

// A Scene is the picture of a view as it can be shown in this frame.
type Scene interface {
	// Add draws it with its upper left corner at the origin.
	Add(ops *op.Ops)
	// At is the allocation shown at a pixel of it.
	At(x, y int) layout.ID
	// Outline is where an allocation is to be seen, in pixels of it, a run for each column, from left to right.
	Outline(id layout.ID) []raster.Run
	// Version differs whenever At may answer differently.
	Version() uint64
}

// A Timeline hosts the picture with its axes and turns what the pointer does into views and selections.
type Timeline struct {
	// Notch is how much one notch of the wheel scrolls on this system.
	Notch float32

	size    image.Point     // of the widget
	plot    image.Rectangle // where the picture was drawn last, in the widget's coordinates
	pointer f32.Point       // in the widget's coordinates
	inside  bool            // the pointer is over the widget
	button  pointer.Buttons // that went down and is still held, if it is ours
	pressed f32.Point       // where
	moved   bool            // further than a click moves
	last    f32.Point       // where the drag was last
	click   time.Duration   // time of the last click, for double clicks
	clickAt f32.Point

	region bool      // the drag at hand marks a region
	end    f32.Point // of the region
	marked string    // what is written on it

	// dismissed is 1 + the allocation whose tooltip was sent away, shown that of the one that was asked for last.
	dismissed, shown layout.ID
	tipAt            image.Rectangle // where the last tooltip lay in the window

	outlines [2]outline
	rulers   rulers
	tags     [2]axisTag // where the pointer is, on the axes

	// Playhead is the moment, or the two, that are broken down.
	Playhead Playhead
	playing  playing

	// Limits is what is drawn beside the allocations.
	Limits describe.Limits
	// Lines are the ends of annotations, drawn over the picture.
	Lines []PhaseLine
	// Matches is the search whose matches are drawn as a curve, nil for none.
	Matches *search.Result
	// Allocator is drawn over the blocks.
	Allocator Allocator

	curves   curves
	taken    []image.Rectangle // where labels are in the picture
	labelled int               // where the last label of an out-of-memory event ends
	marks    []markArea
}

// Release drops what the timeline holds of a document.
func (tl *Timeline) Release() {
	tl.Matches, tl.curves, tl.Allocator, tl.Limits.OOMs = nil, curves{}, Allocator{}, nil
}

// How far the pointer may move between press and release of a click, and how
// far apart in time and place the clicks of a double click are.
const (
	clickSlop   = unit.Dp(4)
	doubleClick = 350 * time.Millisecond
)

// zoomPerNotch: one notch of the wheel magnifies by this.
const zoomPerNotch = 1.25

// TimelineEvent is what the user did with the timeline.
type TimelineEvent struct {
	View    render.View // the view asked for
	Changed bool        // View differs from the one given
	Settled bool        // a gesture ended: worth remembering in the history
	Clicked bool        // a click on At
	At      layout.ID
	Mark    Mark          // that was clicked
	Doubled bool          // the click before was the first of a double click, and meant nothing of its own
	Moment  *PlayheadMove // where the playhead was moved to, nil for nowhere
	Back    int           // steps through the history of views that a mouse's own buttons ask for
}

// Prepare tells the timeline its size before events are read, and returns the size of its picture.
func (tl *Timeline) Prepare(gtx C, size image.Point, gutter int) image.Point {
	tl.size = size
	tl.plot = image.Rect(gutter, gtx.Dp(10), size.X-gtx.Dp(14), size.Y-gtx.Dp(30))
	if tl.plot.Empty() {
		tl.plot = image.Rectangle{Min: tl.plot.Min, Max: tl.plot.Min.Add(image.Pt(1, 1))}
	}
	return tl.plot.Size()
}

// Gutter is the width the labels of the Y axis need, in steps that keep the
// picture from moving with every change of the view.
func (tl *Timeline) Gutter(gtx C, th *kit.Theme, v render.View, height int) int {
	widest := gtx.Dp(44)
	base := float64(tl.Limits.Offset)
	for _, t := range render.ByteTicks(v.Y0+base, v.Y1+base, inDp(gtx, height)) {
		widest = max(widest, th.Width(gtx, kit.Label{Face: kit.Mono, Size: kit.SmallSize, Text: t.Label}))
	}
	step := gtx.Dp(12)
	return (widest + gtx.Dp(18) + step - 1) / step * step
}

// Plot is where the picture is, in the widget's coordinates.
func (tl *Timeline) Plot() image.Rectangle { return tl.plot }

// Pointer is where in the picture the pointer is; false when it is not there or drags.
func (tl *Timeline) Pointer() (image.Point, bool) {
	p := image.Pt(int(math.Floor(float64(tl.pointer.X))), int(math.Floor(float64(tl.pointer.Y))))
	return p.Sub(tl.plot.Min), tl.inside && p.In(tl.plot) && !(tl.button != 0 && tl.moved)
}

// Hovered is what a scene shows under the pointer, none where a mark is.
func (tl *Timeline) Hovered(s Scene) layout.ID {
	p, ok := tl.Pointer()
	if !ok || s == nil || tl.Mark().Kind != NoMark {
		return layout.None
	}
	return s.At(p.X, p.Y)
}

// Update reads the pointer. s is the scene that was drawn last.
func (tl *Timeline) Update(gtx C, t *layout.Timeline, v render.View, s Scene) TimelineEvent {
	e := TimelineEvent{View: v}
	all := pointer.Filter{Target: tl, Kinds: kit.AllPointer, ScrollX: kit.AnyScroll, ScrollY: kit.AnyScroll}
	// In one queue: a slow frame gets all of a gesture.
	for ev := range kit.Events[event.Event](gtx, all, key.Filter{Name: bytesRulerKey}, key.Filter{Name: timeRulerKey}) {
		switch ev := ev.(type) {
		case key.Event:
			tl.rulerKey(ev)
		case pointer.Event:
			if t != nil {
				tl.handle(gtx, t, s, ev, &e)
			}
		}
	}
	if t != nil && e.Changed {
		e.View = e.View.Clamp(t)
		e.Changed = e.View != v
	}
	return e
}

func (tl *Timeline) handle(gtx C, t *layout.Timeline, s Scene, p pointer.Event, e *TimelineEvent) {
	tl.pointer = p.Position
	switch p.Kind {
	case pointer.Enter, pointer.Move:
		tl.inside = true
	case pointer.Leave:
		tl.inside = false
	case pointer.Scroll:
		tl.inside = true
		tl.scroll(gtx, p, e)
	case pointer.Press:
		switch { // as in browsers
		case p.Buttons.Contain(pointer.ButtonQuaternary):
			e.Back--
			return
		case p.Buttons.Contain(pointer.ButtonQuinary):
			e.Back++
			return
		}
		if tl.pressStrip(p, e) {
			return
		}
		tl.press(gtx, s, p)
		tl.startRuler(e.View, p)
	case pointer.Drag:
		if !tl.dragStrip(gtx, p, e) {
			tl.drag(gtx, p, e)
		}
	case pointer.Release:
		if tl.playing != notPlaying {
			tl.playing, tl.button, tl.moved = notPlaying, 0, false
			return
		}
		tl.release(gtx, t, s, p, e)
	case pointer.Cancel:
		tl.playing = notPlaying
		tl.button, tl.moved, tl.inside, tl.region = 0, false, false, false
	}
}

// Region is the part of the axis that is being marked; false when none is.
func (tl *Timeline) Region(v render.View) (x0, x1 float64, ok bool) {
	if !tl.region || !tl.moved {
		return 0, 0, false
	}
	x0, x1 = v.XAt(tl.plotX(tl.pressed), tl.plot.Dx()), v.XAt(tl.plotX(tl.end), tl.plot.Dx())
	return min(x0, x1), max(x0, x1), true
}

// CancelRegion gives up the region being marked; it reports whether there was one.
func (tl *Timeline) CancelRegion() bool {
	was := tl.region && tl.moved
	if was {
		tl.button, tl.moved, tl.region = 0, false, false
	}
	return was
}

// notches is how far one notch scrolls: as on X11 if nothing else is known.
func notches(v float32) float64 {
	if v <= 0 {
		return 20
	}
	return float64(v)
}

// scroll zooms at the pointer, or pans sideways.
func (tl *Timeline) scroll(gtx C, p pointer.Event, e *TimelineEvent) {
	notch := notches(tl.Notch)
	dx, dy := float64(p.Scroll.X)/notch, float64(p.Scroll.Y)/notch
	shift, ctrl := p.Modifiers.Contain(key.ModShift), p.Modifiers.Contain(key.ModShortcut)
	if shift { // Gio turns Shift+wheel into sideways scrolling
		dy, dx = dy+dx, 0
	}
	factor := math.Pow(zoomPerNotch, -max(-8, min(8, dy)))
	before := e.View
	if dx != 0 && !ctrl {
		e.View = e.View.Pan(dx*.08*(e.View.X1-e.View.X0), 0)
	}
	if dy != 0 && (!shift || ctrl) {
		e.View = e.View.ZoomX(e.View.XAt(tl.plotX(p.Position), tl.plot.Dx()), factor)
	}
	if dy != 0 && (shift || ctrl) {
		e.View = e.View.ZoomY(e.View.YAt(tl.plotY(p.Position), tl.plot.Dy()), factor)
	}
	e.Changed = e.Changed || e.View != before
	e.Settled = true
}

// plotX and plotY are a position in the picture, kept inside it.
func (tl *Timeline) plotX(p f32.Point) float64 {
	return min(max(float64(p.X)-float64(tl.plot.Min.X), 0), float64(tl.plot.Dx()))
}

func (tl *Timeline) plotY(p f32.Point) float64 {
	return min(max(float64(p.Y)-float64(tl.plot.Min.Y), 0), float64(tl.plot.Dy()))
}

func (tl *Timeline) press(gtx C, s Scene, p pointer.Event) {
	tl.inside = true
	switch {
	case tl.button != 0:
	case p.Buttons.Contain(pointer.ButtonSecondary):
		tl.dismissed = tl.Hovered(s) + 1
	case p.Buttons.Contain(pointer.ButtonPrimary), p.Buttons.Contain(pointer.ButtonTertiary):
		tl.button, tl.pressed, tl.last, tl.moved = p.Buttons, p.Position, p.Position, false
		tl.region, tl.end = p.Modifiers.Contain(key.ModShortcut), p.Position
	}
}

// drag pans once the pointer has left the reach of a click.
func (tl *Timeline) drag(gtx C, p pointer.Event, e *TimelineEvent) {
	if tl.button == 0 {
		return
	}
	if !tl.moved {
		d := p.Position.Sub(tl.pressed)
		slop := float32(gtx.Dp(clickSlop))
		if d.X*d.X+d.Y*d.Y <= slop*slop {
			return
		}
		tl.moved = true
		gtx.Execute(pointer.GrabCmd{Tag: tl, ID: p.PointerID})
	}
	if tl.dragRuler(e.View, p) {
		return
	}
	if tl.region {
		tl.end = p.Position
		return
	}
	d := p.Position.Sub(tl.last)
	tl.last = p.Position
	w, h := float64(tl.plot.Dx()), float64(tl.plot.Dy())
	e.View = e.View.Pan(-float64(d.X)/w*(e.View.X1-e.View.X0), float64(d.Y)/h*(e.View.Y1-e.View.Y0))
	e.Changed = true
}

// release ends a drag, or makes a click of it.
func (tl *Timeline) release(gtx C, t *layout.Timeline, s Scene, p pointer.Event, e *TimelineEvent) {
	if tl.button == 0 {
		return
	}
	moved, primary, ruler := tl.moved, tl.button.Contain(pointer.ButtonPrimary), tl.rulers.drawing != nil
	x0, x1, marked := tl.Region(e.View)
	tl.button, tl.moved, tl.region, tl.rulers.drawing = 0, false, false, nil
	switch {
	case moved && ruler:
		return
	case moved:
		if math.Abs(tl.plotX(tl.pressed)-tl.plotX(tl.end)) >= 1 && marked {
			e.View.X0, e.View.X1, e.Changed = x0, x1, true
		}
		e.Settled = true
		return
	case !primary:
		return
	}
	slop := float32(gtx.Dp(clickSlop))
	d := p.Position.Sub(tl.clickAt)
	if p.Time-tl.click < doubleClick && d.X*d.X+d.Y*d.Y <= slop*slop {
		tl.click = -doubleClick
		e.Clicked, e.Doubled = false, !e.Clicked
		e.View, e.Changed, e.Settled = e.View.FitY(t), true, true
		return
	}
	if e.Mark = tl.Mark(); e.Mark.Kind != NoMark {
		return
	}
	tl.click, tl.clickAt = p.Time, p.Position
	if _, ok := tl.Pointer(); ok {
		e.Clicked, e.At = true, tl.Hovered(s)
	}
}

// listen makes the widget's area take the pointer.
func (tl *Timeline) listen(gtx C) {
	event.Op(gtx.Ops, tl)
	semantic.LabelOp("Timeline").Add(gtx.Ops)
	switch {
	case tl.playing != notPlaying || tl.inside && tl.inStrip(tl.pointer):
		pointer.CursorColResize.Add(gtx.Ops)
	case tl.button != 0 && tl.moved:
		pointer.CursorGrabbing.Add(gtx.Ops)
	case tl.Mark().Kind != NoMark:
		pointer.CursorPointer.Add(gtx.Ops)
	default:
		pointer.CursorCrosshair.Add(gtx.Ops)
	}
}
