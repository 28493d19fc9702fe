package kit

import (
	"image"
	"testing"

	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/widgets/widgettest"
)

func TestSplitter(t *testing.T) {
	h, th := widgettest.New(image.Pt(400, 100)), NewTheme(true)
	s := Splitter{Vertical: true}
	x, ended := 200, 0
	h.Draw = func(gtx giolayout.Context) {
		moved, done := s.Update(gtx)
		x += int(moved)
		if done {
			ended++
		}
		gtx.Constraints = giolayout.Exact(image.Pt(400, 100))
		offset := image.Pt(x-3, 0)
		Place(gtx.Ops, offset, func() (c op.CallOp) {
			c, _ = Measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
				gtx.Constraints = giolayout.Exact(image.Pt(7, 100))
				return s.Layout(gtx, th)
			})
			return c
		}())
	}
	h.Frame()
	h.Frame()
	h.Send(widgettest.Move(widgettest.At(200, 50)), widgettest.Press(widgettest.At(200, 50), pointer.ButtonPrimary),
		widgettest.Drag(widgettest.At(230, 50)), widgettest.Drag(widgettest.At(260, 50)),
		widgettest.Drag(widgettest.At(250, 50)), widgettest.Release(widgettest.At(250, 50)))
	if x != 250 || ended != 1 {
		t.Fatalf("the edge is at %d, want 250; %d drags ended", x, ended)
	}
}
