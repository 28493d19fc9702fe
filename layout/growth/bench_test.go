package growth

import (
	"context"
	"os"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/traces"
	"strata/snapshot"
)

// BenchmarkFind looks for growth in 2.7 million events, or in what STRATA_BENCH_FILE names, with its annotations and
// without.
func BenchmarkFind(b *testing.B) {
	s, _ := traces.Training(2_700_000).Snapshot()
	if name := os.Getenv("STRATA_BENCH_FILE"); name != "" {
		var err error
		if s, err = snapshot.Open(context.Background(), name, snapshot.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	for _, annotations := range []string{"annotated", "plain"} {
		if annotations == "plain" {
			s.Annotations = nil
		}
		t := layout.New(s, &s.Devices[0], layout.Options{})
		for _, by := range []breakdown.By{breakdown.ByCallSite, breakdown.ByStack} {
			g := breakdown.New(t, by, breakdown.Options{})
			b.Run(annotations+"/"+by.String(), func(b *testing.B) {
				var r *Result
				for b.Loop() {
					r = Find(g, nil)
				}
				b.ReportMetric(float64(r.Count()), "repeats")
			})
		}
	}
}
