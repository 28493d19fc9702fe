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

// A piece is a part of a segment that came and went as a whole.
type piece struct {
	addr uint64
	size int64
	from int32 // state
}

// SegmentTimeline lays out the segments of the device: in each state they add up to what was reserved. What an
// expandable segment maps lies in the stack as a block of its own, and loses what is unmapped of it.
func (h *History) SegmentTimeline() *layout.Timeline {
	var lives []layout.Life
	done := func(p piece, to int32) {
		l := layout.Life{Addr: p.addr, Size: p.size, From: int32(h.Event(int(p.from))), To: -1}
		if to != Never {
			l.To = int32(h.Event(int(to)))
		}
		lives = append(lives, l)
	}
	live := map[int32][]piece{} // by life
	list, ends := h.segments.list, h.segments.ends
	for k, born, died := int32(-1), 0, 0; k != Never; {
		var old []piece
		var now []int32
		for ; died < len(ends) && list[ends[died]].to <= k; died++ {
			life := h.ranges[ends[died]].Life
			old = append(old, live[life]...)
			delete(live, life)
		}
		for ; born < len(list) && list[born].from <= k; born++ {
			now = append(now, int32(born))
		}
		h.pass(live, old, now, k, done)
		k = Never
		if born < len(list) {
			k = list[born].from
		}
		if died < len(ends) {
			k = min(k, list[ends[died]].to)
		}
	}
	for _, pieces := range live {
		for _, p := range pieces {
			done(p, Never)
		}
	}
	return layout.NewSegments(h.Snapshot, h.Device, lives)
}

// pass hands the pieces of segments that end in state k over to those that begin in it. What these do not cover is
// done, and what they have beside it is new.
func (h *History) pass(live map[int32][]piece, old []piece, now []int32, k int32, done func(piece, int32)) {
	slices.SortStableFunc(old, func(a, b piece) int { return cmp.Compare(a.addr, b.addr) })
	slices.SortStableFunc(now, func(a, b int32) int {
		return cmp.Compare(h.segments.list[a].addr, h.segments.list[b].addr)
	})
	for _, id := range now {
		r, from := &h.ranges[id], h.segments.list[id].addr
		to, at := end(from, r.Size), from // what is below at is in pieces
		var rest, mine []piece
		for _, p := range old {
			behind := end(p.addr, p.size)
			lo, hi := max(p.addr, at), min(behind, to)
			if lo >= hi {
				rest = append(rest, p)
				continue
			}
			if p.addr < lo {
				rest = append(rest, piece{p.addr, int64(lo - p.addr), p.from})
			}
			if at < lo {
				mine = append(mine, piece{at, int64(lo - at), k})
			}
			mine = append(mine, piece{lo, int64(hi - lo), p.from})
			if hi < behind {
				rest = append(rest, piece{hi, int64(behind - hi), p.from})
			}
			at = hi
		}
		if at < to {
			mine = append(mine, piece{at, int64(to - at), k})
		}
		old, live[r.Life] = rest, append(live[r.Life], mine...)
	}
	for _, p := range old {
		done(p, k)
	}
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
