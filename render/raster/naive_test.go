package raster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
)

// A naive painter does what viewers commonly do: it stores the polygon of every allocation, with a corner for each
// free below it, and paints a view by going through all of them, rectangle by rectangle. It is the referee of the
// benchmarks, and an independent one of what is where.
type naive struct {
	t         *layout.Timeline
	timesteps [][]int32
	offsets   [][]int64
	corners   int
}

func newNaive(t *layout.Timeline) *naive {
	n := &naive{t: t, timesteps: make([][]int32, len(t.Size)), offsets: make([][]int64, len(t.Size))}
	for id := range t.Size {
		n.timesteps[id], n.offsets[id] = t.Polygon(layout.ID(id))
		n.corners += len(n.offsets[id])
	}
	return n
}

// paint paints the view into w by h pixels.
func (n *naive) paint(dst []layout.ID, v render.View, w, h int) {
	for i := range dst {
		dst[i] = layout.None
	}
	for id, xs := range n.timesteps {
		for k := 1; k < len(xs); k++ {
			if float64(xs[k]) < v.X0 || float64(xs[k-1]) >= v.X1 {
				continue
			}
			x0, x1 := v.XPixel(float64(xs[k-1]), w), v.XPixel(float64(xs[k]), w)
			for x := max(0, int(x0)); x < min(w, int(x1+1)); x++ {
				n.column(dst, v, w, h, layout.ID(id), k, x, x0, x1)
			}
		}
	}
}

// column paints one pixel column of the part of a polygon that ends with corner k.
func (n *naive) column(dst []layout.ID, v render.View, w, h int, id layout.ID, k, x int, x0, x1 float64) {
	at := float64(n.offsets[id][k])
	if from := n.offsets[id][k-1]; from != n.offsets[id][k] && x1 > x0 {
		part := min(max((float64(x)+.5-x0)/(x1-x0), 0), 1)
		at = float64(from) + part*(at-float64(from))
	}
	top, bottom := v.YPixel(at+float64(n.t.Size[id]), h), v.YPixel(at, h)
	for y := max(0, int(top+.5)); y < min(h, int(bottom+.5)); y++ {
		dst[y*w+x] = id
	}
}

// edges is where an allocation lies at a whole timestep; false if it does not.
func (n *naive) edges(id layout.ID, step int32) (lo, hi float64, ok bool) {
	xs, ys := n.timesteps[id], n.offsets[id]
	for k := 1; k < len(xs); k++ {
		if xs[k-1] <= step && step < xs[k] {
			part := float64(step-xs[k-1]) / float64(xs[k]-xs[k-1])
			lo = float64(ys[k-1]) + part*float64(ys[k]-ys[k-1])
			return lo, lo + float64(n.t.Size[id]), true
		}
	}
	return 0, 0, false
}

// TestRasterIsThePolygons: at one pixel for each timestep a raster shows the polygon that covers the row's byte
// there.
func TestRasterIsThePolygons(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	for range 20 {
		tl := laidOut(traces.Random(rng, 1+rng.IntN(150), 20), layout.Options{})
		n := newNaive(tl)
		v := render.Whole(tl, layout.Events)
		w := int(v.X1)
		r := rasterize(t, tl, v, w, 60)
		checked := 0
		for x := range w {
			for y := range 60 {
				b := float64(r.ByteAt(y)) + .5
				want, near := layout.None, false
				for id := range layout.ID(len(tl.Size)) {
					lo, hi, ok := n.edges(id, int32(x))
					if !ok {
						continue
					}
					if lo <= b && b < hi {
						want = id
					}
					// Slides are in whole bytes and 65536ths: near an edge either answer is right.
					off := 2 + float64(tl.PeakBytes)/30000
					near = near || (b > lo-off && b < lo+off) || (b > hi-off && b < hi+off)
				}
				if near {
					continue
				}
				checked++
				if got := r.At(x, y); got != want {
					t.Fatalf("timestep %d, byte %g is %d, want %d", x, b, got, want)
				}
			}
		}
		if checked < w*30 {
			t.Fatalf("only %d of %d pixels could be checked", checked, w*60)
		}
	}
}

// BenchmarkNaive paints as BenchmarkRasterize does, the naive way. The larger program takes gigabytes:
// STRATA_BENCH_NAIVE=events sets another size than 270,000.
func BenchmarkNaive(b *testing.B) {
	events := 270_000
	if n, err := strconv.Atoi(os.Getenv("STRATA_BENCH_NAIVE")); err == nil {
		events = n
	}
	t := laidOut(traces.Training(events), layout.Options{})
	n := newNaive(t)
	dst := make([]layout.ID, 1600*900)
	for _, zoom := range []float64{1, 10, 100, 10000} {
		v := render.Whole(t, layout.Events)
		v = v.ZoomX(v.X1/2, zoom)
		b.Run(fmt.Sprintf("naive/x%g", zoom), func(b *testing.B) {
			for b.Loop() {
				n.paint(dst, v, 1600, 900)
			}
			b.ReportMetric(float64(n.corners), "corners")
		})
		b.Run(fmt.Sprintf("strata/x%g", zoom), func(b *testing.B) {
			for b.Loop() {
				if _, err := New(context.Background(), t, v, 1600, 900); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
