package layout

import "math/bits"

// A slot is where an allocation lies in the stack, whatever else is there: of two live ones the one with the lower
// slot lies lower. Those from before recording come first, the last of them lowest, the others after them in the
// order they came (FORMAT.md, section 9.4); so a slot follows from the ID and needs no table. BlockSlots
// neighbouring slots are a block; none holds both kinds.

// BlockSlots is how many slots a block has: a word has a bit for each.
const BlockSlots = 64

// Slot is the slot of an allocation.
func (t *Timeline) Slot(id ID) int32 {
	if t.Birth[id] == 0 {
		return t.recordedFrom() - 1 - id
	}
	return t.recordedFrom() + id
}

// recordedFrom is the lowest slot of those that came during recording.
func (t *Timeline) recordedFrom() int32 {
	return int32((len(t.Size) + BlockSlots - 1) &^ (BlockSlots - 1))
}

// Blocks is the number of blocks.
func (t *Timeline) Blocks() int { return 2 * int(t.recordedFrom()) / BlockSlots }

// InBlock says which IDs have their slots in a block: that of its lowest slot, and the difference from one slot
// to the next, 1 or -1.
func (t *Timeline) InBlock(block int32) (first, next ID) {
	if p := block*BlockSlots - t.recordedFrom(); p >= 0 {
		return p, 1
	}
	return t.recordedFrom() - 1 - block*BlockSlots, -1
}

// slotSet is a set of slots of which the highest is quickly found: each level has a bit for every word of the
// level before that is not empty.
type slotSet struct {
	levels [][]uint64
	words  int // of the lowest level, not empty
}

func newSlotSet(blocks int) *slotSet {
	s := &slotSet{}
	for n := max(1, blocks); ; n = (n + 63) / 64 {
		s.levels = append(s.levels, make([]uint64, n))
		if n == 1 {
			return s
		}
	}
}

func (s *slotSet) add(p int32) {
	for l, level := range s.levels {
		w := &level[p>>6]
		was := *w
		*w |= 1 << (p & 63)
		if was != 0 {
			return
		}
		if l == 0 {
			s.words++
		}
		p >>= 6
	}
}

func (s *slotSet) remove(p int32) {
	for l, level := range s.levels {
		w := &level[p>>6]
		if *w &^= 1 << (p & 63); *w != 0 {
			return
		}
		if l == 0 {
			s.words--
		}
		p >>= 6
	}
}

// last is the highest slot in the set, -1 if it is empty.
func (s *slotSet) last() int32 {
	p := int32(0)
	for l := len(s.levels) - 1; l >= 0; l-- {
		w := s.levels[l][p]
		if w == 0 {
			return -1
		}
		p = p<<6 | int32(bits.Len64(w)-1)
	}
	return p
}

// blocks goes through the blocks that are not empty, bottom to top.
func (s *slotSet) blocks(yield func(block int32, live uint64) bool) {
	s.within(len(s.levels)-1, 0, yield)
}

func (s *slotSet) within(l int, i int32, yield func(block int32, live uint64) bool) bool {
	w := s.levels[l][i]
	if l == 0 {
		return w == 0 || yield(i, w)
	}
	for ; w != 0; w &= w - 1 {
		if !s.within(l-1, i<<6|int32(bits.TrailingZeros64(w)), yield) {
			return false
		}
	}
	return true
}

// A LiveBlock is the part of a live set that lies in one block.
type LiveBlock struct {
	Live  uint64 // a bit for each of its slots
	Bytes int64  // what they sum up to
	Block int32
}

// checkpoint remembers the live set of one state, so that those of later ones are found without replaying the trace
// from its start.
type checkpoint struct {
	state      int32
	born       int32 // the index in Order of the first not born by that state
	first, end int32 // its live set is liveBlocks[first:end]
}

// checkpointer takes a checkpoint whenever so many actions have passed that all checkpoints together stay within
// O(N) memory and going from one to a state between costs about as much as reading it.
type checkpointer struct {
	t     *Timeline
	set   *slotSet
	bytes []int64 // by block
	last  int32
}

// The fewest actions between two checkpoints, and for each block of the one before.
const (
	spacing      = 512
	blockSpacing = 16
)

// due reports whether a checkpoint is to be taken.
func (c *checkpointer) due(state int32) bool {
	return int(state-c.last) >= max(spacing, blockSpacing*c.set.words)
}

func (c *checkpointer) take(state int32, born int) {
	t := c.t
	first := int32(len(t.liveBlocks))
	c.set.blocks(func(block int32, live uint64) bool {
		t.liveBlocks = append(t.liveBlocks, LiveBlock{live, c.bytes[block], block})
		return true
	})
	t.checkpoints = append(t.checkpoints, checkpoint{state: state, born: int32(born), first: first,
		end: int32(len(t.liveBlocks))})
	c.last = state
}
