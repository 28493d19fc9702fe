package panel

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/widgets/allocator"
	"strata/widgets/kit"
)

// An AllocatorPage is the page of the drawer with the allocator's segments.
type AllocatorPage struct {
	Strips allocator.Strips

	moment, order, pool, split, fit, back, next kit.Button
	momentAt, orderAt, poolAt                   image.Point
}

// AllocatorState is what the page shows.
type AllocatorState struct {
	*allocator.State        // nil while that is not known
	Empty            string // what to say then
	Moment           string
	Chosen           bool
	Pool             string // that is shown alone, "" for all
	Note             string // beside the buttons
	BackKey, NextKey string // of the events that change segments
}

// AllocatorEvent is what the user did in the page.
type AllocatorEvent struct {
	allocator.Event
	Moment, Order, Pool bool        // a menu is wanted
	At                  image.Point // its lower left corner, in the page
	Split, Fit          bool        // to be changed
	Step                int         // to the event that changes segments before, or after
}

// Update reads the page's events.
func (p *AllocatorPage) Update(gtx C, s *AllocatorState) AllocatorEvent {
	var e AllocatorEvent
	if s.State != nil {
		e.Event = p.Strips.Update(gtx, s.State)
	}
	e.Split, e.Fit = p.split.Clicked(gtx), p.fit.Clicked(gtx)
	switch {
	case p.moment.Clicked(gtx):
		e.Moment, e.At = true, p.momentAt
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
	button(&p.moment, &p.momentAt, momentLook(th, s.Moment, s.Chosen))
	if s.State != nil && s.Empty == "" {
		button(&p.back, nil, kit.ButtonLook{Icon: kit.IconBack, Hint: "The event before that changed segments",
			Key: s.BackKey})
		button(&p.next, nil, kit.ButtonLook{Icon: kit.IconForward, Hint: "The next event that changes segments",
			Key: s.NextKey})
		c := s.Choice
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
	p.Strips.Layout(gtx, th, s.State)
	return D{Size: size}
}

// LayoutTooltip draws what is known of what lies under the pointer. page is where the page lies in the window.
func (p *AllocatorPage) LayoutTooltip(gtx C, th *kit.Theme, page image.Rectangle, s *AllocatorState) {
	if s.State != nil && s.Empty == "" {
		p.Strips.LayoutTooltip(gtx, th, page.Min.Add(allocatorAt(gtx, page.Size()).Min), s.State)
	}
}
