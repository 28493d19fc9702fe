package query

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"strata/snapshot"
)

// makeTables describes all tables. Their columns are read where they lie.
func (db *DB) makeTables() []*TableInfo {
	spans, ops := db.spans()
	return []*TableInfo{
		db.devices(), db.events(), db.allocations(), db.polygons(), db.totals(), db.live(),
		db.stacks(), db.frames(), db.segments(), db.blocks(), db.annotations(), db.settings(),
		db.reserved(), db.segmentLives(), db.pooled(), db.stateBlocks(), db.freeRanges(),
		spans, ops,
	}
}

// perDevice is a table of which each device has its part. columns describes a device's rows and how they are read; it
// is called for a device without anything, too, to know what there is. guess is about how many rows a device has.
func (db *DB) perDevice(name, doc string, guess func(d *snapshot.Device) int,
	columns func(l *lane) (int, []ColumnInfo)) *TableInfo {
	_, cols := columns(db.newLane(&snapshot.Device{}, nil))
	device := ColumnInfo{Name: "device", Doc: "as PyTorch numbers them; -1 is pinned host memory", lowCardinality: true}
	t := newTable(name, doc, append([]ColumnInfo{device}, cols...))
	for _, l := range db.lanes {
		t.guess += guess(l.d)
		t.addDevice(l, columns)
	}
	return t
}

// newTable is a table without parts.
func newTable(name, doc string, cols []ColumnInfo) *TableInfo {
	for i, c := range cols {
		if c.dict != nil {
			cols[i].text = func(code int64) string { return c.dict()[code] }
		}
	}
	return &TableInfo{Name: name, Doc: doc, Columns: cols}
}

func (t *TableInfo) addDevice(l *lane, columns func(l *lane) (int, []ColumnInfo)) {
	t.parts = append(t.parts, &part{lane: l, make: func() (int, []loader) {
		n, cols := columns(l)
		return n, append([]loader{constant(int64(l.d.Index))}, loaders(cols)...)
	}})
}

// whole is a table that knows no devices.
func whole(name, doc string, n int, cols ...ColumnInfo) *TableInfo {
	t := newTable(name, doc, cols)
	t.guess, t.parts = n, []*part{{make: func() (int, []loader) { return n, loaders(cols) }}}
	return t
}

func loaders(cols []ColumnInfo) []loader {
	loads := make([]loader, len(cols))
	for i := range cols {
		if loads[i] = cols[i].load; cols[i].number {
			loads[i] = number
		}
	}
	return loads
}

func (db *DB) devices() *TableInfo {
	return db.perDevice("devices", "a device, and what held memory on it", func(*snapshot.Device) int { return 1 },
		func(l *lane) (int, []ColumnInfo) {
			tl := l.timeline()
			return 1, []ColumnInfo{
				{Name: "events", Doc: "of its trace", load: constant(int64(l.d.Events.Len()))},
				{Name: "allocations", Doc: "made, freed or found in it", load: constant(int64(len(tl.Size)))},
				{Name: "steps", Doc: "allocs and frees; they are numbered from 0",
					load: constant(int64(len(tl.Actions)))},
				{Name: "peak_bytes", Doc: "most bytes live at any step, the start included",
					load: constant(tl.PeakBytes)},
				{Name: "peak_step", Doc: "the step that reaches it; 0 if the start does",
					load: constant(int64(tl.PeakStep()))},
				{Name: "start_bytes", Doc: "live before the first event", load: constant(tl.StartBytes)},
				{Name: "end_bytes", Doc: "live after the last", load: constant(tl.EndBytes)},
				{Name: "pending_bytes", Doc: "of end_bytes, waiting to be freed", load: constant(tl.PendingBytes)},
				{Name: "reserved_bytes", Doc: "at the end, in segments; of a trace the total it tells",
					load: constant(l.d.Reserved())},
			}
		})
}

// list is a dict that is known already.
func list(texts []string) func() []string { return func() []string { return texts } }

// inOrder describes a column of some strings, which are put in order when first needed: rows sorted by them, as for
// GROUP BY, then cost no more than rows sorted by numbers.
func (db *DB) inOrder(name, doc string, of []snapshot.StringID) ColumnInfo {
	sorted := sync.OnceValues(func() (texts []string, codes map[snapshot.StringID]int64) {
		ids := slices.Compact(slices.Sorted(slices.Values(of)))
		slices.SortFunc(ids, func(a, b snapshot.StringID) int {
			return strings.Compare(db.s.Strings[a], db.s.Strings[b])
		})
		codes = make(map[snapshot.StringID]int64, len(ids))
		for _, id := range ids {
			if text := db.s.Strings[id]; texts == nil || texts[len(texts)-1] != text {
				texts = append(texts, text)
			}
			codes[id] = int64(len(texts) - 1)
		}
		return texts, codes
	})
	return ColumnInfo{Name: name, Doc: doc, dict: func() []string { texts, _ := sorted(); return texts },
		load: func(i int) int64 { _, codes := sorted(); return codes[of[i]] }}
}

// sortedNames are the names of a column's values in order, and the code of each value among them.
func sortedNames[T ~uint8](all map[T]string) (names []string, codes [256]int64) {
	names = slices.Sorted(maps.Values(all))
	for v, name := range all {
		codes[v] = int64(slices.Index(names, name))
	}
	return names, codes
}

var actionNames, actionCodes = sortedNames(func() map[snapshot.Action]string {
	names := map[snapshot.Action]string{}
	for a := snapshot.ActionOther; a <= snapshot.ActionUserDefined; a++ {
		names[a] = a.String()
	}
	return names
}())

func (db *DB) str(code int64) string { return db.s.Strings[code] }

func (db *DB) poolText(code int64) string { return db.pools[code] }

func (db *DB) events() *TableInfo {
	guess := func(d *snapshot.Device) int { return d.Events.Len() }
	return db.perDevice("events", "what the allocator recorded, in order", guess, func(l *lane) (int, []ColumnInfo) {
		e := &l.d.Events
		meta := func(f func(m *snapshot.Meta) int64) loader {
			if e.Meta == nil {
				return constant(null)
			}
			return func(i int) int64 { return f(&db.s.Metas[e.Meta[i]]) }
		}
		// Of an oom Addr is what the driver had left.
		addr := func(i int, oom bool) int64 {
			if oom != (e.Action[i] == snapshot.ActionOOM) || oom && e.Addr[i] == snapshot.UnknownFree {
				return null
			}
			return int64(e.Addr[i])
		}
		times := constant(null)
		if e.Time != nil {
			times = ints(e.Time)
		}
		return e.Len(), []ColumnInfo{
			{Name: "event", Doc: "its place in the device's trace", number: true},
			{Name: "action", Doc: "alloc, free_requested, free_completed, segment_alloc, …", dict: list(actionNames),
				lowCardinality: true, load: func(i int) int64 { return actionCodes[e.Action[i]] }},
			{Name: "addr", Doc: "first byte of the block or segment", Unsigned: true,
				load: func(i int) int64 { return addr(i, false) }},
			{Name: "size", Doc: "bytes; of allocs and frees those asked for", lowCardinality: true, load: ints(e.Size)},
			{Name: "stream", Doc: "CUDA stream", lowCardinality: true,
				load: func(i int) int64 { return db.s.Streams[e.Stream[i]] }},
			{Name: "time_us", Doc: "microseconds since 1970", load: times},
			{Name: "stack", Doc: "call stack, in stacks", lowCardinality: true, load: ids(e.Stack)},
			{Name: "pool", Doc: "memory pool where recorded, such as 0,7", text: db.poolText,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Pool) })},
			{Name: "device_free", Doc: "of an oom: bytes that the driver had left", Unsigned: true,
				load: func(i int) int64 { return addr(i, true) }},
			{Name: "compile_context", Doc: "of torch.compile", text: db.str,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.CompileContext) })},
			{Name: "user_metadata", Doc: "as the program set it", text: db.str,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.User) })},
			{Name: "internal_metadata", Doc: "PyTorch's own", text: db.str,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Internal) })},
			{Name: "category", Doc: "of the profiler's files", text: db.str,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Category) })},
			{Name: "operator", Doc: "of a trace: the outermost that asked", text: db.str, lowCardinality: true,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Op) })},
			{Name: "module", Doc: "of a trace: the innermost torch.nn.Module", text: db.str, lowCardinality: true,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Module) })},
			{Name: "profiler_step", Doc: "of a trace", text: db.str, lowCardinality: true,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Step) })},
			{Name: "thread", Doc: "of a trace: its name, or id", text: db.str, lowCardinality: true,
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Thread) })},
			{Name: "forward_stack", Doc: "stack of the forward pass, where recorded",
				load: meta(func(m *snapshot.Meta) int64 { return known(m.Forward) })},
			{Name: "site", Doc: "frame of the line of code that counts, in frames", Hidden: true,
				values: len(db.s.Frames.Name), load: func(i int) int64 { return known(db.s.Stacks.Site[e.Stack[i]]) }},
		}
	})
}

func (db *DB) polygons() *TableInfo {
	return db.keyed("polygons", "the corners of an allocation's lower edge, made for the id asked for",
		&keyed{each: 100,
			keys: func(l *lane) (int64, int64) { return 0, int64(len(l.timeline().Size)) - 1 }, rows: polygonOf},
		ColumnInfo{Name: "id", Doc: "the allocation; without it all polygons are made, one corner for every block " +
			"above " +
			"every free"},
		ColumnInfo{Name: "vertex", Doc: "number of the corner"},
		ColumnInfo{Name: "timestep", Doc: "PyTorch's horizontal unit"},
		ColumnInfo{Name: "offset", Doc: "bytes"})
}

func (db *DB) live() *TableInfo {
	return db.keyed("live", "the live set at the step asked for, bottom to top: what the reference viewer shows at "+
		"the step's first timestep, a block being freed included (start_step <= step <= end_step)",
		&keyed{each: 2000, rows: liveAt,
			must: "the table live is made for a step: ask WHERE step = N, or step BETWEEN N AND M",
			keys: func(l *lane) (int64, int64) { return -1, int64(len(l.timeline().Actions)) }},
		ColumnInfo{Name: "step", Doc: "it must be asked for; -1 is the start, the number of steps the end"},
		ColumnInfo{Name: "id", Doc: "the allocation"},
		ColumnInfo{Name: "offset", Doc: "bytes below it"})
}

// keyed is a table whose rows are made for a key.
func (db *DB) keyed(name, doc string, k *keyed, cols ...ColumnInfo) *TableInfo {
	none := func(*snapshot.Device) int { return 0 }
	t := db.perDevice(name, doc, none, func(*lane) (int, []ColumnInfo) { return 0, cols })
	t.keyed = k
	return t
}

func (db *DB) totals() *TableInfo {
	timesteps := func(d *snapshot.Device) int { return 2 * d.Events.Len() }
	return db.perDevice("totals", "bytes live at every timestep, as the reference viewer counts them", timesteps,
		func(l *lane) (int, []ColumnInfo) {
			tl := l.timeline()
			stepAt := func(timestep int) int64 { return tl.StepAt(float64(timestep)) }
			return int(tl.Timestep[len(tl.Actions)]), []ColumnInfo{
				{Name: "timestep", Doc: "PyTorch's horizontal unit: 1 an alloc, 1 or 4 a free", number: true},
				{Name: "step", Doc: "the alloc or free in progress", lowCardinality: true, load: stepAt},
				{Name: "bytes", Doc: "live, a block being freed included", lowCardinality: true,
					load: func(i int) int64 { return tl.Total[tl.StateOf(stepAt(i))] }},
			}
		})
}

func (db *DB) stacks() *TableInfo {
	s := &db.s.Stacks
	return whole("stacks", "call stacks: a row for each frame", len(s.Frame),
		ColumnInfo{Name: "stack", Doc: "number of the stack", lowCardinality: true,
			load: stackOf(s, func(stack, _ int) int64 { return int64(stack) })},
		ColumnInfo{Name: "depth", Doc: "0 is the innermost frame",
			load: stackOf(s, func(stack, at int) int64 { return int64(at) - int64(s.Start[stack]) })},
		ColumnInfo{Name: "frame", Doc: "in frames", lowCardinality: true, load: ints(s.Frame)})
}

// stackOf loads something about the stack that a place in Stacks.Frame is of.
func stackOf(s *snapshot.Stacks, f func(stack, at int) int64) loader {
	return func(at int) int64 {
		// The last stack that starts at or before; empty ones start where the next does.
		return f(sort.Search(s.Len(), func(i int) bool { return int(s.Start[i+1]) > at }), at)
	}
}

func (db *DB) frames() *TableInfo {
	f := &db.s.Frames
	fx := func(name string, of func(x snapshot.FX) snapshot.StringID) ColumnInfo {
		return ColumnInfo{Name: name, Doc: "of torch.fx", text: db.str, Hidden: true,
			load: func(i int) int64 { return known(of(f.FX[snapshot.FrameID(i+1)])) }}
	}
	return whole("frames", "lines of code", max(0, len(f.Name)-1),
		ColumnInfo{Name: "frame", Doc: "number of the frame", load: func(i int) int64 { return int64(i + 1) }},
		db.inOrder("name", "function", f.Name[min(1, len(f.Name)):]),
		db.inOrder("filename", "file", f.File[min(1, len(f.File)):]),
		ColumnInfo{Name: "line", Doc: "NULL if not known", lowCardinality: true,
			load: func(i int) int64 { return known(uint32(max(0, f.Line[i+1]))) }},
		fx("fx_node_op", func(x snapshot.FX) snapshot.StringID { return x.Op }),
		fx("fx_node_name", func(x snapshot.FX) snapshot.StringID { return x.Node }),
		fx("fx_node_target", func(x snapshot.FX) snapshot.StringID { return x.Target }),
		fx("fx_original_trace", func(x snapshot.FX) snapshot.StringID { return x.OriginalTrace }))
}

func (db *DB) settings() *TableInfo {
	kv := db.s.Settings
	return whole("settings", "the allocator's settings", len(kv),
		ColumnInfo{Name: "key", Doc: "nested ones with dots", text: func(i int64) string { return kv[i].Key },
			load: number},
		ColumnInfo{Name: "value", Doc: "as text", text: func(i int64) string { return kv[i].Value }, load: number})
}

// Schema describes the tables of these names, or all, as SQL with comments; "" if none is there.
func (db *DB) Schema(names ...string) string {
	var b strings.Builder
	for _, t := range db.tables {
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, t.Name) }) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "-- %s\nCREATE TABLE %s (\n", t.Doc, t.Name)
		for j, c := range t.Columns {
			comma, note := ",", ""
			if j == len(t.Columns)-1 {
				comma = ""
			}
			if c.Hidden {
				note = " (not part of *)"
			}
			fmt.Fprintf(&b, "  %-18s %-8s -- %s%s\n", c.Name, c.decl()+comma, c.Doc, note)
		}
		b.WriteString(");\n")
	}
	return b.String()
}
