package kit

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"
)

// A Modal is a box with a title over the dimmed window. A press beside it or its button closes it.
type Modal struct {
	outside, inside int8
	close           Button
	list            widget.List
}

// Update reports that the box was closed.
func (m *Modal) Update(gtx C) bool {
	closed := m.close.Clicked(gtx)
	for e := range Events[pointer.Event](gtx, pointer.Filter{Target: &m.outside, Kinds: pointer.Press}) {
		closed = closed || e.Kind == pointer.Press
	}
	return closed
}

// Layout draws a box of at most the given width in the middle of the window.
func (m *Modal) Layout(gtx C, th *Theme, width unit.Dp, title string, content ...giolayout.FlexChild) {
	window := gtx.Constraints.Max
	dim := th.Shade
	if th.Dark {
		dim = RGBA(0x05060a, 170)
	}
	area := clip.Rect{Max: window}.Push(gtx.Ops)
	event.Op(gtx.Ops, &m.outside)
	semantic.LabelOp("Close").Add(gtx.Ops)
	area.Pop()
	Fill(gtx.Ops, image.Rectangle{Max: window}, dim)

	w := max(0, min(gtx.Dp(width), window.X-gtx.Dp(24)))
	g := gtx
	g.Constraints = giolayout.Constraints{Min: image.Pt(w, 0), Max: image.Pt(w, max(0, window.Y-gtx.Dp(24)))}
	all := append([]giolayout.FlexChild{giolayout.Rigid(m.titleBar(th, title))}, content...)
	c, d := Measure(g, Padded(giolayout.Inset{Top: 12, Bottom: 14, Left: 20, Right: 10}, InColumn(all...)))
	Float(gtx, th, image.Pt((window.X-d.Size.X)/2, max(gtx.Dp(12), (window.Y-d.Size.Y)*2/5)), c, d, &m.inside)
}

// List is the part of a modal that scrolls: n items under the title.
func (m *Modal) List(th *Theme, n int, item giolayout.ListElement) giolayout.Widget {
	return func(gtx C) D {
		gtx.Constraints.Min.Y = 0
		return th.List(&m.list).Layout(gtx, n, item)
	}
}

func (m *Modal) titleBar(th *Theme, title string) giolayout.Widget {
	return Padded(giolayout.Inset{Right: 8, Bottom: 8}, InRow(
		giolayout.Flexed(1, Wide(Label{Face: Strong, Size: TitleSize, Colour: th.Text, Text: title}.Line(th))),
		giolayout.Rigid(m.close.Look(th, ButtonLook{Icon: IconClose, Hint: "Close", Key: "Esc", HintLeft: true,
			Colour: th.Quiet}))))
}
