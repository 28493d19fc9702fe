package state

import (
	"cmp"
	"slices"
	"sort"

	"strata/layout"
	"strata/snapshot"
)

// A SegmentSpan is a segment as long as it neither grew nor shrank: in the states From ≤ k < To, To may be Never.
type SegmentSpan struct {
	Range
	Addr     uint64
	From, To int32
}

// A SegmentLife is a segment from the state in which it is first to the one in which it is no longer. What an
// expandable segment maps joins the part at its left, else at its right; of one cut in two the left part goes on.
type SegmentLife []SegmentSpan

// SegmentLives returns all segments there ever were, by their first state and then address.
func (h *History) SegmentLives() []SegmentLife {
	n := int32(0)
	for i := range h.ranges {
		n = max(n, h.ranges[i].Life+1)
	}
	lives := make([]SegmentLife, n)
	for id, g := range h.segments.list {
		r := h.ranges[id]
		lives[r.Life] = append(lives[r.Life], SegmentSpan{Range: r, Addr: g.addr, From: g.from, To: g.to})
	}
	lives = slices.DeleteFunc(lives, func(l SegmentLife) bool { return len(l) == 0 })
	slices.SortStableFunc(lives, func(a, b SegmentLife) int {
		return cmp.Or(cmp.Compare(a[0].From, b[0].From), cmp.Compare(a[0].Addr, b[0].Addr))
	})
	return lives
}

// IDs returns, by block, its number in a timeline of the same device in mode Allocations, layout.None where that has
// none.
func (h *History) IDs(t *layout.Timeline) []layout.ID {
	ids := make([]layout.ID, len(h.sizes))
	recorded := 0 // allocations known by an event, in its order
	for recorded < len(t.Origin) && t.Origin[recorded] >= 0 &&
		(recorded == 0 || t.Origin[recorded-1] < t.Origin[recorded]) {
		recorded++
	}
	final := map[int32]layout.ID{} // the others, by block or event
	for id := recorded; id < len(t.Origin); id++ {
		final[t.Origin[id]] = layout.ID(id)
	}
	byEvent := func(event int) layout.ID {
		if i, found := slices.BinarySearch(t.Origin[:recorded], int32(event)); found {
			return layout.ID(i)
		}
		if id, is := final[int32(event)]; is {
			return id
		}
		return layout.None
	}
	for id, b := range h.blocks.list {
		ids[id] = layout.None
		switch {
		case h.allocated(b):
			ids[id] = byEvent(h.events.first(int(b.from)))
		case b.to != Never:
			ids[id] = byEvent(h.Event(int(b.to)))
		default:
			if of, is := final[^h.sizes[id].final]; is {
				ids[id] = of
			}
		}
	}
	return ids
}

// StackOf is the stack of a block's alloc; if that is not in the file, born is false and it is that of its free.
func (h *History) StackOf(id int32) (stack snapshot.StackID, born bool) {
	b, ev := h.blocks.list[id], h.events.ev
	switch final := h.sizes[id].final; {
	case h.allocated(b):
		return ev.Stack[h.events.first(int(b.from))], true
	case final >= 0:
		return h.Device.Blocks.Stack[final], true
	default:
		return ev.Stack[h.events.first(int(b.to))], false
	}
}

// Find is the block that covers an address in a state, false if none does.
func (s *State) Find(addr uint64) (id int32, found bool) {
	list := s.History.blocks.list
	i := sort.Search(len(s.Blocks), func(i int) bool { return list[s.Blocks[i]].addr > addr }) - 1
	if i < 0 {
		return 0, false
	}
	id = s.Blocks[i]
	return id, addr < end(list[id].addr, s.History.sizes[id].occupied)
}

// NextSegmentEvent is the first event after k, or before it if by is negative, that changes segments; false if there is
// none.
func (h *History) NextSegmentEvent(k, by int) (int, bool) {
	for k += by; k >= 0 && k < h.Len(); k += by {
		switch h.Action(k) {
		case snapshot.ActionSegmentAlloc, snapshot.ActionSegmentFree, snapshot.ActionSegmentMap,
			snapshot.ActionSegmentUnmap:
			return k, true
		}
	}
	return k, false
}
