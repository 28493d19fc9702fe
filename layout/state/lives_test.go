package state

import (
	"path/filepath"
	"slices"
	"testing"

	"strata/layout"
)

// TestLives: on all bundled files the segments' lives add up to what is reserved in each state, blocks of a state are
// those live in the timeline, and blocks of the last state are those of the file.
func TestLives(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.pickle")
	more, _ := filepath.Glob(filepath.Join(shared, "snapshots/alloc-*.pickle"))
	if len(files) == 0 {
		t.Fatal("no bundled files")
	}
	for _, file := range append(files, more...) {
		s := open(t, file)
		for i := range s.Devices {
			h := New(s, &s.Devices[i])
			lives := h.SegmentLives()
			for k := -1; k < h.Len(); k += max(1, h.Len()/7) {
				var sum int64
				for _, life := range lives {
					for _, x := range life {
						if int(x.From) <= k && k < int(x.To) {
							sum += x.Size
						}
					}
				}
				if got := h.Amounts(k)[Reserved]; got != sum {
					t.Fatalf("%s: %d bytes reserved in %d, the lives have %d", file, got, k, sum)
				}
			}
			for _, life := range lives {
				for j := range life[1:] {
					if life[j].To != life[j+1].From {
						t.Fatalf("%s: a life ends at %d and goes on at %d", file, life[j].To, life[j+1].From)
					}
				}
			}
			if h.Anomalies == (Anomalies{}) && len(h.Device.Blocks.State) > 0 {
				checkIDs(t, file, h)
			}
		}
	}
}

func checkIDs(t *testing.T, file string, h *History) {
	t.Helper()
	tl := layout.New(h.Snapshot, h.Device, layout.Options{})
	if tl.Anomalies != (layout.Anomalies{}) || len(tl.Actions) < 2 {
		return
	}
	ids := h.IDs(tl)
	for k := -1; k < h.Len(); k += max(1, h.Len()/7) {
		var got []layout.ID
		for _, id := range h.At(k).Blocks {
			got = append(got, ids[id])
		}
		slices.Sort(got)
		state := int32(0)
		for state < int32(len(tl.Actions)) && eventOf(tl, int(state)) <= h.Event(k) {
			state++
		}
		want := tl.Live(nil, state)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: state %d has %d allocations, the timeline %d", file, k, len(got), len(want))
		}
	}
}

func eventOf(t *layout.Timeline, action int) int {
	if id := t.Actions[action]; id < 0 {
		return int(t.Freed[^id])
	}
	return int(t.Origin[t.Actions[action]])
}
