package render

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"gioui.org/op"

	"strata/layout"
	"strata/snapshot"
)

// cases are the programs of the benchmarks, each laid out once. All of a size
// is all-live-1M.
var cases = []struct {
	name string
	make func() *layout.Timeline
}{
	{"training-2.7M", laidOut(func() trace { return training(2_700_000) })},
	{"training-10M", laidOut(func() trace { return training(10_000_000) })},
	{"fifo-200k-20k-live", laidOut(func() trace { return fifo(200_000, 20_000, mixed) })},
	{"fifo-2M-1M-live", laidOut(func() trace { return fifo(2_000_000, 1_000_000, mixed) })},
	{"random-200k-20k-live", laidOut(func() trace { return shuffled(rand.New(rand.NewPCG(1, 2)), 200_000, 20_000) })},
	{"all-live-1M", laidOut(func() trace { return fifo(1_000_000, 1_000_000, func(int) int64 { return 512 }) })},
	{"60GiB-over-1M", laidOut(func() trace {
		return fifo(1_000_000, 1_000_000, func(i int) int64 {
			if i == 999_000 {
				return 60 << 30
			}
			return 512
		})
	})},
	{"one-block", laidOut(func() trace { return fifo(1, 1, mixed) })},
	{"STRATA_BENCH_FILE", sync.OnceValue(benchFile)},
}

func laidOut(f func() trace) func() *layout.Timeline {
	return sync.OnceValue(func() *layout.Timeline { return f().timeline(layout.Options{}) })
}

// mixed is a size of the i-th allocation.
func mixed(i int) int64 { return int64(512 + i%7*512) }

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

// BenchmarkRasterize makes rasters of 1600×900: the whole view, and zoomed
// in at the middle.
func BenchmarkRasterize(b *testing.B) {
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			t := c.make()
			if t == nil {
				b.Skip("STRATA_BENCH_FILE is not set")
			}
			for _, axis := range []layout.Axis{layout.Events, layout.Time} {
				for _, zoom := range []float64{1, 10, 100, 10000} {
					v := Whole(t, axis)
					v = v.ZoomX(v.X1/2, zoom)
					b.Run(fmt.Sprintf("%s/x%g", [...]string{"events", "time"}[axis], zoom), func(b *testing.B) {
						cpu := cpuTime()
						for b.Loop() {
							if _, err := Rasterize(context.Background(), t, v, 1600, 900); err != nil {
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
	r, err := Rasterize(context.Background(), t, Whole(t, layout.Events), 1600, 900)
	if err != nil {
		b.Fatal(err)
	}
	c := NewColouring(t, BySite, Dark())
	img := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	for b.Loop() {
		r.Paint(img, c)
	}
}

// BenchmarkColouring colours the allocations of a large timeline.
func BenchmarkColouring(b *testing.B) {
	t := cases[0].make()
	for _, mode := range ColourModes() {
		b.Run(mode.String(), func(b *testing.B) {
			for b.Loop() {
				NewColouring(t, mode, Dark())
			}
		})
	}
}

// BenchmarkCompose is what a frame costs the window: panning by a few pixels
// with the tiles there, zooming by a notch with none.
func BenchmarkCompose(b *testing.B) {
	t := cases[0].make()
	colouring := NewColouring(t, BySite, Dark())
	size := image.Pt(1600, 900)
	whole := Whole(t, layout.Events)
	for name, move := range map[string]func(v View, i int) View{
		"pan": func(v View, i int) View {
			dx := (v.X1 - v.X0) / 1600 * float64(1-i/64%2*2) * 8
			return v.Pan(dx, 0).Clamp(t)
		},
		"zoom": func(v View, i int) View {
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
