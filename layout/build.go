package layout

import (
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"strata/snapshot"
)

// builder pairs a trace's events into allocations and actions.
type builder struct {
	t    *Timeline
	live *addresses
	// initial is what was live before the first event, in the reference's order (FORMAT.md, section 9.3): unmatched
	// frees, then blocks without an event. They lie in the stack in the reverse of it.
	initial []ID
	// flat: there were no actions, one was made of an initial allocation.
	flat bool
	// limit is the largest size taken, so that no sum can overflow.
	limit int64
}

// collect walks the trace, then the final state.
func (b *builder) collect() {
	t := b.t
	begin, end := b.count()
	t.Size = make([]int64, 0, begin+b.finalCount())
	t.Birth = make([]int32, 0, cap(t.Size))
	t.Death = make([]int32, 0, cap(t.Size))
	t.Origin = make([]int32, 0, cap(t.Size))
	t.Freed = make([]int32, 0, cap(t.Size))
	t.Actions = make([]ID, 0, begin+end)
	b.live = newAddresses(1024)
	b.limit = sizeLimit(begin + end + b.finalCount())

	beginKind, endKind := b.kinds(end)
	ev := &t.Device.Events
	for i, action := range ev.Action {
		switch kind := kindOf[action]; {
		case kind&beginKind != 0:
			b.alloc(int32(i), ev.Addr[i], ev.Size[i])
		case kind&endKind != 0:
			b.free(int32(i), ev.Addr[i], ev.Size[i])
		}
	}
	if t.Options.Mode == Segments {
		b.finalSegments()
	} else {
		b.finalBlocks()
	}
	slices.Sort(t.pending)
	t.pending = slices.Compact(t.pending)
	for _, id := range t.pending {
		if id != None {
			t.PendingBytes += t.Size[id]
		}
	}
	b.findLostAllocs()
	if len(t.Actions) == 0 && len(b.initial) > 0 {
		b.flatten()
	}
}

// findLostAllocs counts what cannot all have been live before the first event, as it lay at one address: of all but one
// the alloc was not recorded.
func (b *builder) findLostAllocs() {
	addr := make([]uint64, len(b.initial))
	for i, id := range b.initial {
		addr[i] = b.t.AddrOf(id)
	}
	slices.Sort(addr)
	b.t.Anomalies.LostAllocs = len(addr) - len(slices.Compact(addr))
}

// kind is a set of roles an action can play; a Mode picks two of them.
type kind uint8

const (
	beginBlock kind = 1 << iota
	endBlock
	requestEnd
	beginSegment
	endSegment
	beginPart // of a segment that grows; only lives have it
)

var kindOf = [256]kind{
	snapshot.ActionAlloc:         beginBlock,
	snapshot.ActionFree:          endBlock,
	snapshot.ActionFreeCompleted: endBlock,
	snapshot.ActionFreeRequested: requestEnd,
	snapshot.ActionSegmentAlloc:  beginSegment,
	snapshot.ActionSegmentFree:   endSegment,
	snapshot.ActionSegmentMap:    beginPart,
}

// kinds is which roles begin and end an allocation in this mode; completed is how many frees complete.
func (b *builder) kinds(completed int) (begin, end kind) {
	if b.t.Options.Mode == Segments {
		return beginSegment, endSegment
	}
	if b.t.Anomalies.RequestFrees = completed == 0 && b.completionsSkipped(); b.t.Anomalies.RequestFrees {
		return beginBlock, endBlock | requestEnd
	}
	return beginBlock, endBlock
}

// count is how many events begin and end allocations.
func (b *builder) count() (begin, end int) {
	var n [256]int
	for _, a := range b.t.Device.Events.Action {
		n[a]++
	}
	if b.t.Options.Mode == Segments {
		return n[snapshot.ActionSegmentAlloc], n[snapshot.ActionSegmentFree]
	}
	return n[snapshot.ActionAlloc], n[snapshot.ActionFree] + n[snapshot.ActionFreeCompleted]
}

func (b *builder) finalCount() int {
	if b.t.Options.Mode == Segments {
		return len(b.t.Device.Segments)
	}
	return b.t.Device.Blocks.Len()
}

// sizeLimit is the largest size for which n of them still have a sum in int64, with room for the totals'
// arithmetic. No machine has an allocation near it unless a file has billions of events.
func sizeLimit(n int) int64 { return math.MaxInt64 / 2 / int64(max(1, n)) }

// completionsSkipped reports that a trace without completions has none because of skip_actions (FORMAT.md, section
// 3.5), so that requests must end allocations. A missing completion alone proves nothing, the dump may have come
// before it; an address handed out again after its request, or found free at the end, does.
func (b *builder) completionsSkipped() bool {
	ev := &b.t.Device.Events
	requested := map[uint64]bool{}
	for i, a := range ev.Action {
		switch a {
		case snapshot.ActionFreeRequested:
			if i < ev.Len()-1 { // the last one's completion may just be cut off
				requested[ev.Addr[i]] = true
			}
		case snapshot.ActionAlloc:
			if requested[ev.Addr[i]] {
				return true
			}
		}
	}
	bl := &b.t.Device.Blocks
	if len(requested) == 0 || bl.Len() == 0 {
		return false
	}
	for i, s := range bl.State {
		if s != snapshot.BlockInactive {
			delete(requested, bl.Addr[i])
		}
	}
	return len(requested) > 0
}

// add makes a new allocation.
func (b *builder) add(size int64, birth, origin int32) ID {
	t := b.t
	id := ID(len(t.Size))
	t.Size = append(t.Size, size)
	t.Birth = append(t.Birth, birth)
	t.Death = append(t.Death, Never)
	t.Origin = append(t.Origin, origin)
	t.Freed = append(t.Freed, -1)
	return id
}

// act appends an action: id for an alloc, ^id for a free.
func (b *builder) act(a ID) { b.t.Actions = append(b.t.Actions, a) }

// end ends an allocation by an event.
func (b *builder) end(id ID, event int32) {
	b.act(^id)
	b.t.Death[id] = int32(len(b.t.Actions))
	b.t.Freed[id] = event
}

func (b *builder) alloc(event int32, addr uint64, size int64) {
	if size > b.limit {
		b.t.Anomalies.Oversized++
		return
	}
	// The free of an allocation whose address is handed out again was lost. The reference keeps both for ever;
	// design.md ends the first, for blocks. Segments stay as the reference has them: unmap events, which neither
	// looks at here, may have taken the first one's range away.
	if was, is := b.live.get(addr); is {
		b.t.Anomalies.DoubleAllocs++
		if b.t.Options.Mode == Allocations {
			b.end(was, event)
		}
	}
	id := b.add(size, int32(len(b.t.Actions)+1), event)
	b.live.set(addr, id)
	b.act(id)
}

func (b *builder) free(event int32, addr uint64, size int64) {
	if id, is := b.live.take(addr); is {
		b.end(id, event)
		return
	}
	if size > b.limit {
		b.t.Anomalies.Oversized++
		return
	}
	id := b.add(size, 0, event)
	b.initial = append(b.initial, id)
	b.end(id, event)
	b.t.Unmatched++
	b.t.UnmatchedBytes += size
}

// finalBlocks adds the blocks that are live at the end without an event: those in use, and then those that wait to be
// freed, which the reference leaves out (FORMAT.md, section 9.2).
func (b *builder) finalBlocks() {
	bl := &b.t.Device.Blocks
	for i, s := range bl.State {
		if s == snapshot.BlockAllocated {
			b.known(bl.Addr[i], ^int32(i), bl.Requested[i])
		}
	}
	asked := map[uint64]bool{} // what ended with its request
	if ev := &b.t.Device.Events; b.t.Anomalies.RequestFrees {
		for i, a := range ev.Action {
			if a == snapshot.ActionFreeRequested {
				asked[ev.Addr[i]] = true
			}
		}
	}
	for i, s := range bl.State {
		if s != snapshot.BlockPendingFree || asked[bl.Addr[i]] {
			continue
		}
		b.t.pending = append(b.t.pending, b.known(bl.Addr[i], ^int32(i), bl.Requested[i]))
	}
	if bl.Len() == 0 && !b.t.Anomalies.RequestFrees {
		b.requests()
	}
}

// requests adds what the trace of a file without blocks asks to free, but neither allocates nor frees.
func (b *builder) requests() {
	ev := &b.t.Device.Events
	waits := map[uint64]int32{}
	for i, a := range ev.Action {
		switch a {
		case snapshot.ActionFreeRequested:
			waits[ev.Addr[i]] = int32(i)
		case snapshot.ActionAlloc, snapshot.ActionFree, snapshot.ActionFreeCompleted:
			if len(waits) > 0 {
				delete(waits, ev.Addr[i])
			}
		}
	}
	for _, event := range slices.Sorted(maps.Values(waits)) {
		b.t.pending = append(b.t.pending, b.known(ev.Addr[event], event, ev.Size[event]))
	}
}

func (b *builder) finalSegments() {
	for i := range b.t.Device.Segments {
		g := &b.t.Device.Segments[i]
		b.known(g.Addr, ^int32(i), g.Size)
	}
}

// known is the allocation live at an address after the last event. Where there is none, one is added that is live from
// the start to the end, or None returned if it is too large. origin is as in Timeline.Origin.
func (b *builder) known(addr uint64, origin int32, size int64) ID {
	if id, is := b.live.get(addr); is {
		return id
	}
	if size > b.limit {
		b.t.Anomalies.Oversized++
		return None
	}
	id := b.add(size, 0, origin)
	b.initial = append(b.initial, id)
	b.t.Before++
	b.t.BeforeBytes += size
	return id
}

// flatten makes the only action of a trace that has none, as the reference does: the allocation at the bottom
// arrives last of all, so that there is one step to draw.
func (b *builder) flatten() {
	id := b.initial[0]
	b.initial = b.initial[1:]
	b.t.Birth[id] = 1
	b.act(id)
	b.flat = true
}

// addresses holds which allocation is live at an address: a table with linear probing, in half the time of Go's map.
type addresses struct {
	slots []liveAt // a power of two of them, at most half in use
	n     int
	seed  uint64 // nobody can make a file whose addresses all collide
}

type liveAt struct {
	addr uint64
	id   ID
	used bool
}

func newAddresses(slots int) *addresses {
	return &addresses{slots: make([]liveAt, slots), seed: rand.Uint64()}
}

// home is the slot an address belongs in.
func (a *addresses) home(addr uint64) int {
	hi, lo := bits.Mul64(addr^a.seed, 0x9E3779B97F4A7C15)
	return int(hi^lo) & (len(a.slots) - 1)
}

// find returns the slot that an address is in, or the free one where it would go.
func (a *addresses) find(addr uint64) int {
	for i := a.home(addr); ; i = (i + 1) & (len(a.slots) - 1) {
		if s := &a.slots[i]; !s.used || s.addr == addr {
			return i
		}
	}
}

func (a *addresses) get(addr uint64) (ID, bool) {
	s := &a.slots[a.find(addr)]
	return s.id, s.used
}

func (a *addresses) set(addr uint64, id ID) {
	s := &a.slots[a.find(addr)]
	if !s.used {
		a.n++
	}
	*s = liveAt{addr, id, true}
	if 2*a.n <= len(a.slots) {
		return
	}
	old := a.slots
	a.slots = make([]liveAt, 2*len(old))
	for _, s := range old {
		if s.used {
			a.slots[a.find(s.addr)] = s
		}
	}
}

// take removes an address and returns its allocation. Those behind it move up, where that is nearer to their home.
func (a *addresses) take(addr uint64) (ID, bool) {
	mask := len(a.slots) - 1
	i := a.find(addr)
	s := a.slots[i]
	if !s.used {
		return None, false
	}
	a.n--
	for j := (i + 1) & mask; a.slots[j].used; j = (j + 1) & mask {
		if (j-a.home(a.slots[j].addr))&mask >= (j-i)&mask {
			a.slots[i] = a.slots[j]
			i = j
		}
	}
	a.slots[i] = liveAt{}
	return s.id, true
}
