package state

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// TestCurve: on all files a curve has in each column what a walk over all states finds, and its peak is the history's.
func TestCurve(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.pickle")
	more, _ := filepath.Glob(filepath.Join(shared, "snapshots/*.pickle"))
	if len(files) == 0 {
		t.Fatal("no bundled files")
	}
	for _, file := range append(files, more...) {
		s := open(t, file)
		for _, d := range s.All() {
			h, tl := New(s, d), layout.New(s, d, layout.Options{})
			for a := range amounts {
				checkCurve(t, file, h, tl, a)
			}
		}
	}
}

func checkCurve(t *testing.T, file string, h *History, tl *layout.Timeline, a Amount) {
	t.Helper()
	c := NewCurve(h, tl, a)
	peak, k := h.Peak(a)
	if peak > 0 && !h.loose && (c.Peak != peak || int(c.PeakAt) != h.Event(k)) {
		t.Errorf("%s: peak of %s %d at %d, want %d at %d", file, a, c.Peak, c.PeakAt, peak, h.Event(k))
	}
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		if axis == layout.Time && !tl.HasTime() {
			continue
		}
		type change struct {
			x     float64
			bytes int64
		}
		extent := tl.Extent(axis)
		changes := []change{{bytes: h.atMost(h.Amounts(-1), a)}}
		for k, now := range h.Between(0, h.Len()-1) {
			if last, now := changes[len(changes)-1], h.atMost(now, a); now != last.bytes {
				x := max(last.x, min(tl.XOfEvent(axis, int32(h.Event(k))), extent-1))
				changes = append(changes, change{x, now})
			}
		}
		const columns = 37
		for i := range columns {
			x0, x1 := extent*float64(i)/columns, extent*float64(i+1)/columns
			least, most := changes[0].bytes, changes[0].bytes
			for _, c := range changes[1:] {
				switch {
				case c.x < x0:
					least, most = c.bytes, c.bytes
				case c.x < x1:
					least, most = min(least, c.bytes), max(most, c.bytes)
				}
			}
			if low, high := c.Column(axis, x0, x1); low != least || high != most {
				t.Fatalf("%s: %s in column %d of axis %d: %d to %d, want %d to %d", file, a, i, axis,
					low, high, least, most)
			}
		}
	}
}

// TestTrades: segments given back in a row are one trade, and a flush only directly before a segment or a failure.
func TestTrades(t *testing.T) {
	device := func(actions string) *snapshot.Device {
		kinds := map[string]snapshot.Action{"a": snapshot.ActionAlloc, "S": snapshot.ActionSegmentAlloc,
			"M": snapshot.ActionSegmentMap, "f": snapshot.ActionSegmentFree, "u": snapshot.ActionSegmentUnmap,
			"o": snapshot.ActionOOM}
		d := &snapshot.Device{}
		for _, a := range strings.Split(actions, "") {
			d.Events.Action = append(d.Events.Action, kinds[a])
			d.Events.Size = append(d.Events.Size, 10)
		}
		return d
	}
	for actions, want := range map[string][]Trade{
		"aSa":  {{First: 1, Last: 1, Events: 1, Bytes: 10}},
		"ffa":  {{First: 0, Last: 1, Events: 2, Bytes: -20}},
		"faS":  {{First: 0, Last: 0, Events: 1, Bytes: -10}, {First: 2, Last: 2, Events: 1, Bytes: 10}},
		"ffS":  {{First: 0, Last: 1, Events: 2, Bytes: -20, Flush: true}, {First: 2, Last: 2, Events: 1, Bytes: 10}},
		"aufo": {{First: 1, Last: 2, Events: 2, Bytes: -20, Flush: true, Failed: true}},
		"uMf": {{First: 0, Last: 0, Events: 1, Bytes: -10, Flush: true}, {First: 1, Last: 1, Events: 1, Bytes: 10},
			{First: 2, Last: 2, Events: 1, Bytes: -10}},
	} {
		if got := trades(device(actions)); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", actions, got, want)
		}
	}
}

// TestSegmentTimeline: on all files the stacked segments add up to what is reserved, at the peak and after each event.
// Without expandable segments they are the reference's.
func TestSegmentTimeline(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.pickle")
	more, _ := filepath.Glob(filepath.Join(shared, "snapshots/*.pickle"))
	for _, file := range append(files, more...) {
		s := open(t, file)
		for _, d := range s.All() {
			h := New(s, d)
			tl := h.SegmentTimeline()
			if peak, _ := h.Peak(Reserved); tl.PeakBytes != peak {
				t.Errorf("%s: peak %d, want %d", file, tl.PeakBytes, peak)
			}
			for k, bytes := range h.ReservedChanges {
				a := 0
				for a < len(tl.Actions) && eventOf(tl, a) <= h.Event(k) {
					a++
				}
				if tl.Total[a] != bytes && len(tl.Actions) > 1 {
					t.Fatalf("%s: %d reserved after event %d, want %d", file, tl.Total[a], k, bytes)
				}
			}
			reference := layout.New(s, d, layout.Options{Mode: layout.Segments})
			if slices.Contains(d.Events.Action, snapshot.ActionSegmentMap) ||
				slices.Contains(d.Events.Action, snapshot.ActionSegmentUnmap) || h.Anomalies.Text() != "" {
				continue
			}
			if !slices.Equal(tl.Size, reference.Size) || !slices.Equal(tl.Order, reference.Order) ||
				!slices.Equal(tl.Actions, reference.Actions) || !slices.Equal(tl.Total, reference.Total) {
				t.Errorf("%s: %d segments in %d actions, the reference has %d in %d", file, len(tl.Size),
					len(tl.Actions), len(reference.Size), len(reference.Actions))
			}
		}
	}
}

// TestPoolPeaks: on all files the most that a pool and stream reserved is what a walk over all changes finds.
func TestPoolPeaks(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.pickle")
	more, _ := filepath.Glob(filepath.Join(shared, "snapshots/alloc-*.pickle"))
	for _, file := range append(files, more...) {
		s := open(t, file)
		for _, d := range s.All() {
			h := New(s, d)
			want, streams := map[PoolKey]int64{}, map[snapshot.StreamID]int64{}
			for k := range h.ReservedChanges {
				now := map[snapshot.StreamID]int64{}
				for _, p := range h.At(k).Pools() {
					want[p.PoolKey] = max(want[p.PoolKey], p.Reserved)
					now[p.Stream] += p.Reserved
					streams[p.Stream] = max(streams[p.Stream], now[p.Stream])
				}
			}
			if got := h.PoolPeaks(); !maps.Equal(got, want) {
				t.Errorf("%s: %v, want %v", file, got, want)
			}
			if got := h.StreamPeaks(); !maps.Equal(got, streams) {
				t.Errorf("%s: streams %v, want %v", file, got, streams)
			}
		}
	}
}

// TestCurveOfLooseBlocks: blocks in no segment, of which nothing says what they occupy, do not make a line that leaves
// the picture.
func TestCurveOfLooseBlocks(t *testing.T) {
	s := &snapshot.Snapshot{Streams: []int64{0}, Pools: []snapshot.Pool{{}}}
	d := &snapshot.Device{}
	ev := &d.Events
	for i, addr := range []uint64{1 << 20, 1 << 50, 1 << 50, 1 << 20} {
		action := snapshot.ActionAlloc
		if i >= 2 {
			action = snapshot.ActionFree
		}
		ev.Action, ev.Addr, ev.Size = append(ev.Action, action), append(ev.Addr, addr), append(ev.Size, 1000)
		ev.Stream, ev.Stack = append(ev.Stream, 0), append(ev.Stack, 0)
	}
	h, tl := New(s, d), layout.New(s, d, layout.Options{})
	if c := NewCurve(h, tl, Active); c.Peak != 2000 {
		t.Errorf("at most %d bytes are active, want 2000", c.Peak)
	}
	asked, occupied := h.At(1).Inside()
	if asked != 0 || occupied != 0 || h.Amounts(1)[Requested] != 2000 {
		t.Errorf("%d and %d in segments of %d", asked, occupied, h.Amounts(1)[Requested])
	}
}
