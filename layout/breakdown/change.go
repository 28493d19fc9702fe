package breakdown

import (
	"cmp"
	"slices"

	"strata/layout"
)

// A Change is how a group differs between two states A and B. Blocks are told apart by what they are, not by their
// size: Common ones are live in both without having been freed between.
type Change struct {
	Group             int32
	A, B              int64 // bytes held
	New, Gone, Common int32 // blocks live in B alone, in A alone, in both
	// Allocated and Freed are the bytes that came and went between the two states, in the order of the trace.
	Allocated, Freed int64
}

// Difference is the bytes that a group holds more in B than in A.
func (c *Change) Difference() int64 { return c.B - c.A }

// Between compares two states, of which either may be the earlier one. It returns the groups that have blocks in one
// of them or had some between, the largest difference first, whether it grew or shrank.
func (g *Grouping) Between(a, b int32) []Change {
	from, to := min(a, b), max(a, b)
	changes := make([]Change, len(g.keys))
	sums := g.Sums(nil, from)
	for i := range changes {
		c := &changes[i]
		c.Group, c.A, c.B, c.Common = int32(i), sums.Bytes[i], sums.Bytes[i], sums.Blocks[i]
	}
	t := g.Timeline
	if t.Banded() {
		g.changeBands(changes, from, to)
		from = to
	}
	for _, action := range t.Actions[from:to] {
		id := max(action, ^action)
		if g.Of[id] == Excluded {
			continue
		}
		c, size := &changes[g.Of[id]], t.Size[id]
		if action >= 0 {
			c.B += size
			c.Allocated += size
			if t.Death[id] > to {
				c.New++
			}
			continue
		}
		c.B -= size
		c.Freed += size
		if t.Birth[id] <= from {
			c.Gone++
			c.Common--
		}
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool {
		return c.New == 0 && c.Gone == 0 && c.Common == 0 && c.Allocated == 0 && c.Freed == 0 && c.A == 0
	})
	if a > b {
		for i := range changes {
			c := &changes[i]
			c.A, c.B, c.New, c.Gone = c.B, c.A, c.Gone, c.New
		}
	}
	slices.SortFunc(changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(abs(y.Difference()), abs(x.Difference())), cmp.Compare(y.B, x.B),
			cmp.Compare(x.Group, y.Group))
	})
	return changes
}

func abs(n int64) int64 { return max(n, -n) }

// Blocks appends the allocations of a group that are live in a state, the largest first.
func (g *Grouping) Blocks(dst []layout.ID, group, state int32) []layout.ID {
	t, n := g.Timeline, len(dst)
	for i, of := range g.Of {
		if of == group && t.Birth[i] <= state && t.Death[i] > state {
			dst = append(dst, layout.ID(i))
		}
	}
	slices.SortFunc(dst[n:], func(a, b layout.ID) int {
		return cmp.Or(cmp.Compare(t.Size[b], t.Size[a]), cmp.Compare(a, b))
	})
	return dst
}
