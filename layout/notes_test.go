package layout

import (
	"context"
	"slices"
	"testing"

	"strata/snapshot"
)

// TestNotes: the texts of annotate events belong to the allocation that is live at their address, in their order.
func TestNotes(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../shared/cases/annotate_twice.pickle", snapshot.Options{})
	if err != nil {
		t.Skip(err)
	}
	tl := New(s, &s.Devices[0], Options{})
	for id, want := range [][]string{{`{"saved_for":"backward"}`, "layer 3 weight"}, nil} {
		var got []string
		for _, m := range tl.Notes(ID(id)) {
			got = append(got, s.Strings[s.Metas[m].User])
		}
		if !slices.Equal(got, want) {
			t.Errorf("allocation %d has the notes %q, want %q", id, got, want)
		}
	}
}
