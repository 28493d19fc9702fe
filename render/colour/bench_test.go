package colour

import (
	"testing"

	"strata/layout"
	"strata/layout/traces"
)

// BenchmarkColouring colours the allocations of a large timeline.
func BenchmarkColouring(b *testing.B) {
	t := laidOut(traces.Training(2_700_000), layout.Options{})
	for _, mode := range Modes() {
		b.Run(mode.String(), func(b *testing.B) {
			for b.Loop() {
				New(t, mode, Dark())
			}
		})
	}
}
