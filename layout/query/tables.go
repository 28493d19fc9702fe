package query

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

// makeTables describes all tables. Their columns are read where they lie.
func (db *DB) makeTables() []*table {
	return []*table{
		db.devices(), db.events(), db.allocations(), db.polygons(), db.totals(), db.live(),
		db.stacks(), db.frames(), db.segments(), db.blocks(), db.annotations(), db.settings(),
	}
}

// perDevice makes a part of each device.
func (db *DB) perDevice(f func(l *lane) (int, []loader)) []*part {
	var parts []*part
	for _, l := range db.lanes {
		p := &part{device: int64(l.d.Index)}
		p.make = func() (int, []loader) {
			n, loads := f(l)
			return n, append([]loader{constant(p.device)}, loads...)
		}
		parts = append(parts, p)
	}
	return parts
}

// whole is the only part of a table that knows no devices.
func whole(n int, loads ...loader) []*part {
	return []*part{{make: func() (int, []loader) { return n, loads }}}
}

// sum adds up a count of every device.
func (db *DB) sum(f func(d *snapshot.Device) int) (n int) {
	for _, l := range db.lanes {
		n += f(l.d)
	}
	return n
}

var deviceColumn = column{name: "device", doc: "as PyTorch numbers them; -1 is pinned host memory", lowCardinality: true}

func (db *DB) devices() *table {
	t := &table{name: "devices", doc: "a device, and what held memory on it", guess: len(db.lanes), cols: []column{
		deviceColumn,
		{name: "events", doc: "of its trace"},
		{name: "allocations", doc: "made, freed or found in it"},
		{name: "steps", doc: "allocs and frees; they are numbered from 0"},
		{name: "peak_bytes", doc: "most bytes live at any step, the start included"},
		{name: "peak_step", doc: "the step that reaches it; 0 if the start does"},
		{name: "start_bytes", doc: "live before the first event"},
		{name: "end_bytes", doc: "live after the last"},
		{name: "reserved_bytes", doc: "in segments at the end"},
	}}
	t.parts = db.perDevice(func(l *lane) (int, []loader) {
		tl := l.timeline(db.s)
		var reserved int64
		for i := range l.d.Segments {
			reserved += l.d.Segments[i].Size
		}
		var loads []loader
		for _, v := range []int64{int64(l.d.Events.Len()), int64(len(tl.Size)), int64(len(tl.Actions)), tl.PeakBytes,
			int64(tl.PeakStep()), tl.StartBytes, tl.EndBytes, reserved} {
			loads = append(loads, constant(v))
		}
		return 1, loads
	})
	return t
}

// actionNames are the names of events, in order, and their numbers.
var actionNames, actionCodes = func() (names []string, codes [256]int64) {
	all := map[snapshot.Action]string{
		snapshot.ActionOther: "other", snapshot.ActionAlloc: "alloc", snapshot.ActionFreeRequested: "free_requested",
		snapshot.ActionFreeCompleted: "free_completed", snapshot.ActionFree: "free", snapshot.ActionSegmentAlloc: "segment_alloc",
		snapshot.ActionSegmentFree: "segment_free", snapshot.ActionSegmentMap: "segment_map", snapshot.ActionSegmentUnmap: "segment_unmap",
		snapshot.ActionSnapshot: "snapshot", snapshot.ActionOOM: "oom", snapshot.ActionAnnotate: "annotate",
		snapshot.ActionWorkspaceSnapshot: "workspace_snapshot", snapshot.ActionUserDefined: "user_defined",
	}
	for _, n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	for a, n := range all {
		i, _ := slices.BinarySearch(names, n)
		codes[a] = int64(i)
	}
	return names, codes
}()

func from(names []string) func(int64) string { return func(code int64) string { return names[code] } }

func (db *DB) str(code int64) string { return db.s.Strings[code] }

func (db *DB) poolText(code int64) string { return db.pools[code] }

func (db *DB) events() *table {
	t := &table{name: "events", doc: "what the allocator recorded, in order", guess: db.sum(func(d *snapshot.Device) int { return d.Events.Len() }), cols: []column{
		deviceColumn,
		{name: "event", doc: "its place in the device's trace", number: true},
		{name: "action", doc: "alloc, free_requested, free_completed, segment_alloc, …", text: from(actionNames), dict: actionNames, lowCardinality: true},
		{name: "addr", doc: "first byte of the block or segment", unsigned: true},
		{name: "size", doc: "bytes; of allocs and frees those asked for", lowCardinality: true},
		{name: "stream", doc: "CUDA stream", lowCardinality: true},
		{name: "time_us", doc: "microseconds since 1970"},
		{name: "stack", doc: "call stack, in stacks", lowCardinality: true},
		{name: "pool", doc: "memory pool where recorded, such as 0,7", text: db.poolText},
		{name: "device_free", doc: "of an oom: bytes that the driver had left", unsigned: true},
		{name: "compile_context", doc: "of torch.compile", text: db.str},
		{name: "user_metadata", doc: "as the program set it", text: db.str},
		{name: "internal_metadata", doc: "PyTorch's own", text: db.str},
		{name: "category", doc: "of the profiler's files", text: db.str},
		{name: "forward_stack", doc: "stack of the forward pass, where recorded"},
		{name: "site", doc: "frame of the line of code that counts, in frames", hidden: true, lowCardinality: true},
	}}
	t.parts = db.perDevice(func(l *lane) (int, []loader) {
		e := &l.d.Events
		meta := func(f func(m *snapshot.Meta) int64) loader {
			if e.Meta == nil {
				return constant(null)
			}
			return each(func(i int) int64 { return f(&db.s.Metas[e.Meta[i]]) })
		}
		times := constant(null)
		if e.Time != nil {
			times = ints(e.Time)
		}
		return e.Len(), []loader{
			number,
			each(func(i int) int64 { return actionCodes[e.Action[i]] }),
			func(dst []int64, from int) {
				for i, a := range e.Addr[from : from+len(dst)] {
					dst[i] = int64(a)
				}
				for i, a := range e.Action[from : from+len(dst)] {
					if a == snapshot.ActionOOM {
						dst[i] = null
					}
				}
			},
			ints(e.Size),
			each(func(i int) int64 { return db.s.Streams[e.Stream[i]] }),
			times,
			ids(e.Stack),
			meta(func(m *snapshot.Meta) int64 { return known(m.Pool) }),
			each(func(i int) int64 {
				if e.Action[i] != snapshot.ActionOOM {
					return null
				}
				return int64(e.Addr[i])
			}),
			meta(func(m *snapshot.Meta) int64 { return known(m.CompileContext) }),
			meta(func(m *snapshot.Meta) int64 { return known(m.User) }),
			meta(func(m *snapshot.Meta) int64 { return known(m.Internal) }),
			meta(func(m *snapshot.Meta) int64 { return known(m.Category) }),
			meta(func(m *snapshot.Meta) int64 { return known(m.Forward) }),
			each(func(i int) int64 { return known(db.s.Stacks.Site[e.Stack[i]]) }),
		}
	})
	return t
}

func (db *DB) polygons() *table {
	return &table{name: "polygons", doc: "the corners of an allocation's lower edge, made for the id asked for", cols: []column{
		deviceColumn,
		{name: "id", doc: "the allocation; without it all polygons are made, one corner for every block above every free"},
		{name: "vertex", doc: "number of the corner"},
		{name: "timestep", doc: "PyTorch's horizontal unit"},
		{name: "offset", doc: "bytes"},
	}, parts: db.perDevice(nil), keyed: &keyed{key: 1, each: 100, rows: polygonOf,
		keys: func(t *layout.Timeline) (int64, int64) { return 0, int64(len(t.Size)) - 1 }}}
}

func (db *DB) live() *table {
	return &table{name: "live", doc: "the live set at the step asked for, bottom to top: what the reference viewer shows at the step's first timestep, a block being freed included (start_step <= step <= end_step)", cols: []column{
		deviceColumn,
		{name: "step", doc: "it must be asked for; -1 is the start, the number of steps the end"},
		{name: "id", doc: "the allocation"},
		{name: "offset", doc: "bytes below it"},
	}, parts: db.perDevice(nil), keyed: &keyed{key: 1, each: 2000, rows: liveAt,
		must: "the table live is made for a step: ask WHERE step = N, or step BETWEEN N AND M",
		keys: func(t *layout.Timeline) (int64, int64) { return -1, int64(len(t.Actions)) }}}
}

func (db *DB) totals() *table {
	t := &table{name: "totals", doc: "bytes live at every timestep, as the reference viewer counts them", guess: 2 * db.sum(func(d *snapshot.Device) int { return d.Events.Len() }), cols: []column{
		deviceColumn,
		{name: "timestep", doc: "PyTorch's horizontal unit: 1 an alloc, 1 or 4 a free", number: true},
		{name: "step", doc: "the alloc or free in progress", lowCardinality: true},
		{name: "bytes", doc: "live, a block being freed included", lowCardinality: true},
	}}
	t.parts = db.perDevice(func(l *lane) (int, []loader) {
		tl := l.timeline(db.s)
		at := func(f func(step int) int64) loader {
			return func(dst []int64, from int) {
				step, found := slices.BinarySearch(tl.Timestep, int32(from))
				if !found {
					step--
				}
				for i := range dst {
					for int(tl.Timestep[step+1]) <= from+i {
						step++
					}
					dst[i] = f(step)
				}
			}
		}
		return int(tl.Timestep[len(tl.Actions)]), []loader{
			number,
			at(func(step int) int64 { return int64(step) }),
			at(func(step int) int64 { return tl.Total[stateOf(tl, int64(step))] }),
		}
	})
	return t
}

func (db *DB) stacks() *table {
	s := &db.s.Stacks
	return &table{name: "stacks", doc: "call stacks: a row for each frame", guess: len(s.Frame), cols: []column{
		{name: "stack", doc: "number of the stack", lowCardinality: true},
		{name: "depth", doc: "0 is the innermost frame"},
		{name: "frame", doc: "in frames", lowCardinality: true},
	}, parts: whole(len(s.Frame),
		stackOf(s, func(stack, _ int) int64 { return int64(stack) }),
		stackOf(s, func(stack, at int) int64 { return int64(at) - int64(s.Start[stack]) }),
		ints(s.Frame))}
}

// stackOf loads something about the stack that a place in Stacks.Frame is of.
func stackOf(s *snapshot.Stacks, f func(stack, at int) int64) loader {
	return func(dst []int64, from int) {
		// The last stack that starts at or before; empty ones start where the next does.
		stack := sort.Search(s.Len(), func(i int) bool { return int(s.Start[i+1]) > from })
		for i := range dst {
			for int(s.Start[stack+1]) <= from+i {
				stack++
			}
			dst[i] = f(stack, from+i)
		}
	}
}

func (db *DB) frames() *table {
	f := &db.s.Frames
	fx := func(of func(x snapshot.FX) snapshot.StringID) loader {
		return each(func(i int) int64 { return known(of(f.FX[snapshot.FrameID(i+1)])) })
	}
	return &table{name: "frames", doc: "lines of code", guess: len(f.Name), cols: []column{
		{name: "frame", doc: "number of the frame"},
		{name: "name", doc: "function", text: db.str},
		{name: "filename", text: db.str, doc: "file"},
		{name: "line", doc: "NULL if not known", lowCardinality: true},
		{name: "fx_node_op", doc: "of torch.fx", text: db.str, hidden: true},
		{name: "fx_node_name", doc: "of torch.fx", text: db.str, hidden: true},
		{name: "fx_node_target", doc: "of torch.fx", text: db.str, hidden: true},
		{name: "fx_original_trace", doc: "of torch.fx", text: db.str, hidden: true},
	}, parts: whole(max(0, len(f.Name)-1),
		each(func(i int) int64 { return int64(i + 1) }),
		each(func(i int) int64 { return int64(f.Name[i+1]) }),
		each(func(i int) int64 { return int64(f.File[i+1]) }),
		each(func(i int) int64 {
			if f.Line[i+1] <= 0 {
				return null
			}
			return int64(f.Line[i+1])
		}),
		fx(func(x snapshot.FX) snapshot.StringID { return x.Op }),
		fx(func(x snapshot.FX) snapshot.StringID { return x.Node }),
		fx(func(x snapshot.FX) snapshot.StringID { return x.Target }),
		fx(func(x snapshot.FX) snapshot.StringID { return x.OriginalTrace }))}
}

func (db *DB) settings() *table {
	kv := db.s.Settings
	return &table{name: "settings", doc: "the allocator's settings", guess: len(kv), cols: []column{
		{name: "key", doc: "nested ones with dots", text: func(i int64) string { return kv[i].Key }},
		{name: "value", doc: "as text", text: func(i int64) string { return kv[i].Value }},
	}, parts: whole(len(kv), number, number)}
}

// Schema describes the tables of these names, or all, as SQL with comments; "" if none is there.
func (db *DB) Schema(names ...string) string {
	var b strings.Builder
	for _, t := range db.tables {
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, t.name) }) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "-- %s\nCREATE TABLE %s (\n", t.doc, t.name)
		for j, c := range t.cols {
			comma, note := ",", ""
			if j == len(t.cols)-1 {
				comma = ""
			}
			if c.hidden {
				note = " (not part of *)"
			}
			fmt.Fprintf(&b, "  %-18s %-8s -- %s%s\n", c.name, c.decl()+comma, c.doc, note)
		}
		b.WriteString(");\n")
	}
	return b.String()
}
