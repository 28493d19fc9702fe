package state

import (
	"cmp"
	"maps"
	"slices"

	"strata/snapshot"
)

// rewind undoes the events from the last to the first and makes the spans of blocks and segments on the way.
type rewind struct {
	h      *History
	k      int32
	blocks map[uint64]block // what is there after event k
	segs   segmentList
	lives  int32

	lost    []lostFree // from the first to the last
	lone    []bool     // of each completion that is not folded: whether the block waited before it
	skipped bool       // requests to free were not recorded
}

// A block is one that is there in the walk backwards.
type block struct {
	blockSize
	to int32
}

// A lostFree is an alloc, by its kept event, on what another event left in use.
type lostFree struct {
	k      int32
	before int // index in Device.Events
}

// rewind finds all spans. What blocks occupy is what they requested after it, except for the last ones.
func (h *History) rewind() {
	w := rewind{h: h, k: int32(h.Len() - 1), blocks: map[uint64]block{}}
	w.final()
	w.pair()
	ev := &h.Device.Events
	for i := ev.Len() - 1; i >= 0; i-- {
		if h.events.folded(i) {
			continue
		}
		w.undo(i)
		w.k--
	}
	for _, addr := range slices.SortedFunc(maps.Keys(w.blocks), func(a, b uint64) int { return cmp.Compare(b, a) }) {
		w.closeBlock(addr)
	}
	for _, g := range slices.Backward(w.segs.list) {
		w.closeSegment(g)
	}
	slices.Reverse(h.blocks.list)
	slices.Reverse(h.sizes)
	slices.Reverse(h.segments.list)
	slices.Reverse(h.ranges)
}

// final reads the state that the file has.
func (w *rewind) final() {
	d := w.h.Device
	for i := range d.Segments {
		g := &d.Segments[i]
		kind := small
		if g.Large {
			kind = large
		}
		w.open(&segment{addr: g.Addr, size: g.Size, stream: g.Stream, pool: g.Pool, stack: g.Stack, kind: kind,
			expandable: g.Expandable, to: Never}, nil)
	}
	w.segs.sort()
	for i, state := range d.Blocks.State {
		b := block{to: Never, blockSize: blockSize{d.Blocks.Requested[i], d.Blocks.Size[i], Never, int32(i)}}
		switch state {
		case snapshot.BlockPendingFree:
			b.pending = -1
		case snapshot.BlockAllocated:
		default:
			continue
		}
		w.blocks[d.Blocks.Addr[i]] = b
	}
}

// pair looks forward for what an event's undoing depends on: the event before it at its address.
func (w *rewind) pair() {
	const none, waited, was, unsaid = 0, 1, 2, 3
	var lone []byte
	ev, k := &w.h.Device.Events, int32(-1)
	last := map[uint64]int32{}
	for i, action := range ev.Action {
		if w.h.events.folded(i) {
			continue
		}
		k++
		switch action {
		case snapshot.ActionAlloc:
			if before, is := last[ev.Addr[i]]; is && w.leaves(int(before)) {
				w.lost = append(w.lost, lostFree{k, int(before)})
			}
		case snapshot.ActionFreeCompleted:
			before, is := last[ev.Addr[i]]
			switch {
			case is && ev.Action[before] == snapshot.ActionAlloc:
				w.skipped = true
				lone = append(lone, was)
			case is && w.h.events.action(int(before)) == snapshot.ActionFreeRequested:
				lone = append(lone, waited)
			default:
				lone = append(lone, unsaid)
			}
		case snapshot.ActionFree, snapshot.ActionFreeRequested:
		default:
			continue
		}
		last[ev.Addr[i]] = int32(i)
	}
	for _, x := range lone {
		w.lone = append(w.lone, x == waited || x == unsaid && !w.skipped)
	}
}

// leaves reports whether the event leaves a block in use.
func (w *rewind) leaves(event int) bool {
	a := w.h.events.action(event)
	return a == snapshot.ActionAlloc || a == snapshot.ActionFreeRequested
}

// undo undoes kept event k, whose first event is i.
func (w *rewind) undo(i int) {
	ev := &w.h.Device.Events
	addr, size := ev.Addr[i], ev.Size[i]
	odd := &w.h.Anomalies
	switch action := w.h.events.action(i); action {
	case snapshot.ActionAlloc:
		w.undoAlloc(addr)
	case snapshot.ActionFree, snapshot.ActionFreeCompleted:
		pending := Never
		if action == snapshot.ActionFreeCompleted {
			if w.lone[len(w.lone)-1] {
				pending = -1
			}
			w.lone = w.lone[:len(w.lone)-1]
		}
		if _, is := w.blocks[addr]; is {
			odd.DoubleFrees++
			w.closeBlock(addr)
		}
		w.blocks[addr] = block{blockSize{size, size, pending, -1}, w.k}
	case snapshot.ActionFreeRequested:
		b, is := w.blocks[addr]
		switch {
		case !is:
			odd.LostCompletions++
			b = block{blockSize{size, size, Never, -1}, w.k}
		case b.pending < 0:
			b.pending = w.k
		}
		w.blocks[addr] = b
	case snapshot.ActionSegmentAlloc:
		if g := w.segs.remove(addr); g != nil {
			w.closeSegment(g)
		} else {
			odd.UnknownSegments++
		}
	case snapshot.ActionSegmentMap:
		if !w.segs.cut(addr, size, w.unjoin) {
			odd.UnknownMaps++
		}
	case snapshot.ActionSegmentFree, snapshot.ActionSegmentUnmap:
		g := &segment{addr: addr, size: size, stream: ev.Stream[i], stack: ev.Stack[i], to: w.k,
			expandable: action == snapshot.ActionSegmentUnmap}
		if ev.Meta != nil {
			g.pool = w.h.Snapshot.Metas[ev.Meta[i]].Pool
		}
		var joined []*segment
		w.open(g, func(part *segment) { joined = append(joined, part) })
		w.lifeOf(g, joined)
	}
}

// undoAlloc takes the block away that an alloc made. Where the free before it was lost, what was there is put back.
func (w *rewind) undoAlloc(addr uint64) {
	if _, is := w.blocks[addr]; is {
		w.closeBlock(addr)
	} else {
		w.h.Anomalies.GoneBlocks++
	}
	if n := len(w.lost) - 1; n >= 0 && w.lost[n].k == w.k {
		ev, before := &w.h.Device.Events, w.lost[n].before
		w.lost = w.lost[:n]
		w.h.Anomalies.LostFrees++
		b := block{blockSize{ev.Size[before], ev.Size[before], Never, -1}, w.k}
		if ev.Action[before] == snapshot.ActionFreeRequested {
			b.pending = -1
		}
		w.blocks[addr] = b
	}
}

// closeBlock ends the walk of a block: it is not there before event k.
func (w *rewind) closeBlock(addr uint64) {
	b := w.blocks[addr]
	delete(w.blocks, addr)
	w.h.blocks.list = append(w.h.blocks.list, span{addr, w.k, b.to})
	w.h.sizes = append(w.h.sizes, b.blockSize)
}

// open puts a segment in that is there before event k. joined gets those that it takes in; nil joins nothing.
func (w *rewind) open(g *segment, joined func(*segment)) {
	if joined == nil { // the final state
		g.life = w.lives
		w.lives++
		w.segs.put(len(w.segs.list), g)
		return
	}
	w.segs.add(g, g.expandable, func(part *segment) {
		w.closeSegment(part)
		joined(part)
	})
}

// lifeOf gives a range that event k took away, joined with what it left, its life: that of the part at its left, else
// at its right, else one that ended.
func (w *rewind) lifeOf(g *segment, joined []*segment) {
	if len(joined) > 0 {
		g.life = joined[len(joined)-1].life
		return
	}
	g.life = w.lives
	w.lives++
}

// unjoin ends a segment where event k mapped a part of it. What was there before lives on in it: the part at its left,
// else that at its right; the other one ended.
func (w *rewind) unjoin(g, left, right *segment) {
	w.closeSegment(g)
	for _, part := range []*segment{left, right} {
		if part != nil {
			part.to = w.k
		}
	}
	if left != nil && right != nil {
		right.life = w.lives
		w.lives++
	}
}

// closeSegment ends the walk of a segment's span: it is not there before event k.
func (w *rewind) closeSegment(g *segment) {
	w.h.segments.list = append(w.h.segments.list, span{g.addr, w.k, g.to})
	w.h.ranges = append(w.h.ranges, Range{Size: g.size, Stream: g.stream, Pool: g.pool, Stack: g.stack, Life: g.life,
		Expandable: g.expandable, Large: g.large(w.h.settings.Page)})
}
