package allocator

import (
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"gioui.org/io/key"

	"strata/layout"
	"strata/layout/state"
	"strata/render"
	"strata/render/colour"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// lensStage is a Lens with what it shows.
type lensStage struct {
	*widgettest.Harness
	p      Lens
	s      *LensState
	tl     *layout.Timeline
	events []LensEvent
}

// newLens shows the segment in which most blocks lay.
func newLens(t testing.TB, file string) *lensStage {
	tl := widgettest.Open(t, file)
	h := state.New(tl.Snapshot, tl.Device)
	var of *state.Occupancy
	for _, life := range h.SegmentLives() {
		o := state.NewOccupancy(h, tl, h.IDs(tl), layout.Events, life[0].Life)
		if of == nil || len(o.Blocks) > len(of.Blocks) {
			of = o
		}
	}
	s := &lensStage{Harness: widgettest.New(image.Pt(900, 240)), tl: tl, s: &LensState{Of: of,
		State: &State{At: h.At(0), IDs: h.IDs(tl), Colours: colour.New(tl, colour.BySite, colour.Dark()),
			PoolName: func(state.PoolKey) string { return "a pool" }, Site: func(int32) string { return "a line" }},
		Place: func(float64) string { return "a place" },
		View:  render.Whole(tl, layout.Events), Left: 60, Right: 880, Hovered: layout.None, Pinned: layout.None}}
	th := kit.NewTheme(true)
	s.Draw = func(gtx C) {
		e := s.p.Update(gtx, s.s)
		s.events = append(s.events, e)
		s.s.View = e.View
		s.p.Layout(gtx, th, s.s)
	}
	s.Frame()
	return s
}

// last is what was done last.
func (s *lensStage) last() LensEvent { return s.events[len(s.events)-1] }

// TestLensShowsWhatLayThere: at random pixels, zoomed in and not, what answers the pointer is the block that has most
// of the pixel, and nothing where none lies.
func TestLensShowsWhatLayThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, file := range files {
		s := newLens(t, file)
		for round := range 4 {
			if round > 0 {
				at := widgettest.At(60+rng.Float32()*800, 30+rng.Float32()*190)
				s.Send(widgettest.Wheel(at, 0, -40))
				s.Mods = key.ModShift
				s.Send(widgettest.Wheel(at, -40, 0))
				s.Mods = 0
			}
			for range 2000 {
				at := image.Pt(rng.IntN(s.p.plot.Dx()), rng.IntN(s.p.plot.Dy()))
				got := s.p.blocks[at.Y*s.p.made.size.X+at.X]
				most, want := 0., int32(-1)
				for i := range s.s.Of.Blocks {
					if part := s.part(int32(i), at); part > most {
						most, want = part, int32(i)
					}
				}
				if (got < 0) != (want < 0) && most > 1e-6 {
					t.Fatalf("%s, pixel %v: block %d, want %d", file, at, got, want)
				} else if got >= 0 && got != want && s.part(got, at) < most-1e-4 {
					t.Fatalf("%s, pixel %v: block %d, but %d has more of it", file, at, got, want)
				}
			}
		}
	}
}

// part is how much of a pixel a block has.
func (s *lensStage) part(block int32, at image.Point) float64 {
	a, x, y := s.p.place(s.s, int(block)), float64(at.X), float64(at.Y)
	return max(0, min(a.x1, x+1)-max(a.x0, x)) * max(0, min(a.y1, y+1)-max(a.y0, y))
}

// TestLensPointer: what is under the pointer is hovered and told of, free places tell who made them; a click pins, a
// drag pans the view and the bytes, a double click shows all bytes.
func TestLensPointer(t *testing.T) {
	s := newLens(t, "sim-oom.pickle")
	blocks, holes := 0, 0
	for y := 30; y < 220; y += 5 {
		at := widgettest.At(470, float32(y))
		s.Send(widgettest.Move(at))
		i, tip := s.p.under(), strings.Join(s.p.tooltip(s.s), "\n")
		if i >= 0 {
			if blocks++; s.last().Hovered != s.s.IDs[s.s.Of.Blocks[i]] || !strings.Contains(tip, "a line") {
				t.Errorf("hovered is %d, the tooltip %q", s.last().Hovered, tip)
			}
			s.Wait()
			n := len(s.events)
			s.Click(at)
			pinned := layout.None
			for _, e := range s.events[n:] {
				if e.Clicked {
					pinned = e.Pin
				}
			}
			if pinned != s.s.IDs[s.s.Of.Blocks[i]] {
				t.Errorf("a click pins %d", pinned)
			}
			continue
		}
		if holes++; !strings.Contains(tip, " free\nsince ") || !strings.Contains(tip, "\nuntil ") {
			t.Errorf("of a free place it says %q", tip)
		}
	}
	if blocks == 0 || holes == 0 {
		t.Errorf("%d blocks and %d holes met", blocks, holes)
	}
	s.Mods = key.ModShift
	s.Send(widgettest.Wheel(widgettest.At(400, 200), -40, 0))
	s.Mods = 0
	s.Send(widgettest.Wheel(widgettest.At(400, 200), 0, -40))
	view, y0, high := s.s.View, s.p.y0, s.p.y1-s.p.y0
	if all := float64(s.s.Of.High - s.s.Of.Low); high >= all || view.X1-view.X0 >= s.tl.Extent(layout.Events) {
		t.Fatalf("not zoomed: %+v, %g of %g bytes", view, high, all)
	}
	s.Wait()
	s.Send(widgettest.Press(widgettest.At(400, 60), 1), widgettest.Drag(widgettest.At(430, 90)),
		widgettest.Drag(widgettest.At(450, 100)), widgettest.Release(widgettest.At(450, 100)))
	width, now := view.X1-view.X0, s.s.View.X1-s.s.View.X0
	if s.s.View.X0 >= view.X0 || now/width-1 > 1e-9 || s.p.y0 <= y0 || (s.p.y1-s.p.y0)/high-1 > 1e-9 {
		t.Errorf("after the drag %+v, %g to %g; before %+v, %g to %g", s.s.View, s.p.y0, s.p.y1, view, y0, y0+high)
	}
	s.Wait()
	s.Click(widgettest.At(400, 60))
	s.Click(widgettest.At(400, 60))
	if s.p.y0 != 0 || s.p.y1 != float64(s.s.Of.High-s.s.Of.Low) {
		t.Errorf("after a double click %g to %g", s.p.y0, s.p.y1)
	}
}

func BenchmarkLens(b *testing.B) {
	s := newLens(b, widgettest.Sample)
	s.Harness = widgettest.New(image.Pt(1600, 400))
	th := kit.NewTheme(true)
	i := 0
	s.Draw = func(gtx C) {
		i++
		s.s.View.X1 = s.tl.Extent(layout.Events) - float64(i%100)
		s.s.Right = 1500
		s.p.Layout(gtx, th, s.s)
	}
	for b.Loop() {
		s.Frame()
	}
}
