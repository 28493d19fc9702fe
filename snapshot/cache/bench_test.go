package cache

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"strata/snapshot"
)

// benchFile is the file named by STRATA_BENCH_FILE, or else a real one.
func benchFile(b *testing.B) string {
	path := os.Getenv("STRATA_BENCH_FILE")
	if path == "" {
		path = filepath.Join(root, "../shared/snapshots/training-cpp-frames.pickle")
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Skip("no file to measure: ", err)
	}
	b.SetBytes(st.Size())
	return path
}

func openFor(b *testing.B, path string, opt Options, cached bool) *Opened {
	o, err := Open(context.Background(), path, snapshot.Options{}, opt)
	if err != nil {
		b.Fatal(err)
	}
	if o.Cached != cached {
		b.Fatalf("cached: %v", o.Cached)
	}
	return o
}

// BenchmarkFirst opens a file that has no entry yet.
func BenchmarkFirst(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		runtime.GC()
		openFor(b, path, in(b.TempDir()), false)
	}
}

// BenchmarkStore stores it.
func BenchmarkStore(b *testing.B) {
	path, dir := benchFile(b), b.TempDir()
	o := openFor(b, path, in(dir), false)
	for b.Loop() {
		if err := o.Store(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err == nil && !d.IsDir() {
			b.ReportMetric(float64(info.Size())/1e6, "entryMB")
		}
		return err
	})
}

// BenchmarkAgain opens it from its entry.
func BenchmarkAgain(b *testing.B) {
	path, opt := benchFile(b), in(b.TempDir())
	if err := openFor(b, path, opt, false).Store(context.Background()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		runtime.GC() // of what was opened before, as in a new process
		openFor(b, path, opt, true)
	}
}
