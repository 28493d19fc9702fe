package render

import (
	"math/rand/v2"

	"strata/layout"
	"strata/snapshot"
)

// trace builds a device event by event; addresses are never reused.
type trace struct {
	ev     snapshot.Events
	blocks snapshot.Blocks
	next   uint64
	size   map[uint64]int64
	sites  int
}

func newTrace() *trace { return &trace{next: 1 << 46, size: make(map[uint64]int64), sites: 37} }

func (t *trace) add(a snapshot.Action, addr uint64, size int64) {
	ev := &t.ev
	ev.Action, ev.Addr, ev.Size = append(ev.Action, a), append(ev.Addr, addr), append(ev.Size, size)
	ev.Stream, ev.Stack = append(ev.Stream, 0), append(ev.Stack, snapshot.StackID(len(ev.Stack)/3%(t.sites+1)))
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

// block is a block live at the end without an event.
func (t *trace) block(size int64) {
	b := &t.blocks
	b.Addr, b.Size, b.Requested = append(b.Addr, t.next), append(b.Size, size), append(b.Requested, size)
	b.State, b.Stack = append(b.State, snapshot.BlockAllocated), append(b.Stack, 1)
	t.next += uint64(size+511) &^ 511
}

// timeline lays the trace out; every stack has one frame of its own.
func (t *trace) timeline(opt layout.Options) *layout.Timeline {
	s := &snapshot.Snapshot{
		Strings: []string{"", "f", "model.py"},
		Streams: []int64{0},
		Pools:   make([]snapshot.Pool, 1),
		Metas:   make([]snapshot.Meta, 1),
		Devices: []snapshot.Device{{Events: t.ev, Blocks: t.blocks}},
	}
	s.Stacks.Start = []uint32{0}
	for i := range t.sites + 1 {
		s.Stacks.Start = append(s.Stacks.Start, uint32(i))
		s.Stacks.Site = append(s.Stacks.Site, snapshot.FrameID(i))
		s.Frames.Name = append(s.Frames.Name, 1)
		s.Frames.File = append(s.Frames.File, 2)
		s.Frames.Line = append(s.Frames.Line, int32(i))
		if i > 0 {
			s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(i))
		}
	}
	return layout.New(s, &s.Devices[0], opt)
}

// random is a program of allocs and frees in random order, with frees whose
// alloc is missing and blocks from before recording.
func random(rng *rand.Rand, actions, live int) *trace {
	t := newTrace()
	size := func() int64 {
		switch rng.IntN(5) {
		case 0:
			return rng.Int64N(4)
		case 1:
			return rng.Int64N(1 << 24)
		}
		return rng.Int64N(1 << 12)
	}
	var addrs []uint64
	for range rng.IntN(5) {
		t.block(size())
	}
	for range actions {
		switch {
		case len(addrs) > 0 && (len(addrs) >= live || rng.IntN(2) == 0):
			i := rng.IntN(len(addrs))
			t.free(addrs[i])
			addrs[i] = addrs[len(addrs)-1]
			addrs = addrs[:len(addrs)-1]
		case rng.IntN(40) == 0:
			t.size[t.next] = size()
			t.free(t.next)
			t.next += 1 << 25
		default:
			addrs = append(addrs, t.alloc(size()))
		}
	}
	return t
}

// training makes a trace like a training loop's: parameters that stay,
// activations freed last in first out below the gradients that replace them,
// gradients freed at the end of the step, many short temporaries.
func training(events int) *trace {
	rng := rand.New(rand.NewPCG(1, 2))
	t := newTrace()
	for range 400 {
		t.alloc(int64(1+rng.IntN(16)) << 20)
	}
	for len(t.ev.Action) < events {
		var kept, gradients []uint64
		for range 600 {
			kept = append(kept, t.alloc(int64(1+rng.IntN(16384))<<10))
			for range rng.IntN(6) {
				t.free(t.alloc(int64(1+rng.IntN(4096)) << 9))
			}
		}
		for i := len(kept) - 1; i >= 0; i-- {
			g := t.alloc(int64(1+rng.IntN(2048)) << 10)
			if i%3 == 0 {
				gradients = append(gradients, g)
			}
			t.free(kept[i])
			if i%3 != 0 {
				t.free(g)
			}
		}
		for _, g := range gradients {
			t.free(g)
		}
	}
	return t
}

// fifo frees first in first out with many live: each free slides them all.
func fifo(allocations, live int, size func(i int) int64) *trace {
	t := newTrace()
	queue := make([]uint64, 0, allocations)
	for i := range allocations {
		queue = append(queue, t.alloc(size(i)))
		if i >= live {
			t.free(queue[i-live])
		}
	}
	return t
}

// shuffled frees one at random for each new one as soon as so many are live.
func shuffled(rng *rand.Rand, allocations, live int) *trace {
	t := newTrace()
	var addrs []uint64
	for i := range allocations {
		addrs = append(addrs, t.alloc(mixed(i)))
		if len(addrs) > live {
			k := rng.IntN(len(addrs))
			t.free(addrs[k])
			addrs[k] = addrs[len(addrs)-1]
			addrs = addrs[:len(addrs)-1]
		}
	}
	return t
}
