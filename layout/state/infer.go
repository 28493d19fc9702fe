package state

import (
	"math"

	"strata/snapshot"
)

// player plays the trace forward to find what blocks occupy (FORMAT.md, section 10.1).
type player struct {
	h    *History
	segs segmentList
	live addresses
	next int // the first block of what is not yet made
}

// infer finds what the blocks occupy that the file does not say it of.
func (h *History) infer() {
	p := player{h: h}
	early := h.earlyFinal()
	p.start(early)
	ev, k := &h.Device.Events, int32(-1)
	for i := range ev.Action {
		if h.events.folded(i) {
			continue
		}
		k++
		addr, size := ev.Addr[i], ev.Size[i]
		switch action := h.events.action(i); action {
		case snapshot.ActionAlloc:
			p.alloc(k, addr, size)
		case snapshot.ActionFree, snapshot.ActionFreeCompleted:
			p.live.remove(addr)
		case snapshot.ActionSegmentAlloc, snapshot.ActionSegmentMap:
			g := &segment{addr: addr, size: size, stream: ev.Stream[i], expandable: action == snapshot.ActionSegmentMap}
			if ev.Meta != nil {
				g.pool = h.Snapshot.Metas[ev.Meta[i]].Pool
			}
			p.segs.add(g, g.expandable, func(*segment) {})
		case snapshot.ActionSegmentFree:
			p.segs.remove(addr)
		case snapshot.ActionSegmentUnmap:
			p.segs.cut(addr, size, func(_, _, _ *segment) {})
		}
	}
	h.inferRevived(early)
}

// earlyFinal returns the sizes of final blocks that no alloc made and that are not there from the start, by address.
func (h *History) earlyFinal() map[uint64]int64 {
	found := map[uint64]int64{}
	for id, b := range h.blocks.list {
		if b.to == Never && !h.allocated(b) {
			found[b.addr] = h.sizes[id].occupied
		}
	}
	return found
}

// allocated reports whether an alloc of the trace made a block.
func (h *History) allocated(b span) bool {
	return b.from >= 0 && h.events.ev.Action[h.events.first(int(b.from))] == snapshot.ActionAlloc
}

// inferRevived gives blocks that no alloc made, though they came within the trace, what one before them at their
// address occupied.
func (h *History) inferRevived(final map[uint64]int64) {
	start := map[uint64]int64{}
	for id, b := range h.blocks.list {
		if b.from < 0 {
			start[b.addr] = h.sizes[id].occupied
			continue
		}
		if b.to == Never || h.allocated(b) {
			continue
		}
		if size, is := final[b.addr]; is {
			h.sizes[id].occupied = size
		} else if size, is := start[b.addr]; is {
			h.sizes[id].occupied = size
		}
	}
}

// start places what was there before the first event.
func (p *player) start(final map[uint64]int64) {
	h := p.h
	for id, g := range h.segments.list {
		if g.from >= 0 {
			break
		}
		r := &h.ranges[id]
		p.segs.put(len(p.segs.list), &segment{addr: g.addr, size: r.Size, stream: r.Stream, pool: r.Pool,
			expandable: r.Expandable})
	}
	p.segs.sort()
	for id, b := range h.blocks.list {
		if b.from >= 0 {
			break
		}
		p.live.put(placed{b.addr, h.sizes[id].requested, int32(id)})
		p.next++
	}
	for id := range p.next {
		size := &h.sizes[id].occupied
		if known, is := final[h.blocks.list[id].addr]; is {
			*size = known
		} else {
			*size = p.room(h.blocks.list[id].addr, h.sizes[id].requested)
		}
	}
}

// alloc places the block that kept event k made.
func (p *player) alloc(k int32, addr uint64, requested int64) {
	h := p.h
	for p.next < len(h.blocks.list) && h.blocks.list[p.next].from < k {
		p.next++
	}
	id := int32(-1) // the block is gone without a trace
	if p.next < len(h.blocks.list) && h.blocks.list[p.next].from == k {
		id = int32(p.next)
	}
	// A block begins where a free range began: the one before it ends exactly here.
	if prev, is := p.live.before(addr); is && prev.block >= 0 && !p.known(prev.block) &&
		p.segs.find(prev.addr) == p.segs.find(addr) {
		if room := int64(min(addr-prev.addr, math.MaxInt64)); room >= h.settings.Rounded(prev.requested) {
			h.sizes[prev.block].occupied = room
		}
	}
	size := p.room(addr, requested)
	p.live.put(placed{addr, requested, id})
	switch {
	case id < 0:
	case !p.known(id):
		h.sizes[id].occupied = size
	case h.sizes[id].occupied == size:
		h.SizesRight++
	default:
		h.SizesWrong++
	}
}

// known reports whether the file says what a block occupies.
func (p *player) known(block int32) bool { return p.h.blocks.list[block].to == Never }

// room is what a block occupies at an address.
func (p *player) room(addr uint64, requested int64) int64 {
	rounded := p.h.settings.Rounded(requested)
	g := p.segs.find(addr)
	if g == nil {
		p.h.loose = true
		return rounded
	}
	to := g.end()
	if next, is := p.live.behind(addr); is {
		to = min(to, next.addr)
	}
	room := int64(min(to-addr, math.MaxInt64))
	if room < rounded || p.h.settings.splits(rounded, room, g.expandable) {
		return rounded
	}
	return room
}
