package colour

import (
	"bytes"

	"strata/layout"
)

// contacts lists which drawn allocations ever lie directly on one another, as pairs; one pair may occur several
// times.
//
// Two meet when one is pushed on top of the other, or when the last between them is freed.
func contacts(t *layout.Timeline) [][2]layout.ID {
	var pairs [][2]layout.ID
	if t.Banded() {
		return nil
	}
	// The live ones as a list, by ID + 1; 0 is the end on both sides.
	below, above := make([]int32, len(t.Size)+1), make([]int32, len(t.Size)+1)
	push := func(id layout.ID) {
		top := below[0]
		below[id+1], above[id+1] = top, 0
		above[top], below[0] = id+1, id+1
		if top != 0 {
			pairs = append(pairs, [2]layout.ID{top - 1, id})
		}
	}
	for _, id := range t.Order {
		if t.Birth[id] > 0 {
			break
		}
		push(id)
	}
	for _, a := range t.Actions {
		if a >= 0 {
			if t.Drawn(a) {
				push(a)
			}
			continue
		}
		if !t.Drawn(^a) {
			continue
		}
		b, o := below[^a+1], above[^a+1]
		above[b], below[o] = o, b
		if b != 0 && o != 0 {
			pairs = append(pairs, [2]layout.ID{b - 1, o - 1})
		}
	}
	return pairs
}

// apart gives each of n allocations a hue that none in contact with it has. Those with fewer neighbours than there are
// hues always find one free, so they come last. Contacts are those of areas in a plane of time and bytes, six on
// average: the few others hardly ever find all hues taken, and then blocks have separators as well.
func apart(n int, pairs [][2]layout.ID) []uint8 {
	last, degree := make([]int32, n), make([]int32, n) // last pair of an allocation, twice its index, + 1 + its side
	before := make([]int32, 2*len(pairs))
	for i, p := range pairs {
		for side, v := range p {
			k := int32(2*i + side)
			before[k], last[v] = last[v], k+1
			degree[v]++
		}
	}
	const none = 31
	hues := bytes.Repeat([]byte{none}, n)
	for _, many := range [...]bool{true, false} {
		for v := range hues {
			if degree[v] >= hueCount != many {
				continue
			}
			var taken uint32
			for k := last[v]; k > 0; k = before[k-1] {
				taken |= 1 << hues[pairs[(k-1)/2][1-(k-1)%2]]
			}
			h := uint32(v) * 2654435761 >> 16 % hueCount // spread them
			for i := 0; i < hueCount && taken>>h&1 == 1; i++ {
				h = (h + 1) % hueCount
			}
			hues[v] = uint8(h)
		}
	}
	return hues
}
