package raster

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
)

// randomView is a view of a part of a timeline, now and then reaching beyond the data, at any zoom.
func randomView(rng *rand.Rand, t *layout.Timeline) render.View {
	v := render.Whole(t, layout.Axis(rng.IntN(2)))
	for range rng.IntN(3) {
		v = v.ZoomX(v.XAt(rng.Float64(), 1), 1+rng.Float64()*20)
	}
	for range rng.IntN(3) {
		v = v.ZoomY(v.YAt(rng.Float64(), 1), 1+rng.Float64()*20)
	}
	if rng.IntN(4) == 0 {
		v = v.Pan((v.X1-v.X0)*(rng.Float64()-.5), (v.Y1-v.Y0)*(rng.Float64()-.5))
	}
	return v
}

func rasterize(t *testing.T, tl *layout.Timeline, v render.View, w, h int) *Raster {
	t.Helper()
	r, err := New(context.Background(), tl, v, w, h)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRasterIsLayoutsAnswer compares every pixel with what layout says about its column's moment and its row's byte,
// and every silhouette with the height.
func TestRasterIsLayoutsAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 120 {
		live := 1 + rng.IntN(60)
		if i%10 == 0 {
			live = 3000
		}
		program := traces.Random(rng, 1+rng.IntN(4*live+100), live)
		opt := layout.Options{}
		if rng.IntN(3) == 0 {
			opt.MaxEntries = 1 + rng.IntN(20)
		}
		tl := laidOut(program, opt)
		for range 4 {
			v := randomView(rng, tl)
			w, h := 1+rng.IntN(70), 1+rng.IntN(50)
			checkRaster(t, tl, rasterize(t, tl, v, w, h))
			if t.Failed() {
				t.Fatalf("program %d, options %+v, view %+v, %d×%d", i, opt, v, w, h)
			}
		}
	}
}

// TestSinkingStacksAreLayoutsAnswer is the same for programs whose stack sinks as a whole, in views in which it does
// so by less than a block a column.
func TestSinkingStacksAreLayoutsAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		live := 1 + rng.IntN(900)
		program := traces.FIFO(2*live+rng.IntN(2000), live, func(int) int64 { return 1 + rng.Int64N(1<<(4+i)) })
		if i%3 == 0 { // not quite first in, first out
			for _, addr := range slices.Sorted(maps.Keys(program.Live)) {
				if rng.IntN(4) == 0 {
					program.Free(addr)
				}
			}
		}
		tl := laidOut(program, layout.Options{})
		for range 6 {
			v := render.Whole(tl, layout.Axis(rng.IntN(2)))
			v = v.ZoomX(v.XAt(rng.Float64(), 1), math.Exp(rng.Float64()*math.Log(v.X1/2)))
			checkRaster(t, tl, rasterize(t, tl, v, 60+rng.IntN(60), 20+rng.IntN(80)))
			if t.Failed() {
				t.Fatalf("program %d, view %+v", i, v)
			}
		}
	}
}

func checkRaster(t *testing.T, tl *layout.Timeline, r *Raster) {
	t.Helper()
	columns := tl.ColumnsBetween(nil, nil, r.View.Axis, r.W, func(i int) float64 {
		return r.View.X0 + float64(i)*((r.View.X1-r.View.X0)/float64(r.W))
	})
	for x, m := range columns {
		if r.Columns[x] != m {
			t.Errorf("column %d shows %+v, want %+v", x, r.Columns[x], m)
			return
		}
		if r.Bands[x].High != tl.Height(m) {
			t.Errorf("column %d is %d bytes high, want %d", x, r.Bands[x].High, tl.Height(m))
		}
		for y := -before; y < r.H+after; y++ {
			want := tl.Hit(m, r.ByteAt(y))
			if got := r.all[(y+before)*r.W+x]; got != want {
				t.Errorf("pixel %d,%d is %d, want %d", x, y, got, want)
				return
			}
			if y >= 0 && y < r.H && (want != layout.None) && r.ByteAt(y) >= tl.Height(m) {
				t.Errorf("pixel %d,%d is above the stack", x, y)
				return
			}
		}
	}
}

func TestRasterizeIsCancelled(t *testing.T) {
	tl := laidOut(traces.Training(2000), layout.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, tl, render.Whole(tl, layout.Events), 50, 50); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestNothing: a timeline of no allocations is all background.
func TestNothing(t *testing.T) {
	tl := laidOut(traces.New(), layout.Options{})
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		r := rasterize(t, tl, render.Whole(tl, axis), 9, 7)
		for i, id := range r.IDs {
			if id != layout.None {
				t.Fatalf("axis %d: pixel %d is %d", axis, i, id)
			}
		}
	}
}
