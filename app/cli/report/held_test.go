package report

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// heldSnapshot has two lines of code a and b, an event without stack, a free of something older with a stack and
// one without, and a block without event.
func heldSnapshot() *snapshot.Snapshot {
	const mib = 1 << 20
	s := &snapshot.Snapshot{
		Strings: []string{"", "a.py", "f", "b\x1b[31m.py", "g"},
		Frames: snapshot.Frames{Name: []snapshot.StringID{0, 2, 4}, File: []snapshot.StringID{0, 1, 3},
			Line: []int32{0, 7, 0}},
		Stacks: snapshot.Stacks{Start: []uint32{0, 0, 1, 2}, Frame: []snapshot.FrameID{1, 2},
			Site: []snapshot.FrameID{0, 1, 2}},
		Streams: []int64{0}, Pools: make([]snapshot.Pool, 1), Metas: make([]snapshot.Meta, 1),
	}
	d := snapshot.Device{Blocks: snapshot.Blocks{Addr: []uint64{900}, Size: []int64{16 * mib},
		Requested: []int64{16 * mib},
		State:     []snapshot.BlockState{snapshot.BlockAllocated}, Stack: []snapshot.StackID{0}}}
	event := func(a snapshot.Action, addr uint64, size int64, stack snapshot.StackID) {
		ev := &d.Events
		ev.Action, ev.Addr, ev.Size = append(ev.Action, a), append(ev.Addr, addr), append(ev.Size, size)
		ev.Stream, ev.Stack = append(ev.Stream, 0), append(ev.Stack, stack)
	}
	event(snapshot.ActionAlloc, 1, 1*mib, 1)
	event(snapshot.ActionAlloc, 2, 1*mib, 1)
	event(snapshot.ActionAlloc, 3, 4*mib, 2)
	event(snapshot.ActionAlloc, 4, 8*mib, 0)
	event(snapshot.ActionOOM, 120<<10, 1<<30, 1)
	event(snapshot.ActionFreeCompleted, 5, 32*mib, 1)
	event(snapshot.ActionFreeCompleted, 6, 64*mib, 0)
	event(snapshot.ActionFreeCompleted, 4, 8*mib, 2)
	s.Devices = []snapshot.Device{d}
	return s
}

func TestHeld(t *testing.T) {
	s := heldSnapshot()
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	got := heldAt(tl, tl.PeakState)
	const mib = 1 << 20
	want := []holder{
		{"before recording", "before recording", 112 * mib, 3},
		{"no stack", "no stack", 8 * mib, 1},
		{"b\ufffd[31m.py g", "b\ufffd[31m.py g", 4 * mib, 1},
		{"a.py:7 f", "a.py:7 f", 2 * mib, 2},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := outOfMemory(tl); len(got) != 1 ||
		got[0] != "asked for 1.00 GiB with 120.0 KiB free on the device, a.py:7 f" {
		t.Errorf("out of memory: %q", got)
	}
}

// TestHeldSumsUp: on real files the holders at the peak hold exactly the peak.
func TestHeldSumsUp(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("../../..", "testdata/reference/*.pickle"))
	more, _ := filepath.Glob(filepath.Join("../../../../shared", "snapshots/*.pickle"))
	for _, file := range append(files, more...) {
		s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Devices {
			tl := layout.New(s, &s.Devices[i], layout.Options{})
			var sum int64
			for _, x := range heldAt(tl, tl.PeakState) {
				sum += x.bytes
			}
			if sum != tl.PeakBytes {
				t.Errorf("%s, device %d: they hold %d, peak %d", file, s.Devices[i].Index, sum, tl.PeakBytes)
			}
		}
	}
}

func TestFewOOMs(t *testing.T) {
	d := &snapshot.Device{}
	for i := range 9 {
		d.Events.Action = append(d.Events.Action, snapshot.ActionOOM)
		d.Events.Addr = append(d.Events.Addr, 1<<63)
		d.Events.Size = append(d.Events.Size, int64(i))
		d.Events.Stack = append(d.Events.Stack, 0)
		d.Events.Stream = append(d.Events.Stream, 0)
	}
	s := &snapshot.Snapshot{Stacks: snapshot.Stacks{Start: []uint32{0, 0}, Site: []snapshot.FrameID{0}}}
	got := outOfMemory(layout.New(s, d, layout.Options{}))
	if len(got) != mostOOMs+1 || got[0] != "4 earlier ones" || !strings.HasPrefix(got[5], "asked for 8 B with ") {
		t.Errorf("got %q", got)
	}
}
