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

// TestMarkPlace: the label of the matches' peak leaves the run's peak legible.
func TestMarkPlace(t *testing.T) {
	size, label := image.Pt(800, 400), image.Pt(100, 16)
	peak := image.Rect(407, 30, 470, 52) // of a peak at 400, 50
	for _, c := range []struct {
		name  string
		p     image.Point
		taken image.Rectangle
		want  image.Point
	}{
		{"nothing near", image.Pt(100, 200), peak, image.Pt(108, 179)},
		{"no peak on screen", image.Pt(400, 50), image.Rectangle{}, image.Pt(408, 29)},
		{"at the peak", image.Pt(400, 50), peak, image.Pt(292, 29)},
		{"at the peak, no room to the left", image.Pt(40, 50), image.Rect(47, 30, 110, 52), image.Pt(48, 58)},
		{"at the right edge", image.Pt(795, 200), peak, image.Pt(700, 179)},
		{"at the top", image.Pt(100, 3), peak, image.Pt(108, 0)},
	} {
		got := markPlace(c.p, label, size, 8, c.taken)
		if got != c.want {
			t.Errorf("%s: at %v, want %v", c.name, got, c.want)
		}
		if r := (image.Rectangle{Min: got, Max: got.Add(label)}); r.Overlaps(c.taken) || !r.In(image.Rectangle{Max: size}) {
			t.Errorf("%s: %v covers %v", c.name, r, c.taken)
		}
	}
}

// TestCurveIsTheTopOfThePicture: where everything matches the curve runs along
// the top of the stack, at every zoom.
func TestCurveIsTheTopOfThePicture(t *testing.T) {
	tl := widgettest.Open(t, "sim-base.pickle")
	all := found(t, tl, "size>=0")
	h, th := widgettest.New(image.Pt(500, 300)), kit.NewTheme(true)
	var c Curve
	v := render.Whole(tl, layout.Events)
	h.Draw = func(gtx giolayout.Context) { c.Layout(gtx, th, all, v) }
	for _, zoom := range []float64{1, 3, 17} {
		v = render.Whole(tl, layout.Events).ZoomX(tl.Extent(layout.Events)*.4, zoom).Clamp(tl)
		h.Frame()
		r, err := raster.New(context.Background(), tl, v, 500, 300)
		if err != nil {
			t.Fatal(err)
		}
		for x, y := range c.ys {
			if want := int(math.Round(v.YPixel(float64(r.Bands[x].High), 300))); max(-1, min(want-y, 1)) != want-y {
				t.Fatalf("zoom %v, column %d: curve at %d, top of the stack at %d", zoom, x, y, want)
			}
		}
	}
}
