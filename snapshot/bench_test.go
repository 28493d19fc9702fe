package snapshot

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
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

// BenchmarkGzip opens the same file compressed, and compares that
// with decompression alone, and with the longer of its two halves: they
// overlap on two cores.
func BenchmarkGzip(b *testing.B) {
	path := os.Getenv("STRATA_BENCH_FILE")
	if path == "" {
		path = shared(b, "snapshots", "training-cpp-frames.pickle")
	}
	plain, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	packed := filepath.Join(b.TempDir(), "packed.pickle.gz")
	if err := os.WriteFile(packed, gzipped(b, plain), 0o600); err != nil {
		b.Fatal(err)
	}
	size := int64(len(plain))
	plain = nil
	open := func(path string) {
		if _, err := Open(context.Background(), path, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	inflate := func() {
		f, err := os.Open(packed)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, z); err != nil || n != size {
			b.Fatal(n, err)
		}
	}
	b.SetBytes(size)
	var ratios, alone []float64
	timed := func(f func()) float64 {
		begun := time.Now()
		f()
		return time.Since(begun).Seconds()
	}
	prepare := func() {
		runtime.GC()                       // what the one before left is none of its business, nor
		time.Sleep(100 * time.Millisecond) // its mapping, which goes in the background
	}
	packedly := func() { open(packed) }
	compare := func(took float64) {
		runtime.GC()
		inflated := timed(inflate)
		plainly := timed(func() { open(path) })
		ratios = append(ratios, took/max(inflated, plainly))
		alone = append(alone, took/inflated)
	}
	for b.Loop() {
		b.StopTimer()
		prepare()
		b.StartTimer()
		took := timed(packedly)
		b.StopTimer()
		compare(took)
		b.StartTimer()
	}
	for len(ratios) < 7 { // single ones are a third apart
		prepare()
		compare(timed(packedly))
	}
	slices.Sort(ratios)
	slices.Sort(alone)
	b.ReportMetric(alone[len(alone)/2], "x-inflating-alone")
	b.ReportMetric(ratios[len(ratios)/2], "x-longer-half")
}
