package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"strata/layout/breakdown"
	"strata/layout/units"
)

// A Row is a group and what it holds in a moment of each timeline, bytes.
type Row struct {
	Match
	Bytes  [2]int64 // in A, in B
	Blocks [2]int32
}

// Difference is the bytes that it holds more in B than in A.
func (r *Row) Difference() int64 { return r.Bytes[1] - r.Bytes[0] }

// At is the groups that hold something in one of two states, of A and of B, the largest difference first. The bytes of
// each side sum up to Timeline.Total when no allocation is left out.
func (g *Groups) At(a, b int32) []Row {
	sums := [2]*breakdown.Sums{g.A.Sums(nil, a), g.B.Sums(nil, b)}
	var rows []Row
	for _, m := range g.All {
		r := Row{Match: m}
		for i, group := range [2]int32{m.A, m.B} {
			if group != breakdown.Excluded {
				r.Bytes[i], r.Blocks[i] = sums[i].Bytes[group], sums[i].Blocks[group]
			}
		}
		if r.Blocks != [2]int32{} || r.Bytes != [2]int64{} { // categories of a memory timeline have no blocks
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(abs(y.Difference()), abs(x.Difference())), cmp.Compare(y.Bytes[1], x.Bytes[1]),
			cmp.Compare(y.Bytes[0], x.Bytes[0]))
	})
	return rows
}

func abs(n int64) int64 { return max(n, -n) }

// Name is the name of a group in full, B's where both have it.
func (g *Groups) Name(m Match) string {
	if m.B != breakdown.Excluded {
		return g.B.Name(m.B)
	}
	return g.A.Name(m.A)
}

// Label is the name of a group as tables have it, B's where both have it.
func (g *Groups) Label(m Match) string {
	if m.B != breakdown.Excluded {
		return g.B.Label(m.B)
	}
	return g.A.Label(m.A)
}

// mostSaid is how many groups the sentence names; each is at least one in leastSaid of what both sides changed by.
const (
	mostSaid  = 3
	leastSaid = 20
)

// Sentence says how B differs from A at two moments, with the groups that differ most: "B peaks 3.1 GiB lower (20.2 →
// 17.1 GiB): train.py:112 evaluate −4.0 GiB". The rows are those of At.
func (g *Groups) Sentence(a, b breakdown.Moment, rows []Row) string {
	return Headline(a.Name, b.Name, g.A.Timeline.Total[a.State], g.B.Timeline.Total[b.State]) + g.said(rows)
}

// Headline says how many bytes B has against A, at moments of some names.
func Headline(atA, atB string, a, b int64) string {
	peak := atA == "peak" && atB == "peak"
	sizes := fmt.Sprintf(" (%s)", units.BytesChange(a, b))
	more, less := "more", "less"
	does, alike := "B holds", "as much as A"
	switch {
	case peak:
		does, more, less, alike = "B peaks", "higher", "lower", "as high as A"
	case atA == atB:
		does += " at " + named(atA)
	default:
		does += " at " + named(atB)
		sizes = fmt.Sprintf(" than A at %s%s", named(atA), sizes)
	}
	switch {
	case a == b && atA != atB:
		return fmt.Sprintf("%s as much as A at %s (%s)", does, named(atA), units.Bytes(b))
	case a == b:
		return fmt.Sprintf("%s %s (%s)", does, alike, units.Bytes(b))
	case b < a:
		more = less
	}
	return fmt.Sprintf("%s %s %s%s", does, units.Bytes(abs(b-a)), more, sizes)
}

// named is a moment's name in a sentence.
func named(name string) string {
	switch name {
	case "peak", "start", "end", "step":
		return "the " + name
	case "out of memory":
		return "its last failed request"
	}
	return "the peak of " + name
}

// said is the groups that differ most, as the end of a sentence.
func (g *Groups) said(rows []Row) string {
	var all int64
	for i := range rows {
		all += abs(rows[i].Difference())
	}
	var parts []string
	for i := range rows[:min(mostSaid, len(rows))] {
		r := &rows[i]
		d := r.Difference()
		if d == 0 || leastSaid*abs(d) < all {
			break
		}
		note := ""
		switch r.Rule {
		case New, Gone:
			note = " (" + r.Rule.String() + ")"
		}
		parts = append(parts, units.Clip(g.Label(r.Match), 120)+" "+units.SignedBytes(d)+note)
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
