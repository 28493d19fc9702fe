package layout

import "math/bits"

// A place is where an allocation lies in the stack, whatever else is there: of two live ones the one with the lower
// place lies lower. Those from before recording come first, the last of them lowest, the others after them in the
// order they came (FORMAT.md, section 9.4); so a place follows from the ID and needs no table. BlockPlaces
// neighbouring places are a block; none holds both kinds.

// BlockPlaces is how many places a block has: a word has a bit for each.
const BlockPlaces = 64

// Place is the place of an allocation.
func (t *Timeline) Place(id ID) int32 {
	if t.Birth[id] == 0 {
		return t.ground() - 1 - id
	}
	return t.ground() + id
}

// ground is the lowest place of those that came during recording.
func (t *Timeline) ground() int32 {
	return int32((len(t.Size) + BlockPlaces - 1) &^ (BlockPlaces - 1))
}

// Blocks is the number of blocks.
func (t *Timeline) Blocks() int { return 2 * int(t.ground()) / BlockPlaces }

// InBlock says which IDs have their places in a block: that of its lowest place, and the difference from one place
// to the next, 1 or -1.
func (t *Timeline) InBlock(block int32) (first, next ID) {
	if p := block*BlockPlaces - t.ground(); p >= 0 {
		return p, 1
	}
	return t.ground() - 1 - block*BlockPlaces, -1
}

// placeSet is a set of places of which the highest is quickly found: each level has a bit for every word of the
// level before that is not empty.
type placeSet struct {
	levels [][]uint64
	words  int // of the lowest level, not empty
}

func newPlaceSet(blocks int) *placeSet {
	s := &placeSet{}
	for n := max(1, blocks); ; n = (n + 63) / 64 {
		s.levels = append(s.levels, make([]uint64, n))
		if n == 1 {
			return s
		}
	}
}

func (s *placeSet) add(p int32) {
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

func (s *placeSet) remove(p int32) {
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

// last is the highest place in the set, -1 if it is empty.
func (s *placeSet) last() int32 {
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

// lastBelow is the highest place in a set that has none from p on.
func (s *placeSet) lastBelow(p int32) int32 {
	if w := s.levels[0][p>>6]; w != 0 {
		return p&^63 | int32(bits.Len64(w)-1)
	}
	return s.last()
}

// blocks goes through the blocks that are not empty, bottom to top.
func (s *placeSet) blocks(yield func(block int32, live uint64) bool) {
	s.within(len(s.levels)-1, 0, yield)
}

func (s *placeSet) within(l int, i int32, yield func(block int32, live uint64) bool) bool {
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
	Live  uint64 // a bit for each of its places
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
	set   *placeSet
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
	t.checkpoints = append(t.checkpoints, checkpoint{state: state, born: int32(born), first: first, end: int32(len(t.liveBlocks))})
	c.last = state
}
