package raster

import (
	"math"
	"math/bits"

	"strata/layout"
)

// advance brings the stack to a step, the first or a later one, and returns the byte below which nothing has changed.
func (s *stack) advance(step int32) int64 {
	t := s.t
	lowest := int32(math.MaxInt32)
	state, blocks := t.Checkpoint(step)
	if s.step < 0 || int(state-s.step) > 2*len(blocks) {
		lowest = s.jump(blocks)
		s.step = state
	}
	actions := t.Actions[s.step:step]
	if t.Banded() {
		actions = nil
	}
	first, end := arrivals(actions)
	lowest = min(lowest, s.insert(first, end, step))
	for len(actions) > 0 {
		n := min(len(actions), len(s.changes))
		lowest = min(lowest, s.remove(s.departures(actions[:n], first)))
		actions = actions[n:]
	}
	s.step = step
	if lowest < math.MaxInt32 {
		return s.offset(lowest)
	}
	return s.total
}

// jump takes over a live set and returns the lowest slot that it changes.
func (s *stack) jump(blocks []layout.LiveBlock) int32 {
	lowest := int32(math.MaxInt32)
	rest := blocks
	for i, w := range s.some {
		for ; w != 0; w &= w - 1 {
			g := i<<6 | bits.TrailingZeros64(w)
			for l := s.groups[g].live; l != 0; l &= l - 1 {
				b := int32(g*blockLen | bits.TrailingZeros64(l))
				for len(rest) > 0 && rest[0].Block < b {
					rest = rest[1:]
				}
				if len(rest) == 0 || rest[0].Block > b {
					lowest = min(lowest, b*blockLen+int32(bits.TrailingZeros64(s.live[b])))
					s.set(int(b), 0, -s.bytes[b])
				}
			}
		}
	}
	for i := range blocks {
		n := &blocks[i]
		if was := s.live[n.Block]; was != n.Live {
			lowest = min(lowest, n.Block*blockLen+int32(bits.TrailingZeros64(was^n.Live)))
			s.set(int(n.Block), n.Live, n.Bytes-s.bytes[n.Block])
		}
	}
	return lowest
}

// arrivals returns the first ID that is allocated in actions and the one after the last; IDs ascend in the order of
// allocs. If there is none, both are above all IDs.
func arrivals(actions []layout.ID) (first, end layout.ID) {
	for len(actions) > 0 && actions[0] < 0 {
		actions = actions[1:]
	}
	for i := len(actions) - 1; i >= 0; i-- {
		if actions[i] >= 0 {
			return actions[0], actions[i] + 1
		}
	}
	return math.MaxInt32, math.MaxInt32
}

// insert adds those of the IDs [id, end) that are allocated after the stack's step and live at the next one, and
// returns the lowest slot of them, MaxInt32 if there is none. What is allocated and freed between two columns is not
// shown. There is no branch for that, as it would be mispredicted half of the time.
func (s *stack) insert(id, end layout.ID, step int32) int32 {
	t := s.t
	lowest := int32(math.MaxInt32)
	if id == end {
		return lowest
	}
	ground := t.Slot(id) - id
	for id < end {
		b := (ground + id) / blockLen
		next := min(end, (b+1)*blockLen-ground)
		live, bytes := uint64(0), int64(0)
		births, deaths := t.Birth[id:next], t.Death[id:next]
		sizes := t.Size[id:next]
		deaths, sizes = deaths[:len(births)], sizes[:len(births)]
		for i, birth := range births {
			in := uint64(uint32(step-deaths[i])&uint32(s.step-birth)) >> 31
			live |= in << (i & 63)
			bytes += sizes[i] & -int64(in)
		}
		live <<= (ground + id) % blockLen
		if t.Options.MaxEntries > 0 {
			for l := live; l != 0; l &= l - 1 {
				k := bits.TrailingZeros64(l)
				if id := b*blockLen + int32(k) - ground; !t.Drawn(id) {
					live &^= 1 << k
					bytes -= t.Size[id]
				}
			}
		}
		if live != 0 {
			lowest = min(lowest, b*blockLen+int32(bits.TrailingZeros64(live)))
			s.set(int(b), s.live[b]|live, bytes)
		}
		id = next
	}
	return lowest
}

// departures lists what is freed in actions and was live before them; first is the first ID allocated in them.
func (s *stack) departures(actions []layout.ID, first layout.ID) []layout.ID {
	n := 0
	if s.t.Unmatched == 0 {
		for _, x := range actions {
			id := x ^ x>>31 // what was allocated in actions is not below first
			s.changes[n%len(s.changes)] = id
			n += int(uint32(id-first) >> 31)
		}
		return s.changes[:n]
	}
	for _, x := range actions {
		id := x ^ x>>31 // IDs of unmatched frees may be anywhere
		s.changes[n%len(s.changes)] = id
		n += int(uint32(s.t.Birth[id]-s.step-1) >> 31)
	}
	return s.changes[:n]
}

// remove takes IDs out and returns their lowest slot, MaxInt32 if there is none. Neighbours are often freed one after
// the other, and are taken together.
func (s *stack) remove(ids []layout.ID) int32 {
	t := s.t
	lowest := int32(math.MaxInt32)
	alone := t.Unmatched > 0 || t.Options.MaxEntries > 0 // the next ID may not be the next place
	block, gone, bytes := int32(0), uint64(0), int64(0)
	for len(ids) > 0 {
		id, n := ids[0], int32(1)
		for !alone && int(n) < len(ids) && ids[n] == id+n {
			n++
		}
		ids = ids[n:]
		if !t.Drawn(id) {
			continue
		}
		p := t.Slot(id)
		lowest = min(lowest, p)
		for sizes := t.Size[id : id+n]; len(sizes) > 0; {
			if p/blockLen != block {
				if gone != 0 {
					s.set(int(block), s.live[block]&^gone, -bytes)
				}
				block, gone, bytes = p/blockLen, 0, 0
			}
			k := min(len(sizes), int(blockLen-p%blockLen))
			gone |= math.MaxUint64 >> (blockLen - k) << (p % blockLen)
			for _, size := range sizes[:k] {
				bytes += size
			}
			sizes, p = sizes[k:], p+int32(k)
		}
	}
	if gone != 0 {
		s.set(int(block), s.live[block]&^gone, -bytes)
	}
	return lowest
}
