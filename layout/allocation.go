package layout

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"strata/snapshot"
)

// An Allocation is what there is to say about one allocation.
type Allocation struct {
	ID     ID
	Addr   uint64
	Size   int64 // bytes
	Stream snapshot.StreamID
	Pool   snapshot.PoolID
	Stack  snapshot.StackID // where it was allocated; of the free if that is all there is
	// FreeStack is the stack of its free, 0 when not recorded.
	FreeStack snapshot.StackID
	Meta      snapshot.MetaID
	// AllocEvent and FreeEvent index Device.Events, -1 when there is none.
	AllocEvent, FreeEvent int32
	// Block indexes Device.Blocks (Device.Segments in mode Segments) when it is known from the final state alone,
	// else -1.
	Block int32
	// BeforeRecording: it was live before the first event. NeverFreed: it is live after the last. FreeLost: its
	// free is not in the trace, it was ended by another alloc at its address.
	// Pending: it is live after the last event, but waits to be freed: another stream still uses it.
	BeforeRecording, NeverFreed, FreeLost, Pending bool
}

// At describes an allocation.
func (t *Timeline) At(id ID) Allocation {
	a := Allocation{ID: id, Addr: t.AddrOf(id), Size: t.Size[id], Stream: t.StreamOf(id), Pool: t.PoolOf(id),
		Stack: t.StackOf(id), AllocEvent: -1, FreeEvent: t.FreeEvent(id), Block: -1,
		BeforeRecording: t.BeforeRecording(id), NeverFreed: t.Death[id] == Never, Pending: t.Pending(id)}
	ev := &t.Device.Events
	if o := t.Origin[id]; o < 0 {
		a.Block = ^o
	} else {
		if ev.Meta != nil {
			a.Meta = ev.Meta[o]
		}
		if !t.KnownByFree(id) {
			a.AllocEvent = o
		}
	}
	if a.FreeEvent >= 0 {
		a.FreeStack = ev.Stack[a.FreeEvent]
	}
	a.FreeLost = a.FreeEvent != t.Freed[id]
	return a
}

// BeforeRecording reports whether an allocation was live before the first event.
func (t *Timeline) BeforeRecording(id ID) bool { return t.Origin[id] < 0 || t.KnownByFree(id) }

// IsSum reports whether an allocation stands for memory of which a trace tells no more than how much it was: what was
// there before, and what is in the totals but not in the events. Its address is made up.
func (t *Timeline) IsSum(id ID) bool {
	if !t.Snapshot.IsTrace() {
		return false
	}
	if t.Origin[id] < 0 {
		return true
	}
	return t.AddrOf(id) > math.MaxInt64 // where the reader's own addresses are
}

// Pending reports whether an allocation is live after the last event, but waits to be freed: another stream still uses
// it.
func (t *Timeline) Pending(id ID) bool {
	_, found := slices.BinarySearch(t.pending, id)
	return found
}

// KnownByFree reports whether the event that an allocation is known by is its free, or the request to free it: its
// stack is not where it was allocated.
func (t *Timeline) KnownByFree(id ID) bool {
	o := t.Origin[id]
	return o >= 0 && kindOf[t.Device.Events.Action[o]]&(beginBlock|beginSegment|beginPart) == 0
}

// FreeEvent is the event that freed an allocation, -1 if there is none: an alloc that took its address over is none.
func (t *Timeline) FreeEvent(id ID) int32 {
	f := t.Freed[id]
	if f >= 0 && (t.Device.Events.Action[f] == snapshot.ActionAlloc ||
		t.Device.Events.Action[f] == snapshot.ActionSegmentAlloc) {
		return -1
	}
	return f
}

// Notes are the metadata of the annotate events of an allocation, in their order; their texts are Meta.User
// (FORMAT.md, section 5.2).
func (t *Timeline) Notes(id ID) []snapshot.MetaID {
	ev := &t.Device.Events
	if t.Options.Mode == Segments || ev.Meta == nil || len(t.Device.Notes) == 0 {
		return nil
	}
	addr, from, to := t.AddrOf(id), t.At(id).AllocEvent, t.Freed[id]
	if to < 0 {
		to = int32(ev.Len())
	}
	var found []snapshot.MetaID
	i, _ := slices.BinarySearch(t.Device.Notes, from)
	for _, n := range t.Device.Notes[i:] {
		if n < to && ev.Addr[n] == addr {
			found = append(found, ev.Meta[n])
		}
	}
	return found
}

// StackOf is where an allocation was made; of the free if that is all there is.
func (t *Timeline) StackOf(id ID) snapshot.StackID {
	switch o := t.Origin[id]; {
	case o >= 0:
		return t.Device.Events.Stack[o]
	case t.Options.Mode == Segments:
		return t.Device.Segments[^o].Stack
	default:
		return t.Device.Blocks.Stack[^o]
	}
}

// AddrOf is the first byte of an allocation.
func (t *Timeline) AddrOf(id ID) uint64 {
	switch o := t.Origin[id]; {
	case t.addrs != nil:
		return t.addrs[id]
	case o >= 0:
		return t.Device.Events.Addr[o]
	case t.Options.Mode == Segments:
		return t.Device.Segments[^o].Addr
	default:
		return t.Device.Blocks.Addr[^o]
	}
}

// StreamOf is the CUDA stream of an allocation, 0 if it is not known.
func (t *Timeline) StreamOf(id ID) snapshot.StreamID {
	if o := t.Origin[id]; o >= 0 {
		return t.Device.Events.Stream[o]
	}
	if g := t.finalSegment(^t.Origin[id]); g != nil {
		return g.Stream
	}
	return 0
}

// MetaOf is what the event says beside its columns that made an allocation, or that freed it if there is no other; the
// zero value if it is nothing.
func (t *Timeline) MetaOf(id ID) (m snapshot.Meta) {
	if o := t.Origin[id]; o >= 0 && t.Device.Events.Meta != nil {
		m = t.Snapshot.Metas[t.Device.Events.Meta[o]]
	}
	return m
}

// PoolOf is the memory pool of an allocation, 0 if it is not known.
func (t *Timeline) PoolOf(id ID) (p snapshot.PoolID) {
	if o := t.Origin[id]; o < 0 {
		if g := t.finalSegment(^o); g != nil {
			p = g.Pool
		}
	} else {
		p = t.MetaOf(id).Pool
	}
	if p == 0 {
		p = t.poolOf(t.AddrOf(id))
	}
	return p
}

// finalSegment is the segment of a block that is known from the final state alone, or that segment itself in mode
// Segments; nil if there is none. Ranges of blocks ascend in file order, as the reader lays the blocks out segment by
// segment.
func (t *Timeline) finalSegment(index int32) *snapshot.Segment {
	segs := t.Device.Segments
	if t.Options.Mode == Segments {
		return &segs[index]
	}
	i := sort.Search(len(segs), func(i int) bool { return segs[i].End > index })
	if i == len(segs) || segs[i].First > index {
		return nil
	}
	return &segs[i]
}

// poolOf is the pool of the final segment that holds an address, 0 if none does: the reference's rule for events
// that do not name their pool (FORMAT.md, section 9.2).
func (t *Timeline) poolOf(addr uint64) snapshot.PoolID {
	segs := t.Device.Segments
	i := sort.Search(len(t.byAddr), func(i int) bool { return segs[t.byAddr[i]].Addr > addr }) - 1
	if i < 0 {
		return 0
	}
	if g := &segs[t.byAddr[i]]; addr-g.Addr < uint64(g.Size) {
		return g.Pool
	}
	return 0
}

// sortSegments orders the final segments by address for poolOf.
func (t *Timeline) sortSegments() {
	segs := t.Device.Segments
	t.byAddr = make([]int32, len(segs))
	for i := range t.byAddr {
		t.byAddr[i] = int32(i)
	}
	slices.SortFunc(t.byAddr, func(a, b int32) int { return cmp.Compare(segs[a].Addr, segs[b].Addr) })
}
