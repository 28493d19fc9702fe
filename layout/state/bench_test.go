package state

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"strata/snapshot"
)

// made is a snapshot with so many blocks live at a time, most of 20 MiB segments with several of them, and events of
// a program that frees a random one for each it makes.
func made(live, events int) *snapshot.Snapshot {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := &snapshot.Snapshot{Strings: make([]string, 1), Streams: []int64{0}, Pools: make([]snapshot.Pool, 1),
		Metas: make([]snapshot.Meta, 1), Stacks: snapshot.Stacks{Start: []uint32{0, 0}, Site: []snapshot.FrameID{0}}}
	var d snapshot.Device
	ev := &d.Events
	add := func(a snapshot.Action, addr uint64, size int64) {
		ev.Action, ev.Addr, ev.Size = append(ev.Action, a), append(ev.Addr, addr), append(ev.Size, size)
		ev.Stream, ev.Stack = append(ev.Stream, 0), append(ev.Stack, 0)
	}
	const place, inSegment = 2 * mib, 10
	for i := range live {
		addr := uint64(1<<40 + i*place)
		if i%inSegment == 0 {
			add(snapshot.ActionSegmentAlloc, addr, place*inSegment)
		}
		add(snapshot.ActionAlloc, addr, place-rnd.Int64N(mib/2))
	}
	for ev.Len() < events {
		i := rnd.IntN(live)
		addr := uint64(1<<40 + i*place)
		add(snapshot.ActionFreeRequested, addr, 1)
		add(snapshot.ActionFreeCompleted, addr, 1)
		add(snapshot.ActionAlloc, addr, place-rnd.Int64N(mib/2))
	}
	for i := 0; i < live; i += inSegment {
		d.Segments = append(d.Segments,
			snapshot.Segment{Addr: uint64(1<<40 + i*place), Size: place * inSegment, Large: true})
	}
	for i := range live {
		b := &d.Blocks
		b.Addr, b.Size = append(b.Addr, uint64(1<<40+i*place)), append(b.Size, place)
		b.Requested, b.State = append(b.Requested, place), append(b.State, snapshot.BlockAllocated)
		b.Stack = append(b.Stack, 0)
	}
	s.Devices = []snapshot.Device{d}
	return s
}

// BenchmarkSeek looks at states anywhere; p99 is in microseconds.
func BenchmarkSeek(b *testing.B) {
	for _, live := range []int{1_000, 20_000, 200_000} {
		b.Run(fmt.Sprint(live), func(b *testing.B) {
			s := made(live, 1_500_000)
			h := New(s, &s.Devices[0])
			rnd := rand.New(rand.NewPCG(3, 4))
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				h.At(rnd.IntN(h.Len()))
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-us")
		})
	}
}

// BenchmarkNew finds the history of a made trace of 1.5 million events, or of STRATA_BIG.
func BenchmarkNew(b *testing.B) {
	s := made(20_000, 1_500_000)
	if file := os.Getenv("STRATA_BIG"); file != "" {
		s = open(b, file)
	}
	d := s.FirstDevice()
	for b.Loop() {
		h := New(s, d)
		b.ReportMetric(float64(h.Bytes())/float64(d.Events.Len()), "B/event")
	}
}

// BenchmarkStep goes through all totals of a trace.
func BenchmarkStep(b *testing.B) {
	s := made(20_000, 300_000)
	h := New(s, &s.Devices[0])
	var sum int64
	for b.Loop() {
		for _, at := range h.Between(-1, h.Len()-1) {
			sum += at[Reserved]
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(h.Len()), "ns/event")
}
