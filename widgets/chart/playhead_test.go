package chart

import (
	"image"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/widgets/widgettest"
)

// TestPlayheadFollowsTheStrip: a press in the strip of the axis moves the playhead, a drag goes on, one with Shift
// compares with where it began; nothing is pinned or panned, and one above the strip is none of this.
func TestPlayheadFollowsTheStrip(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	view := s.view
	below := func(x int) f32.Point {
		return f32.Pt(float32(s.tl.plot.Min.X+x), float32(s.tl.plot.Max.Y+8))
	}
	at := func(x int) float64 { return s.view.XAt(float64(x), s.tl.plot.Dx()) }
	s.Send(widgettest.Move(below(100)), widgettest.Press(below(100), pointer.ButtonPrimary))
	s.wantMoves(t, PlayheadMove{At: at(100)})
	s.Send(widgettest.Drag(below(150)))
	s.wantMoves(t, PlayheadMove{At: at(150)})
	s.Send(widgettest.Drag(below(10_000)))
	s.wantMoves(t, PlayheadMove{At: at(s.tl.plot.Dx())})
	s.Send(widgettest.Release(below(150)))
	s.Mods = key.ModShift
	s.Send(widgettest.Press(below(200), pointer.ButtonPrimary))
	s.wantMoves(t)
	s.Send(widgettest.Drag(below(120)))
	s.wantMoves(t, PlayheadMove{At: at(120), Compared: true, Against: at(200)})
	s.Send(widgettest.Release(below(120)))
	s.Mods = 0
	p := s.on(image.Pt(100, 50))
	s.Send(widgettest.Move(p), widgettest.Press(p, pointer.ButtonPrimary), widgettest.Release(p))
	s.wantMoves(t)
	if s.view != view || s.tl.playing != notPlaying {
		t.Errorf("the view is %v, was %v", s.view, view)
	}
	for _, e := range s.events[:len(s.events)-1] {
		if e.Clicked {
			t.Error("a press in the strip pinned something")
		}
	}
}

// wantMoves checks where the playhead was moved to since it was asked last.
func (s *stage) wantMoves(t *testing.T, want ...PlayheadMove) {
	t.Helper()
	got := s.moves
	s.moves = nil
	if len(got) != len(want) {
		t.Fatalf("the playhead was moved %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("the playhead was moved to %v, want %v", got[i], want[i])
		}
	}
}
