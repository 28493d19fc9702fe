package chart

import (
	"image"
	"math"
	"testing"

	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/capacity"
	"strata/render"
	"strata/widgets/widgettest"
)

// TestHistoryButtons: the buttons at a mouse's side ask for earlier and later views, and do nothing else.
func TestHistoryButtons(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, _ := s.covered()
	for button, want := range map[pointer.Buttons]int{pointer.ButtonQuaternary: -1, pointer.ButtonQuinary: 1} {
		got := 0
		draw := s.Draw
		s.Draw = func(gtx giolayout.Context) {
			e := s.tl.Update(gtx, s.t, s.view, s.current())
			got += e.Back
			if e.Changed || e.Clicked {
				t.Errorf("it did more: %+v", e)
			}
			s.tl.Layout(gtx, s.th, s.t, s.view, s.scene, s.sel)
		}
		s.Send(widgettest.Move(s.on(p)), widgettest.Press(s.on(p), button), widgettest.Release(s.on(p)))
		s.Draw = draw
		if got != want {
			t.Errorf("button %v: %d", button, got)
		}
	}
}

// TestTagsCoverLabels: where the pointer is, its tags lie on both axes at its own place, and a label of an axis that
// would look out from under one is left out; without the pointer none is.
func TestTagsCoverLabels(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	s.Frame()
	if s.tl.underTag(image.Pt(0, 0), image.Pt(9999, 9999)) {
		t.Fatal("a tag without a pointer")
	}
	for _, p := range []image.Point{{0, 0}, {200, 80}, {s.tl.plot.Dx() - 1, s.tl.plot.Dy() - 1}} {
		s.Send(widgettest.Move(s.on(p)))
		s.Frame()
		x, y := s.tl.plot.Min.X+p.X, s.tl.plot.Min.Y+p.Y
		below := image.Pt(x, s.tl.plot.Max.Y+7)
		beside := image.Pt(s.tl.plot.Min.X-16, y)
		if !s.tl.underTag(below.Sub(image.Pt(10, 0)), image.Pt(20, 12)) || !s.tl.underTag(beside.Sub(image.Pt(10, 6)),
			image.Pt(20, 12)) {
			t.Errorf("pointer at %v: tags at %v and %v", p, s.tl.tags[0].at, s.tl.tags[1].at)
		}
		if far := image.Pt((x+s.tl.plot.Dx()/2)%s.tl.plot.Dx(), below.Y); s.tl.underTag(far, image.Pt(1, 12)) {
			t.Errorf("pointer at %v: a label at %v is under a tag", p, far)
		}
	}
}

// TestLabelsKeepOffThePeak: the capacity's label, the peak's mark and the
// peak's label never lie on one another, wherever the peak is.
func TestLabelsKeepOffThePeak(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	s.tl.Limits.Capacity = capacity.Capacity{Name: "T4", Bytes: 1 << 40}
	peak := s.t.X(layout.Events, s.t.PeakState)
	for i := range 30 {
		s.view = render.Whole(s.t, layout.Events)
		s.view.X0, s.view.X1 = peak-1-float64(30-i)*10, peak+1+float64(i)*10
		s.Frame()
		if len(s.tl.taken) < 3 {
			t.Fatalf("%d labels at %d", len(s.tl.taken), i)
		}
		for a, r := range s.tl.taken {
			for _, o := range s.tl.taken[:a] {
				if r.Overlaps(o) {
					t.Fatalf("at %d, %v lies on %v", i, r, o)
				}
			}
		}
	}
}

// TestNothingStrikesLabelsThrough: wherever the capacity lies, no label lies on its line.
func TestNothingStrikesLabelsThrough(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	s.view = render.Whole(s.t, layout.Events)
	for part := 80; part < 110; part++ {
		bytes := s.t.PeakBytes * int64(part) / 100
		s.tl.Limits.Capacity = capacity.Capacity{Name: "T4", Bytes: bytes}
		s.Frame()
		y := s.tl.plot.Min.Y + int(math.Round(s.view.YPixel(float64(bytes), s.tl.plot.Dy())))
		line := image.Rect(s.tl.plot.Min.X, y, s.tl.plot.Max.X, y+1)
		for _, r := range s.tl.taken[len(s.tl.taken)-2:] { // the capacity's label and the peak's
			if y >= s.tl.plot.Min.Y && r.Overlaps(line) {
				t.Errorf("capacity at %d %% of the peak: the label at %v lies on the line at %d", part, r, y)
			}
		}
	}
}
