package state

import (
	"cmp"
	"math"
	"slices"

	"strata/snapshot"
)

// A State is what the allocator held after one event. It is immutable.
type State struct {
	History  *History
	K        int
	Segments []Segment // by address, then size
	Blocks   []int32   // all blocks, by address; History.Block tells of each
	Outside  []int32   // those in no segment
	Totals   Totals
}

// A Segment is one segment in a state.
type Segment struct {
	Range
	Addr uint64
	// First and End say which blocks begin in it: State.Blocks[First:End].
	First, End int
	Free       int64 // bytes of it in no block
	Largest    int64 // bytes of its largest free range
	Since      int32 // the state since which it has this size
	Until      int32 // the first state in which it no longer has it, or Never
	Occupied   int64 // bytes of its blocks
	Requested  int64 // what they asked for
}

// Totals are what a state adds up to, in bytes but for the counts. FORMAT.md, section 10.2, defines them and says
// what torch.cuda.memory_stats() calls each.
type Totals struct {
	Reserved, Requested, Allocated, Active, Pending int64
	// InactiveSplit is free, but in segments of cudaMalloc that also hold blocks: inactive_split_bytes.all.current.
	InactiveSplit int64
	// Releasable is free and would be given back to the driver by torch.cuda.empty_cache().
	Releasable int64
	Free       int64 // cached: all free ranges
	Largest    int64 // the largest free range
	Segments   int
	Blocks     int
}

// A Block is one block through its life.
type Block struct {
	Addr      uint64
	Requested int64 // bytes asked for
	Occupied  int64 // bytes it takes of its segment
	// Born is the state in which it is first, Died the first in which it is no longer, or Never. Waits is the state
	// since which it waits for another stream, -1: since before it can be told, Never: it does not.
	Born, Waits, Died int32
}

// Block tells of a block by its number, 0 ≤ id < History.BlockCount().
func (h *History) Block(id int32) Block {
	b, s := h.blocks.list[id], &h.sizes[id]
	return Block{Addr: b.addr, Requested: s.requested, Occupied: s.occupied, Born: b.from, Waits: s.pending, Died: b.to}
}

// Pending reports whether the block is freed in state k, but waits for another stream.
func (b *Block) Pending(k int) bool { return int(b.Waits) <= k }

// End is the address behind the block.
func (b *Block) End() uint64 { return end(b.Addr, b.Occupied) }

// ViewerSize is the size that PyTorch's own viewer draws a block with.
func (b *Block) ViewerSize() int64 {
	if b.Died == Never {
		return b.Occupied
	}
	return b.Requested
}

// BlockCount is how many blocks there ever were.
func (h *History) BlockCount() int { return len(h.sizes) }

// At returns state k, -1 ≤ k < Len().
func (h *History) At(k int) *State {
	s := &State{History: h, K: k}
	s.Blocks = h.blocks.at(nil, int32(k))
	ids := h.segments.at(nil, int32(k))
	s.Segments = make([]Segment, len(ids))
	for i, id := range ids {
		g := h.segments.list[id]
		s.Segments[i] = Segment{Range: h.ranges[id], Addr: g.addr, Since: g.from, Until: g.to}
	}
	bySize := func(a, b Segment) int { // of equal ones the one that is there longer
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Size, b.Size), cmp.Compare(b.Until, a.Until))
	}
	if !slices.IsSortedFunc(s.Segments, bySize) {
		slices.SortStableFunc(s.Segments, bySize)
	}
	s.place()
	at, t := h.Amounts(k), &s.Totals
	t.Reserved, t.Requested, t.Allocated, t.Active = at[Reserved], at[Requested], at[Allocated], at[Active]
	t.Pending = t.Active - t.Allocated
	t.Segments, t.Blocks = len(s.Segments), len(s.Blocks)
	return s
}

// Inside is what the blocks that lie in segments asked for and what they occupy, in bytes. What those occupy that lie
// in none is not known: with them totals do not add up.
func (s *State) Inside() (requested, occupied int64) {
	for i := range s.Segments {
		requested += s.Segments[i].Requested
		occupied += s.Segments[i].Occupied
	}
	return requested, occupied
}

// ViewerRounded is the sum of block sizes, in bytes, as PyTorch's own viewer has them.
func (s *State) ViewerRounded() int64 {
	var sum int64
	for _, id := range s.Blocks {
		b := s.History.Block(id)
		sum += b.ViewerSize()
	}
	return sum
}

// place finds which blocks lie in which segment, and the room between them.
func (s *State) place() {
	first, covered := 0, uint64(0) // covered: how far segments reached so far
	outside := func(to uint64) {
		for ; first < len(s.Blocks); first++ {
			addr := s.History.blocks.list[s.Blocks[first]].addr
			if addr >= to && to != math.MaxUint64 {
				return
			}
			if addr >= covered {
				s.Outside = append(s.Outside, s.Blocks[first])
			}
		}
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		outside(g.Addr)
		g.First = first
		s.fill(g)
		covered = max(covered, end(g.Addr, g.Size))
		t := &s.Totals
		t.Free += g.Free
		t.Largest = max(t.Largest, g.Largest)
	}
	outside(math.MaxUint64)
}

// fill goes through the blocks of a segment and the free ranges between them.
func (s *State) fill(g *Segment) {
	t, page := &s.Totals, s.History.pageOf(g)
	for id, free := range s.Within(g) {
		if id >= 0 {
			g.End++
			size := &s.History.sizes[id]
			g.Occupied += size.occupied
			g.Requested += size.requested
			continue
		}
		g.Free += free.Size
		g.Largest = max(g.Largest, free.Size)
		switch {
		case g.Expandable:
			t.Releasable += wholePages(g.Addr, free, page)
		case free.Size < g.Size:
			t.InactiveSplit += free.Size
		default:
			t.Releasable += free.Size
		}
	}
	g.End += g.First
}

// A FreeRange is a free part of a segment.
type FreeRange struct {
	Addr uint64
	Size int64 // bytes
}

// Within goes through a segment of the state from its start to its end: its blocks, with no range, and the free ranges
// between them, with id -1.
func (s *State) Within(g *Segment) func(yield func(id int32, free FreeRange) bool) {
	return func(yield func(id int32, free FreeRange) bool) {
		at, to := g.Addr, end(g.Addr, g.Size)
		for _, id := range s.Blocks[g.First:] {
			b := s.History.blocks.list[id]
			if b.addr >= to {
				break
			}
			if b.addr > at && !yield(-1, FreeRange{at, int64(b.addr - at)}) {
				return
			}
			if !yield(id, FreeRange{}) {
				return
			}
			at = max(at, end(b.addr, s.History.sizes[id].occupied))
		}
		if to > at {
			yield(-1, FreeRange{at, int64(to - at)})
		}
	}
}

// pageOf is what a segment is mapped by, in bytes, if it is expandable.
func (h *History) pageOf(g *Segment) int64 {
	if g.Large {
		return h.settings.Page
	}
	return smallPage
}

// wholePages is how much of a free range are whole pages of an expandable segment.
func wholePages(start uint64, free FreeRange, page int64) int64 {
	lo := (int64(free.Addr-start) + page - 1) / page * page
	hi := (int64(free.Addr-start) + free.Size) / page * page
	return max(0, hi-lo)
}

// PoolKey names what shares free ranges, but for small and large ones.
type PoolKey struct {
	Pool   snapshot.PoolID // 0: not known
	Stream snapshot.StreamID
}

// PoolTotals are the totals of one pool and stream, in bytes.
type PoolTotals struct {
	PoolKey
	Reserved, Requested, Free int64
	Largest                   int64 // the largest free range
	Segments                  int
}

// PoolPeaks returns the most that each pool and stream reserved in any state, bytes.
func (h *History) PoolPeaks() map[PoolKey]int64 {
	return peaks(h, func(r *Range) PoolKey { return PoolKey{r.Pool, r.Stream} })
}

// StreamPeaks returns the most that each stream reserved in any state, bytes.
func (h *History) StreamPeaks() map[snapshot.StreamID]int64 {
	return peaks(h, func(r *Range) snapshot.StreamID { return r.Stream })
}

// peaks returns the most that was reserved of each kind.
func peaks[K comparable](h *History, kind func(*Range) K) map[K]int64 {
	now, most := map[K]int64{}, map[K]int64{}
	list, ends := h.segments.list, h.segments.ends
	key := func(id int32) K { return kind(&h.ranges[id]) }
	for born, died := int32(0), 0; int(born) < len(list); {
		k := list[born].from
		for ; died < len(ends) && list[ends[died]].to <= k; died++ {
			now[key(ends[died])] -= h.ranges[ends[died]].Size
		}
		from := born
		for ; int(born) < len(list) && list[born].from == k; born++ {
			now[key(born)] += h.ranges[born].Size
		}
		for id := from; id < born; id++ {
			most[key(id)] = max(most[key(id)], now[key(id)])
		}
	}
	return most
}

// Pools returns the totals by pool and stream, the most reserved first.
func (s *State) Pools() []PoolTotals {
	var list []PoolTotals
	index := map[PoolKey]int{}
	for i := range s.Segments {
		g := &s.Segments[i]
		key := PoolKey{g.Pool, g.Stream}
		at, is := index[key]
		if !is {
			at = len(list)
			index[key] = at
			list = append(list, PoolTotals{PoolKey: key})
		}
		p := &list[at]
		p.Reserved += g.Size
		p.Requested += g.Requested
		p.Free += g.Free
		p.Largest = max(p.Largest, g.Largest)
		p.Segments++
	}
	slices.SortStableFunc(list, func(a, b PoolTotals) int { return cmp.Compare(b.Reserved, a.Reserved) })
	return list
}
