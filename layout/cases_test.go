package layout

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"strata/snapshot"
)

// TestCases holds the figures and findings of the files in ../shared/cases whose right behaviour is the timeline's.
func TestCases(t *testing.T) {
	const dir = "../../shared/cases/"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the cases are not there:", err)
	}
	for _, c := range []struct {
		file             string
		device           int
		start, peak, end int64
		pending          int64
		finding, says    string
	}{
		{file: "pending_before.pickle", start: 12582912, peak: 13631488, end: 12582912, pending: 8388608,
			finding: "blocks-before-recording", says: "8.00 MiB of what is live at the end wait to be freed."},
		{file: "skip_alloc.pickle", start: 40 << 20, peak: 40 << 20, finding: "allocs-not-recorded",
			says: "make 40.0 MiB live at the start, more than an address can hold or than the 20.0 MiB"},
		{file: "ring_10000.pickle", start: 52428800, peak: 52428800, end: 51380224, finding: "ring-full",
			says: "exactly 10,000 events"},
		{file: "ring_wrapped.pickle", start: 1100, peak: 1100, end: 900},
		{file: "host_only.pickle", device: -1, peak: 9437184, end: 8388608},
	} {
		s, err := snapshot.Open(context.Background(), dir+c.file, snapshot.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		d := s.Host
		for i := range s.Devices {
			if s.Devices[i].Index == c.device {
				d = &s.Devices[i]
			}
		}
		tl := New(s, d, Options{})
		if tl.StartBytes != c.start || tl.PeakBytes != c.peak || tl.EndBytes != c.end || tl.PendingBytes != c.pending {
			t.Errorf("%s: start %d, peak %d, end %d, pending %d; want %+v", c.file, tl.StartBytes, tl.PeakBytes,
				tl.EndBytes, tl.PendingBytes, c)
		}
		findings := tl.Findings()
		at := slices.IndexFunc(findings, func(f snapshot.Finding) bool { return f.ID == c.finding })
		if c.finding != "" && (at < 0 || !strings.Contains(findings[at].Explain, c.says)) {
			t.Errorf("%s: %+v, want %s with %q", c.file, findings, c.finding, c.says)
		}
	}
}

// TestPending: memory that waits to be freed is live until its completion, whatever of it the trace holds.
func TestPending(t *testing.T) {
	for _, c := range []struct {
		name    string
		events  []event
		blocks  []snapshot.BlockState // of 100 bytes each, at 0, 512, …
		start   int64
		end     int64
		pending int64
	}{
		{"no event", nil, []snapshot.BlockState{snapshot.BlockPendingFree}, 100, 100, 100},
		{"only the request", []event{{requested, 0, 100, 1}, {alloc, 512, 5, 2}},
			[]snapshot.BlockState{snapshot.BlockPendingFree, snapshot.BlockInactive}, 100, 105, 100},
		{"only the request, and no blocks", []event{{alloc, 512, 5, 1}, {requested, 0, 100, 2}}, nil, 100, 105, 100},
		{"alloc and request", []event{{alloc, 0, 70, 1}, {requested, 0, 70, 2}, {alloc, 512, 5, 3}, {free, 512, 5, 4}},
			[]snapshot.BlockState{snapshot.BlockPendingFree}, 0, 70, 70},
		{"no event, where completions were skipped", []event{{alloc, 512, 5, 1}, {requested, 512, 5, 2},
			{alloc, 512, 5, 3},
			{requested, 512, 5, 4}, {alloc, 1024, 9, 5}},
			[]snapshot.BlockState{snapshot.BlockPendingFree, snapshot.BlockInactive, snapshot.BlockAllocated}, 100, 109,
			100},
		{"the completion too", []event{{requested, 0, 100, 1}, {alloc, 512, 5, 2}, {completed, 0, 100, 3}},
			nil, 100, 5, 0},
		{"completed before, used again", []event{{requested, 0, 100, 1}, {completed, 0, 100, 2}, {alloc, 0, 7, 3}},
			[]snapshot.BlockState{snapshot.BlockAllocated}, 100, 7, 0},
	} {
		s, d := device(c.events...)
		for i, state := range c.blocks {
			block(d, uint64(i)*512, 100, state)
		}
		tl := New(s, d, Options{})
		if tl.StartBytes != c.start || tl.EndBytes != c.end || tl.PendingBytes != c.pending {
			t.Errorf("%s: start %d, end %d, pending %d, want %d, %d, %d", c.name, tl.StartBytes, tl.EndBytes,
				tl.PendingBytes, c.start, c.end, c.pending)
		}
		var pending int64
		for id := range tl.Size {
			if a := tl.At(ID(id)); a.Pending {
				pending += a.Size
				if !a.NeverFreed || a.Addr != 0 {
					t.Errorf("%s: %+v is pending", c.name, a)
				}
			}
		}
		if pending != c.pending {
			t.Errorf("%s: %d bytes are marked as pending", c.name, pending)
		}
	}
}
