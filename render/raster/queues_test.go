package raster

import (
	"math"
	"math/rand/v2"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
)

// queues are programs that free about first what came first, and others of many live blocks.
var queues = []struct {
	name string
	make func(rng *rand.Rand) *traces.Trace
}{
	{"first in first out", func(rng *rand.Rand) *traces.Trace { return traces.FIFO(6000, 3000, upTo(rng, 1<<12)) }},
	{"few live", func(rng *rand.Rand) *traces.Trace { return traces.FIFO(3000, 600, upTo(rng, 1<<12)) }},
	{"some of no size", func(rng *rand.Rand) *traces.Trace {
		return traces.FIFO(6000, 3000, func(int) int64 { return rng.Int64N(3) })
	}},
	{"large and small", func(rng *rand.Rand) *traces.Trace {
		return traces.FIFO(6000, 3000, func(i int) int64 { return 1 + rng.Int64N(1<<(4+i/1500*8)) })
	}},
	{"huge ones between", func(rng *rand.Rand) *traces.Trace {
		return traces.FIFO(9000, 6000, func(i int) int64 {
			if i%2500 == 1800 {
				return 3 << 30
			}
			return 1 << 20
		})
	}},
	{"nothing freed", func(rng *rand.Rand) *traces.Trace { return traces.FIFO(4000, 4000, upTo(rng, 1<<12)) }},
	{"last in first out", func(rng *rand.Rand) *traces.Trace {
		t := traces.New()
		var kept []uint64
		for range 4 {
			for range 2500 {
				kept = append(kept, t.Alloc(1+rng.Int64N(1<<12)))
			}
			for range 1200 {
				t.Free(kept[len(kept)-1])
				kept = kept[:len(kept)-1]
			}
		}
		return t
	}},
	{"now and then one out of turn", func(rng *rand.Rand) *traces.Trace {
		return queue(rng, 200, upTo(rng, 1<<12))
	}},
	{"each tenth out of turn", func(rng *rand.Rand) *traces.Trace {
		return queue(rng, 10, upTo(rng, 1<<12))
	}},
	{"from before recording as well", func(rng *rand.Rand) *traces.Trace {
		t := traces.New()
		for i := range 300 {
			t.Block(1 + rng.Int64N(1<<12))
			t.Lost(int64(i))
		}
		for i, later := 0, traces.FIFO(5000, 3000, upTo(rng, 1<<12)); i < later.Events.Len(); i++ {
			t.Add(later.Events.Action[i], later.Events.Addr[i]+1<<50, later.Events.Size[i])
		}
		return t
	}},
}

// upTo are sizes of up to so many bytes.
func upTo(rng *rand.Rand, most int64) func(int) int64 {
	return func(int) int64 { return 1 + rng.Int64N(most) }
}

// queue is fifo with one in so many freed out of turn.
func queue(rng *rand.Rand, one int, size func(i int) int64) *traces.Trace {
	t := traces.New()
	var live []uint64
	for i := range 7000 {
		live = append(live, t.Alloc(size(i)))
		if len(live) < 3000 {
			continue
		}
		k := 0
		if rng.IntN(one) == 0 {
			k = rng.IntN(len(live))
		}
		t.Free(live[k])
		live = append(live[:k], live[k+1:]...)
	}
	return t
}

// TestQueuesAreLayoutsAnswer compares their rasters pixel by pixel with what layout says.
func TestQueuesAreLayoutsAnswer(t *testing.T) {
	for i, p := range queues {
		t.Run(p.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, uint64(i)))
			program := p.make(rng)
			for _, opt := range []layout.Options{{}, {MaxEntries: 4000}} {
				tl := laidOut(program, opt)
				for k := range 6 {
					v := render.Whole(tl, layout.Axis(k%2))
					if k > 1 {
						v = v.ZoomX(v.XAt(rng.Float64(), 1), math.Exp(rng.Float64()*math.Log(v.X1/2)))
					}
					if k > 3 {
						v = v.ZoomY(v.YAt(rng.Float64(), 1), math.Exp(rng.Float64()*4))
					}
					checkRaster(t, tl, rasterize(t, tl, v, 20+rng.IntN(60), 20+rng.IntN(40)))
					if t.Failed() {
						t.Fatalf("options %+v, view %+v", opt, v)
					}
				}
			}
		})
	}
}

// TestMillionLive looks at some pixels of large rasters of up to a million live allocations, made by two workers.
func TestMillionLive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for name, program := range map[string]*traces.Trace{
		"first in first out": traces.FIFO(1_200_000, 1_000_000, traces.Mixed),
		"random":             traces.Shuffled(rng, 350_000, 300_000, traces.Mixed),
	} {
		tl := laidOut(program, layout.Options{})
		for _, zoom := range []float64{1, 10, 100, 10000} {
			v := render.Whole(tl, layout.Events)
			v = v.ZoomX(v.X1*.9, zoom)
			r := rasterize(t, tl, v, 1600, 900)
			for range 20 {
				x, y := rng.IntN(r.W), rng.IntN(r.H)
				if got, want := r.At(x, y), tl.Hit(r.Columns[x], r.ByteAt(y)); got != want {
					t.Errorf("%s ×%g: pixel %d,%d is %d, want %d", name, zoom, x, y, got, want)
				}
			}
		}
	}
}
