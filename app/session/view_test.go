package session

import (
	"os"
	"testing"
	"time"

	"strata/app/options"
	"strata/layout"
	"strata/layout/capacity"
	"strata/render"
	"strata/render/colour"
)

// TestColoursChangeWhileLoading: what is loaded then has those of now.
func TestColoursChangeWhileLoading(t *testing.T) {
	d := drive(t, options.Options{})
	d.Open(sample)
	d.Dark, d.Options.Colour = false, colour.Modes()[2]
	d.until("it is open", func() bool { return d.Active.Doc != nil })
	d.until("it has the colours of now", func() bool {
		c := d.Active.Doc.Stage.Colouring
		return !c.Palette.Dark && c.Mode == colour.Modes()[2]
	})
}

// TestWholeRunShowsTheCapacity: the view of the whole run has the line of the
// GPU in it, as strata render has, unless the run would be too low beside it;
// a view of a part stays what it is.
func TestWholeRunShowsTheCapacity(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}})
	peak, top := d.Active.Timeline().PeakBytes, d.Active.View.Y1
	bare := render.Whole(d.Active.Timeline(), d.Active.View.Axis).Y1
	line := func(bytes int64) capacity.Capacity { return capacity.Capacity{Name: "test", Bytes: bytes} }
	for _, tt := range []struct {
		name  string
		bytes int64
		want  float64
	}{
		{"beyond the peak", 2 * peak, 1.06 * 2 * float64(peak)},
		{"under the peak", peak / 2, bare},
		{"far beyond it", 10 * peak, bare},
		{"none", 0, bare},
	} {
		d.SetCapacity(line(tt.bytes))
		if d.Active.View.Y1 != tt.want {
			t.Errorf("%s: the view reaches to %g, want %g", tt.name, d.Active.View.Y1, tt.want)
		}
	}
	d.SetCapacity(line(2 * peak))
	d.SetOffset(peak / 2)
	if want := 1.06 * float64(2*peak-peak/2); d.Active.View.Y1 != want || d.Active.View.Y0 != -float64(peak/2) {
		t.Errorf("with memory outside the view is %g to %g, want up to %g", d.Active.View.Y0, d.Active.View.Y1, want)
	}
	d.SetOffset(0)
	d.SetCapacity(line(0))
	if d.Active.View.Y1 != top {
		t.Errorf("without the line the view reaches to %g, before it did to %g", d.Active.View.Y1, top)
	}
	d.Active.View.Y1 = top / 3
	d.SetCapacity(line(2 * peak))
	if d.Active.View.Y1 != top/3 {
		t.Errorf("a view of a part reaches to %g", d.Active.View.Y1)
	}
	d.Active.Look(d.Active.WholeView(), time.Now())
	if want := 1.06 * 2 * float64(peak); d.Active.View.Y1 != want {
		t.Errorf("the whole run reaches to %g, want %g", d.Active.View.Y1, want)
	}
}

// TestZoomToShowsAllOfIt: after "zoom to it" every corner of the allocation is
// in view, however far it slid down while it lived.
func TestZoomToShowsAllOfIt(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}})
	tl, slid := d.Active.Timeline(), 0
	for id := layout.ID(0); int(id) < len(tl.Size); id += 7 {
		steps, offsets := tl.Polygon(id)
		if len(steps) == 0 {
			continue
		}
		d.Active.ZoomTo(id, time.Now())
		v := d.Active.View
		for i, at := range offsets {
			if float64(steps[i]) < v.X0 || float64(steps[i]) > v.X1 || float64(at) < v.Y0 ||
				float64(at+tl.Size[id]) > v.Y1 {
				t.Fatalf("allocation %d has a corner at %d, %d +%d; the view is %+v", id, steps[i], at, tl.Size[id], v)
			}
		}
		if offsets[0]-offsets[len(offsets)-1] > 3*tl.Size[id] {
			slid++
		}
	}
	if slid == 0 {
		t.Error("none of them slid out of what is around its beginning")
	}
}

// TestAxisKeepsTheMoment: switching the axis there and back shows the same
// part of the run again.
func TestAxisKeepsTheMoment(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}})
	whole := d.Active.View
	change := func() { d.SetAxis(layout.Time-d.Active.View.Axis, time.Now()) }
	change()
	if d.Active.View.Axis != layout.Time || d.Active.View.X0 != 0 ||
		d.Active.View.X1 != d.Active.Timeline().Extent(layout.Time) {
		t.Fatalf("the whole run became %v", d.Active.View)
	}
	change()
	if d.Active.View != whole {
		t.Fatalf("and back %v", d.Active.View)
	}
	d.Active.GoToPeak(time.Now())
	change()
	x := d.Active.Timeline().X(layout.Time, d.Active.Timeline().PeakState)
	if x < d.Active.View.X0 || x > d.Active.View.X1 {
		t.Fatalf("the peak at %v is not in %v", x, d.Active.View)
	}
}

// TestHistory: quick changes are one step; what one went back from is dropped by the next change.
func TestHistory(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}})
	s, now := d.Active, time.Now()
	whole := s.View
	s.GoToPeak(now)
	s.Pan(.1, 0, now.Add(oneGesture/2))
	first := s.View
	s.Pan(.1, 0, now.Add(3*oneGesture))
	if s.GoBack(1); s.View != first || !s.History.CanMove(-1) {
		t.Fatalf("back at %v, want %v", s.View, first)
	}
	if s.GoBack(1); s.View != whole || s.History.CanMove(-1) {
		t.Fatal("two quick changes are two steps")
	}
	s.GoBack(-1)
	if s.Pan(-.2, 0, now.Add(9*oneGesture)); s.History.CanMove(1) {
		t.Fatal("there is still something to go forward to")
	}
}

// TestAnnotationsAreWalked in order and filtered; a wrong filter changes nothing.
func TestAnnotationsAreWalked(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}})
	s := d.Active
	all := len(s.Doc.Stage.Lane.Phases.All)
	for i := range 3 {
		s.NextAnnotation(1, time.Now())
		x0, x1 := s.Doc.Stage.Lane.Bars[s.View.Axis].Span(s.Annotation)
		if s.Annotation != int32(i) || x1 < s.View.X0 || x0 > s.View.X1 {
			t.Fatalf("annotation %d at %g – %g, the view is %v", s.Annotation, x0, x1, s.View)
		}
	}
	if s.SetAnnotations(layout.Choice{Filter: "/["}) == nil {
		t.Fatal("a wrong filter is taken")
	}
	if err := s.SetAnnotations(layout.Choice{Filter: "backward"}); err != nil {
		t.Fatal(err)
	}
	d.until("they are filtered", func() bool { n := len(s.Doc.Stage.Lane.Phases.All); return n > 0 && n < all })
}

// TestDeviceShownFirst: the one that ran out of memory last, and host memory where no GPU recorded anything.
func TestDeviceShownFirst(t *testing.T) {
	const cases = "../../../shared/cases/"
	for file, want := range map[string]int{"oom_two_devices": 0, "oom_other_device": 1,
		"host_only": options.HostMemory} {
		path := cases + file + ".pickle"
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		d := opened(t, options.Options{Files: []string{path}})
		if got := d.Active.Doc.Device().Index; got != want {
			t.Errorf("%s: device %d is shown, want %d", file, got, want)
		}
	}
}
