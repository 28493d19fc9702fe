package query

import (
	"sync"

	"strata/layout"
	"strata/snapshot"
)

func (db *DB) segments() *table {
	kinds := []string{"large", "small"}
	t := &table{name: "segments", doc: "what the allocator held from the driver at the end", guess: db.sum(func(d *snapshot.Device) int { return len(d.Segments) }), cols: []column{
		deviceColumn,
		{name: "segment", doc: "its place among the device's segments", ascends: true},
		{name: "addr", doc: "first byte", unsigned: true},
		{name: "size", doc: "bytes"},
		{name: "allocated_size", doc: "bytes of it in blocks in use"},
		{name: "active_size", doc: "the same, blocks waiting to be freed included"},
		{name: "requested_size", doc: "bytes asked for"},
		{name: "stream", doc: "CUDA stream", few: true},
		{name: "pool", doc: "memory pool, such as 0,0", text: db.poolText},
		{name: "segment_type", doc: "small or large", text: from(kinds), dict: kinds, few: true},
		{name: "is_expandable", doc: "1: an expandable segment", few: true},
		{name: "stack", doc: "where it was allocated, in stacks", few: true},
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
		{name: "block", doc: "its place among the device's blocks", ascends: true},
		{name: "segment", doc: "in segments", ascends: true, few: true},
		{name: "addr", doc: "first byte", unsigned: true},
		{name: "size", doc: "bytes occupied", few: true},
		{name: "requested_size", doc: "bytes asked for", few: true},
		{name: "state", doc: "active_allocated, active_pending_free or inactive", text: from(blockStates), dict: blockStates, few: true},
		{name: "stack", doc: "where it was allocated, in stacks", few: true},
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

// span is an annotation from its START to its END, as a query sees it.
type span struct {
	name       string
	start, end int64 // µs since the epoch, or null
	depth      int64
}

func (db *DB) annotations() *table {
	t := &table{name: "annotations", doc: "stretches of the run that the program or PyTorch named", guess: len(db.s.Annotations)/2 + 1, cols: []column{
		deviceColumn,
		{name: "annotation", doc: "its place among the device's", ascends: true},
		{name: "name", doc: "as given", text: func(int64) string { return "" }},
		{name: "start_us", doc: "microseconds since 1970; NULL: only its end is known", ascends: true},
		{name: "end_us", doc: "NULL: it never ended"},
		{name: "depth", doc: "0 is the outermost", few: true},
	}}
	// Annotations of devices that have nothing else are kept, too.
	devices := map[int32]bool{}
	var numbers []int64
	for _, l := range db.lanes {
		devices[int32(l.d.Index)] = true
		numbers = append(numbers, int64(l.d.Index))
	}
	for _, a := range db.s.Annotations {
		if !devices[a.Device] {
			devices[a.Device] = true
			numbers = append(numbers, int64(a.Device))
		}
	}
	var all []span
	base := map[int64]int{}
	count := map[int64]int{}
	load := sync.OnceFunc(func() {
		for _, n := range numbers {
			base[n] = len(all)
			all = append(all, db.spans(n)...)
			count[n] = len(all) - base[n]
		}
	})
	t.cols[2].text = func(i int64) string { return all[i].name }
	for _, n := range numbers {
		p := &part{device: n}
		p.make = func() (int, []loader) {
			load()
			of := func(f func(s *span) int64) loader {
				return each(func(i int) int64 { return f(&all[base[n]+i]) })
			}
			return count[n], []loader{
				constant(n), number,
				each(func(i int) int64 { return int64(base[n] + i) }),
				of(func(s *span) int64 { return s.start }),
				of(func(s *span) int64 { return s.end }),
				of(func(s *span) int64 { return s.depth }),
			}
		}
		t.parts = append(t.parts, p)
	}
	return t
}

// spans is the annotations of a device, paired.
func (db *DB) spans(device int64) (out []span) {
	var t *layout.Timeline
	var phases *layout.Phases
	for _, l := range db.lanes {
		if int64(l.d.Index) == device && l.timeline(db.s).HasTime() {
			t, phases = l.timeline(db.s), l.phases()
		}
	}
	if t == nil {
		// The device has no trace, or one without times: its annotations alone make the axis.
		d := snapshot.Device{Index: int(device)}
		for _, a := range db.s.Annotations {
			if int64(a.Device) == device {
				d.Events.Time = append(d.Events.Time, a.Time)
				d.Events.Action = append(d.Events.Action, snapshot.ActionOther)
			}
		}
		t = layout.New(db.s, &d, layout.Options{})
		phases = layout.NewPhases(t, nil)
	}
	for _, p := range phases.All {
		s := span{p.Name, t.Start + p.Start, t.Start + p.End, int64(p.Depth)}
		if p.Instant {
			s.start = null
		}
		if p.Open {
			s.end = null
		}
		out = append(out, s)
	}
	return out
}
