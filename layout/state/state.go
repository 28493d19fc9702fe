// Package state says what PyTorch's caching allocator held after any event of a trace: segments, blocks with the bytes
// they occupy, the free ranges between them, and totals.
//
// Words. Events are counted as kept events: a free_completed directly behind the free_requested of its address is
// part of it. State k is what is after kept event k, state -1 what was before the first. A block is an occupied range;
// its life goes from the event that made it to the one that took it away. A segment is a range that the allocator holds
// from the driver; it is one span as long as its size does not change, and its life is made of spans.
//
// The final state of the file is undone event by event (FORMAT.md, section 10), which gives the spans of all segments
// and blocks. What a block occupies stands in the file for the last ones only; for the others it follows from the room
// there was at its address, so the trace is played forward once (FORMAT.md, section 10.1). After that any state is
// found from the list of what was there at a mark before it.
package state

import (
	"math"

	"strata/snapshot"
)

// Never is the end of what is there after the last event.
const Never int32 = math.MaxInt32

// A History is one device's allocator through its trace. It is immutable.
type History struct {
	Snapshot *snapshot.Snapshot
	Device   *snapshot.Device
	// Anomalies counts what a sound trace does not have.
	Anomalies Anomalies
	// SizesRight and SizesWrong count the blocks of the final state made within the trace: whether what they occupy was
	// inferred as the file says. Where some are wrong, sizes of blocks that are gone are estimates.
	SizesRight, SizesWrong int

	events   kept
	settings Settings
	blocks   spans
	sizes    []blockSize // by block
	segments spans
	ranges   []Range // by segment span
	requests []int32 // blocks that waited for another stream only in the end of their life, by when that began
	sums     []sum   // of every 64th state
	loose    bool    // some blocks were made in no segment: what they occupy is not known
}

// A blockSize is what a History knows of a block beside its span.
type blockSize struct {
	requested, occupied int64
	pending             int32 // the event from which on it waits to be freed, Never if none
	final               int32 // index in Device.Blocks, -1 if it is gone at the end
}

// A Range is one span of a segment.
type Range struct {
	Size       int64 // bytes
	Stream     snapshot.StreamID
	Pool       snapshot.PoolID  // 0: not known
	Stack      snapshot.StackID // where it was made
	Life       int32            // spans of one segment have the same
	Expandable bool
	Large      bool // it is not for blocks of up to 1 MiB
}

// New finds the history of a device.
func New(s *snapshot.Snapshot, d *snapshot.Device) *History {
	h := &History{Snapshot: s, Device: d, events: keep(&d.Events), settings: ReadSettings(s.Settings)}
	h.rewind()
	h.infer()
	n := int32(h.Len())
	h.blocks.finish(n)
	h.segments.finish(n)
	h.findRequests()
	h.sum()
	return h
}

// Len is the number of kept events; states go from -1 to Len()-1.
func (h *History) Len() int { return h.events.n }

// Event is the index in Device.Events of the last event that kept event k stands for, -1 for k = -1.
func (h *History) Event(k int) int {
	if k < 0 {
		return -1
	}
	i := h.events.first(k)
	if i+1 < h.events.ev.Len() && h.events.folded(i+1) {
		i++
	}
	return i
}

// After is the state after an event of Device.Events, -1 for event -1.
func (h *History) After(event int) int { return h.events.rank(event+1) - 1 }

// Action is what kept event k does: a free_requested with its completion is an ActionFree. k = -1 does nothing.
func (h *History) Action(k int) snapshot.Action {
	if k < 0 {
		return snapshot.ActionOther
	}
	return h.events.action(h.events.first(k))
}

// Settings are those of the allocator that sizes depend on.
func (h *History) Settings() Settings { return h.settings }

// Bytes is the memory that the History itself takes.
func (h *History) Bytes() int64 {
	n := 24*cap(h.sizes) + 40*cap(h.ranges) + 4*cap(h.requests) + 88*cap(h.sums) + 4*cap(h.events.before)
	return int64(n) + h.blocks.bytes() + h.segments.bytes()
}

// end is the address behind a range; what would lie behind the last address is cut off.
func end(addr uint64, size int64) uint64 {
	if e := addr + uint64(size); e >= addr {
		return e
	}
	return math.MaxUint64
}
