package tiles

import (
	"context"
	"image"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// TestRecolour: a new colouring repaints and rasterizes nothing.
func TestRecolour(t *testing.T) {
	tl := laidOut(traces.Training(5000), layout.Options{})
	s := newScreen(t, DefaultBudget)
	v, size := render.Whole(tl, layout.Events), image.Pt(500, 300)
	first := s.sharp(tl, colour.New(tl, colour.BySite, colour.Dark()), v, size)
	second := s.sharp(tl, colour.New(tl, colour.BySize, colour.Light()), v, size)
	if len(first.pieces) != len(second.pieces) {
		t.Fatalf("%d pieces, then %d", len(first.pieces), len(second.pieces))
	}
	for i := range first.pieces {
		if first.pieces[i].raster != second.pieces[i].raster {
			t.Error("a tile was rasterized again")
		}
		if first.pieces[i].picture == second.pieces[i].picture {
			t.Error("a tile kept its colours")
		}
	}
}

// TestColoursDoNotComeBack: what was made in other colours, and was not on screen when they changed, is not shown in
// them later.
func TestColoursDoNotComeBack(t *testing.T) {
	tl := laidOut(traces.Training(5000), layout.Options{})
	s := newScreen(t, DefaultBudget)
	dark, light := colour.New(tl, colour.BySite, colour.Dark()), colour.New(tl, colour.BySite, colour.Light())
	whole, size := render.Whole(tl, layout.Events), image.Pt(500, 300)
	part := whole.ZoomX(whole.XAt(.5, 1), 1./3)
	if err := s.Prepare(context.Background(), tl, layout.Events, dark); err != nil {
		t.Fatal(err)
	}
	s.sharp(tl, dark, whole, size)
	s.sharp(tl, dark, part, size)
	for _, p := range s.Compose(tl, light, part, size).pieces {
		if p.tile == nil {
			t.Error("what was on screen does not stay there while it is painted anew")
		}
	}
	s.sharp(tl, light, part, size)
	s.overviewIn(tl, layout.Events, light)
	// The second is between the levels of the others.
	for _, v := range []render.View{whole, part.ZoomX(part.X0, .9), whole} {
		for _, p := range s.Compose(tl, light, v, size).pieces {
			if p.tile != nil && p.tile.colouring != light {
				t.Fatalf("%+v shows a tile in the colours of before", v)
			}
		}
	}
}

// TestOtherAxisIsReady: the first frame on the other axis is not empty, nor in the colours of before.
func TestOtherAxisIsReady(t *testing.T) {
	tl := laidOut(traces.Training(5000), layout.Options{})
	if !tl.HasTime() {
		t.Fatal("no times")
	}
	s := newScreen(t, DefaultBudget)
	size := image.Pt(500, 300)
	for i, axis := range []layout.Axis{layout.Events, layout.Time, layout.Events} {
		c := colour.New(tl, colour.BySite, []colour.Palette{colour.Dark(), colour.Light(), colour.Dark()}[i])
		v := render.Whole(tl, axis)
		if i > 0 {
			old := render.Whole(tl, layout.Events+layout.Time-axis)
			s.sharp(tl, c, old, size)
			s.overviewIn(tl, axis, c)
		}
		shown := s.Compose(tl, c, v, size)
		for _, p := range shown.pieces {
			if p.tile != nil && p.tile.colouring != c {
				t.Error("a tile has the colours of before")
			}
		}
		if i > 0 && len(shown.pieces) == 0 {
			t.Errorf("nothing is shown at first on axis %v", axis)
		}
		s.sharp(tl, c, v, size)
	}
}

// TestColoursChangeMeanwhile: the other axis's overview, being made while the colours change, is painted in the new
// ones, too, although nobody asks again.
func TestColoursChangeMeanwhile(t *testing.T) {
	tl := laidOut(traces.Training(5000), layout.Options{})
	s := newScreen(t, DefaultBudget)
	dark, light := colour.New(tl, colour.BySite, colour.Dark()), colour.New(tl, colour.BySite, colour.Light())
	s.mu.Lock()
	r := &running{request: request{colouring: dark, drawing: s.overview(tl, layout.Time)}} // as a worker would
	begun := s.begin(&r.request)
	s.mu.Unlock()
	if !begun {
		t.Fatal("somebody else is at it")
	}
	s.sharp(tl, light, render.Whole(tl, layout.Events), image.Pt(500, 300))
	s.overviewIn(tl, layout.Events, light)
	finish := r.make(context.Background())
	s.mu.Lock()
	s.finished(r, finish)
	s.mu.Unlock()
	s.Work()
	s.overviewIn(tl, layout.Time, light)
}
