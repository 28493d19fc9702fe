package allocator

import (
	"image"
	"image/color"
	"math"
	"time"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/layout"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render"
	"strata/widgets/kit"
)

// LensState is what a Lens shows.
type LensState struct {
	*State
	Of          *state.Occupancy
	View        render.View // of the timeline, whose axis it has
	Left, Right int         // where the timeline's picture lies, pixels
	// Hovered and Pinned are allocations, layout.None without.
	Hovered, Pinned layout.ID
	Playhead        float64 // on the axis
	Notch           float32 // how much one notch of the wheel scrolls on this system
	// Place says where a place of the axis is.
	Place func(x float64) string
}

// A Lens shows one segment through the run: the timeline's axis from left to right, its bytes upwards.
type Lens struct {
	of     *state.Occupancy
	y0, y1 float64 // bytes of the segment in sight
	plot   image.Rectangle

	pointer       f32.Point
	inside        bool
	pressed, last f32.Point
	held, moved   bool
	click         time.Duration // of the press before
	clickAt       f32.Point
	tag           int8
	hole          state.Hole // under the pointer
	holeAt        holeKey    // that it was found for
	isHole        bool
	found         [2]foundBlock // of what was hovered and pinned last
	made          lensKey
	img           kit.Sprite
	blocks        []int32 // by pixel: the index in Of.Blocks of what has most of it, -1 for none
}

type holeKey struct {
	lensKey
	at image.Point
}

// foundBlock is where an allocation is among the blocks, -1 if it is not.
type foundBlock struct {
	of    *state.Occupancy
	id    layout.ID
	index int
}

// LensEvent is what the user did in a Lens.
type LensEvent struct {
	Hovered layout.ID // the allocation under the pointer, layout.None without
	Clicked bool
	Pin     layout.ID   // of a click: the allocation, layout.None beside all
	View    render.View // the timeline's that is asked for
	Changed bool        // it differs
}

// As in the timeline.
const (
	lensTitle   = unit.Dp(22)
	lensSlop    = unit.Dp(4)
	doubleClick = 350 * time.Millisecond
)

// view is the part of the axis and of the bytes in sight.
func (p *Lens) view(s *LensState) render.View {
	v := s.View
	v.Y0, v.Y1, v.Below, v.Above = p.y0, p.y1, 0, 0
	return v
}

// show takes the part of the bytes that is asked for, as far as the segment has it.
func (p *Lens) show(s *LensState, v render.View) {
	size := float64(s.Of.High - s.Of.Low)
	high := min(v.Y1-v.Y0, size)
	p.y0 = min(max(0, v.Y0), size-high)
	p.y1 = p.y0 + high
}

// follow shows all of a segment that was not shown before.
func (p *Lens) follow(s *LensState) {
	if p.of != nil && p.of.Low == s.Of.Low && p.of.High == s.Of.High && p.of.History == s.Of.History {
		p.of = s.Of
		return
	}
	*p = Lens{of: s.Of, y1: float64(s.Of.High - s.Of.Low), plot: p.plot, pointer: p.pointer, inside: p.inside}
}

// Update reads what was done since the frame before.
func (p *Lens) Update(gtx C, s *LensState) LensEvent {
	p.follow(s)
	e := LensEvent{Hovered: layout.None, Pin: layout.None, View: s.View}
	filter := pointer.Filter{Target: &p.tag, Kinds: kit.AllPointer, ScrollX: kit.AnyScroll, ScrollY: kit.AnyScroll}
	for ev := range kit.Events[pointer.Event](gtx, filter) {
		p.handle(gtx, s, ev, &e)
	}
	e.Changed = e.View != s.View
	if i := p.under(); i >= 0 {
		e.Hovered = s.IDs[p.of.Blocks[i]]
	}
	return e
}

func (p *Lens) handle(gtx C, s *LensState, ev pointer.Event, e *LensEvent) {
	p.pointer = ev.Position
	switch ev.Kind {
	case pointer.Enter, pointer.Move:
		p.inside = true
	case pointer.Leave:
		p.inside = false
	case pointer.Scroll:
		p.inside = true
		p.scroll(s, ev, e)
	case pointer.Press:
		if ev.Buttons.Contain(pointer.ButtonPrimary) || ev.Buttons.Contain(pointer.ButtonTertiary) {
			p.pressed, p.last, p.held, p.moved = ev.Position, ev.Position, true, false
		}
	case pointer.Drag:
		p.drag(gtx, s, ev, e)
	case pointer.Release:
		if p.held && !p.moved {
			p.release(gtx, s, ev, e)
		}
		p.held, p.moved = false, false
	case pointer.Cancel:
		p.held, p.moved, p.inside = false, false, false
	}
}

// release clicks; a second time it shows all bytes of the segment.
func (p *Lens) release(gtx C, s *LensState, ev pointer.Event, e *LensEvent) {
	p.inside = true
	if ev.Time-p.click < doubleClick && p.near(gtx, ev.Position, p.clickAt) {
		p.y0, p.y1 = 0, float64(s.Of.High-s.Of.Low)
		p.click = -doubleClick
		return
	}
	p.click, p.clickAt, e.Clicked = ev.Time, ev.Position, true
	if i := p.under(); i >= 0 {
		e.Pin = s.IDs[p.of.Blocks[i]]
	}
}

func (p *Lens) near(gtx C, a, b f32.Point) bool {
	d, slop := a.Sub(b), float32(gtx.Dp(lensSlop))
	return d.X*d.X+d.Y*d.Y <= slop*slop
}

// drag pans.
func (p *Lens) drag(gtx C, s *LensState, ev pointer.Event, e *LensEvent) {
	if !p.held || !p.moved && p.near(gtx, ev.Position, p.pressed) {
		return
	}
	if !p.moved {
		p.moved = true
		gtx.Execute(pointer.GrabCmd{Tag: &p.tag, ID: ev.PointerID})
	}
	d := ev.Position.Sub(p.last)
	p.last = ev.Position
	v := p.view(s)
	v.X0, v.X1 = e.View.X0, e.View.X1
	v = v.Pan(-float64(d.X)/float64(p.plot.Dx())*(v.X1-v.X0), float64(d.Y)/float64(p.plot.Dy())*(v.Y1-v.Y0))
	e.View.X0, e.View.X1 = v.X0, v.X1
	p.show(s, v)
}

// scroll zooms at the pointer, with Shift the bytes, or pans sideways.
func (p *Lens) scroll(s *LensState, ev pointer.Event, e *LensEvent) {
	notch := float64(s.Notch)
	if notch <= 0 {
		notch = 20
	}
	dx, dy := float64(ev.Scroll.X)/notch, float64(ev.Scroll.Y)/notch
	shift, ctrl := ev.Modifiers.Contain(key.ModShift), ev.Modifiers.Contain(key.ModShortcut)
	if shift { // Gio turns Shift+wheel into sideways scrolling
		dy, dx = dy+dx, 0
	}
	at, size := ev.Position.Sub(f32.Pt(float32(p.plot.Min.X), float32(p.plot.Min.Y))), p.plot.Size()
	x, y := min(max(0, float64(at.X)), float64(size.X)), min(max(0, float64(at.Y)), float64(size.Y))
	factor := math.Pow(1.25, -max(-8, min(8, dy)))
	v := p.view(s)
	v.X0, v.X1 = e.View.X0, e.View.X1
	if dx != 0 && !ctrl {
		v = v.Pan(dx*.08*(v.X1-v.X0), 0)
	}
	if !shift || ctrl {
		v = v.ZoomX(v.XAt(x, size.X), factor)
	}
	if shift || ctrl {
		v = v.ZoomY(v.YAt(y, size.Y), factor)
		p.show(s, v)
	}
	e.View.X0, e.View.X1 = v.X0, v.X1
}

// pixel is where in the picture the pointer is; false where it is not there or drags.
func (p *Lens) pixel() (image.Point, bool) {
	at := image.Pt(int(math.Floor(float64(p.pointer.X))), int(math.Floor(float64(p.pointer.Y))))
	return at.Sub(p.plot.Min), p.inside && at.In(p.plot) && !p.moved
}

// under is the block under the pointer, an index into Of.Blocks, -1 without.
func (p *Lens) under() int32 {
	at, is := p.pixel()
	if !is || p.made.of != p.of || at.X >= p.made.size.X || at.Y >= p.made.size.Y {
		return -1
	}
	return p.blocks[at.Y*p.made.size.X+at.X]
}

// Layout draws the segment.
func (p *Lens) Layout(gtx C, th *kit.Theme, s *LensState) D {
	p.follow(s)
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &p.tag)
	semantic.LabelOp("A segment through the run").Add(gtx.Ops)
	if p.moved {
		pointer.CursorGrabbing.Add(gtx.Ops)
	} else {
		pointer.CursorCrosshair.Add(gtx.Ops)
	}
	p.plot = image.Rect(s.Left, gtx.Dp(lensTitle), max(s.Left+1, min(s.Right, size.X)), size.Y-gtx.Dp(8))
	gtx.Constraints.Min = image.Point{}
	g := gtx
	g.Constraints = giolayout.Constraints{Max: image.Pt(max(0, size.X-gtx.Dp(12)), gtx.Dp(lensTitle))}
	kit.Middle(g, th.Small(s.title()).Line(th), gtx.Dp(2), gtx.Dp(lensTitle))
	if p.plot.Dy() < 8 {
		return D{Size: size}
	}
	p.refresh(th, s)
	area := clip.Rect(p.plot).Push(gtx.Ops)
	p.img.Add(gtx.Ops, p.plot.Min)
	v := p.view(s)
	p.line(gtx, v, s.Playhead, kit.WithAlpha(th.Accent, 150))
	if at, is := p.pixel(); is {
		kit.Fill(gtx.Ops, image.Rect(p.plot.Min.X+at.X, p.plot.Min.Y, p.plot.Min.X+at.X+1, p.plot.Max.Y), th.Cursor)
	}
	p.outline(gtx, s, 1, s.Pinned, th.Red)
	p.outline(gtx, s, 0, s.Hovered, th.Hover)
	area.Pop()
	kit.Border(gtx.Ops, p.plot.Inset(-1), th.Line)
	p.labels(gtx, th, v)
	return D{Size: size}
}

// line draws a place of the axis.
func (p *Lens) line(gtx C, v render.View, at float64, c color.NRGBA) {
	x := p.plot.Min.X + int(math.Round(v.XPixel(at, p.plot.Dx())))
	kit.Fill(gtx.Ops, image.Rect(x, p.plot.Min.Y, x+1, p.plot.Max.Y), c)
}

// labels writes the bytes of the segment beside it.
func (p *Lens) labels(gtx C, th *kit.Theme, v render.View) {
	for _, tick := range render.ByteTicks(v.Y0, v.Y1, int(gtx.Metric.PxToDp(p.plot.Dy()))) {
		y := p.plot.Min.Y + int(math.Round(v.YPixel(tick.At, p.plot.Dy())))
		if y > p.plot.Max.Y {
			continue
		}
		c, d := kit.Measure(gtx, th.Figures(tick.Label).Line(th))
		y = max(p.plot.Min.Y, min(y-d.Size.Y/2-1, gtx.Constraints.Max.Y-d.Size.Y))
		kit.Place(gtx.Ops, image.Pt(p.plot.Min.X-d.Size.X-gtx.Dp(8), y), c)
	}
}

// outline frames an allocation where it lies in the segment. slot keeps where it was found.
func (p *Lens) outline(gtx C, s *LensState, slot int, id layout.ID, c color.NRGBA) {
	if id < 0 {
		return
	}
	f := &p.found[slot]
	if f.of != s.Of || f.id != id {
		*f = foundBlock{s.Of, id, -1}
		for i, block := range s.Of.Blocks {
			if s.IDs[block] == id {
				f.index = i
			}
		}
	}
	if f.index < 0 {
		return
	}
	r := pixels(p.place(s, f.index))
	r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X+1), max(r.Max.Y, r.Min.Y+1)
	around := clip.Rect(p.plot).Push(gtx.Ops)
	offset := op.Offset(p.plot.Min).Push(gtx.Ops)
	kit.Border(gtx.Ops, r.Inset(-1), c)
	kit.Border(gtx.Ops, r, c)
	offset.Pop()
	around.Pop()
}

// title says what segment it is.
func (s *LensState) title() string {
	o := s.Of
	first, last := o.Life[0], o.Life[len(o.Life)-1]
	most := int64(0)
	for _, x := range o.Life {
		most = max(most, x.Size)
	}
	text := "Segment of " + units.Bytes(most)
	if len(o.Life) > 1 {
		text = "Segment of up to " + units.Bytes(most)
	}
	text += "  ·  " + s.PoolName(state.PoolKey{Pool: last.Pool, Stream: last.Stream})
	from := "before the first event"
	if first.From >= 0 {
		from = "event " + units.Count(first.From)
	}
	text += "  ·  from " + from
	if last.To == state.Never {
		text += " to the end"
	} else {
		text += " to event " + units.Count(last.To)
	}
	return text + "  ·  " + units.Plural(len(o.Blocks), "block") + " lay in it  ·  0x" + hex(o.Low)
}
