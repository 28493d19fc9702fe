package query

import "strata/snapshot"

func (db *DB) segments() *TableInfo {
	kinds := []string{"large", "small"}
	guess := func(d *snapshot.Device) int { return len(d.Segments) }
	return db.perDevice("segments", "what the allocator held from the driver at the end", guess,
		func(l *lane) (int, []ColumnInfo) {
			g := l.d.Segments
			of := func(f func(g *snapshot.Segment) int64) loader {
				return func(i int) int64 { return f(&g[i]) }
			}
			return len(g), []ColumnInfo{
				{Name: "segment", Doc: "its place among the device's segments", number: true},
				{Name: "addr", Doc: "first byte", Unsigned: true,
					load: of(func(g *snapshot.Segment) int64 { return int64(g.Addr) })},
				{Name: "size", Doc: "bytes", load: of(func(g *snapshot.Segment) int64 { return g.Size })},
				{Name: "allocated_size", Doc: "bytes of it in blocks in use",
					load: of(func(g *snapshot.Segment) int64 { return g.Allocated })},
				{Name: "active_size", Doc: "the same, blocks waiting to be freed included",
					load: of(func(g *snapshot.Segment) int64 { return g.Active })},
				{Name: "requested_size", Doc: "bytes asked for",
					load: of(func(g *snapshot.Segment) int64 { return g.Requested })},
				{Name: "stream", Doc: "CUDA stream", lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return db.s.Streams[g.Stream] })},
				{Name: "pool", Doc: "memory pool, such as 0,0", text: db.poolText,
					load: of(func(g *snapshot.Segment) int64 { return known(g.Pool) })},
				{Name: "segment_type", Doc: "small or large", dict: kinds, lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return 1 - flag(g.Large) })},
				{Name: "is_expandable", Doc: "1: an expandable segment", lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return flag(g.Expandable) })},
				{Name: "stack", Doc: "where it was allocated, in stacks", lowCardinality: true,
					load: of(func(g *snapshot.Segment) int64 { return known(g.Stack) })},
				{Name: "blocks", Doc: "how many",
					load: of(func(g *snapshot.Segment) int64 { return int64(g.End - g.First) })},
			}
		})
}

var blockStates, blockCodes = sortedNames(map[snapshot.BlockState]string{
	snapshot.BlockAllocated: "active_allocated", snapshot.BlockPendingFree: "active_pending_free",
	snapshot.BlockInactive: "inactive", snapshot.BlockUnknown: "unknown",
})

func (db *DB) blocks() *TableInfo {
	guess := func(d *snapshot.Device) int { return d.Blocks.Len() }
	return db.perDevice("blocks", "the blocks of the segments at the end", guess, func(l *lane) (int, []ColumnInfo) {
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
		return b.Len(), []ColumnInfo{
			{Name: "block", Doc: "its place among the device's blocks", number: true},
			{Name: "segment", Doc: "in segments", lowCardinality: true, load: ints(segment)},
			{Name: "addr", Doc: "first byte", Unsigned: true, load: ints(b.Addr)},
			{Name: "size", Doc: "bytes occupied", lowCardinality: true, load: ints(b.Size)},
			{Name: "requested_size", Doc: "bytes asked for", lowCardinality: true, load: ints(b.Requested)},
			{Name: "state", Doc: "active_allocated, active_pending_free or inactive", dict: blockStates,
				lowCardinality: true, load: func(i int) int64 { return blockCodes[b.State[i]] }},
			{Name: "stack", Doc: "where it was allocated, in stacks", lowCardinality: true, load: ids(b.Stack)},
			{Name: "forward_stack", Doc: "stack of the forward pass, where recorded", load: forward},
		}
	})
}
