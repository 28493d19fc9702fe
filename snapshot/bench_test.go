package snapshot

import (
	"context"
	"os"
	"runtime"
	"testing"
)

// BenchmarkOpen opens the file named by STRATA_BENCH_FILE, or else a real one.
func BenchmarkOpen(b *testing.B) {
	path := os.Getenv("STRATA_BENCH_FILE")
	if path == "" {
		path = shared(b, "snapshots", "training-cpp-frames.pickle")
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(st.Size())
	var s *Snapshot
	for b.Loop() {
		if s, err = Open(context.Background(), path, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "heapMB")
	if d := s.Devices; len(d) > 0 {
		b.ReportMetric(float64(d[0].Events.Len()), "events")
	}
}
