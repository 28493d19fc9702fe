package chart

import (
	"context"
	"image"
	"math"
	"testing"

	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/render"
	"strata/render/raster"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// TestBeside: the label of a point lies inside the picture and not over the point.
func TestBeside(t *testing.T) {
	plot, label := image.Rect(0, 0, 800, 400), image.Pt(100, 16)
	for _, c := range []struct {
		name    string
		p, want image.Point
	}{
		{"above, to the right", image.Pt(100, 200), image.Pt(109, 181)},
		{"at the right edge", image.Pt(795, 200), image.Pt(686, 181)},
		{"at the top", image.Pt(100, 3), image.Pt(109, 0)},
	} {
		if got := beside(plot, c.p, label, 9); got != c.want {
			t.Errorf("%s: at %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCurveIsTheTopOfThePicture: where everything matches the curve runs along the top of the stack, at every zoom.
func TestCurveIsTheTopOfThePicture(t *testing.T) {
	tl := widgettest.Open(t, "sim-base.pickle")
	all := found(t, tl, "size>=0")
	h, th := widgettest.New(image.Pt(500, 300)), kit.NewTheme(true)
	chart := Timeline{plot: image.Rect(0, 0, 500, 300), Matches: all}
	c := &chart.curves
	v := render.Whole(tl, layout.Events)
	h.Draw = func(gtx giolayout.Context) { chart.drawCurves(gtx, th, v) }
	for _, zoom := range []float64{1, 3, 17} {
		v = render.Whole(tl, layout.Events).ZoomX(tl.Extent(layout.Events)*.4, zoom).Clamp(tl)
		h.Frame()
		r, err := raster.New(context.Background(), tl, v, 500, 300)
		if err != nil {
			t.Fatal(err)
		}
		for x, run := range c.runs[0] {
			y := run.Top
			if want := int(math.Round(v.YPixel(float64(r.Bands[x].High), 300))); max(-1, min(want-y, 1)) != want-y {
				t.Fatalf("zoom %v, column %d: curve at %d, top of the stack at %d", zoom, x, y, want)
			}
		}
	}
}
