package panel

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/widgets/flame"
	"strata/widgets/kit"
)

// A FlamePage is the page of the drawer with the flame graph.
type FlamePage struct {
	Graph flame.Graph

	moment, turn, frames, home kit.Button
	momentAt                   image.Point
}

// FlameState is what the page shows.
type FlameState struct {
	*flame.State        // nil while that is not known
	Empty        string // what to say then
	Moment       string
	Chosen       bool
	LeavesUp     bool
	Frames       bool   // framework frames are shown
	Note         string // beside the buttons
	TurnKey      string
	FramesKey    string
	Lit          int32 // node of what is selected elsewhere, flame.None without
}

// FlameEvent is what the user did in the page.
type FlameEvent struct {
	Moment       bool        // a menu is wanted
	At           image.Point // its lower left corner, in the page
	Turn, Frames bool        // the other direction; framework frames shown or not
}

// Update reads the page's events.
func (p *FlamePage) Update(gtx C, s *FlameState) FlameEvent {
	if s.State != nil {
		p.Graph.Update(gtx, s.State)
	}
	if p.home.Clicked(gtx) {
		p.Graph.Home()
	}
	return FlameEvent{Moment: p.moment.Clicked(gtx), At: p.momentAt, Turn: p.turn.Clicked(gtx),
		Frames: p.frames.Clicked(gtx)}
}

// flameAt is where the graph lies in a page of a size.
func flameAt(gtx C, size image.Point) image.Rectangle {
	return image.Rect(gtx.Dp(8), gtx.Dp(headDrawer), size.X-gtx.Dp(8), size.Y-gtx.Dp(8))
}

// Layout draws the page below its head.
func (p *FlamePage) Layout(gtx C, th *kit.Theme, head *DrawerHead, d *DrawerState, s *FlameState) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	r := head.Row(gtx, th, d)
	button := func(b *kit.Button, look kit.ButtonLook) {
		look.Small, look.HintAbove = true, true
		r.Add(b.Look(th, look), 4)
	}
	p.momentAt = image.Pt(r.X, 0)
	button(&p.moment, momentLook(th, s.Moment, s.Chosen))
	direction := "from main down"
	if s.LeavesUp {
		direction = "from call sites up"
	}
	button(&p.turn, kit.ButtonLook{Text: direction, Hint: "The other way round", Key: s.TurnKey})
	frames := kit.ButtonLook{Text: "Framework", Hint: "Show framework frames, or fold them", Key: s.FramesKey,
		Colour: th.Quiet}
	if s.Frames {
		frames.Ground, frames.Colour = th.Selected, th.Text
	}
	button(&p.frames, frames)
	if p.Graph.Zoomed() {
		button(&p.home, kit.ButtonLook{Text: "Show all", Colour: th.Link, Hint: "As wide as all that is held"})
	}
	r.X += gtx.Dp(6)
	if room := r.End - r.X; room > gtx.Dp(60) {
		r.Gtx.Constraints.Max.X = room
		r.Add(th.Small(s.Note).Line(th), 0)
	}
	body := flameAt(gtx, size)
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
	p.Graph.Layout(gtx, th, s.State, s.Lit)
	return D{Size: size}
}

// LayoutTooltip draws what is known of the cell under the pointer. page is where the page lies in the window.
func (p *FlamePage) LayoutTooltip(gtx C, th *kit.Theme, page image.Rectangle, s *FlameState) {
	if s.State != nil && s.Empty == "" {
		p.Graph.LayoutTooltip(gtx, th, page.Min.Add(flameAt(gtx, page.Size()).Min), s.State)
	}
}
