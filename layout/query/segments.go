package query

import (
	"slices"

	"strata/layout"
	"strata/snapshot"
)

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
				{Name: "segment_type", Doc: "small or large", dict: list(kinds), lowCardinality: true,
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
			{Name: "state", Doc: "active_allocated, active_pending_free or inactive", dict: list(blockStates),
				lowCardinality: true, load: func(i int) int64 { return blockCodes[b.State[i]] }},
			{Name: "stack", Doc: "where it was allocated, in stacks", lowCardinality: true, load: ids(b.Stack)},
			{Name: "forward_stack", Doc: "stack of the forward pass, where recorded", load: forward},
		}
	})
}

func (db *DB) annotations() *TableInfo {
	guess := func(*snapshot.Device) int { return len(db.s.Annotations)/2 + 1 }
	columns := func(l *lane) (int, []ColumnInfo) {
		t, phases := l.timeline(), l.phases()
		if !t.HasTime() {
			// There is no trace, or one without times: the annotations alone make the axis.
			d := snapshot.Device{Index: l.d.Index}
			for _, a := range db.s.Annotations {
				if int(a.Device) == d.Index {
					d.Events.Time = append(d.Events.Time, a.Time)
					d.Events.Action = append(d.Events.Action, snapshot.ActionOther)
				}
			}
			t = layout.New(db.s, &d, layout.Options{})
			phases = layout.AllPhases(t)
		}
		n := len(phases.All)
		if n > 0 && phases.All[0].Device != l.d.Index {
			n = 0 // they are another's, and are told with it
		}
		of := func(f func(p *layout.Phase) int64) loader {
			return func(i int) int64 { return f(&phases.All[i]) }
		}
		unless := func(unknown bool, us int64) int64 {
			if unknown {
				return null
			}
			return t.Start + us
		}
		return n, []ColumnInfo{
			{Name: "annotation", Doc: "its place among the device's", number: true},
			{Name: "name", Doc: "as given", text: db.str,
				load: of(func(p *layout.Phase) int64 { return int64(p.Label) })},
			{Name: "start_us", Doc: "microseconds since 1970; NULL: only its end is known",
				load: of(func(p *layout.Phase) int64 { return unless(p.Instant, p.Start) })},
			{Name: "end_us", Doc: "NULL: it never ended",
				load: of(func(p *layout.Phase) int64 { return unless(p.Open, p.End) })},
			{Name: "depth", Doc: "0 is the outermost", lowCardinality: true,
				load: of(func(p *layout.Phase) int64 { return int64(p.Depth) })},
		}
	}
	t := db.perDevice("annotations", "stretches of the run that the program or PyTorch named", guess, columns)
	// Annotations of devices that have nothing else are kept, too.
	for _, a := range db.s.Annotations {
		if !slices.ContainsFunc(t.parts, func(p *part) bool { return p.lane.d.Index == int(a.Device) }) {
			t.addDevice(db.newLane(&snapshot.Device{Index: int(a.Device)}, nil), columns)
		}
	}
	return t
}
