package raster

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
	"strata/snapshot"
)

// cases are the programs of the benchmarks, each laid out once. All of a size is all-live-1M.
var cases = []struct {
	name string
	make func() *layout.Timeline
}{
	{"training-2.7M", lazily(func() *traces.Trace { return traces.Training(2_700_000) })},
	{"training-10M", lazily(func() *traces.Trace { return traces.Training(10_000_000) })},
	{"fifo-200k-20k-live", lazily(func() *traces.Trace { return traces.FIFO(200_000, 20_000, traces.Mixed) })},
	{"fifo-2M-1M-live", lazily(func() *traces.Trace { return traces.FIFO(2_000_000, 1_000_000, traces.Mixed) })},
	{"random-200k-20k-live", lazily(func() *traces.Trace {
		return traces.Shuffled(rand.New(rand.NewPCG(1, 2)), 200_000, 20_000, traces.Mixed)
	})},
	{"all-live-1M", lazily(func() *traces.Trace {
		return traces.FIFO(1_000_000, 1_000_000, func(int) int64 { return 512 })
	})},
	{"60GiB-over-1M", lazily(func() *traces.Trace {
		return traces.FIFO(1_000_000, 1_000_000, func(i int) int64 {
			if i == 999_000 {
				return 60 << 30
			}
			return 512
		})
	})},
	{"one-block", lazily(func() *traces.Trace { return traces.FIFO(1, 1, traces.Mixed) })},
	{"STRATA_BENCH_FILE", sync.OnceValue(benchFile)},
}

func lazily(f func() *traces.Trace) func() *layout.Timeline {
	return sync.OnceValue(func() *layout.Timeline { return laidOut(f(), layout.Options{}) })
}

// benchFile lays out the first device of the file in STRATA_BENCH_FILE.
func benchFile() *layout.Timeline {
	name := os.Getenv("STRATA_BENCH_FILE")
	if name == "" {
		return nil
	}
	s, err := snapshot.Open(context.Background(), name, snapshot.Options{})
	if err != nil {
		panic(err)
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}

// BenchmarkRasterize makes rasters of 1600×900: the whole view, and zoomed in at the middle.
func BenchmarkRasterize(b *testing.B) {
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			t := c.make()
			if t == nil {
				b.Skip("STRATA_BENCH_FILE is not set")
			}
			for _, axis := range []layout.Axis{layout.Events, layout.Time} {
				for _, zoom := range []float64{1, 10, 100, 10000} {
					v := render.Whole(t, axis)
					v = v.ZoomX(v.X1/2, zoom)
					b.Run(fmt.Sprintf("%s/x%g", [...]string{"events", "time"}[axis], zoom), func(b *testing.B) {
						cpu := cpuTime()
						for b.Loop() {
							if _, err := New(context.Background(), t, v, 1600, 900); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(cpuTime()-cpu)/1e6/float64(b.N), "cpu-ms/op")
					})
				}
			}
		})
	}
}

// BenchmarkPaint colours a finished raster.
func BenchmarkPaint(b *testing.B) {
	t := cases[0].make()
	r, err := New(context.Background(), t, render.Whole(t, layout.Events), 1600, 900)
	if err != nil {
		b.Fatal(err)
	}
	c := colour.New(t, colour.BySite, colour.Dark())
	img := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	for b.Loop() {
		r.Paint(img, c)
	}
}
