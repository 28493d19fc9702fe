package growth

import (
	"cmp"
	"slices"

	"strata/layout"
	"strata/layout/breakdown"
)

// Kept is what a group was given in a repetition and never gave back.
type Kept struct {
	Group  int32
	Blocks int
	Bytes  int64
	// Oldest and Newest are how many repetitions ago its blocks were made: 1 for the last whole one, 0 behind it.
	Oldest, Newest int
}

// Once is what a group was given in one repetition alone.
type Once struct {
	Group  int32
	Blocks int
	Bytes  int64 // of all its blocks together, whenever they were live
	Repeat int   // counted from 0
}

// mostLeft bounds both lists.
const mostLeft = 100

// left finds what repetitions left behind, and what only one of them made.
func (r *Result) left() {
	g, t := r.Grouping, r.Grouping.Timeline
	kept, once := make([]Kept, g.Len()), make([]Once, g.Len())
	last := len(r.States) - 1
	for id, of := range g.Of {
		if of == breakdown.Excluded || t.Birth[id] <= r.States[0] {
			if of != breakdown.Excluded && t.Birth[id] > 0 {
				once[of].Repeat = -1 // it was made before the repetitions too
			}
			continue
		}
		// Of a state the allocation that leads to it belongs to the repetition before.
		in, _ := slices.BinarySearch(r.States, t.Birth[id])
		in--
		if t.Death[id] == layout.Never {
			k := &kept[of]
			if k.Blocks++; k.Blocks == 1 {
				k.Group, k.Oldest, k.Newest = of, last-in, last-in
			}
			k.Bytes += t.Size[id]
			k.Oldest, k.Newest = max(k.Oldest, last-in), min(k.Newest, last-in)
		}
		o := &once[of]
		switch {
		case o.Repeat < 0 || o.Blocks > 0 && o.Repeat != in:
			o.Repeat = -1
		default:
			o.Group, o.Repeat = of, in
			o.Blocks++
			o.Bytes += t.Size[id]
		}
	}
	kept = slices.DeleteFunc(kept, func(k Kept) bool { return k.Blocks == 0 })
	once = slices.DeleteFunc(once, func(o Once) bool { return o.Blocks == 0 || o.Repeat < 0 })
	slices.SortStableFunc(kept, func(a, b Kept) int { return cmp.Compare(b.Bytes, a.Bytes) })
	slices.SortStableFunc(once, func(a, b Once) int { return cmp.Compare(b.Bytes, a.Bytes) })
	r.Kept = slices.Clip(kept[:min(len(kept), mostLeft)])
	r.Once = slices.Clip(once[:min(len(once), mostLeft)])
}
