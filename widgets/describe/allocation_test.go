package describe

import (
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/units"
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
