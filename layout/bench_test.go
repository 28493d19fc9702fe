package layout

import (
	"math/rand/v2"
	"os"
	"testing"

	"strata/layout/traces"
	"strata/snapshot"
)

// training is a training loop of so many events. 2.7 million have 70 million corners, as real ones do (59 to 77
// million were counted).
func training(events int) (*snapshot.Snapshot, *snapshot.Device) {
	return traces.Training(events).Snapshot()
}

// fifo frees first in first out with many live: each free slides them all.
func fifo(allocations, live int) (*snapshot.Snapshot, *snapshot.Device) {
	return traces.FIFO(allocations, live, func(int) int64 { return 512 }).Snapshot()
}

// file is the first device of the snapshot that STRATA_BENCH_FILE names, which .ci/bench sets.
func file(b *testing.B) (*snapshot.Snapshot, *snapshot.Device) {
	name := os.Getenv("STRATA_BENCH_FILE")
	if name == "" {
		b.Skip("STRATA_BENCH_FILE names no snapshot")
	}
	s, err := snapshot.Open(b.Context(), name, snapshot.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return s, &s.Devices[0]
}

// BenchmarkNew lays out traces of different shapes; ns/event is the figure to compare.
func BenchmarkNew(b *testing.B) {
	cases := []struct {
		name string
		make func(b *testing.B) (*snapshot.Snapshot, *snapshot.Device)
	}{
		{"file", file},
		{"training-2.7M", func(*testing.B) (*snapshot.Snapshot, *snapshot.Device) { return training(2_700_000) }},
		{"fifo-200k-20k-live", func(*testing.B) (*snapshot.Snapshot, *snapshot.Device) {
			return fifo(200_000, 20_000)
		}},
		{"live-1M", func(*testing.B) (*snapshot.Snapshot, *snapshot.Device) { return fifo(1_000_000, 1_000_000) }},
		{"training-10M", func(*testing.B) (*snapshot.Snapshot, *snapshot.Device) { return training(10_000_000) }},
		{"training-270k", func(*testing.B) (*snapshot.Snapshot, *snapshot.Device) { return training(270_000) }},
		{"one-block", func(*testing.B) (*snapshot.Snapshot, *snapshot.Device) { return fifo(1, 1) }},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			s, d := c.make(b)
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
			dst = t.ColumnsBetween(dst[:0], nil, Events, 1600, func(i int) float64 { return float64(i) * end / 1600 })
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
