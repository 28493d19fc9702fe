package snapshot

import (
	"math"

	"strata/snapshot/pickle"
)

// A blockRow is a block as its dict was read.
type blockRow struct {
	addr            uint64
	size, requested int64
	stack, forward  StackID
	state           BlockState
	hasAddr, bad    bool
}

const blockRowBytes = 40

// block stores a block of the final state (FORMAT.md, section 2.2).
func (b *builder) block(k keyset) pickle.Value {
	r := blockRow{state: BlockUnknown}
	var ok bool
	r.size, ok = b.size(b.val(k, sSize))
	r.bad = !ok || r.size > maxSize
	if r.addr, r.hasAddr = b.address(b.val(k, sAddress)); r.hasAddr {
		b.evidence.blockAddr = true
	}
	if id, ok := b.val(k, sState).IsString(); ok && id >= sActiveAllocated && id <= sInactive {
		r.state = stateOf[id]
	}
	b.evidence.blockFrames = b.evidence.blockFrames || k.has(sFrames)
	r.stack = b.stack(b.val(k, sFrames))
	r.requested, ok = b.size(b.val(k, sRequestedSize))
	// Where the stacks of blocks were not kept yet, 0 of a block in use stands for "not recorded".
	ok = ok && r.requested <= maxSize && (r.requested > 0 || k.has(sFrames) || r.state == BlockInactive)
	if h, used := b.lastUse(b.val(k, sHistory)); used {
		if !ok && h.real >= 0 && h.real <= maxSize {
			r.requested, ok = h.real, true
		}
		if r.stack == 0 {
			r.stack = h.stack
		}
	}
	if !ok {
		r.requested = r.size
	}
	r.forward = b.stack(b.val(k, sForwardFrames))
	b.blocks = append(b.blocks, r)
	b.h.Spend(blockRowBytes * 5 / 4)
	return pickle.Record(classBlock, uint64(len(b.blocks)-1))
}

// A historyRow is an entry of a block's history.
type historyRow struct {
	real  int64 // real_size, -1 if there is none
	stack StackID
}

// historyEntry stores the two fields of a history entry that matter (FORMAT.md, section 2.3).
func (b *builder) historyEntry(k keyset) pickle.Value {
	b.evidence.history = true
	row := historyRow{real: -1}
	if n, ok := b.size(b.val(k, sRealSize)); ok {
		row.real = n
	}
	row.stack = b.stack(b.val(k, sFrames))
	b.history = append(b.history, row)
	b.h.Spend(16)
	return pickle.Record(classHistory, uint64(len(b.history)-1))
}

// lastUse returns the newest entry of a block's history.
func (b *builder) lastUse(v pickle.Value) (historyRow, bool) {
	if b.h.Len(v) == 0 {
		return historyRow{}, false
	}
	class, n, ok := b.h.At(v, 0).Record()
	if !ok || class != classHistory {
		return historyRow{}, false
	}
	return b.history[n], true
}

// segment stores a segment of the final state (FORMAT.md, section 2.1).
func (b *builder) segment(k keyset) pickle.Value {
	row := segmentRow{blocks: b.val(k, sBlocks)}
	s := &row.seg
	var ok bool
	if s.Addr, ok = b.address(b.val(k, sAddress)); !ok {
		row.bad = true
	}
	if s.Size, ok = b.size(b.val(k, sTotalSize)); !ok || s.Size > maxSize {
		s.Size = -1 // placeSegment sums up its blocks
	}
	s.Allocated, _ = b.size(b.val(k, sAllocatedSize))
	s.Active, _ = b.size(b.val(k, sActiveSize))
	s.Requested, _ = b.size(b.val(k, sRequestedSize))
	for _, n := range []*int64{&s.Allocated, &s.Active, &s.Requested} {
		*n = max(min(*n, maxSize), 0)
	}
	row.device, _ = b.integer(b.val(k, sDevice))
	s.Stream = b.stream(b.val(k, sStream))
	s.Pool = b.pool(b.val(k, sSegmentPoolID))
	s.Stack = b.stack(b.val(k, sFrames))
	s.Forward = b.stack(b.val(k, sForwardFrames))
	kind, _ := b.val(k, sSegmentType).IsString()
	s.Large = kind == sLarge
	s.Expandable = b.truth(b.val(k, sIsExpandable))
	b.segments = append(b.segments, row)
	b.h.Spend(160)
	return pickle.Record(classSegment, uint64(len(b.segments)-1))
}

// placeSegments appends the segments of a list to their devices.
func (b *builder) placeSegments(list pickle.Value, device func(*segmentRow) *Device) error {
	for i := range b.h.Len(list) {
		class, n, ok := b.h.At(list, i).Record()
		if !ok || class != classSegment || b.segments[n].bad {
			b.root.segmentsSkipped++
			continue
		}
		row := &b.segments[n]
		if err := b.h.Charge(136); err != nil {
			return err
		}
		if err := b.placeSegment(device(row), row); err != nil {
			return err
		}
	}
	return nil
}

// placeSegment appends a segment and its blocks to a device.
func (b *builder) placeSegment(d *Device, row *segmentRow) error {
	seg := row.seg
	n := b.h.Len(row.blocks)
	if d.Blocks.Len()+n > math.MaxInt32 {
		return pickle.ErrMemory
	}
	if err := b.h.Charge(n * blockRowBytes); err != nil {
		return err
	}
	seg.First = int32(d.Blocks.Len())
	at := seg.Addr
	var sum int64
	for i := range n {
		class, k, ok := b.h.At(row.blocks, i).Record()
		if !ok || class != classBlock || b.blocks[k].bad {
			b.root.blocksSkipped++
			continue
		}
		r := b.blocks[k]
		if !r.hasAddr {
			r.addr = at
		}
		at = r.addr + uint64(r.size)
		sum += r.size
		d.Blocks.add(r)
	}
	seg.End = int32(d.Blocks.Len())
	if seg.Size < 0 {
		seg.Size = max(sum, 0)
	}
	d.Segments = append(d.Segments, seg)
	return nil
}

func (b *Blocks) add(r blockRow) {
	b.Addr = append(b.Addr, r.addr)
	b.Size = append(b.Size, r.size)
	b.Requested = append(b.Requested, r.requested)
	b.State = append(b.State, r.state)
	b.Stack = append(b.Stack, r.stack)
	if r.forward != 0 || b.Forward != nil {
		b.Forward = append(append(b.Forward, make([]StackID, b.Len()-1-len(b.Forward))...), r.forward)
	}
}
