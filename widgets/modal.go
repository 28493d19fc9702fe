package widgets

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
)

// A modal is a box over the dimmed window; a press beside it closes it.
type modal struct {
	around, inside int8
}

// update reports a press beside the box.
func (m *modal) update(gtx giolayout.Context) bool {
	closed := false
	for {
		ev, ok := gtx.Event(pointer.Filter{Target: &m.around, Kinds: pointer.Press})
		if !ok {
			return closed
		}
		if e, ok := ev.(pointer.Event); ok && e.Kind == pointer.Press {
			closed = true
		}
	}
}

// layout draws a box of at most the given width in the middle of the window.
func (m *modal) layout(gtx giolayout.Context, th *Theme, width unit.Dp, content giolayout.Widget) {
	window := gtx.Constraints.Max
	dim := th.Shade
	if th.Dark {
		dim = rgba(0x05060a, 170)
	}
	area := clip.Rect{Max: window}.Push(gtx.Ops)
	event.Op(gtx.Ops, &m.around)
	semantic.LabelOp("Close").Add(gtx.Ops)
	area.Pop()
	fill(gtx.Ops, image.Rectangle{Max: window}, dim)

	w := min(gtx.Dp(width), window.X-gtx.Dp(24))
	g := gtx
	g.Constraints = giolayout.Constraints{Min: image.Pt(max(0, w), 0), Max: image.Pt(max(0, w), max(0, window.Y-gtx.Dp(24)))}
	c, d := measure(g, content)
	defer op.Offset(image.Pt((window.X-d.Size.X)/2, max(gtx.Dp(12), (window.Y-d.Size.Y)*2/5))).Push(gtx.Ops).Pop()
	r := image.Rectangle{Max: d.Size}
	shadow(gtx, th, r)
	roundFrame(gtx, th, r, th.Line, th.Card)
	body := clip.Rect(r).Push(gtx.Ops)
	event.Op(gtx.Ops, &m.inside)
	c.Add(gtx.Ops)
	body.Pop()
}
