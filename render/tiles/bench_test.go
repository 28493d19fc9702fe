package tiles

import (
	"image"
	"testing"

	"gioui.org/op"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// BenchmarkCompose is what a frame costs the window: panning by a few pixels with the tiles there, zooming by a notch
// with none.
func BenchmarkCompose(b *testing.B) {
	t := laidOut(traces.Training(2_700_000), layout.Options{})
	colouring := colour.New(t, colour.BySite, colour.Dark())
	size := image.Pt(1600, 900)
	whole := render.Whole(t, layout.Events)
	for name, move := range map[string]func(v render.View, i int) render.View{
		"pan": func(v render.View, i int) render.View {
			dx := (v.X1 - v.X0) / 1600 * float64(1-i/64%2*2) * 8
			return v.Pan(dx, 0).Clamp(t)
		},
		"zoom": func(v render.View, i int) render.View {
			factor := 1.25
			if i/16%2 == 1 {
				factor = .8
			}
			return v.ZoomX(v.XAt(.4, 1), factor).Clamp(t)
		},
	} {
		b.Run(name, func(b *testing.B) {
			c := NewCache(DefaultBudget, func() {})
			defer c.Close()
			v := whole.ZoomX(whole.X1/2, 20)
			i := 0
			var ops op.Ops
			for b.Loop() {
				v = move(v, i)
				i++
				ops.Reset()
				c.Compose(t, colouring, v, size).Add(&ops)
				c.Work()
			}
		})
	}
}
