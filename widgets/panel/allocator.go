package panel

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout"
	"strata/render"
	"strata/widgets/allocator"
	"strata/widgets/kit"
)

// An AllocatorPage is the page of the drawer with the allocator's segments.
type AllocatorPage struct {
	Strips allocator.Strips
	Lens   allocator.Lens // of one segment, in place of the strips
	Table  kit.Table      // of the faces other than Segments
	Jump   kit.Field      // takes an event's number, or a size that should fit

	face, moment, order, pool, kind, split, fit, back, next, all kit.Button

	faceAt, momentAt, orderAt, poolAt, kindAt image.Point
}

// A Face is one of the things that the page shows of the allocator.
type Face uint8

// The faces.
const (
	Segments Face = iota
	Pools
	Events
	Failure
	Settings
)

var faceNames = [...]string{"Segments", "Pools", "Events", "Out of memory", "Settings"}

// String is the face's name.
func (f Face) String() string { return faceNames[f] }

// Faces returns all faces.
func Faces() []Face { return []Face{Segments, Pools, Events, Failure, Settings} }

// AllocatorState is what the page shows.
type AllocatorState struct {
	*allocator.State                      // nil while that is not known
	Lens             *allocator.LensState // of one segment that is shown, nil for all
	Face             Face
	Kind             string // of events that are listed
	Wrong            bool   // what is typed is neither an event nor a size
	Empty            string // what to say then
	Moment           string
	Chosen           bool
	Pool             string // that is shown alone, "" for all
	Note             string // beside the buttons
	BackKey, NextKey string // of the events that change segments
	AllKey           string // that shows all segments again
}

// AllocatorEvent is what the user did in the page.
type AllocatorEvent struct {
	allocator.Event
	Moment, Order, Pool bool // a menu is wanted
	Faces, Kinds        bool
	At                  image.Point // its lower left corner, in the page
	Jump                bool        // to what was typed
	Table               kit.TableEvent
	Split, Fit          bool         // to be changed
	Step                int          // to the event that changes segments before, or after
	All                 bool         // segments are wanted, not one
	Look                *render.View // that the timeline is to have, nil for that which it has
}

// Update reads the page's events.
func (p *AllocatorPage) Update(gtx C, s *AllocatorState) AllocatorEvent {
	var e AllocatorEvent
	e.Hovered, e.Pin, e.Table.Row = layout.None, layout.None, -1
	switch {
	case s.State == nil:
	case s.Lens != nil:
		in := p.Lens.Update(gtx, s.Lens)
		e.Hovered, e.Clicked, e.Pin, e.Segment = in.Hovered, in.Clicked, in.Pin, -1
		if in.Changed {
			e.Look = &in.View
		}
	case s.Face == Segments:
		e.Event = p.Strips.Update(gtx, s.State)
	default:
		e.Table = p.Table.Update(gtx)
	}
	_, e.Jump = p.Jump.Update(gtx)
	e.Split, e.Fit, e.All = p.split.Clicked(gtx), p.fit.Clicked(gtx), p.all.Clicked(gtx)
	switch {
	case p.moment.Clicked(gtx):
		e.Moment, e.At = true, p.momentAt
	case p.face.Clicked(gtx):
		e.Faces, e.At = true, p.faceAt
	case p.kind.Clicked(gtx):
		e.Kinds, e.At = true, p.kindAt
	case p.order.Clicked(gtx):
		e.Order, e.At = true, p.orderAt
	case p.pool.Clicked(gtx):
		e.Pool, e.At = true, p.poolAt
	case p.back.Clicked(gtx):
		e.Step = -1
	case p.next.Clicked(gtx):
		e.Step = 1
	}
	return e
}

// allocatorAt is where the strips lie in a page of a size.
func allocatorAt(gtx C, size image.Point) image.Rectangle {
	return image.Rect(gtx.Dp(8), gtx.Dp(headDrawer), size.X, size.Y)
}

// Layout draws the page below its head.
func (p *AllocatorPage) Layout(gtx C, th *kit.Theme, head *DrawerHead, d *DrawerState, s *AllocatorState) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	r := head.Row(gtx, th, d)
	button := func(b *kit.Button, at *image.Point, look kit.ButtonLook) {
		look.Small, look.HintAbove = true, true
		if w := b.Look(th, look); r.Fits(w) {
			if at != nil {
				*at = image.Pt(r.X, 0)
			}
			r.Add(w, 4)
		}
	}
	button(&p.face, &p.faceAt, kit.ButtonLook{Text: s.Face.String(), Trailing: kit.IconDown, Ground: th.Raised,
		Hint: "Segments, pools, events, why a request failed, settings"})
	button(&p.moment, &p.momentAt, momentLook(th, s.Moment, s.Chosen))
	if s.State != nil && s.Empty == "" {
		p.tools(gtx, th, &r, s, button)
	}
	r.X += gtx.Dp(6)
	if room := r.End - r.X; room > gtx.Dp(60) {
		r.Gtx.Constraints.Max.X = room
		r.Add(th.Small(s.Note).Line(th), 0)
	}
	body := allocatorAt(gtx, size)
	if body.Empty() {
		return D{Size: size}
	}
	defer op.Offset(body.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = giolayout.Exact(body.Size())
	if s.Empty != "" || s.State == nil {
		gtx.Constraints.Min = image.Point{}
		giolayout.Inset{Top: 6, Left: 4}.Layout(gtx, th.Aside(s.Empty).Wrapped(th))
		return D{Size: size}
	}
	if s.Face != Segments {
		gtx.Constraints = giolayout.Exact(body.Size().Sub(image.Pt(gtx.Dp(8), gtx.Dp(8))))
		p.Table.Layout(gtx, th, -1, false)
		kit.Border(gtx.Ops, image.Rectangle{Max: gtx.Constraints.Max}, th.Line)
		return D{Size: size}
	}
	if s.Lens != nil {
		lens := *s.Lens
		lens.Left, lens.Right = lens.Left-body.Min.X, lens.Right-body.Min.X
		p.Lens.Layout(gtx, th, &lens)
		return D{Size: size}
	}
	p.Strips.Layout(gtx, th, s.State)
	return D{Size: size}
}

// tools adds what changes the face that shows to the head of the page.
func (p *AllocatorPage) tools(gtx C, th *kit.Theme, r *kit.Row, s *AllocatorState,
	button func(*kit.Button, *image.Point, kit.ButtonLook)) {
	if s.Face == Settings || s.Face == Failure {
		return
	}
	button(&p.back, nil, kit.ButtonLook{Icon: kit.IconBack, Hint: "The event before that changed segments",
		Key: s.BackKey})
	button(&p.next, nil, kit.ButtonLook{Icon: kit.IconForward, Hint: "The next event that changes segments",
		Key: s.NextKey})
	p.jump(gtx, th, r, s.Wrong)
	c := s.Choice
	if s.Face == Events {
		button(&p.kind, &p.kindAt, kit.ButtonLook{Text: s.Kind, Trailing: kit.IconDown, Hint: "Some events alone"})
	}
	if s.Lens != nil {
		button(&p.all, nil, kit.ButtonLook{Text: "All segments", Hint: "All segments at the moment", Key: s.AllKey})
	}
	if s.Face != Segments || s.Lens != nil {
		return
	}
	button(&p.order, &p.orderAt, kit.ButtonLook{Text: c.Order.String(), Hint: "Order of the segments",
		Trailing: kit.IconDown})
	pool := kit.ButtonLook{Text: "all pools", Hint: "One pool and stream alone", Trailing: kit.IconDown}
	if s.Pool != "" {
		pool.Text, pool.Ground, pool.Colour = s.Pool, th.Selected, th.Text
	}
	button(&p.pool, &p.poolAt, pool)
	toggle := func(b *kit.Button, on bool, text, hint string) {
		look := kit.ButtonLook{Text: text, Hint: hint, Colour: th.Quiet}
		if on {
			look.Ground, look.Colour = th.Selected, th.Text
		}
		button(b, nil, look)
	}
	toggle(&p.split, c.Split, "By pool", "Under a heading for each pool and stream")
	toggle(&p.fit, c.Fit, "Same width", "Each segment as wide as all, or all on one scale of bytes")
}

// jump adds the field that takes an event's number, or a size.
func (p *AllocatorPage) jump(gtx C, th *kit.Theme, r *kit.Row, wrong bool) {
	size := image.Pt(gtx.Dp(148), gtx.Dp(22))
	field := func(gtx C) D {
		p.Jump.Layout(gtx, th, image.Rectangle{Max: size},
			kit.FieldLook{Hint: "Event, or 512 MiB fits?", Ground: th.Ground, Wrong: wrong, Pad: 6})
		return D{Size: size}
	}
	if r.Fits(field) {
		r.Add(field, 4)
	}
}

// LayoutTooltip draws what is known of what lies under the pointer. page is where the page lies in the window.
func (p *AllocatorPage) LayoutTooltip(gtx C, th *kit.Theme, page image.Rectangle, s *AllocatorState) {
	switch {
	case s.State == nil || s.Empty != "" || s.Face != Segments:
	case s.Lens != nil:
		p.Lens.LayoutTooltip(gtx, th, page.Min.Add(allocatorAt(gtx, page.Size()).Min), s.Lens)
	default:
		p.Strips.LayoutTooltip(gtx, th, page.Min.Add(allocatorAt(gtx, page.Size()).Min), s.State)
	}
}
