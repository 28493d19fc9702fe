package layout

import (
	"math"
	"slices"
	"testing"

	"strata/snapshot"
)

// device makes a device of (action, address, size) events without stacks.
func device(events ...event) (*snapshot.Snapshot, *snapshot.Device) {
	s, d := program(func(int) int { return 0 }, 0)
	for _, e := range events {
		ev := &d.Events
		ev.Action, ev.Addr, ev.Size = append(ev.Action, e.action), append(ev.Addr, e.addr), append(ev.Size, e.size)
		ev.Stream, ev.Stack, ev.Time = append(ev.Stream, 0), append(ev.Stack, 0), append(ev.Time, e.time)
	}
	return s, d
}

type event struct {
	action snapshot.Action
	addr   uint64
	size   int64
	time   int64
}

func block(d *snapshot.Device, addr uint64, size int64, state snapshot.BlockState) {
	b := &d.Blocks
	b.Addr, b.Size, b.Requested = append(b.Addr, addr), append(b.Size, size), append(b.Requested, size)
	b.State, b.Stack = append(b.State, state), append(b.Stack, 0)
}

const (
	alloc     = snapshot.ActionAlloc
	free      = snapshot.ActionFree
	completed = snapshot.ActionFreeCompleted
	requested = snapshot.ActionFreeRequested
)

// TestVectors holds the small vectors of the reference, worked out by hand there.
func TestVectors(t *testing.T) {
	vectors := []struct {
		name       string
		events     []event
		blocks     []int64 // address, size pairs, active at the end
		maxEntries int
		usage      []int64
		order      []int64 // sizes, bottom to top
		peak       int64
	}{
		{"A", []event{{alloc, 0, 100, 0}, {alloc, 512, 200, 0}, {alloc, 1024, 50, 0}, {free, 512, 200, 0},
			{alloc, 512, 30, 0}, {free, 0, 100, 0}, {free, 512, 30, 0}},
			nil, 0, []int64{100, 300, 350, 350, 350, 350, 350, 180, 180, 180, 180, 180, 80}, []int64{100, 200, 50, 30},
			350},
		{"B", []event{{free, 0, 100, 0}, {completed, 512, 200, 0}, {alloc, 2048, 10, 0}},
			[]int64{1024, 500, 1536, 400, 2048, 10}, 0, []int64{1200, 1100, 910}, []int64{400, 500, 200, 100, 10},
			1200},
		{"C", []event{{alloc, 0, 100, 0}, {alloc, 512, 5, 0}, {alloc, 1024, 50, 0}, {alloc, 1536, 7, 0},
			{free, 512, 5, 0}, {free, 0, 100, 0}, {free, 1536, 7, 0}},
			nil, 2, []int64{100, 105, 155, 162, 162, 157, 157, 157, 157, 57}, []int64{100, 50}, 162},
		{"D", nil, []int64{1024, 500, 1536, 400, 2048, 10}, 0, []int64{910}, []int64{10, 400, 500}, 910},
	}
	for _, v := range vectors {
		s, d := device(v.events...)
		for i := 0; i < len(v.blocks); i += 2 {
			block(d, uint64(v.blocks[i]), v.blocks[i+1], snapshot.BlockAllocated)
		}
		tl := New(s, d, Options{MaxEntries: v.maxEntries})
		if got := usage(tl); !slices.Equal(got, v.usage) {
			t.Errorf("%s: usage %v, want %v", v.name, got, v.usage)
		}
		var sizes []int64
		for _, id := range tl.Order {
			sizes = append(sizes, tl.Size[id])
		}
		if !slices.Equal(sizes, v.order) {
			t.Errorf("%s: bottom to top %v, want %v", v.name, sizes, v.order)
		}
		if tl.PeakBytes != v.peak {
			t.Errorf("%s: peak %d, want %d", v.name, tl.PeakBytes, v.peak)
		}
	}
}

// TestSegments is vector E.
func TestSegments(t *testing.T) {
	s, d := device(event{snapshot.ActionSegmentAlloc, 0, 4096, 0}, event{snapshot.ActionSegmentAlloc, 8192, 4096, 0},
		event{snapshot.ActionSegmentFree, 20000, 2048, 0}, event{snapshot.ActionSegmentFree, 0, 4096, 0},
		event{alloc, 0, 512, 0})
	d.Segments = []snapshot.Segment{{Addr: 8192, Size: 4096}}
	tl := New(s, d, Options{Mode: Segments})
	want := []int64{6144, 10240, 10240, 10240, 10240, 10240, 8192, 8192, 8192, 8192}
	if got := usage(tl); !slices.Equal(got, want) {
		t.Errorf("usage %v, want %v", got, want)
	}
}

// TestDoubleAlloc: the reference keeps an allocation whose address is handed out again for ever; here it ends
// there.
func TestDoubleAlloc(t *testing.T) {
	s, d := device(event{alloc, 0, 100, 1}, event{alloc, 0, 60, 2}, event{free, 0, 60, 3})
	tl := New(s, d, Options{})
	if want := []int64{0, 100, 0, 60, 0}; !slices.Equal(tl.Total, want) {
		t.Errorf("totals %v, want %v", tl.Total, want)
	}
	if tl.Anomalies.DoubleAllocs != 1 {
		t.Errorf("%d double allocs counted, want 1", tl.Anomalies.DoubleAllocs)
	}
	if a := tl.At(0); !a.FreeLost || a.FreeEvent != -1 || a.NeverFreed {
		t.Errorf("the first allocation is %+v, want its free lost", a)
	}
	if a := tl.At(1); a.FreeLost || a.FreeEvent != 2 {
		t.Errorf("the second allocation is %+v, want freed by event 2", a)
	}
}

// TestCompletionsSkipped: with skip_actions a trace can hold requests alone; then they end allocations, but only
// where something proves it.
func TestCompletionsSkipped(t *testing.T) {
	tests := []struct {
		name   string
		events []event
		block  snapshot.BlockState
		blocks bool
		end    int64
	}{
		{"address handed out again", []event{{alloc, 0, 100, 0}, {requested, 0, 100, 0}, {alloc, 0, 70, 0}}, 0, false,
			70},
		{"free at the end", []event{{alloc, 0, 100, 0}, {requested, 0, 100, 0}, {alloc, 512, 1, 0}},
			snapshot.BlockInactive, true, 1},
		{"pending at the end", []event{{alloc, 0, 100, 0}, {requested, 0, 100, 0}, {alloc, 512, 1, 0}},
			snapshot.BlockPendingFree, true, 101},
		{"no final state", []event{{alloc, 0, 100, 0}, {requested, 0, 100, 0}, {alloc, 512, 1, 0}}, 0, false, 101},
		{"cut off after the request", []event{{alloc, 0, 100, 0}, {requested, 0, 100, 0}}, snapshot.BlockInactive, true,
			100},
		{"completions recorded", []event{{alloc, 0, 100, 0}, {requested, 0, 100, 0}, {alloc, 512, 9, 0},
			{completed, 512, 9, 0}}, snapshot.BlockInactive, true, 100},
	}
	for _, test := range tests {
		s, d := device(test.events...)
		if test.blocks {
			block(d, 0, 100, test.block)
		}
		if got := New(s, d, Options{}).EndBytes; got != test.end {
			t.Errorf("%s: %d bytes at the end, want %d", test.name, got, test.end)
		}
	}
}

// TestOversized: sizes whose sum would overflow are left out and counted.
func TestOversized(t *testing.T) {
	s, d := device(event{alloc, 0, math.MaxInt64, 0}, event{alloc, 512, 100, 0}, event{free, 0, math.MaxInt64, 0},
		event{free, 1024, math.MaxInt64, 0})
	tl := New(s, d, Options{})
	if tl.PeakBytes != 100 || tl.Anomalies.Oversized != 3 {
		t.Errorf("peak %d with %d left out, want 100 with 3", tl.PeakBytes, tl.Anomalies.Oversized)
	}
}

// TestTimes: the list's order is the truth, a time before its predecessor's counts as that one's, and no allocation
// has a negative life.
func TestTimes(t *testing.T) {
	s, d := device(event{alloc, 0, 100, 1000}, event{free, 0, 100, 900}, event{alloc, 512, 1, snapshot.NoTime},
		event{alloc, 1024, 5, 1700})
	tl := New(s, d, Options{})
	for a, want := range []int64{100, 100, 100, 800} {
		if got := tl.TimeOf(a); got != want {
			t.Errorf("action %d at %d, want %d", a, got, want)
		}
	}
	if x0, x1 := tl.Span(0, Time); x0 != 100 || x1 != 100 {
		t.Errorf("the first allocation lives %v to %v, want an instant at 100", x0, x1)
	}
	if m := tl.Column(Time, 99.5, 100.5); tl.Height(m) != 100 {
		t.Errorf("the microsecond of alloc and free is %d high, want 100", tl.Height(m))
	}
	if us, ok := tl.PeakTime(); !ok || us != 1000 {
		t.Errorf("peak at %d, want 1000", us)
	}
}

// TestEmpty: nothing at all is a timeline too.
func TestEmpty(t *testing.T) {
	s, d := device()
	tl := New(s, d, Options{})
	if m := tl.Column(Events, 0, 1); m != NoMoment || tl.Height(m) != 0 || tl.Hit(m, 0) != None {
		t.Errorf("an empty trace shows %+v", m)
	}
	if tl.PeakBytes != 0 || tl.Extent(Events) != 1 || tl.HasTime() {
		t.Errorf("peak %d, extent %v", tl.PeakBytes, tl.Extent(Events))
	}
}
