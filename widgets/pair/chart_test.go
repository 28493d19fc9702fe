package pair

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/render"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// shown runs a chart without a window.
type shown struct {
	*widgettest.Harness
	chart Chart
	state State
	last  Event
}

func show(size image.Point) *shown {
	s := &shown{Harness: widgettest.New(size)}
	s.state.View = render.View{X0: 0, X1: 1000, Y0: 0, Y1: 1 << 30}
	for i := range s.state.Sides {
		s.state.Sides[i] = Side{Title: "a run", Axis: "step", Moment: 300, Peak: 500, PeakBytes: 1 << 29,
			PeakText: "512 MiB",
			End:      900, Ticks: []render.Tick{{At: 0, Label: "0"}, {At: 500, Label: "500"}}}
	}
	th := kit.NewTheme(true)
	s.Draw = func(gtx C) {
		s.chart.Prepare(gtx, gtx.Constraints.Max, s.chart.Gutter(gtx, th, s.state.View, 200))
		e := s.chart.Update(gtx, &s.state)
		if e.Changed {
			s.state.View = e.View
		}
		if e.Changed || e.Moment != nil || e.Fit {
			s.last = e
		}
		s.chart.Layout(gtx, th, &s.state)
		s.chart.LayoutTip(gtx, th, image.Point{}, []string{"title", "line"})
	}
	s.Frame()
	return s
}

// TestPointerActs: the wheel zooms about the pointer, a drag pans both, and a press in a strip moves the moment of
// both, with Shift of its side.
func TestPointerActs(t *testing.T) {
	s := show(image.Pt(800, 500))
	plot := s.chart.Plot(1)
	at := f32.Pt(float32(plot.Min.X+plot.Dx()/4), float32(plot.Min.Y+plot.Dy()/2))
	before := s.state.View.XAt(float64(plot.Dx()/4), plot.Dx())
	s.Send(widgettest.Move(at))
	s.Send(widgettest.Wheel(at, 0, -20))
	v := s.state.View
	if after := v.XAt(float64(plot.Dx()/4), plot.Dx()); v.X1-v.X0 >= 1000 || math.Abs(after-before) > 1 {
		t.Errorf("zoomed to %v: %v is where %v was", v, after, before)
	}
	to := at.Add(f32.Pt(40, 0))
	s.Send(widgettest.Press(at, pointer.ButtonPrimary), widgettest.Drag(to), widgettest.Release(to))
	if s.state.View.X0 >= v.X0 || math.Abs(s.state.View.X1-s.state.View.X0-(v.X1-v.X0)) > 1e-6 {
		t.Errorf("panned from %v to %v", v, s.state.View)
	}
	for side, mods := range []key.Modifiers{0, key.ModShift} {
		strip := s.chart.Strip(side)
		p := f32.Pt(float32(strip.Min.X+strip.Dx()/2), float32(strip.Min.Y+5))
		s.Mods = mods
		s.Send(widgettest.Press(p, pointer.ButtonPrimary), widgettest.Release(p))
		m := s.last.Moment
		if m == nil || m.Side != side || m.Alone != (mods != 0) || m.At < s.state.View.X0 || m.At > s.state.View.X1 {
			t.Errorf("side %d: %+v", side, m)
		}
	}
}

// TestAnySize: it can be drawn in any size, with any view and any input.
func TestAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 60 {
		s := show(image.Pt(rng.IntN(900), rng.IntN(600)))
		s.state.View = render.View{X0: rng.NormFloat64() * 1e9, X1: 2e10, Y0: 0, Y1: rng.Float64()*1e13 + 1}
		for range 10 {
			at := f32.Pt(float32(rng.IntN(900)), float32(rng.IntN(600)))
			s.Send(widgettest.Move(at))
			s.Send(widgettest.Wheel(at, float32(rng.IntN(100)-50), float32(rng.IntN(100)-50)))
			s.Click(at)
		}
	}
}
