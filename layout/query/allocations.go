package query

import (
	"slices"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

func (db *DB) allocations() *TableInfo {
	guess := func(d *snapshot.Device) int { return d.Events.Len()/3 + 1 }
	return db.perDevice("allocations", "blocks of memory in use; id is the reference viewer's element", guess,
		db.allocationColumns)
}

// allocationColumns is a device's allocations.
func (db *DB) allocationColumns(l *lane) (int, []ColumnInfo) {
	t, e := l.timeline(), &l.d.Events
	// unless is f where a condition does not hold, else NULL.
	unless := func(cond func(i int) bool, f func(i int) int64) loader {
		return func(i int) int64 {
			if cond(i) {
				return null
			}
			return f(i)
		}
	}
	before := func(i int) bool { return t.BeforeRecording(layout.ID(i)) }
	neverFreed := func(i int) bool { return t.Death[i] == layout.Never }
	freed := func(i int) int32 { return t.FreeEvent(layout.ID(i)) }
	noFree := func(i int) bool { return freed(i) < 0 }
	timeOf := func(state int32) int64 { return t.Start + t.TimeOf(int(state-1)) }
	return len(t.Size), []ColumnInfo{
		{Name: "id", Doc: "number of the allocation", number: true},
		{Name: "addr", Doc: "first byte", Unsigned: true,
			load: func(i int) int64 { return int64(t.AddrOf(layout.ID(i))) }},
		{Name: "size", Doc: "bytes asked for", lowCardinality: true, load: ints(t.Size)},
		{Name: "rounded_size", Doc: "bytes of its block where it is there at the end, else size in whole 512 " +
			"bytes, of " +
			"torch_npu 32 bytes more before; NULL if roundup_power2_divisions was set", lowCardinality: true,
			load: db.rounded(t)},
		{Name: "stream", Doc: "CUDA stream", lowCardinality: true,
			load: func(i int) int64 { return db.s.Streams[t.StreamOf(layout.ID(i))] }},
		{Name: "pool", Doc: "memory pool, such as 0,0; NULL if not known", text: db.poolText,
			load: func(i int) int64 { return known(t.PoolOf(layout.ID(i))) }},
		{Name: "stack", Doc: "where it was allocated; where it was freed if that is all there is; in stacks",
			lowCardinality: true, load: func(i int) int64 { return known(t.StackOf(layout.ID(i))) }},
		{Name: "free_stack", Doc: "where it was freed, where recorded", lowCardinality: true,
			load: unless(noFree, func(i int) int64 { return known(e.Stack[freed(i)]) })},
		{Name: "alloc_event", Doc: "NULL: allocated before recording",
			load: unless(before, func(i int) int64 { return int64(t.Origin[i]) })},
		{Name: "free_event", Doc: "NULL: never freed, or the free was lost",
			load: unless(noFree, func(i int) int64 { return int64(freed(i)) })},
		{Name: "start_step", Doc: "NULL: before the first",
			load: unless(before, func(i int) int64 { return int64(t.Birth[i]) - 1 })},
		{Name: "end_step", Doc: "NULL: never freed",
			load: unless(neverFreed, func(i int) int64 { return int64(t.Death[i]) - 1 })},
		{Name: "start_us", Doc: "microseconds since 1970; NULL: before recording",
			load: unless(func(i int) bool { return before(i) || !t.HasTime() },
				func(i int) int64 { return timeOf(t.Birth[i]) })},
		{Name: "end_us", Doc: "NULL: never freed",
			load: unless(func(i int) bool { return neverFreed(i) || !t.HasTime() },
				func(i int) int64 { return timeOf(t.Death[i]) })},
		{Name: "pending_us", Doc: "from the request of its free to the completion",
			load: func(i int) int64 { return pendingTime(t, layout.ID(i)) }},
		{Name: "before_recording", Doc: "1: it was there before the first event", lowCardinality: true,
			load: func(i int) int64 { return flag(before(i)) }},
		{Name: "never_freed", Doc: "1: it is there after the last event", lowCardinality: true,
			load: func(i int) int64 { return flag(neverFreed(i)) }},
		{Name: "pending", Doc: "1: it is there after the last event, but waits to be freed", lowCardinality: true,
			load: func(i int) int64 { return flag(t.Pending(layout.ID(i))) }},
		{Name: "total_at_alloc", Doc: "bytes live once it was", lowCardinality: true,
			load: unless(before, func(i int) int64 { return t.Total[t.Birth[i]] })},
		{Name: "total_at_free", Doc: "bytes live before its free", lowCardinality: true,
			load: unless(neverFreed, func(i int) int64 { return t.Total[t.Death[i]-1] })},
		{Name: "phase", Doc: "innermost annotation in force when it was allocated", text: db.str,
			load: unless(func(i int) bool { return before(i) || !t.HasTime() }, func(i int) int64 {
				if p := l.phases().At(t.TimeOf(int(t.Birth[i] - 1))); p != nil {
					return int64(p.Label)
				}
				return null
			})},
		{Name: "category", Doc: "what it is for, as recorded, as your own rules say, or as its stack or phase makes " +
			"likely: parameters, gradients, optimizer state, …", lowCardinality: true,
			text: db.words.text,
			load: func(i int) int64 { c := l.categories(); return c.codes[c.Of(layout.ID(i))] }},
		{Name: "category_inferred", Doc: "1: its category is not recorded, but likely", lowCardinality: true,
			load: func(i int) int64 { return flag(l.categories().Inferred(layout.ID(i))) }},
		{Name: "site", Doc: "frame of the line of code that counts, in frames", Hidden: true,
			values: len(db.s.Frames.Name),
			load:   func(i int) int64 { return known(db.s.Stacks.Site[t.StackOf(layout.ID(i))]) }},
	}
}

// pendingTime is how long the free of an allocation waited between request and completion, in microseconds.
func pendingTime(t *layout.Timeline, id layout.ID) int64 {
	times := t.Device.Events.Time
	if t.Freed[id] < 0 || times == nil {
		return null
	}
	a := t.At(id)
	request, ok := t.FreeRequest(&a)
	if !ok || times[request] == snapshot.NoTime || times[a.FreeEvent] == snapshot.NoTime {
		return null
	}
	return max(0, times[a.FreeEvent]-times[request])
}

// grain is what the caching allocator rounds requests up to, unless told otherwise: its kMinBlockSize.
const grain = 512

// rounded loads the size of each allocation's block.
func (db *DB) rounded(t *layout.Timeline) loader {
	standard := !slices.ContainsFunc(db.s.Settings, func(s snapshot.Setting) bool {
		return strings.HasPrefix(s.Key, "roundup_power2_divisions") &&
			!slices.Contains([]string{"", "0", "None"}, s.Value)
	})
	extra := int64(0) // that torch_npu adds before it rounds (FORMAT.md, section 2.4)
	if db.s.Source.Maker == snapshot.MakerNPU {
		extra = 32
	}
	bl := &t.Device.Blocks
	inUse := map[uint64]int64{} // sizes by address
	for i, state := range bl.State {
		if state != snapshot.BlockInactive {
			inUse[bl.Addr[i]] = bl.Size[i]
		}
	}
	return func(i int) int64 {
		if t.Death[i] == layout.Never {
			if size, is := inUse[t.AddrOf(layout.ID(i))]; is {
				return size
			}
		}
		if !standard {
			return null
		}
		return max(grain, (t.Size[i]+extra+grain-1)/grain*grain)
	}
}
