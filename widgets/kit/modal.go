package kit

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

// A Modal is a box over the dimmed window; a press beside it closes it.
type Modal struct {
	outside, inside int8
}

// Update reports a press beside the box.
func (m *Modal) Update(gtx giolayout.Context) bool {
	closed := false
	for {
		ev, ok := gtx.Event(pointer.Filter{Target: &m.outside, Kinds: pointer.Press})
		if !ok {
			return closed
		}
		if e, ok := ev.(pointer.Event); ok && e.Kind == pointer.Press {
			closed = true
		}
	}
}

// Layout draws a box of at most the given width in the middle of the window.
func (m *Modal) Layout(gtx giolayout.Context, th *Theme, width unit.Dp, content giolayout.Widget) {
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

	w := min(gtx.Dp(width), window.X-gtx.Dp(24))
	g := gtx
	g.Constraints = giolayout.Constraints{Min: image.Pt(max(0, w), 0), Max: image.Pt(max(0, w), max(0, window.Y-gtx.Dp(24)))}
	c, d := Measure(g, content)
	defer op.Offset(image.Pt((window.X-d.Size.X)/2, max(gtx.Dp(12), (window.Y-d.Size.Y)*2/5))).Push(gtx.Ops).Pop()
	r := image.Rectangle{Max: d.Size}
	Shadow(gtx, th, r)
	Box(gtx, th, r, th.Line, th.Card)
	body := clip.Rect(r).Push(gtx.Ops)
	event.Op(gtx.Ops, &m.inside)
	c.Add(gtx.Ops)
	body.Pop()
}

// TitleBar is a title with a button that closes.
func TitleBar(gtx giolayout.Context, th *Theme, title string, b *Button) giolayout.Dimensions {
	return giolayout.Inset{Right: 8, Bottom: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
			giolayout.Flexed(1, Wide(Label{Face: Strong, Size: TitleSize, Colour: th.Text, Text: title}.Line(th))),
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				return b.Layout(gtx, th, ButtonLook{Icon: IconClose, Hint: "Close", Key: "Esc", HintLeft: true, Colour: th.Quiet})
			}),
		)
	})
}
