package panel

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"strata/layout"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// BenchmarkStackPanel is a frame in which the pointer has come to an
// allocation of another stack, of those of a file one after the other.
func BenchmarkStackPanel(b *testing.B) {
	for _, name := range []string{"compiled-forward.pickle", "inference-cpp-frames.pickle"} {
		b.Run(name, func(b *testing.B) {
			s, err := snapshot.Open(b.Context(), "../../../shared/snapshots/"+name, snapshot.Options{})
			if err != nil {
				b.Skip(err)
			}
			t := layout.New(s, &s.Devices[0], layout.Options{})
			var ids []layout.ID
			seen := map[snapshot.StackID]bool{}
			for id := range layout.ID(len(t.Size)) {
				if a := t.At(id); !seen[a.Stack] {
					seen[a.Stack] = true
					ids = append(ids, id)
				}
			}
			p, th := Stack{HideFramework: true}, kit.NewTheme(true)
			var ops op.Ops
			i := 0
			for b.Loop() {
				ops.Reset()
				sel := describe.NoSelection
				sel.Hovered = ids[i%len(ids)]
				i++
				p.Layout(giolayout.Context{Ops: &ops, Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
					Constraints: giolayout.Exact(image.Pt(420, 700))}, th, t, sel, "Ctrl+C")
			}
			b.ReportMetric(float64(len(ids)), "stacks")
		})
	}
}
