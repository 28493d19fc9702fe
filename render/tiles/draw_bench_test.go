package tiles

import (
	"context"
	"image"
	"testing"

	"gioui.org/gpu/headless"
	"gioui.org/op"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// BenchmarkDraw is what the graphics system takes for compositions that are sharp, and for the scaled ones of a
// hand that zooms.
func BenchmarkDraw(b *testing.B) {
	size := image.Pt(1290, 680)
	w, err := headless.NewWindow(size.X, size.Y)
	if err != nil {
		b.Skip("no graphics system for drawing without a window: ", err)
	}
	defer w.Release()
	t := laidOut(traces.Training(2_700_000), layout.Options{})
	c := colour.New(t, colour.BySite, colour.Dark())
	for name, zoom := range map[string]float64{"sharp": 1, "zoomed": 1.25} {
		b.Run(name, func(b *testing.B) {
			s := newScreen(b, DefaultBudget)
			if err := s.Prepare(context.Background(), t, layout.Events, c); err != nil {
				b.Fatal(err)
			}
			v := render.Whole(t, layout.Events)
			v = v.ZoomX(v.X1/2, 4)
			s.sharp(t, c, v, size)
			v = v.ZoomX(v.XAt(.4, 1), 1.25)
			s.sharp(t, c, v, size)
			at := v.ZoomX(v.XAt(.4, 1), zoom)
			shown := s.Compose(t, c, at, size)
			b.Logf("%d pieces", len(shown.pieces))
			s.Close() // what is composed stays
			var ops op.Ops
			for b.Loop() {
				ops.Reset()
				shown.Add(&ops)
				if err := w.Frame(&ops); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
