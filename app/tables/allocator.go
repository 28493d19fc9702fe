package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
	"strata/layout/explain"
	"strata/layout/query"
	"strata/layout/state"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/describe"
)

// A List is rows that are made at once.
type List struct {
	heads []query.Column
	rows  [][]query.Value
}

// Heads returns the columns.
func (l *List) Heads() []query.Column { return l.heads }

// Len is the number of rows.
func (l *List) Len() int { return len(l.rows) }

// Row returns the cells of a row.
func (l *List) Row(i int) []query.Value { return l.rows[i] }

// Leads says what a row is about: nothing that SQL numbers.
func (l *List) Leads(int) query.Target { return query.Target{} }

// Pools are the pools and streams of a state of the allocator, the most reserved first. Keys has what they are, by row.
type Pools struct {
	List
	Keys []state.PoolKey
}

// NewPools returns the rows of a state.
func NewPools(s *state.State) *Pools {
	p := &Pools{List: List{heads: []query.Column{{Name: "pool"}, {Name: "stream"}, {Name: "reserved", Origin: asBytes},
		{Name: "requested", Origin: asBytes}, {Name: "free", Origin: asBytes}, {Name: "share free"},
		{Name: "largest free", Origin: asBytes}, {Name: "segments"}}}}
	of := s.History.Snapshot
	for _, x := range s.Pools() {
		p.Keys = append(p.Keys, x.PoolKey)
		p.rows = append(p.rows, []query.Value{text(layout.PoolTitle(layout.PoolName(of, x.Pool))),
			text(layout.StreamName(of, x.Stream)), number(x.Reserved), number(x.Requested), number(x.Free),
			text(percent(x.Free, x.Reserved)), number(x.Largest), number(int64(x.Segments))})
	}
	return p
}

// percent is a part of all in words.
func percent(part, all int64) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(1, all)), 'f', 1, 64) + " %"
}

// Why is the sentences of an explanation, each with the free ranges that it is about.
type Why struct {
	List
	Sentences []explain.Sentence
}

// NewWhy returns the rows of an explanation.
func NewWhy(e *explain.Explanation) *Why {
	w := &Why{List: List{heads: []query.Column{{Name: "why there was no memory"}, {Name: "bytes", Origin: asBytes},
		{Name: "free ranges"}, {Name: "what to do"}}}, Sentences: e.Sentences}
	for _, x := range e.Sentences {
		bytes, ranges := query.Value{}, query.Value{}
		if x.Bytes > 0 {
			bytes = number(x.Bytes)
		}
		if len(x.Ranges) > 0 {
			ranges = number(int64(len(x.Ranges)))
		}
		w.rows = append(w.rows, []query.Value{text(x.Text), bytes, ranges, text(x.Advice)})
	}
	return w
}

// An EventKind chooses among the events of the allocator.
type EventKind uint8

// The kinds.
const (
	AllEvents EventKind = iota
	BlockEvents
	SegmentEvents
	FailedEvents
	OtherEvents
)

var eventKinds = [...]string{"all events", "of blocks", "of segments", "out of memory", "others"}

// String is the kind in words.
func (k EventKind) String() string { return eventKinds[k] }

// EventKinds returns all kinds.
func EventKinds() []EventKind {
	return []EventKind{AllEvents, BlockEvents, SegmentEvents, FailedEvents, OtherEvents}
}

// kindOf is the kind of what an action does.
func kindOf(a snapshot.Action) EventKind {
	switch a {
	case snapshot.ActionAlloc, snapshot.ActionFree, snapshot.ActionFreeRequested, snapshot.ActionFreeCompleted:
		return BlockEvents
	case snapshot.ActionSegmentAlloc, snapshot.ActionSegmentFree, snapshot.ActionSegmentMap,
		snapshot.ActionSegmentUnmap:
		return SegmentEvents
	case snapshot.ActionOOM:
		return FailedEvents
	}
	return OtherEvents
}

// Events are the events of an allocator's history; rows are made as they come into sight.
type Events struct {
	Kind  EventKind
	of    *state.History
	kept  []int32 // of the kind, nil for all
	cells []query.Value
}

// NewEvents returns the events of a kind, with a text in their line of code unless it is "".
func NewEvents(h *state.History, kind EventKind, text string) *Events {
	e := &Events{Kind: kind, of: h}
	if kind == AllEvents && text == "" {
		return e
	}
	e.kept = []int32{}
	text = strings.ToLower(text)
	known := map[snapshot.StackID]bool{}
	for k := range h.Len() {
		stack := h.Device.Events.Stack[h.Event(k)]
		has, is := known[stack]
		if !is {
			has = strings.Contains(strings.ToLower(describe.SiteText(h.Snapshot, stack)), text)
			known[stack] = has
		}
		if has && (kind == AllEvents || kindOf(h.Action(k)) == kind) {
			e.kept = append(e.kept, int32(k))
		}
	}
	return e
}

// History is whose events they are.
func (e *Events) History() *state.History { return e.of }

// Heads returns the columns.
func (e *Events) Heads() []query.Column {
	return []query.Column{{Name: "event"}, {Name: "what"}, {Name: "size", Origin: asBytes}, {Name: "address"},
		{Name: "stream"}, {Name: "line"}}
}

// Len is the number of rows.
func (e *Events) Len() int {
	if e.kept == nil {
		return e.of.Len()
	}
	return len(e.kept)
}

// Event is the event of a row, as the history counts them.
func (e *Events) Event(row int) int {
	if e.kept == nil {
		return row
	}
	return int(e.kept[row])
}

// RowOf is the row of an event, or of the one before it that is listed; -1 without.
func (e *Events) RowOf(k int) int {
	if e.kept == nil {
		return k
	}
	at, is := slices.BinarySearch(e.kept, int32(k))
	if is {
		return at
	}
	return at - 1
}

// Row returns the cells of a row, good until the next call.
func (e *Events) Row(i int) []query.Value {
	k := e.Event(i)
	at, ev, s := e.of.Event(k), &e.of.Device.Events, e.of.Snapshot
	addr := text("")
	if ev.Action[at] != snapshot.ActionOOM { // it has what was free there
		addr = text("0x" + strconv.FormatUint(ev.Addr[at], 16))
	}
	e.cells = append(e.cells[:0], number(int64(k)), text(e.of.Action(k).String()), number(ev.Size[at]), addr,
		text(layout.StreamName(s, ev.Stream[at])), text(describe.SiteText(s, ev.Stack[at])))
	return e.cells
}

// Leads says what a row is about: History numbers events otherwise than SQL does.
func (e *Events) Leads(int) query.Target { return query.Target{} }

// settingWords say what PyTorch's value of a setting is, in lower case, and what it affects.
var settingWords = map[string][2]string{
	"PYTORCH_CUDA_ALLOC_CONF": {"", "all settings below, as they were given to the program"},
	"PYTORCH_ALLOC_CONF":      {"", "all settings below, as they were given to the program"},
	"max_split_size": {"-1", "blocks of this size and above are never split, and serve only requests near " +
		"their size"},
	"expandable_segments":         {"false", "segments grow and shrink page by page, which avoids most fragmentation"},
	"roundup_power2_divisions":    {"0", "sizes are rounded up to so many steps between powers of two"},
	"pinned_num_register_threads": {"1", "threads that register pinned host memory"},
	"garbage_collection_threshold": {"0", "from this part of the memory limit on, old free segments go back to the " +
		"driver before new ones are asked for"},
	"release_lock_on_cudamalloc": {"false", "other threads may allocate while the driver is asked for memory"},
	"release_lock_on_malloc":     {"false", "other threads may allocate while the driver is asked for memory"},
	"pinned_use_cuda_host_register": {"false", "pinned host memory is registered with CUDA rather than allocated " +
		"by it"},
	"graph_capture_record_stream_reuse": {"false", "memory of other streams is put to use again while a graph is " +
		"captured"},
	"trace_alloc_max_entries": {"", "events kept; older ones are lost"},
	"trace_alloc_overflowed":  {"false", "older events are lost, so the trace begins in the middle of the run"},
}

// Settings are a file's settings of the allocator, those first that are not PyTorch's own.
func Settings(list []snapshot.Setting) *List {
	l := &List{heads: []query.Column{{Name: "setting"}, {Name: "value"}, {Name: "is"}, {Name: "affects"}}}
	type row struct {
		rank  int
		cells []query.Value
	}
	var rows []row
	for _, s := range list {
		name, _, _ := strings.Cut(s.Key, ".")
		words, known := settingWords[name]
		r, is := 1, "as it is by default"
		switch {
		case !known:
			r, is = 2, "not known to Strata"
		case !same(s.Value, words[0]):
			r, is = 0, "changed"
		}
		rows = append(rows, row{r, []query.Value{text(s.Key), text(settingValue(name, s.Value)), text(is),
			text(words[1])}})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.rank, b.rank) })
	for _, r := range rows {
		l.rows = append(l.rows, r.cells)
	}
	return l
}

// same compares values as Python writes them.
func same(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return strings.EqualFold(a, b) || errX == nil && errY == nil && x == y
}

// settingValue is a value as people read it.
func settingValue(name, value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case name != "max_split_size" || err != nil:
		return value
	case n < 0:
		return "no limit"
	}
	return units.Bytes(n)
}
