package describe

import (
	"context"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/widgettest"
)

func TestDescribe(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	for id, size := range tl.Size {
		for _, axis := range []layout.Axis{layout.Events, layout.Time} {
			d := Allocation(tl, About{}, layout.ID(id), axis)
			if d.Exact != units.ExactBytes(size) || d.Size != units.Bytes(size) {
				t.Fatalf("allocation %d of %d bytes is called %s, %s", id, size, d.Size, d.Exact)
			}
			if d.Alive == "" || d.Lasted == "" || d.Totals == "" {
				t.Fatalf("allocation %d: %+v", id, d)
			}
			if tl.Death[id] == layout.Never && !strings.Contains(d.Note, "never freed") {
				t.Fatalf("allocation %d is never freed, and nothing says so", id)
			}
		}
	}
	if d := Allocation(tl, About{}, layout.None, layout.Events); d.Size != "" {
		t.Fatal("nothing has a size")
	}
}

// TestSums: what a trace tells only the sum of has neither a shape nor an address, and all else has.
func TestSums(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../testdata/profiler/lost-events.json", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, s.FirstDevice(), layout.Options{})
	about, sums := About{Shape: func(int64) string { return "a shape" }}, 0
	for id := range tl.Size {
		d := Allocation(tl, about, layout.ID(id), layout.Events)
		sum := strings.Contains(d.Note, "not one allocation")
		if sum != (d.Shape == "") || sum != (d.Address == "") {
			t.Errorf("allocation %d: shape %q, address %q, note %q", id, d.Shape, d.Address, d.Note)
		}
		if sum {
			sums++
		}
	}
	if sums != 3 {
		t.Errorf("%d of %d are sums", sums, len(tl.Size))
	}
}
