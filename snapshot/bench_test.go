package snapshot

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
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

// BenchmarkGzip opens the same file compressed, and compares that with decompression alone, and with the longer of
// its two halves: they overlap on two cores.
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

// BenchmarkForms opens smaller files of all sorts, and compares that with what Python takes to load them.
func BenchmarkForms(b *testing.B) {
	simulate := shared(b, "tools", "simulate.py")
	for _, form := range []struct{ name, options string }{
		{"plain", ""}, {"protocol-2", "--protocol 2 --frames-sometimes"},
		{"metadata", "--metadata --pools --streams --cpp"},
		{"huge-addresses", "--huge-addresses"}, {"no-frames", "--no-frames"}, {"history", "--history --no-time"},
		{"JSON", ""},
	} {
		b.Run(form.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "form")
			args := append([]string{simulate, path, "--steps", "100", "--layers", "32"},
				strings.Fields(form.options)...)
			if out, err := exec.Command("python3", args...).CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			python := loadsInPython(b, path, form.name == "JSON")
			var events int
			for b.Loop() {
				s, err := Open(context.Background(), path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				events = s.Devices[0].Events.Len()
			}
			took := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(python/took, "x-faster-than-Python")
			b.ReportMetric(took*1e9/float64(events), "ns/event")
		})
	}
}

// loadsInPython returns how many seconds Python takes for the pickle at path, at best. If asJSON, it writes JSON
// there, and reads that.
func loadsInPython(b *testing.B, path string, asJSON bool) float64 {
	module := "pickle"
	if asJSON {
		module = "json"
	}
	out, err := exec.Command("python3", "-c", `
import json, pickle, sys, time
path, module = sys.argv[1], globals()[sys.argv[2]]
if module is json:
    with open(path, "rb") as f:
        value = pickle.load(f)
    with open(path, "w") as f:
        json.dump(value, f)
    del value
times = []
for i in range(3):
    with open(path, "rb") as f:
        begun = time.perf_counter()
        module.load(f)
        times.append(time.perf_counter() - begun)
print(min(times))`, path, module).Output()
	if err != nil {
		b.Fatal(err)
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return seconds
}
