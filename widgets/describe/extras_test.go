package describe

import (
	"context"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// opened lays out a file of the shared cases.
func opened(t *testing.T, name string) *layout.Timeline {
	t.Helper()
	s, err := snapshot.Open(context.Background(), "../../../shared/cases/"+name, snapshot.Options{})
	if err != nil {
		t.Skip(err)
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}

// TestNotesOfAnnotateEvents: an allocation says what was said of it, in order, in the tooltip and in the copied
// details.
func TestNotesOfAnnotateEvents(t *testing.T) {
	tl := opened(t, "annotate_twice.pickle")
	for id, want := range [][]string{{`annotated: {"saved_for":"backward"}`, "annotated: layer 3 weight"}, nil} {
		var got []string
		for _, n := range Allocation(tl, About{}, layout.ID(id), layout.Events).Notes {
			got = append(got, n.Line())
		}
		if !slices.Equal(got, want) {
			t.Errorf("allocation %d: %q, want %q", id, got, want)
		}
		text := AllocationText(tl, About{}, layout.ID(id), layout.Events)
		if has := strings.Contains(text, strings.Join(append(want, ""), "\n")); !has {
			t.Errorf("allocation %d: the details lack them: %s", id, text)
		}
	}
}

// TestPendingIsSaid: what waits to be freed is not called leaked.
func TestPendingIsSaid(t *testing.T) {
	tl := opened(t, "pending_before.pickle")
	pending := 0
	for id := range layout.ID(len(tl.Size)) {
		note := Allocation(tl, About{}, id, layout.Events).Note
		if tl.Pending(id) {
			pending++
		}
		if says := strings.Contains(note, "pending"); says != tl.Pending(id) ||
			says && strings.Contains(note, "never freed") {
			t.Errorf("allocation %d, pending %v: %q", id, tl.Pending(id), note)
		}
	}
	if pending != 1 {
		t.Errorf("%d allocations are pending", pending)
	}
}
