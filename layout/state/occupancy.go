package state

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"strata/layout"
)

// An Occupancy is all that ever lay in one segment, placed along an axis of a timeline. It is immutable.
type Occupancy struct {
	History   *History
	Life      SegmentLife
	Low, High uint64 // the addresses that the segment ever had: Low ≤ address < High
	// Blocks are those that lay in it, by where they begin. X are the places on the axis at which each begins and ends,
	// Spans likewise of the spans of Life.
	Blocks []int32
	X      [][2]float64
	Spans  [][2]float64

	reach    []float64 // by stretch of Blocks: where the last of it ends
	timeline *layout.Timeline
	axis     layout.Axis
}

// stretch is how many blocks are passed over together.
const stretch = 64

// LifeOf is the Range.Life of the segment that a block was made in, false where it lies in none.
func (h *History) LifeOf(block int32) (life int32, in bool) {
	b := h.blocks.list[block]
	at := h.At(int(b.from))
	for i := range at.Segments {
		if g := &at.Segments[i]; b.addr-g.Addr < uint64(g.Size) {
			return g.Life, true
		}
	}
	return 0, false
}

// NewOccupancy finds what ever lay in the segment of a Range.Life, nil if there is none. ids are what History.IDs
// returns for the timeline, layout.None for blocks that it does not know.
func NewOccupancy(h *History, t *layout.Timeline, ids []layout.ID, axis layout.Axis, life int32) *Occupancy {
	o := &Occupancy{History: h, Low: math.MaxUint64, timeline: t, axis: axis}
	for id, g := range h.segments.list {
		if r := h.ranges[id]; r.Life == life {
			o.Life = append(o.Life, SegmentSpan{Range: r, Addr: g.addr, From: g.from, To: g.to})
			o.Spans = append(o.Spans, [2]float64{o.At(g.from), o.At(g.to)})
			o.Low, o.High = min(o.Low, g.addr), max(o.High, end(g.addr, r.Size))
		}
	}
	if o.Life == nil {
		return nil
	}
	for id, b := range h.blocks.list {
		if b.addr < o.Low || b.addr >= o.High || !o.Life.holds(b) {
			continue
		}
		x := [2]float64{o.At(b.from), 0}
		if known := ids[id]; known != layout.None {
			x[0], x[1] = t.Span(known, axis)
		} else {
			x[1] = o.At(b.to)
		}
		o.Blocks, o.X = append(o.Blocks, int32(id)), append(o.X, x)
	}
	o.sort()
	return o
}

// At is where a state begins on the axis: -1 at its start, Never at its end.
func (o *Occupancy) At(k int32) float64 {
	switch {
	case k < 0:
		return 0
	case k == Never:
		return o.timeline.Extent(o.axis)
	}
	return o.timeline.XOfEvent(o.axis, int32(o.History.Event(int(k))))
}

// holds reports whether a block lay in the segment at some time.
func (l SegmentLife) holds(b span) bool {
	i := max(0, sort.Search(len(l), func(i int) bool { return l[i].From > b.from })-1)
	for ; i < len(l) && l[i].From < b.to; i++ {
		if l[i].To > b.from && b.addr-l[i].Addr < uint64(l[i].Size) {
			return true
		}
	}
	return false
}

// sort brings the blocks in the order of their begins: times of a file may go back.
func (o *Occupancy) sort() {
	if !slices.IsSortedFunc(o.X, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) }) {
		order := make([]int, len(o.X))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(o.X[a][0], o.X[b][0]) })
		blocks, x := make([]int32, len(order)), make([][2]float64, len(order))
		for to, from := range order {
			blocks[to], x[to] = o.Blocks[from], o.X[from]
		}
		o.Blocks, o.X = blocks, x
	}
	for part := range slices.Chunk(o.X, stretch) {
		far := 0.
		for _, x := range part {
			far = max(far, x[1])
		}
		o.reach = append(o.reach, far)
	}
}

// Within goes through the blocks, indexes into Blocks, that are there somewhere in the part [x0, x1) of the axis.
func (o *Occupancy) Within(x0, x1 float64) func(yield func(i int) bool) {
	return func(yield func(int) bool) {
		for part, far := range o.reach {
			if from := part * stretch; o.X[from][0] >= x1 {
				return
			} else if far > x0 {
				for i := from; i < min(len(o.X), from+stretch) && o.X[i][0] < x1; i++ {
					if o.X[i][1] > x0 && !yield(i) {
						return
					}
				}
			}
		}
	}
}

// A Hole is a free range through the states From ≤ k < To in which it is just as large.
type Hole struct {
	FreeRange
	From, To int32 // -1: since before the first event, Never: to the end
	// Maker is the block that made it: by its free if Freed, else by taking what lay beside it. Ender is the block that
	// ended it: by lying down in it if Taken, else by its free, which made it larger. Either is -1 where the segment
	// itself changed, or where nothing is known.
	Maker, Ender int32
	Freed, Taken bool
	Below, Above int32 // the blocks beside it, -1 for the ends of the segment
}

// Hole finds the free range that holds an address at a place of the axis, false where there is none.
func (o *Occupancy) Hole(x float64, addr uint64) (Hole, bool) {
	hole := Hole{Maker: -1, Ender: -1, Below: -1, Above: -1}
	at := -1
	for i, s := range o.Life {
		if o.Spans[i][0] <= x && x < o.Spans[i][1] && addr-s.Addr < uint64(s.Size) {
			at = i
		}
	}
	if at < 0 {
		return hole, false
	}
	lo, hi := o.Life[at].Addr, end(o.Life[at].Addr, o.Life[at].Size)
	for i := range o.Within(x, math.Nextafter(x, math.Inf(1))) {
		switch b := o.History.Block(o.Blocks[i]); {
		case b.Addr > addr && b.Addr < hi:
			hi, hole.Above = b.Addr, o.Blocks[i]
		case b.End() <= addr && b.End() > lo:
			lo, hole.Below = b.End(), o.Blocks[i]
		case b.Addr <= addr && b.End() > addr:
			return hole, false
		}
	}
	hole.FreeRange = FreeRange{lo, int64(hi - lo)}
	same := func(s *SegmentSpan) bool { // the segment ends, or goes on, beside the hole
		from, to := s.Addr, end(s.Addr, s.Size)
		return (from == lo || from < lo && hole.Below >= 0) && (to == hi || to > hi && hole.Above >= 0)
	}
	first, last := at, at
	for ; first > 0 && same(&o.Life[first-1]); first-- {
	}
	for ; last+1 < len(o.Life) && same(&o.Life[last+1]); last++ {
	}
	hole.From, hole.To = o.Life[first].From, o.Life[last].To
	begin := func(id, k int32, freed bool) {
		if k >= hole.From {
			hole.From, hole.Maker, hole.Freed = k, id, freed
		}
	}
	finish := func(id, k int32, taken bool) {
		if k < hole.To {
			hole.To, hole.Ender, hole.Taken = k, id, taken
		}
	}
	for _, id := range []int32{hole.Below, hole.Above} {
		if id >= 0 {
			b := o.History.Block(id)
			begin(id, b.Born, false)
			finish(id, b.Died, false)
		}
	}
	for i, id := range o.Blocks {
		b := o.History.Block(id)
		switch overlaps := b.Addr < hi && b.End() > lo; {
		case !overlaps:
		case o.X[i][1] <= x:
			begin(id, b.Died, true)
		case o.X[i][0] > x:
			finish(id, b.Born, true)
		}
	}
	return hole, true
}
