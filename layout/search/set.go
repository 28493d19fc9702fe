package search

import (
	"math/bits"

	"strata/layout"
)

// A Set is allocations of one timeline, by ID.
type Set []uint64

// Has reports whether an allocation is in the set; none is in a nil one.
func (s Set) Has(id layout.ID) bool {
	return id >= 0 && int(id>>6) < len(s) && s[id>>6]>>(id&63)&1 == 1
}

// Next is the first allocation of the set from id on, or layout.None.
func (s Set) Next(id layout.ID) layout.ID {
	id = max(id, 0)
	for w := int(id >> 6); w < len(s); w++ {
		word := s[w]
		if w == int(id>>6) {
			word &= ^uint64(0) << (id & 63)
		}
		if word != 0 {
			return layout.ID(w<<6 + bits.TrailingZeros64(word))
		}
	}
	return layout.None
}

// Previous is the last allocation of the set up to id, or layout.None.
func (s Set) Previous(id layout.ID) layout.ID {
	id = min(id, layout.ID(len(s)<<6-1))
	for w := int(id >> 6); w >= 0 && id >= 0; w-- {
		word := s[w]
		if w == int(id>>6) {
			word &= ^uint64(0) >> (63 - id&63)
		}
		if word != 0 {
			return layout.ID(w<<6 + 63 - bits.LeadingZeros64(word))
		}
	}
	return layout.None
}
