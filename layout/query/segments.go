package query

import "strata/snapshot"

func (db *DB) segments() *table {
	kinds := []string{"large", "small"}
	t := &table{name: "segments", doc: "what the allocator held from the driver at the end", guess: db.sum(func(d *snapshot.Device) int { return len(d.Segments) }), cols: []column{
		deviceColumn,
		{name: "segment", doc: "its place among the device's segments", number: true},
		{name: "addr", doc: "first byte", unsigned: true},
		{name: "size", doc: "bytes"},
		{name: "allocated_size", doc: "bytes of it in blocks in use"},
		{name: "active_size", doc: "the same, blocks waiting to be freed included"},
		{name: "requested_size", doc: "bytes asked for"},
		{name: "stream", doc: "CUDA stream", lowCardinality: true},
		{name: "pool", doc: "memory pool, such as 0,0", text: db.poolText},
		{name: "segment_type", doc: "small or large", text: from(kinds), dict: kinds, lowCardinality: true},
		{name: "is_expandable", doc: "1: an expandable segment", lowCardinality: true},
		{name: "stack", doc: "where it was allocated, in stacks", lowCardinality: true},
		{name: "blocks", doc: "how many"},
	}}
	t.parts = db.perDevice(func(l *lane) (int, []loader) {
		g := l.d.Segments
		of := func(f func(g *snapshot.Segment) int64) loader {
			return each(func(i int) int64 { return f(&g[i]) })
		}
		return len(g), []loader{
			number,
			of(func(g *snapshot.Segment) int64 { return int64(g.Addr) }),
			of(func(g *snapshot.Segment) int64 { return g.Size }),
			of(func(g *snapshot.Segment) int64 { return g.Allocated }),
			of(func(g *snapshot.Segment) int64 { return g.Active }),
			of(func(g *snapshot.Segment) int64 { return g.Requested }),
			of(func(g *snapshot.Segment) int64 { return db.s.Streams[g.Stream] }),
			of(func(g *snapshot.Segment) int64 { return known(g.Pool) }),
			of(func(g *snapshot.Segment) int64 { return 1 - flag(g.Large) }),
			of(func(g *snapshot.Segment) int64 { return flag(g.Expandable) }),
			of(func(g *snapshot.Segment) int64 { return known(g.Stack) }),
			of(func(g *snapshot.Segment) int64 { return int64(g.End - g.First) }),
		}
	})
	return t
}

// blockStates are the names of block states, in order.
var blockStates = []string{"active_allocated", "active_pending_free", "inactive", "unknown"}

var blockCodes = [...]int64{snapshot.BlockAllocated: 0, snapshot.BlockPendingFree: 1, snapshot.BlockInactive: 2, snapshot.BlockUnknown: 3}

func (db *DB) blocks() *table {
	t := &table{name: "blocks", doc: "the blocks of the segments at the end", guess: db.sum(func(d *snapshot.Device) int { return d.Blocks.Len() }), cols: []column{
		deviceColumn,
		{name: "block", doc: "its place among the device's blocks", number: true},
		{name: "segment", doc: "in segments", lowCardinality: true},
		{name: "addr", doc: "first byte", unsigned: true},
		{name: "size", doc: "bytes occupied", lowCardinality: true},
		{name: "requested_size", doc: "bytes asked for", lowCardinality: true},
		{name: "state", doc: "active_allocated, active_pending_free or inactive", text: from(blockStates), dict: blockStates, lowCardinality: true},
		{name: "stack", doc: "where it was allocated, in stacks", lowCardinality: true},
		{name: "forward_stack", doc: "stack of the forward pass, where recorded"},
	}}
	t.parts = db.perDevice(func(l *lane) (int, []loader) {
		b := &l.d.Blocks
		segment := make([]int32, b.Len())
		for i := range segment {
			segment[i] = -1
		}
		for i, g := range l.d.Segments {
			for k := g.First; k < g.End; k++ {
				segment[k] = int32(i)
			}
		}
		forward := constant(null)
		if b.Forward != nil {
			forward = ids(b.Forward)
		}
		return b.Len(), []loader{
			number, ints(segment), ints(b.Addr), ints(b.Size), ints(b.Requested),
			each(func(i int) int64 { return blockCodes[b.State[i]] }),
			ids(b.Stack), forward,
		}
	})
	return t
}
