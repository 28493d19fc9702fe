package raster

import (
	"math"
	"runtime"
	"sync"
	"weak"

	"strata/layout"
)

// A ladder holds the edges of all allocations that came during recording, as
// if they lay on one another and none were ever freed. Where a stack is solid
// (nothing between two of its places has gone), it lies in the stack as it
// lies here, only lower: one shift for all of it, and whatever a column frees
// below it, no table has to be made anew. A byte is found in one or two steps
// however many are live.
//
// It is made once for a timeline that has a solid part, and goes with it: 6
// bytes for each allocation.
type ladder struct {
	// By 64 IDs, which are a block: those with a place there. In a solid part
	// all of them are live.
	full []uint64

	edges sync.Once
	at    []int64  // by block, the lower edge of its first
	ends  []uint32 // by ID, upper edges; of each the low half
	// guide has for each 1<<shift bytes the first ID that ends above where
	// they begin, above that in starts of each 256 of them. There are at most
	// as many as allocations: of twice as many, with fewer steps from there,
	// less is in a near cache. Nil if that does not fit.
	guide  []uint16
	starts []uint32
	shift  uint
}

// tooLarge is what a block of a solid part may not have: the low halves of
// edges are told apart by less than half of their range.
const tooLarge = 1 << 31

var ladders sync.Map // from weak.Pointer[layout.Timeline] to *ladder

// ladderOf is the ladder of a timeline, yet without edges.
func ladderOf(t *layout.Timeline) *ladder {
	key := weak.Make(t)
	if l, ok := ladders.Load(key); ok {
		return l.(*ladder)
	}
	l := &ladder{full: make([]uint64, (len(t.Size)+blockLen-1)/blockLen)}
	for id, birth := range t.Birth {
		if birth > 0 && t.Drawn(layout.ID(id)) {
			l.full[id/blockLen] |= 1 << (id % blockLen)
		}
	}
	first, loaded := ladders.LoadOrStore(key, l)
	if !loaded {
		runtime.AddCleanup(t, func(key weak.Pointer[layout.Timeline]) { ladders.Delete(key) }, key)
	}
	return first.(*ladder)
}

// measure finds the edges. Blocks that are too large count as nothing.
func (l *ladder) measure(t *layout.Timeline) {
	n := len(t.Size)
	l.at, l.ends = make([]int64, len(l.full)+1), make([]uint32, n+1)
	at := int64(0)
	for b, full := range l.full {
		l.at[b] = at
		sizes := t.Size[b*blockLen : min(n, (b+1)*blockLen)]
		sum := int64(0)
		for k, size := range sizes {
			sum += size & -int64(full>>k&1)
		}
		if sum >= tooLarge {
			full = 0
		}
		ends := l.ends[b*blockLen:][:len(sizes)]
		for k, size := range sizes {
			at += size & -int64(full>>k&1)
			ends[k] = uint32(at)
		}
	}
	l.at[len(l.full)] = at
	for l.shift = 0; at>>l.shift > int64(n); l.shift++ {
	}
	l.guide = make([]uint16, at>>l.shift+2)
	l.starts = make([]uint32, len(l.guide)>>8+1)
	at = 0
	cell, first := 0, uint32(0)
	for id, end := range l.ends[:n] {
		at += int64(end - uint32(at))
		// Cells that begin before the end and are not done have this ID.
		for ; int64(cell)<<l.shift < at; cell++ {
			if cell&255 == 0 {
				first = uint32(id)
				l.starts[cell>>8] = first
			}
			if uint32(id)-first > math.MaxUint16 {
				l.guide = nil
				return
			}
			l.guide[cell] = uint16(uint32(id) - first)
		}
	}
}

// find finds what covers bytes of a solid part, y above the shifts. Which of
// the next ones it is is hard to guess, so the first step up has no branch; a
// second is seldom. To find where the guide leads for many before going up
// from there, for more reads at a time, was tried and took a third longer.
//
// Not inlined, where there are not registers enough and it takes twice as long.
//
//go:noinline
func (l *ladder) find(ids []layout.ID, shifts []int64, y int64) {
	guide, starts, ends, shift := l.guide, l.starts, l.ends, l.shift
	ids = ids[:len(shifts)]
	for i, at := range shifts {
		at += y
		cell := uint64(at) >> (shift & 63)
		k := starts[cell>>8] + uint32(guide[cell])
		k += (ends[k] - uint32(at) - 1) >> 31
		for int32(ends[k]-uint32(at)) <= 0 {
			k++
		}
		ids[i] = layout.ID(k)
	}
}
