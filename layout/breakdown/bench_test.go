package breakdown

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/snapshot"
)

// BenchmarkBreakdown groups a run of 2.7 million events, or what STRATA_BENCH_FILE names: the first breakdown, another
// moment, a difference, and what they take.
func BenchmarkBreakdown(b *testing.B) {
	tl := laidOut(b)
	phases := layout.AllPhases(tl)
	for _, by := range []By{ByCallSite, ByFunction, ByPackage, ByStack, ByPhase, BySize, ByStream, ByPool} {
		opt := Options{Phases: phases}
		b.Run(by.String()+"/first", func(b *testing.B) {
			for b.Loop() {
				New(tl, by, opt).At(tl.PeakState)
			}
		})
		g := New(tl, by, opt)
		rng := rand.New(rand.NewPCG(1, 2))
		b.Run(by.String()+"/moment", func(b *testing.B) {
			var sums *Sums
			var rows []Row
			for b.Loop() {
				sums = g.Sums(sums, rng.Int32N(int32(len(tl.Actions)+1)))
				rows = sums.Rows(rows[:0])
			}
			b.ReportMetric(float64(g.Len()), "groups")
		})
		b.Run(by.String()+"/difference", func(b *testing.B) {
			for b.Loop() {
				g.Between(0, int32(len(tl.Actions)))
			}
		})
	}
	stacks := New(tl, ByStack, Options{})
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			NewTree(stacks, TreeOptions{})
		}
	})
	tree := NewTree(stacks, TreeOptions{Frames: true})
	b.Run("tree/moment", func(b *testing.B) {
		for b.Loop() {
			tree.Weights(tl.PeakState)
		}
		b.ReportMetric(float64(len(tree.Nodes)), "nodes")
	})
}

func laidOut(b *testing.B) *layout.Timeline {
	b.Helper()
	s, _ := traces.Training(2_700_000).Snapshot()
	if name := os.Getenv("STRATA_BENCH_FILE"); name != "" {
		var err error
		if s, err = snapshot.Open(context.Background(), name, snapshot.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}
