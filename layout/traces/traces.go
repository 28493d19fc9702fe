// Package traces makes traces of programs that never ran, for tests and benchmarks: only what matters to their
// pictures is in them.
package traces

import (
	"fmt"
	"math/rand/v2"

	"strata/snapshot"
)

// A Trace is one device's events, made one by one. Addresses are never reused.
type Trace struct {
	Events snapshot.Events
	Blocks snapshot.Blocks
	Live   map[uint64]int64 // sizes by address of what was allocated by an event, bytes
	Sites  int              // call sites, each of which has a stack of its own

	next uint64
}

// New is a Trace of no events.
func New() *Trace { return &Trace{next: 1 << 46, Live: make(map[uint64]int64), Sites: 37} }

// Add adds an event. Every third comes from another call site, and every one 13 µs after the one before.
func (t *Trace) Add(a snapshot.Action, addr uint64, size int64) {
	ev := &t.Events
	ev.Action, ev.Addr, ev.Size = append(ev.Action, a), append(ev.Addr, addr), append(ev.Size, size)
	ev.Stream, ev.Stack = append(ev.Stream, 0), append(ev.Stack, snapshot.StackID(len(ev.Stack)/3%(t.Sites+1)))
	ev.Time = append(ev.Time, int64(len(ev.Time))*13)
}

// Alloc allocates a block and returns its address.
func (t *Trace) Alloc(size int64) uint64 {
	addr := t.address(size)
	t.Live[addr] = size
	t.Add(snapshot.ActionAlloc, addr, size)
	return addr
}

// Free frees what Alloc allocated.
func (t *Trace) Free(addr uint64) {
	t.Add(snapshot.ActionFreeRequested, addr, t.Live[addr])
	t.Add(snapshot.ActionFreeCompleted, addr, t.Live[addr])
	delete(t.Live, addr)
}

// Lost frees a block that was allocated before recording.
func (t *Trace) Lost(size int64) {
	addr := t.address(size)
	t.Live[addr] = size
	t.Free(addr)
}

// Block is live at the end and has no event.
func (t *Trace) Block(size int64) {
	b := &t.Blocks
	b.Addr, b.Size, b.Requested = append(b.Addr, t.address(size)), append(b.Size, size), append(b.Requested, size)
	b.State, b.Stack = append(b.State, snapshot.BlockAllocated), append(b.Stack, 1)
}

// address is one that nothing has, with room for so many bytes.
func (t *Trace) address(size int64) uint64 {
	addr := t.next
	t.next += uint64(size+511) &^ 511
	return addr
}

// Snapshot is the trace as a file would have it; every stack has one frame.
func (t *Trace) Snapshot() (*snapshot.Snapshot, *snapshot.Device) {
	s := &snapshot.Snapshot{
		Strings: []string{"", "f", "model.py"},
		Streams: []int64{0},
		Pools:   make([]snapshot.Pool, 1),
		Metas:   make([]snapshot.Meta, 1),
		Devices: []snapshot.Device{{Events: t.Events, Blocks: t.Blocks}},
	}
	s.Stacks.Start = []uint32{0}
	for i := range t.Sites + 1 {
		s.Stacks.Start = append(s.Stacks.Start, uint32(i))
		s.Stacks.Site = append(s.Stacks.Site, snapshot.FrameID(i))
		s.Frames.Name = append(s.Frames.Name, 1)
		s.Frames.File = append(s.Frames.File, 2)
		s.Frames.Line = append(s.Frames.Line, int32(i))
		if i > 0 {
			s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(i))
		}
	}
	return s, &s.Devices[0]
}

// Deep is the trace as a file would have it that names functions function_0, function_1, … ten to a module. Each of
// its Sites has a stack of 20 of them.
func (t *Trace) Deep(functions int) *snapshot.Snapshot {
	s, _ := t.Snapshot()
	s.Strings, s.Frames, s.Stacks = []string{""}, snapshot.Frames{}, snapshot.Stacks{}
	for i := range functions + 1 { // frame 0 is no frame
		s.Strings = append(s.Strings, fmt.Sprintf("function_%d", i-1), fmt.Sprintf("/srv/train/module_%d.py", (i-1)/10))
		s.Frames.Name = append(s.Frames.Name, snapshot.StringID(2*i+1))
		s.Frames.File = append(s.Frames.File, snapshot.StringID(2*i+2))
		s.Frames.Line = append(s.Frames.Line, int32(i-1))
	}
	s.Stacks.Start, s.Stacks.Site = []uint32{0, 0}, []snapshot.FrameID{0}
	for i := range t.Sites {
		s.Stacks.Site = append(s.Stacks.Site, snapshot.FrameID(1+i*7919%functions))
		for d := range 20 {
			s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(1+(i*7919+d*104729)%functions))
		}
		s.Stacks.Start = append(s.Stacks.Start, uint32(len(s.Stacks.Frame)))
	}
	return s
}

// Random is a program of allocs and frees in random order, with frees whose alloc is missing and blocks from before
// recording.
func Random(rng *rand.Rand, actions, live int) *Trace {
	t := New()
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
		t.Block(size())
	}
	for range actions {
		switch {
		case len(addrs) > 0 && (len(addrs) >= live || rng.IntN(2) == 0):
			i := rng.IntN(len(addrs))
			t.Free(addrs[i])
			addrs[i] = addrs[len(addrs)-1]
			addrs = addrs[:len(addrs)-1]
		case rng.IntN(40) == 0:
			t.Lost(size())
		default:
			addrs = append(addrs, t.Alloc(size()))
		}
	}
	return t
}

// Training makes a trace like a training loop's: parameters that stay, activations freed last in first out under
// gradients freed first in first out, many short temporaries. 2.7 million events have 70 million corners, as real
// ones do (59 to 77 million were counted).
func Training(events int) *Trace {
	rng := rand.New(rand.NewPCG(1, 2))
	t := New()
	for range 400 {
		t.Alloc(int64(1+rng.IntN(64)) << 20)
	}
	for len(t.Events.Action) < events {
		var kept, grads []uint64
		for range 150 {
			kept = append(kept, t.Alloc(int64(1+rng.IntN(2048))<<10))
			for range rng.IntN(6) {
				t.Free(t.Alloc(int64(1+rng.IntN(512)) << 9))
			}
		}
		for i := len(kept) - 1; i >= 0; i-- {
			grads = append(grads, t.Alloc(int64(1+rng.IntN(2048))<<10))
			t.Free(kept[i])
		}
		for _, g := range grads {
			t.Free(g)
		}
	}
	return t
}

// FIFO frees first in first out with many live: each free slides them all.
func FIFO(allocations, live int, size func(i int) int64) *Trace {
	t := New()
	queue := make([]uint64, 0, allocations)
	for i := range allocations {
		queue = append(queue, t.Alloc(size(i)))
		if i >= live {
			t.Free(queue[i-live])
		}
	}
	return t
}

// Shuffled frees one at random for each new one as soon as so many are live.
func Shuffled(rng *rand.Rand, allocations, live int, size func(i int) int64) *Trace {
	t := New()
	var addrs []uint64
	for i := range allocations {
		addrs = append(addrs, t.Alloc(size(i)))
		if len(addrs) > live {
			k := rng.IntN(len(addrs))
			t.Free(addrs[k])
			addrs[k] = addrs[len(addrs)-1]
			addrs = addrs[:len(addrs)-1]
		}
	}
	return t
}

// Mixed is a size for the i-th allocation, 512 bytes to 3.5 KiB.
func Mixed(i int) int64 { return int64(512 + i%7*512) }
