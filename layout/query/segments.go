package query

import "strata/snapshot"

func (db *DB) segments() *table {
	kinds := []string{"large", "small"}
	guess := func(d *snapshot.Device) int { return len(d.Segments) }
	return db.perDevice("segments", "what the allocator held from the driver at the end", guess,
		func(l *lane) (int, []column) {
			g := l.d.Segments
			of := func(f func(g *snapshot.Segment) int64) loader {
				return func(i int) int64 { return f(&g[i]) }
			}
			return len(g), []column{
				{name: "segment", doc: "its place among the device's segments", number: true},
				{name: "addr", doc: "first byte", unsigned: true,
					load: of(func(g *snapshot.Segment) int64 { return int64(g.Addr) })},
				{name: "size", doc: "bytes", load: of(func(g *snapshot.Segment) int64 { return g.Size })},
				{name: "allocated_size", doc: "bytes of it in blocks in use",
					load: of(func(g *snapshot.Segment) int64 { return g.Allocated })},
				{name: "active_size", doc: "the same, blocks waiting to be freed included",
					load: of(func(g *snapshot.Segment) int64 { return g.Active })},
				{name: "requested_size", doc: "bytes asked for",
					load: of(func(g *snapshot.Segment) int64 { return g.Requested })},
				{name: "stream", doc: "CUDA stream", lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return db.s.Streams[g.Stream] })},
				{name: "pool", doc: "memory pool, such as 0,0", text: db.poolText,
					load: of(func(g *snapshot.Segment) int64 { return known(g.Pool) })},
				{name: "segment_type", doc: "small or large", dict: kinds, lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return 1 - flag(g.Large) })},
				{name: "is_expandable", doc: "1: an expandable segment", lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return flag(g.Expandable) })},
				{name: "stack", doc: "where it was allocated, in stacks", lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return known(g.Stack) })},
				{name: "blocks", doc: "how many",
					load: of(func(g *snapshot.Segment) int64 { return int64(g.End - g.First) })},
			}
		})
}

var blockStates, blockCodes = sortedNames(map[snapshot.BlockState]string{
	snapshot.BlockAllocated: "active_allocated", snapshot.BlockPendingFree: "active_pending_free",
	snapshot.BlockInactive: "inactive", snapshot.BlockUnknown: "unknown",
})

func (db *DB) blocks() *table {
	guess := func(d *snapshot.Device) int { return d.Blocks.Len() }
	return db.perDevice("blocks", "the blocks of the segments at the end", guess, func(l *lane) (int, []column) {
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
		return b.Len(), []column{
			{name: "block", doc: "its place among the device's blocks", number: true},
			{name: "segment", doc: "in segments", lowCardinality: true, load: ints(segment)},
			{name: "addr", doc: "first byte", unsigned: true, load: ints(b.Addr)},
			{name: "size", doc: "bytes occupied", lowCardinality: true, load: ints(b.Size)},
			{name: "requested_size", doc: "bytes asked for", lowCardinality: true, load: ints(b.Requested)},
			{name: "state", doc: "active_allocated, active_pending_free or inactive", dict: blockStates,
				lowCardinality: true, load: func(i int) int64 { return blockCodes[b.State[i]] }},
			{name: "stack", doc: "where it was allocated, in stacks", lowCardinality: true, load: ids(b.Stack)},
			{name: "forward_stack", doc: "stack of the forward pass, where recorded", load: forward},
		}
	})
}
