package render

import (
	"math"
	"math/bits"

	"strata/layout"
)

// advance brings the stack to a step, the first or a later one, and returns
// the byte below which nothing has changed.
func (s *stack) advance(step int32) int64 {
	t := s.t
	s.forgetChanges()
	lowest := int32(math.MaxInt32)
	state, blocks := t.Checkpoint(step)
	if s.step < 0 || int(state-s.step) > 2*len(blocks) {
		lowest = s.jump(blocks)
		s.step, s.jumped = state, true
	}
	actions := t.Actions[s.step:step]
	lowest = min(lowest, s.come(actions, step))
	for len(actions) > 0 {
		n := min(len(actions), len(s.changes))
		lowest = min(lowest, s.leave(s.left(actions[:n])))
		actions = actions[n:]
	}
	s.step = step
	if lowest < math.MaxInt32 {
		return s.offset(lowest)
	}
	return s.total
}

// jump takes over a live set and returns the lowest place that it changes.
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

// come brings in what comes in actions and stays until step, and returns the
// lowest place of it, MaxInt32 if there is none. What comes and goes between
// two columns is not seen. Which does is hard to guess, so there is no branch;
// and they come in the order of their IDs, so actions need not be read.
func (s *stack) come(actions []layout.ID, step int32) int32 {
	t := s.t
	first, last := 0, len(actions)-1
	for first <= last && actions[first] < 0 {
		first++
	}
	for first <= last && actions[last] < 0 {
		last--
	}
	if first > last {
		return math.MaxInt32
	}
	lowest := int32(math.MaxInt32)
	id, end := actions[first], actions[last]+1
	ground := t.Place(id) - id
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
	s.added = min(s.added, lowest)
	return lowest
}

// left lists what goes in actions of what was live before them.
func (s *stack) left(actions []layout.ID) []layout.ID {
	n := 0
	for _, x := range actions {
		id := x ^ x>>31 // what came in an action was not live before
		s.changes[n%len(s.changes)] = id
		n += int(uint32(s.t.Birth[id]-s.step-1) >> 31)
	}
	return s.changes[:n]
}

// leave takes out what goes and returns the lowest place of it, MaxInt32 if
// there is none. Neighbours are often in one block: they go together.
func (s *stack) leave(ids []layout.ID) int32 {
	t := s.t
	lowest := int32(math.MaxInt32)
	block, gone, bytes := int32(0), uint64(0), int64(0)
	for _, id := range ids {
		if !t.Drawn(id) {
			continue
		}
		p := t.Place(id)
		if p/blockLen != block {
			if gone != 0 {
				s.set(int(block), s.live[block]&^gone, -bytes)
			}
			block, gone, bytes = p/blockLen, 0, 0
		}
		gone |= 1 << (p % blockLen)
		bytes += t.Size[id]
		s.drop += t.Size[id]
		lowest, s.freed = min(lowest, p), max(s.freed, p)
	}
	if gone != 0 {
		s.set(int(block), s.live[block]&^gone, -bytes)
	}
	return lowest
}
