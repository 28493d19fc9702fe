package layout

import (
	"math/rand/v2"
	"testing"

	"strata/snapshot"
)

// training makes a trace like a training loop's: parameters that stay,
// activations freed last in first out under gradients freed first in first
// out, many short temporaries. 2.7 million events have 70 million corners, as
// real ones do (59 to 77 million were counted).
func training(events int) (*snapshot.Snapshot, *snapshot.Device) {
	rng := rand.New(rand.NewPCG(1, 2))
	t := newTrace(events)
	for range 400 {
		t.alloc(int64(1+rng.IntN(64)) << 20)
	}
	for len(t.ev.Action) < events {
		var kept, grads []uint64
		for range 150 {
			kept = append(kept, t.alloc(int64(1+rng.IntN(2048))<<10))
			for range rng.IntN(6) {
				t.free(t.alloc(int64(1+rng.IntN(512)) << 9))
			}
		}
		for i := len(kept) - 1; i >= 0; i-- {
			grads = append(grads, t.alloc(int64(1+rng.IntN(2048))<<10))
			t.free(kept[i])
		}
		for _, g := range grads {
			t.free(g)
		}
	}
	return t.done()
}

// fifo frees first in first out with many live: each free slides them all.
func fifo(allocations, live int) (*snapshot.Snapshot, *snapshot.Device) {
	t := newTrace(allocations * 3)
	queue := make([]uint64, 0, allocations)
	for i := range allocations {
		queue = append(queue, t.alloc(512))
		if i >= live {
			t.free(queue[i-live])
		}
	}
	return t.done()
}

// trace builds a device event by event; addresses are never reused.
type trace struct {
	ev   snapshot.Events
	next uint64
	size map[uint64]int64
}

func newTrace(events int) *trace { return &trace{next: 1 << 46, size: make(map[uint64]int64)} }

func (t *trace) add(a snapshot.Action, addr uint64, size int64) {
	ev := &t.ev
	ev.Action, ev.Addr, ev.Size = append(ev.Action, a), append(ev.Addr, addr), append(ev.Size, size)
	ev.Stream, ev.Stack = append(ev.Stream, 0), append(ev.Stack, 0)
	ev.Time = append(ev.Time, int64(len(ev.Time))*13)
}

func (t *trace) alloc(size int64) uint64 {
	addr := t.next
	t.next += uint64(size+511) &^ 511
	t.size[addr] = size
	t.add(snapshot.ActionAlloc, addr, size)
	return addr
}

func (t *trace) free(addr uint64) {
	t.add(snapshot.ActionFreeRequested, addr, t.size[addr])
	t.add(snapshot.ActionFreeCompleted, addr, t.size[addr])
	delete(t.size, addr)
}

func (t *trace) done() (*snapshot.Snapshot, *snapshot.Device) {
	s, d := program(func(int) int { return 0 }, 0)
	d.Events = t.ev
	return s, d
}

// BenchmarkNew lays out traces of different shapes; ns/event is the figure
// to compare.
func BenchmarkNew(b *testing.B) {
	cases := []struct {
		name string
		make func() (*snapshot.Snapshot, *snapshot.Device)
	}{
		{"training-2.7M", func() (*snapshot.Snapshot, *snapshot.Device) { return training(2_700_000) }},
		{"fifo-200k-20k-live", func() (*snapshot.Snapshot, *snapshot.Device) { return fifo(200_000, 20_000) }},
		{"live-1M", func() (*snapshot.Snapshot, *snapshot.Device) { return fifo(1_000_000, 1_000_000) }},
		{"training-10M", func() (*snapshot.Snapshot, *snapshot.Device) { return training(10_000_000) }},
		{"training-270k", func() (*snapshot.Snapshot, *snapshot.Device) { return training(270_000) }},
		{"one-block", func() (*snapshot.Snapshot, *snapshot.Device) { return fifo(1, 1) }},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			s, d := c.make()
			b.ReportAllocs()
			var t *Timeline
			for b.Loop() {
				t = New(s, d, Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(d.Events.Len()), "ns/event")
			b.ReportMetric(float64(t.Bytes())/float64(len(t.Size)), "B/allocation")
		})
	}
}

// BenchmarkQueries asks a large timeline what the window asks.
func BenchmarkQueries(b *testing.B) {
	s, d := training(2_700_000)
	t := New(s, d, Options{})
	end := t.Extent(Events)
	rng := rand.New(rand.NewPCG(3, 4))
	b.Run("columns-1600", func(b *testing.B) {
		var dst []Moment
		for b.Loop() {
			dst = t.Columns(dst[:0], Events, 0, end, 1600)
		}
	})
	b.Run("hit", func(b *testing.B) {
		for b.Loop() {
			m := t.Column(Events, rng.Float64()*end, end)
			t.Hit(m, rng.Int64N(t.PeakBytes))
		}
	})
	b.Run("polygon-of-the-first", func(b *testing.B) {
		for b.Loop() {
			t.Polygon(t.Order[0])
		}
	})
}
