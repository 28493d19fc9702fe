package chart

import (
	"image"
	"testing"

	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/render"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// mapStage hosts a minimap.
func mapStage(t *testing.T) (*widgettest.Harness, *layout.Timeline, *render.View) {
	h, th := widgettest.New(image.Pt(500, 60)), kit.NewTheme(true)
	tl := widgettest.Open(t, widgettest.Sample)
	v := render.Whole(tl, layout.Events)
	var m Minimap
	h.Draw = func(gtx giolayout.Context) {
		v, _ = m.Update(gtx, tl, v)
		m.Layout(gtx, th, tl, v)
	}
	h.Frame()
	h.Frame()
	return h, tl, &v
}

func TestMinimapBrush(t *testing.T) {
	h, tl, v := mapStage(t)
	extent := tl.Extent(layout.Events)
	px := extent / 500 // of the axis in a pixel
	drag := func(from, to float32) {
		h.Send(widgettest.Move(widgettest.At(from, 30)), widgettest.Press(widgettest.At(from, 30),
			pointer.ButtonPrimary), widgettest.Drag(widgettest.At((from+to)/2, 30)),
			widgettest.Drag(widgettest.At(to, 30)), widgettest.Release(widgettest.At(to, 30)))
	}
	drag(499, 300) // the right edge
	if !near(v.X0, 0, extent) || !near(v.X1, extent-199*px, extent) {
		t.Fatalf("right edge: %v to %v of %v", v.X0, v.X1, extent)
	}
	drag(0, 100) // the left one
	if !near(v.X0, 100*px, extent) || !near(v.X1, extent-199*px, extent) {
		t.Fatalf("left edge: %v to %v", v.X0, v.X1)
	}
	width := v.X1 - v.X0
	drag(200, 220) // the middle
	if !near(v.X0, 120*px, extent) || !near(v.X1-v.X0, width, extent) {
		t.Fatalf("middle: %v to %v", v.X0, v.X1)
	}
	drag(200, -900) // cannot leave the run
	if v.X0 != 0 || !near(v.X1-v.X0, width, extent) {
		t.Fatalf("beyond the edge: %v to %v", v.X0, v.X1)
	}
	h.Send(widgettest.Move(widgettest.At(300, 30)), widgettest.Press(widgettest.At(300, 30), pointer.ButtonPrimary),
		widgettest.Release(widgettest.At(300, 30)))
	if !near((v.X0+v.X1)/2, 300*px, extent) {
		t.Fatalf("press beside the brush: %v to %v, middle wanted at %v", v.X0, v.X1, 300*px)
	}
	*v = render.View{X0: 100 * px, X1: 200 * px, Y1: 1}
	drag(100, 300) // the left edge over the right one
	if !near(v.X0, 200*px, extent) || !near(v.X1, 300*px, extent) {
		t.Fatalf("left edge over the right one: %v to %v, want %v to %v", v.X0, v.X1, 200*px, 300*px)
	}
}

// TestMinimapOffset: the base is under the curve, as high as its part of all.
func TestMinimapOffset(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	h, th := widgettest.New(image.Pt(500, 104)), kit.NewTheme(true)
	m := Minimap{Offset: tl.PeakBytes}
	v := render.Whole(tl, layout.Events)
	h.Draw = func(gtx giolayout.Context) { m.Layout(gtx, th, tl, v) }
	h.Frame()
	first := m.key
	m.Offset *= 3
	h.Frame()
	if m.key == first || m.key.base != 3*tl.PeakBytes {
		t.Error("the curve of the other offset is still shown")
	}
}
