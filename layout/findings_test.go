package layout

import (
	"strings"
	"testing"

	"strata/snapshot"
)

// findingsOf lays out a device of events, each (action, address, size).
func findingsOf(t *testing.T, events [][3]int64, blocks snapshot.Blocks, opt Options) map[string]snapshot.Finding {
	t.Helper()
	d := &snapshot.Device{Blocks: blocks}
	for _, e := range events {
		d.Events.Action = append(d.Events.Action, snapshot.Action(e[0]))
		d.Events.Addr = append(d.Events.Addr, uint64(e[1]))
		d.Events.Size = append(d.Events.Size, e[2])
		d.Events.Stream = append(d.Events.Stream, 0)
		d.Events.Stack = append(d.Events.Stack, 0)
	}
	byID := map[string]snapshot.Finding{}
	last := snapshot.Warning
	for _, f := range New(&snapshot.Snapshot{}, d, opt).Findings() {
		if f.Severity > last {
			t.Errorf("%s comes after something less grave", f.ID)
		}
		last = f.Severity
		if f.Title == "" || !strings.HasSuffix(f.Explain, ".") || f.Offset != -1 || f.Count < 1 {
			t.Errorf("finding %+v lacks something", f)
		}
		byID[f.ID] = f
	}
	return byID
}

func TestFindings(t *testing.T) {
	const (
		alloc     = int64(snapshot.ActionAlloc)
		requested = int64(snapshot.ActionFreeRequested)
		completed = int64(snapshot.ActionFreeCompleted)
	)
	live := func(addr uint64, size int64) snapshot.Blocks {
		return snapshot.Blocks{Addr: []uint64{addr}, Size: []int64{size}, Requested: []int64{size},
			State: []snapshot.BlockState{snapshot.BlockAllocated}, Stack: []snapshot.StackID{0}}
	}
	for _, c := range []struct {
		name   string
		events [][3]int64
		blocks snapshot.Blocks
		want   map[string]int64 // counts
		says   string           // somewhere in an explanation
	}{
		{name: "a sound trace", events: [][3]int64{{alloc, 0, 100}, {requested, 0, 100}, {completed, 0, 100},
			{alloc, 0, 5}}},
		{name: "an alloc over a live one", events: [][3]int64{{alloc, 0, 100}, {alloc, 0, 60}, {completed, 0, 60}},
			want: map[string]int64{"double-allocs": 1}, says: "1 alloc handed out"},
		{name: "frees of what was there before", events: [][3]int64{{completed, 0, 1 << 20}, {completed, 512, 1 << 19}},
			want: map[string]int64{"unmatched-frees": 2}, says: "1.50 MiB"},
		{name: "a block without an event", events: [][3]int64{{alloc, 0, 1}}, blocks: live(512, 400),
			want: map[string]int64{"blocks-before-recording": 1}, says: "400 B"},
		{name: "a size beyond all machines", events: [][3]int64{{alloc, 0, 1 << 62}, {alloc, 512, 1 << 62},
			{alloc, 1024, 7}}, want: map[string]int64{"oversized-skipped": 2}, says: "2 sizes are"},
		{name: "nothing about blocks", events: [][3]int64{{int64(snapshot.ActionOOM), 0, 1},
			{int64(snapshot.ActionSegmentAlloc), 0, 1}}, want: map[string]int64{"nothing-allocated": 1},
			says: "has 2 events, but none"},
		{name: "no events", want: map[string]int64{"nothing-allocated": 1}, says: "no events, and no block"},
		{name: "requests without completions", events: [][3]int64{{alloc, 0, 1}, {requested, 0, 1}, {alloc, 0, 2}},
			want: map[string]int64{"completions-skipped": 1}, says: "no completions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := findingsOf(t, c.events, c.blocks, Options{})
			if len(got) != len(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			said := ""
			for id, n := range c.want {
				if got[id].Count != n {
					t.Errorf("%s: count %d, want %d", id, got[id].Count, n)
				}
				said += got[id].Explain
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("%q is not said in %q", c.says, said)
			}
		})
	}
}

func TestFindingsNameSegments(t *testing.T) {
	d := &snapshot.Device{Segments: []snapshot.Segment{{Addr: 0, Size: 2 << 20}}}
	f := New(&snapshot.Snapshot{}, d, Options{Mode: Segments}).Findings()
	if len(f) != 1 || !strings.Contains(f[0].Explain, "1 segment (2.00 MiB) live at the end has") {
		t.Errorf("got %v", f)
	}
}
