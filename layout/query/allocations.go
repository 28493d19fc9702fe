package query

import (
	"sort"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

func (db *DB) allocations() *table {
	t := &table{name: "allocations", doc: "blocks of memory in use; id is the reference viewer's element", guess: db.sum(func(d *snapshot.Device) int { return d.Events.Len()/3 + 1 }), cols: []column{
		deviceColumn,
		{name: "id", doc: "number of the allocation", number: true},
		{name: "addr", doc: "first byte", unsigned: true},
		{name: "size", doc: "bytes asked for", lowCardinality: true},
		{name: "rounded_size", doc: "bytes of its block where it is there at the end, else size in whole 512 bytes; NULL if roundup_power2_divisions was set", lowCardinality: true},
		{name: "stream", doc: "CUDA stream", lowCardinality: true},
		{name: "pool", doc: "memory pool, such as 0,0; NULL if not known", text: db.poolText},
		{name: "stack", doc: "where it was allocated; where it was freed if that is all there is; in stacks", lowCardinality: true},
		{name: "free_stack", doc: "where it was freed, where recorded", lowCardinality: true},
		{name: "alloc_event", doc: "NULL: allocated before recording"},
		{name: "free_event", doc: "NULL: never freed, or the free was lost"},
		{name: "start_step", doc: "NULL: before the first"},
		{name: "end_step", doc: "NULL: never freed"},
		{name: "start_us", doc: "microseconds since 1970; NULL: before recording"},
		{name: "end_us", doc: "NULL: never freed"},
		{name: "pending_us", doc: "from the request of its free to the completion"},
		{name: "before_recording", doc: "1: it was there before the first event", lowCardinality: true},
		{name: "never_freed", doc: "1: it is there after the last event", lowCardinality: true},
		{name: "total_at_alloc", doc: "bytes live once it was", lowCardinality: true},
		{name: "total_at_free", doc: "bytes live before its free", lowCardinality: true},
		{name: "phase", doc: "innermost annotation in force when it was allocated"},
		{name: "site", doc: "frame of the line of code that counts, in frames", hidden: true, lowCardinality: true},
	}}
	t.cols[len(t.cols)-2].text = func(code int64) string {
		l := db.lanes[code>>32]
		return l.phases().All[code&(1<<32-1)].Name
	}
	for at, l := range db.lanes {
		p := &part{device: int64(l.d.Index)}
		p.make = func() (int, []loader) {
			return db.allocationLoaders(l, at)
		}
		t.parts = append(t.parts, p)
	}
	return t
}

// allocationLoaders reads what a timeline knows of its allocations; at is the lane's number.
func (db *DB) allocationLoaders(l *lane, at int) (int, []loader) {
	t := l.timeline(db.s)
	e, bl := &l.d.Events, &l.d.Blocks
	before := func(i int) bool { return t.Birth[i] == 0 || t.Origin[i] < 0 }
	stack := func(i int) snapshot.StackID {
		if o := t.Origin[i]; o >= 0 {
			return e.Stack[o]
		}
		return bl.Stack[^t.Origin[i]]
	}
	addr := func(i int) uint64 {
		if o := t.Origin[i]; o >= 0 {
			return e.Addr[o]
		}
		return bl.Addr[^t.Origin[i]]
	}
	// freed is the event of the free; an alloc that takes the place over is none.
	freed := func(i int) int32 {
		f := t.Freed[i]
		if f >= 0 && e.Action[f] == snapshot.ActionAlloc {
			return -1
		}
		return f
	}
	when := func(i int, known bool, state int32) int64 {
		if !known || !t.HasTime() {
			return null
		}
		return t.Start + t.TimeOf(int(state-1))
	}
	orNull := func(v int64, ok bool) int64 {
		if !ok {
			return null
		}
		return v
	}
	return len(t.Size), []loader{
		constant(int64(l.d.Index)),
		number,
		func(dst []int64, from int) {
			for i, o := range t.Origin[from : from+len(dst)] {
				if o >= 0 {
					dst[i] = int64(e.Addr[o])
				} else {
					dst[i] = int64(bl.Addr[^o])
				}
			}
		},
		ints(t.Size),
		db.rounded(t, addr),
		each(func(i int) int64 { return db.s.Streams[t.StreamOf(layout.ID(i))] }),
		each(func(i int) int64 { return known(t.PoolOf(layout.ID(i))) }),
		each(func(i int) int64 { return known(stack(i)) }),
		each(func(i int) int64 {
			if f := freed(i); f >= 0 {
				return known(e.Stack[f])
			}
			return null
		}),
		each(func(i int) int64 { return orNull(int64(t.Origin[i]), !before(i)) }),
		each(func(i int) int64 { return orNull(int64(freed(i)), freed(i) >= 0) }),
		each(func(i int) int64 { return orNull(int64(t.Birth[i])-1, !before(i)) }),
		each(func(i int) int64 { return orNull(int64(t.Death[i])-1, t.Death[i] != layout.Never) }),
		each(func(i int) int64 { return when(i, !before(i), t.Birth[i]) }),
		each(func(i int) int64 { return when(i, t.Death[i] != layout.Never, t.Death[i]) }),
		each(func(i int) int64 { return l.pending(freed(i)) }),
		each(func(i int) int64 { return flag(before(i)) }),
		each(func(i int) int64 { return flag(t.Death[i] == layout.Never) }),
		each(func(i int) int64 {
			if before(i) {
				return null
			}
			return t.Total[t.Birth[i]]
		}),
		each(func(i int) int64 {
			if t.Death[i] == layout.Never {
				return null
			}
			return t.Total[t.Death[i]-1]
		}),
		each(func(i int) int64 {
			if before(i) || !t.HasTime() {
				return null
			}
			phases := l.phases()
			if len(phases.All) == 0 {
				return null
			}
			ph := phases.At(t.TimeOf(int(t.Birth[i] - 1)))
			if ph == nil {
				return null
			}
			return int64(at)<<32 | phaseIndex(phases, ph)
		}),
		each(func(i int) int64 { return known(db.s.Stacks.Site[stack(i)]) }),
	}
}

// phaseIndex is the place of a phase in All, which is sorted by start and, where equal, by end, the later first.
func phaseIndex(p *layout.Phases, ph *layout.Phase) int64 {
	i := sort.Search(len(p.All), func(i int) bool {
		a := &p.All[i]
		return a.Start > ph.Start || a.Start == ph.Start && a.End <= ph.End
	})
	for &p.All[i] != ph {
		i++
	}
	return int64(i)
}

// grain is what the caching allocator rounds requests up to, unless told otherwise: its kMinBlockSize.
const grain = 512

// rounded loads the size of each allocation's block.
func (db *DB) rounded(t *layout.Timeline, addr func(i int) uint64) loader {
	standard := true
	for _, s := range db.s.Settings {
		if strings.HasPrefix(s.Key, "roundup_power2_divisions") && s.Value != "0" && s.Value != "" && s.Value != "None" {
			standard = false
		}
	}
	bl := &t.Device.Blocks
	byAddr := make([]int, bl.Len())
	for i := range byAddr {
		byAddr[i] = i
	}
	sort.Slice(byAddr, func(a, b int) bool { return bl.Addr[byAddr[a]] < bl.Addr[byAddr[b]] })
	return each(func(i int) int64 {
		if t.Death[i] == layout.Never {
			a := addr(i)
			at := sort.Search(len(byAddr), func(k int) bool { return bl.Addr[byAddr[k]] >= a })
			if at < len(byAddr) && bl.Addr[byAddr[at]] == a && bl.State[byAddr[at]] != snapshot.BlockInactive {
				return bl.Size[byAddr[at]]
			}
		}
		if !standard {
			return null
		}
		return max(grain, (t.Size[i]+grain-1)/grain*grain)
	})
}

// pending is how long a free waited between request and completion, in microseconds.
func (l *lane) pending(freed int32) int64 {
	e := &l.d.Events
	if freed < 0 || e.Action[freed] != snapshot.ActionFreeCompleted || e.Time == nil {
		return null
	}
	request := freed - 1
	if request < 0 || e.Action[request] != snapshot.ActionFreeRequested || e.Addr[request] != e.Addr[freed] {
		r, ok := l.frees()[freed]
		if !ok {
			return null
		}
		request = r
	}
	if e.Time[request] == snapshot.NoTime || e.Time[freed] == snapshot.NoTime {
		return null
	}
	return max(0, e.Time[freed]-e.Time[request])
}

// delayedFrees pairs those completions with their requests that do not follow at once; by far the most do.
func delayedFrees(e *snapshot.Events) map[int32]int32 {
	open, pairs := map[uint64]int32{}, map[int32]int32{}
	for i, a := range e.Action {
		switch a {
		case snapshot.ActionFreeRequested:
			if i+1 < len(e.Action) && e.Action[i+1] == snapshot.ActionFreeCompleted && e.Addr[i+1] == e.Addr[i] {
				continue
			}
			open[e.Addr[i]] = int32(i)
		case snapshot.ActionFreeCompleted:
			if i > 0 && e.Action[i-1] == snapshot.ActionFreeRequested && e.Addr[i-1] == e.Addr[i] {
				continue
			}
			if r, ok := open[e.Addr[i]]; ok {
				pairs[int32(i)] = r
				delete(open, e.Addr[i])
			}
		}
	}
	return pairs
}
