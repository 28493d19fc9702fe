package compare

import (
	"fmt"

	"strata/layout/breakdown"
)

// Notes are sentences about why a comparison may say less than it seems to: one of the two has no stacks, or is of a
// profiler beside a snapshot.
func (g *Groups) Notes() (notes []string) {
	a, b := g.A.Timeline.Snapshot, g.B.Timeline.Snapshot
	names := [2]string{"A", "B"}
	for i, s := range []bool{a.Stacks.Len() <= 1, b.Stacks.Len() <= 1} {
		if s && g.A.By <= breakdown.ByStack {
			notes = append(notes, names[i]+" has no stacks, so no group of it is a line of code; group by size")
		}
	}
	bands := [2]bool{g.A.Timeline.Banded(), g.B.Timeline.Banded()}
	for i, other := range []*breakdown.Grouping{g.B, g.A} {
		if bands[i] && !bands[1-i] && other.By != breakdown.ByCategory {
			notes = append(notes, names[i]+" is a memory timeline, which tells of categories alone; group by category")
		}
	}
	if a.IsTrace() != b.IsTrace() && bands == [2]bool{} {
		trace, other := 0, 1
		if b.IsTrace() {
			trace, other = 1, 0
		}
		notes = append(notes, fmt.Sprintf("%s is of a profiler: its sizes are rounded up to blocks, and what was "+
			"allocated before it has no line, while %s is a snapshot with requested sizes", names[trace],
			names[other]))
	}
	return notes
}
