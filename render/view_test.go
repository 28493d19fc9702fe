package render

import (
	"math"
	"math/rand/v2"
	"testing"

	"strata/layout"
	"strata/layout/traces"
)

// TestZoomKeepsThePoint: what is under the pointer stays there.
func TestZoomKeepsThePoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		v := View{X0: rng.Float64() * 1e6, Y0: rng.Float64() * 1e10}
		v.X1, v.Y1 = v.X0+8+rng.Float64()*1e6, v.Y0+64+rng.Float64()*1e10
		px, py := rng.Float64()*1600, rng.Float64()*900
		factor := math.Exp(rng.NormFloat64())
		x, y := v.XAt(px, 1600), v.YAt(py, 900)
		z := v.ZoomX(x, factor).ZoomY(y, factor)
		if got := z.XPixel(x, 1600); math.Abs(got-px) > 1e-3 {
			t.Fatalf("%+v zoomed by %g: x moved from %g to %g", v, factor, px, got)
		}
		if got := z.YPixel(y, 900); math.Abs(got-py) > 1e-3 {
			t.Fatalf("%+v zoomed by %g: y moved from %g to %g", v, factor, py, got)
		}
		if z.X1-z.X0 < minWidth*.999999 || z.Y1-z.Y0 < minHeight*.999999 {
			t.Fatalf("%+v zoomed by %g is below the deepest zoom: %+v", v, factor, z)
		}
	}
}

// TestClampCannotBeLost: whatever is done to a view, clamped it shows data, and clamping again changes nothing.
func TestClampCannotBeLost(t *testing.T) {
	tl := laidOut(traces.Random(rand.New(rand.NewPCG(1, 9)), 500, 30), layout.Options{})
	rng := rand.New(rand.NewPCG(3, 3))
	wild := func() float64 {
		switch rng.IntN(12) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*rng.IntN(2))
		}
		return rng.NormFloat64() * math.Exp(rng.Float64()*60)
	}
	for range 20000 {
		v := View{Axis: layout.Axis(rng.IntN(2)), X0: wild(), X1: wild(), Y0: wild(), Y1: wild()}
		c := v.Clamp(tl)
		extent, ceiling := tl.Extent(v.Axis), 2*headroom(tl.PeakBytes)
		if !(c.X0 >= 0 && c.X1 <= extent*(1+1e-12) && c.X1-c.X0 >= min(minWidth, extent)*(1-1e-9)) {
			t.Fatalf("%+v clamped to x %g…%g of %g", v, c.X0, c.X1, extent)
		}
		if !(c.Y0 >= 0 && c.Y1 <= ceiling*(1+1e-12) && c.Y1-c.Y0 >= min(minHeight, ceiling)*(1-1e-9)) {
			t.Fatalf("%+v clamped to y %g…%g of %g", v, c.Y0, c.Y1, ceiling)
		}
		d := c.Clamp(tl)
		if math.Abs(d.X0-c.X0) > 1e-6*extent || math.Abs(d.Y1-c.Y1) > 1e-6*ceiling {
			t.Fatalf("clamping %+v again gives %+v", c, d)
		}
	}
	whole := Whole(tl, layout.Events)
	if got := whole.Clamp(tl); got != whole {
		t.Errorf("the whole view is clamped to %+v", got)
	}
	if got := whole.Pan(1e9, -1e9).Clamp(tl); got.X1 != whole.X1 || got.Y0 != 0 {
		t.Errorf("panned out of sight: %+v", got)
	}
}

func TestFitY(t *testing.T) {
	tl := laidOut(traces.Random(rand.New(rand.NewPCG(1, 9)), 500, 30), layout.Options{})
	v := Whole(tl, layout.Events).ZoomX(100, 20)
	f := v.FitY(tl)
	top := float64(tl.Height(tl.Column(v.Axis, v.X0, v.X1)))
	if f.Y0 != 0 || f.Y1 < top || f.Y1 > 1.2*top || f.X0 != v.X0 {
		t.Errorf("fitted to %+v around %g", f, top)
	}
}

// TestReach: a view goes as far beyond the data as it is allowed to.
func TestReach(t *testing.T) {
	tl := laidOut(traces.Random(rand.New(rand.NewPCG(2, 9)), 500, 30), layout.Options{})
	v := Whole(tl, layout.Events)
	v.Below, v.Above = float64(tl.PeakBytes)/2, 5*float64(tl.PeakBytes)
	if f := v.FitY(tl); f.Y0 != -v.Below || f.Clamp(tl) != f {
		t.Errorf("fitted to %+v", f)
	}
	far := v
	far.Y0, far.Y1 = -1e18, 1e18
	if c := far.Clamp(tl); c.Y0 != -v.Below || c.Y1 < v.Above {
		t.Errorf("clamped to %+v", c)
	}
}
