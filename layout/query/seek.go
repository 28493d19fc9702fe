package query

import (
	"sort"
	"sync"

	"strata/layout"
)

// few reports whether so many of all rows are few enough to be listed.
func few(rows, all int) bool { return rows <= 1024 || rows < all/8 }

// seekAllocations finds allocations by what happened to them: steps, events
// and times ascend along the actions of a timeline.
func seekAllocations(t *layout.Timeline, table *table) map[int]func(least, most int64) ([]int32, bool) {
	// between lists whom the actions [lo, hi) allocated, or freed.
	between := func(lo, hi int, freed bool) ([]int32, bool) {
		if !few(hi-lo, len(t.Actions)) {
			return nil, false
		}
		var rows []int32
		for a := lo; a < hi; a++ {
			switch x := t.Actions[a]; {
			case x >= 0 && !freed:
				rows = append(rows, x)
			case x < 0 && freed:
				rows = append(rows, ^x)
			}
		}
		return rows, true
	}
	// by finds the actions whose value, which never decreases, is in a range.
	by := func(value func(a int) int64, freed bool) func(least, most int64) ([]int32, bool) {
		return func(least, most int64) ([]int32, bool) {
			n := len(t.Actions)
			lo := sort.Search(n, func(a int) bool { return value(a) >= least })
			hi := lo + sort.Search(n-lo, func(a int) bool { return value(lo+a) > most })
			return between(lo, hi, freed)
		}
	}
	event := func(a int) int64 {
		x := t.Actions[a]
		if x < 0 {
			return int64(t.Freed[^x])
		}
		return int64(t.Origin[x])
	}
	step := func(a int) int64 { return int64(a) }
	seek := map[string]func(least, most int64) ([]int32, bool){"start_step": by(step, false), "end_step": by(step, true)}
	ascend := sync.OnceValue(func() bool { return eventsAscend(t, event) })
	for name, freed := range map[string]bool{"alloc_event": false, "free_event": true} {
		find := by(event, freed)
		seek[name] = func(least, most int64) ([]int32, bool) {
			if !ascend() {
				return nil, false
			}
			return find(least, most)
		}
	}
	if t.HasTime() {
		when := func(a int) int64 { return t.Start + t.TimeOf(a) }
		seek["start_us"], seek["end_us"] = by(when, false), by(when, true)
	}
	out := map[int]func(least, most int64) ([]int32, bool){}
	for i := range table.cols {
		if f := seek[table.cols[i].name]; f != nil {
			out[i] = f
		}
	}
	return out
}

// eventsAscend reports whether every action has its event, in order. All
// traces are so; a look costs a millisecond a million, once.
func eventsAscend(t *layout.Timeline, event func(a int) int64) bool {
	last := int64(0)
	for a := range t.Actions {
		e := event(a)
		if e < last {
			return false
		}
		last = e
	}
	return true
}
