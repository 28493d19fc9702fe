package wall

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"

	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// shown runs a grid without a window.
type shown struct {
	*widgettest.Harness
	grid  Grid
	state State
	asked map[int]bool
	last  Event
}

func show(size image.Point, n int) *shown {
	s := &shown{Harness: widgettest.New(size), last: Event{-1, -1}}
	curve := make([]int64, 192)
	for i := range curve {
		curve[i] = int64(i%40) << 20
	}
	s.state = State{Len: n, Most: 40 << 20, Card: func(i int) Card {
		s.asked[i] = true
		c := Card{Title: fmt.Sprint("rank ", i), Note: "kind 1", Lines: [2]string{"peak 40.0 MiB",
			"reserved 60.0 MiB"},
			Curve: curve, Part: float64(i%5) / 4, Ink: color.NRGBA{G: 200, A: 255}}
		switch i % 7 {
		case 1:
			c.Reason = "peaks 6.2 GiB above the median, all of it from moe.py:88 dispatch"
		case 2:
			c.Error = "the file is cut off at byte 7"
		}
		return c
	}}
	th := kit.NewTheme(true)
	s.Draw = func(gtx C) {
		s.asked = map[int]bool{}
		if e := s.grid.Update(gtx); e.Open >= 0 || e.Select >= 0 {
			s.last = e
		}
		s.grid.Layout(gtx, th, &s.state)
	}
	s.Frame()
	return s
}

// TestOnlyInSight: of a thousand ranks only those in sight are asked for, wherever it is scrolled to.
func TestOnlyInSight(t *testing.T) {
	s := show(image.Pt(1000, 700), 1000)
	if n := len(s.asked); n == 0 || n > 24 || !s.asked[0] {
		t.Errorf("%d cards at the top", n)
	}
	s.grid.Page(100)
	s.Frame()
	if s.asked[0] || len(s.asked) > 24 || len(s.asked) == 0 {
		t.Errorf("further down: %v", s.asked)
	}
	s.grid.Page(1 << 20)
	s.Frame()
	s.grid.Top()
	s.Frame()
	if !s.asked[0] {
		t.Error("it is not at the top again")
	}
}

// TestClicks: a click opens, with Shift it selects, and so does the box.
func TestClicks(t *testing.T) {
	s := show(image.Pt(1000, 700), 9)
	at := f32.Pt(100, 90)
	s.Click(at)
	if s.last != (Event{Open: 0, Select: -1}) {
		t.Errorf("a click: %+v", s.last)
	}
	s.Wait()
	s.Mods = key.ModShift
	s.Click(at)
	if s.last != (Event{Open: -1, Select: 0}) {
		t.Errorf("with Shift: %+v", s.last)
	}
	s.Mods, s.last = 0, Event{-1, -1}
	width := float32((1000 - 8*5) / 4)
	s.Click(f32.Pt(8+width-14, 8+14)) // grid of 4 columns
	if s.last.Select != 0 || s.last.Open >= 0 {
		t.Errorf("the box: %+v", s.last)
	}
}

// TestAnySize: it can be drawn in any size.
func TestAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		s := show(image.Pt(rng.IntN(1200), rng.IntN(800)), rng.IntN(40))
		at := f32.Pt(float32(rng.IntN(1200)), float32(rng.IntN(800)))
		s.Send(widgettest.Move(at))
		s.Send(widgettest.Wheel(at, 0, float32(rng.IntN(200)-100)))
		s.Click(at)
	}
}

// BenchmarkScroll draws frames of a thousand ranks while they scroll.
func BenchmarkScroll(b *testing.B) {
	s := show(image.Pt(1600, 900), 1000)
	at := f32.Pt(500, 400)
	s.Send(widgettest.Move(at))
	for b.Loop() {
		s.Queue(widgettest.Wheel(at, 0, 30))
		s.Frame()
	}
}
