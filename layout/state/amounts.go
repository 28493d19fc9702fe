package state

import (
	"cmp"
	"slices"
)

// Amount is one of the totals that are at hand for every state.
type Amount uint8

// The amounts, with the names that torch.cuda.memory_stats() has for them.
const (
	Reserved  Amount = iota // bytes of segments: reserved_bytes.all.current
	Allocated               // occupied by blocks in use: allocated_bytes.all.current
	Active                  // the same with blocks that wait for another stream: active_bytes.all.current
	Requested               // what all of these asked for: requested_bytes.all.current
	amounts
)

// Amounts are bytes, by Amount.
type Amounts [amounts]int64

// sumSpacing is how many states share one sum.
const sumSpacing = 64

// A sum is what there is in every 64th state, and the most in the 64 states from it on.
type sum struct {
	at, most Amounts
	next     changes
}

// changes are, of each list, the first that changes after a state.
type changes struct{ born, died, asked, segmentBorn, segmentDied int32 }

// findRequests lists the blocks that began to wait for another stream, by when.
func (h *History) findRequests() {
	for id := range h.sizes {
		if p := h.sizes[id].pending; p >= 0 && p != Never {
			h.requests = append(h.requests, int32(id))
		}
	}
	h.requests = slices.Clip(h.requests)
	slices.SortFunc(h.requests, func(a, b int32) int { return cmp.Compare(h.sizes[a].pending, h.sizes[b].pending) })
}

// sum makes the sums of all states.
func (h *History) sum() {
	var at Amounts
	var c changes
	h.sums = make([]sum, 0, h.Len()/sumSpacing+1)
	for k := -1; k < h.Len(); k++ {
		h.step(&at, &c, int32(k))
		if (k+1)%sumSpacing == 0 {
			h.sums = append(h.sums, sum{at, at, c})
		}
		most := &h.sums[len(h.sums)-1].most
		for i := range most {
			most[i] = max(most[i], at[i])
		}
	}
}

// step goes from state k-1 to state k.
func (h *History) step(at *Amounts, c *changes, k int32) {
	for ; int(c.segmentBorn) < len(h.ranges) && h.segments.list[c.segmentBorn].from <= k; c.segmentBorn++ {
		at[Reserved] += h.ranges[c.segmentBorn].Size
	}
	for ; int(c.segmentDied) < len(h.segments.ends); c.segmentDied++ {
		id := h.segments.ends[c.segmentDied]
		if h.segments.list[id].to > k {
			break
		}
		at[Reserved] -= h.ranges[id].Size
	}
	for ; int(c.born) < len(h.sizes) && h.blocks.list[c.born].from <= k; c.born++ {
		b := &h.sizes[c.born]
		at[Requested] += b.requested
		at[Active] += b.occupied
		if b.pending >= 0 {
			at[Allocated] += b.occupied
		}
	}
	for ; int(c.asked) < len(h.requests) && h.sizes[h.requests[c.asked]].pending <= k; c.asked++ {
		at[Allocated] -= h.sizes[h.requests[c.asked]].occupied
	}
	for ; int(c.died) < len(h.blocks.ends); c.died++ {
		id := h.blocks.ends[c.died]
		if h.blocks.list[id].to > k {
			break
		}
		b := &h.sizes[id]
		at[Requested] -= b.requested
		at[Active] -= b.occupied
		if b.pending == Never {
			at[Allocated] -= b.occupied
		}
	}
}

// Amounts are the totals of state k.
func (h *History) Amounts(k int) Amounts {
	for _, at := range h.Between(k, k) {
		return at
	}
	return Amounts{}
}

// Between goes through the totals of the states from lo to hi, -1 ≤ lo ≤ hi < Len(). It costs the same for each.
func (h *History) Between(lo, hi int) func(yield func(k int, at Amounts) bool) {
	return func(yield func(k int, at Amounts) bool) {
		i := (lo + 1) / sumSpacing
		at, c := h.sums[i].at, h.sums[i].next
		for k := i*sumSpacing - 1; k <= hi; k++ {
			h.step(&at, &c, int32(k))
			if k >= lo && !yield(k, at) {
				return
			}
		}
	}
}

// Most returns the largest total in the states from lo to hi, -1 ≤ lo ≤ hi < Len(), and the first that has it.
func (h *History) Most(a Amount, lo, hi int) (bytes int64, k int) {
	bytes, k = -1, lo
	scan := func(lo, hi int) {
		for at, x := range h.Between(lo, hi) {
			if x[a] > bytes {
				bytes, k = x[a], at
			}
		}
	}
	first, last := (lo+sumSpacing)/sumSpacing, (hi+1)/sumSpacing // whole sums [first, last)
	if first >= last {
		scan(lo, hi)
		return bytes, k
	}
	if edge := first*sumSpacing - 1; lo < edge {
		scan(lo, edge-1)
	}
	best := -1
	for i := first; i < last; i++ {
		if m := h.sums[i].most[a]; m > bytes {
			bytes, best = m, i
		}
	}
	if best >= 0 {
		bytes--
		scan(best*sumSpacing-1, best*sumSpacing+sumSpacing-2)
	}
	scan(last*sumSpacing-1, hi)
	return bytes, k
}

// Peak returns the largest total of all states and the first that has it.
func (h *History) Peak(a Amount) (bytes int64, k int) { return h.Most(a, -1, h.Len()-1) }

// ReservedChanges goes through the states in which the segments changed, state -1 first, with the reserved bytes.
func (h *History) ReservedChanges(yield func(k int, bytes int64) bool) {
	var reserved int64
	var born, died int
	list, ends := h.segments.list, h.segments.ends
	for k := int32(-1); ; {
		for ; born < len(list) && list[born].from <= k; born++ {
			reserved += h.ranges[born].Size
		}
		for ; died < len(ends) && list[ends[died]].to <= k; died++ {
			reserved -= h.ranges[ends[died]].Size
		}
		if !yield(int(k), reserved) {
			return
		}
		k = Never
		if born < len(list) {
			k = list[born].from
		}
		if died < len(ends) {
			k = min(k, list[ends[died]].to)
		}
		if k == Never {
			return
		}
	}
}
