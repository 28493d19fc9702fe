package snapshot

import (
	"reflect"
	"strings"
	"testing"
)

// event makes a trace event with the keys every version writes, and more.
func event(action string, addr any, size int, more ...any) *node {
	return dictOf(append([]any{"action", action, "addr", addr, "size", size, "stream", 0}, more...)...)
}

func segment(device int, addr any, blocks ...any) *node {
	return dictOf("device", device, "address", addr, "total_size", 2<<20, "allocated_size", 512, "active_size", 1024,
		"requested_size", 400,
		"stream", 0, "segment_type", "small", "blocks", listOf(blocks...))
}

// TestHostLists: pinned memory comes in flat lists of its own (FORMAT.md, section 7.4).
func TestHostLists(t *testing.T) {
	s := read(t, encode(dictOf("segments", listOf(segment(0, 4096)), "device_traces", listOf(listOf()),
		"host_segments", listOf(segment(-1, 1<<40, dictOf("address", 1<<40, "size", 2<<20, "state", "active_allocated",
			"requested_size", 5, "frames", listOf()))),
		"host_traces", listOf(event("alloc", 1<<40, 5), event("free_completed", 1<<40, 5))), form4))
	if s.Host == nil || s.Host.Index != -1 || s.Host.Events.Len() != 2 || len(s.Host.Segments) != 1 ||
		s.Host.Blocks.Len() != 1 || len(s.Devices) != 1 || len(s.Devices[0].Segments) != 1 {
		t.Errorf("host %+v, devices %+v", s.Host, s.Devices)
	}
	s = read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(), "host_segments", listOf(), "host_traces",
		listOf()), form4))
	if s.Host != nil || s.Source.Version != "≥ 2.13" || s.finding("nothing-recorded") == nil {
		t.Errorf("%+v", s)
	}
}

// TestDevices: the index of a trace is its place; segments name theirs.
func TestDevices(t *testing.T) {
	s := read(t, encode(dictOf("segments", listOf(segment(5, 1), segment(2, 2), segment(5, 3)),
		"device_traces", listOf(listOf(), listOf(), listOf(event("alloc", 7, 7)), listOf(event("alloc", 8, 8))),
		"trace_alloc_overflowed", listOf(false, false, false, true)), form4))
	var got [][3]int
	for _, d := range s.Devices {
		got = append(got, [3]int{d.Index, d.Events.Len(), len(d.Segments)})
	}
	if want := [][3]int{{2, 1, 1}, {3, 1, 0}, {5, 0, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s.Devices[0].Overflowed || !s.Devices[1].Overflowed || s.Devices[2].Overflowed {
		t.Errorf("overflowed: %v", s.Devices)
	}
	if seg := s.Devices[2].Segments[1]; seg.Addr != 3 || seg.Size != 2<<20 || seg.Allocated != 512 ||
		seg.Active != 1024 || seg.Requested != 400 || seg.Large {
		t.Errorf("%+v", seg)
	}
}

// TestOverflowFlags: at the top, among the settings, or told by the ring's size.
func TestOverflowFlags(t *testing.T) {
	trace := listOf(listOf(event("alloc", 1, 1), event("alloc", 2, 2)))
	for _, c := range []struct {
		top, set []any
		wrapped  bool
	}{
		{nil, nil, false}, {[]any{"trace_alloc_overflowed", true}, nil, true}, {[]any{"trace_alloc_overflowed", false},
			nil, false},
		{nil, []any{"trace_alloc_overflowed", listOf(true)}, true}, {nil, []any{"trace_alloc_overflowed", 1}, true},
		{[]any{"trace_alloc_max_entries", 2}, nil, true}, {nil, []any{"trace_alloc_max_entries", listOf(2)}, true},
		{nil, []any{"trace_alloc_max_entries", 3}, false},
	} {
		s := read(t, encode(dictOf(append([]any{"device_traces", trace, "segments", listOf(), "allocator_settings",
			dictOf(c.set...)}, c.top...)...), form4))
		if got := s.finding("ring-wrapped") != nil; got != c.wrapped {
			t.Errorf("%v %v: wrapped %v", c.top, c.set, got)
		}
	}
}

// TestMetadata: what events may carry, in any of its types.
func TestMetadata(t *testing.T) {
	s := read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(listOf(
		event("alloc", 1, 1, "compile_context", "N/A", "user_metadata", ""),
		event("alloc", 2, 1, "compile_context", "0/1", "user_metadata", "note", "pool_id", tupleOf(0, 7),
			"internal_metadata", "mallocWithAddress"),
		event("alloc", 3, 1, "pool_id", listOf(1<<40, 0), "category", "gradient", "user_metadata",
			dictOf("a", 1, "b", listOf(true, nil, 2.0), "a", 3)),
		event("annotate", 3, 1, "user_metadata", 12), event("alloc", 4, 1, "pool_id", 3, "user_metadata", nil,
			"compile_context", nil),
		event("alloc", 5, 1, "forward_frames", listOf("  File \"a\", line 1, in f\n    y\n", "  File \"b\"\n")),
	))), form4))
	e := &s.Devices[0].Events
	meta := func(i int) Meta { return s.Metas[e.Meta[i]] }
	text := func(id StringID) string { return s.Strings[id] }
	if meta(0) != (Meta{}) || meta(4) != (Meta{}) {
		t.Errorf("%+v, %+v", meta(0), meta(4))
	}
	if m := meta(1); text(m.CompileContext) != "0/1" || text(m.User) != "note" || s.Pools[m.Pool] != (Pool{0, 7}) ||
		text(m.Internal) != "mallocWithAddress" {
		t.Errorf("%+v", m)
	}
	if m := meta(2); text(m.Category) != "gradient" || s.Pools[m.Pool] != (Pool{1 << 40, 0}) ||
		text(m.User) != "a = 3\nb = [True, None, 2.0]" {
		t.Errorf("%+v %q", m, text(m.User))
	}
	if m := meta(3); text(m.User) != "12" || e.Action[3] != ActionAnnotate {
		t.Errorf("%+v", m)
	}
	if got := s.StackText(meta(5).Forward, true); !reflect.DeepEqual(got, []string{`  File "a", line 1, in f`, "    y",
		`  File "b"`}) {
		t.Errorf("%q", got)
	}
}

// TestStreams: raw pointers, signed or not.
func TestStreams(t *testing.T) {
	ev := func(stream any) *node {
		return dictOf("action", "alloc", "addr", 1, "size", 1, "stream", stream)
	}
	s := read(t, encode(dictOf("device_traces", listOf(listOf(ev(0), ev(int64(-7)), ev(uint64(1<<64-7)),
		ev(94_000_000_000_000), ev(0), ev("x")))), form4))
	want := []StreamID{0, 1, 1, 2, 0, 0}
	if !reflect.DeepEqual(s.Devices[0].Events.Stream, want) ||
		!reflect.DeepEqual(s.Streams, []int64{0, -7, 94_000_000_000_000}) {
		t.Errorf("%v %v", s.Devices[0].Events.Stream, s.Streams)
	}
}

// TestBlocks: the two forms of blocks, and what each falls back to (FORMAT.md, section 2.2).
func TestBlocks(t *testing.T) {
	frames := listOf(dictOf("name", "f", "filename", "f.py", "line", 1))
	s := read(t, encode(dictOf("segments", listOf(segment(0, 1000,
		dictOf("size", 512, "state", "active_allocated", "history",
			listOf(dictOf("addr", 1, "real_size", 300, "frames", frames), dictOf("addr", 1, "real_size", 2))),
		dictOf("size", 1024, "requested_size", 700, "state", "active_pending_free", "history",
			listOf(dictOf("real_size", 9))),
		dictOf("size", 512, "state", "active_awaiting_free"), dictOf("size", 512, "state", "sleeping"),
		dictOf("size", -1, "state", "inactive"),
		dictOf("size", 512, "state", "inactive", "address", 9999, "forward_frames", listOf("x")),
		dictOf("size", 512, "state", "inactive"),
	), segment(0, 5000))), form4))
	b := &s.Devices[0].Blocks
	if want := []uint64{1000, 1512, 2536, 3048, 9999, 10511}; !reflect.DeepEqual(b.Addr, want) {
		t.Errorf("addresses %v, want %v", b.Addr, want)
	}
	if want := []int64{300, 700, 512, 512, 512, 512}; !reflect.DeepEqual(b.Requested, want) {
		t.Errorf("requested %v, want %v", b.Requested, want)
	}
	if want := []BlockState{BlockAllocated, BlockPendingFree, BlockPendingFree, BlockUnknown, BlockInactive,
		BlockInactive}; !reflect.DeepEqual(b.State, want) {
		t.Errorf("states %v, want %v", b.State, want)
	}
	if b.Stack[0] == 0 || b.Stack[1] != 0 || b.Forward[4] == 0 || b.Forward[5] != 0 {
		t.Errorf("stacks %v, forward %v", b.Stack, b.Forward)
	}
	if f := s.finding("blocks-skipped"); f == nil || f.Count != 1 {
		t.Errorf("%+v", s.Findings)
	}
	if segs := s.Devices[0].Segments; segs[0].First != 0 || segs[0].End != 6 || segs[1].First != 6 || segs[1].End != 6 {
		t.Errorf("%+v", segs)
	}
}

// TestVersions: what tells which PyTorch wrote a file (FORMAT.md, section 1.3).
func TestVersions(t *testing.T) {
	withFrames := segment(0, 1, dictOf("size", 1, "state", "inactive", "frames", listOf(), "address", 1))
	history := segment(0, 1, dictOf("size", 1, "state", "active_allocated", "history", listOf(dictOf("real_size", 1))))
	timed := event("alloc", 1, 1, "time_us", 5)
	plain := event("alloc", 1, 1)
	root := func(seg, ev *node, more ...any) *node {
		return dictOf(append([]any{"segments", listOf(seg), "device_traces", listOf(listOf(ev))}, more...)...)
	}
	set, anns := []any{"allocator_settings", dictOf("a", 1)}, []any{"allocator_settings", dictOf("a", 1),
		"external_annotations", listOf()}
	for _, c := range []struct {
		root *node
		want string
	}{
		{listOf(history), "≤ 1.13"}, {root(history, plain), "2.0"}, {root(withFrames, plain), "2.1"},
		{root(withFrames, timed), "2.2"},
		{root(withFrames, timed, set...), "2.3–2.4"}, {root(withFrames, timed, anns...), "2.5–2.7"},
		{root(withFrames, event("alloc", 1, 1, "time_us", 1, "compile_context", "N/A"), anns...), "2.8–2.9"},
		{root(withFrames, event("alloc", 1, 1, "time_us", 1, "compile_context", "N/A"), "allocator_settings",
			dictOf("graph_capture_record_stream_reuse", true), "external_annotations", listOf()), "2.9"},
		{root(withFrames, event("alloc", 1, 1, "time_us", 1, "compile_context", "N/A", "user_metadata", ""), anns...),
			"2.10–2.11"},
		{root(withFrames, event("alloc", 1, 1, "compile_context", "N/A", "user_metadata", "", "pool_id", tupleOf(0, 0)),
			anns...), "2.12"},
		{root(withFrames, event("annotate", 1, 1, "user_metadata", "x", "pool_id", tupleOf(0, 0)), "host_traces",
			listOf()), "≥ 2.14"},
		{root(withFrames, event("alloc", 1, 1, "internal_metadata", "x"), "host_traces", listOf()), "> 2.14"},
		{dictOf("segments", listOf(withFrames), "device_traces", listOf(listOf()), "allocator_settings", dictOf()),
			"≥ 2.3"},
	} {
		if got := read(t, encode(c.root, form4)).Source.Version; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestSettings: nested ones are flattened, in the file's order.
func TestSettings(t *testing.T) {
	s := read(t, encode(dictOf("segments", listOf(), "allocator_settings", dictOf("PYTORCH_CUDA_ALLOC_CONF", "",
		"max_split_size", -1,
		"garbage_collection_threshold", 0.0, "expandable_segments", true, "roundup_power2_divisions",
		dictOf("1", 0, "32768", 2), "none", nil, "list", tupleOf(1, 2), "empty", dictOf())), form4))
	want := []Setting{{"PYTORCH_CUDA_ALLOC_CONF", ""}, {"max_split_size", "-1"}, {"garbage_collection_threshold",
		"0.0"}, {"expandable_segments", "True"},
		{"roundup_power2_divisions.1", "0"}, {"roundup_power2_divisions.32768", "2"}, {"none", "None"},
		{"list", "[1, 2]"}, {"empty", "{}"}}
	if !reflect.DeepEqual(s.Settings, want) {
		t.Errorf("%q", s.Settings)
	}
}

// TestUnknownThings: actions and keys of a future PyTorch are counted or ignored, and no fault.
func TestUnknownThings(t *testing.T) {
	s := read(t, encode(dictOf("segments", listOf(), "device_traces",
		listOf(listOf(event("alloc", 1, 1), event("teleport", 1, 1, "x", listOf(dictOf("action", "alloc"))),
			event("workspace_snapshot", 0, 9), event("user_defined", 0, 0), event("free", 1, 1),
			event("alloc", 2, 2, "brand_new", dictOf("name", 1, "line", 2)))),
		"new_list", listOf(event("alloc", 9, 9)), "new_int", 5), form4))
	want := []Action{ActionAlloc, ActionWorkspaceSnapshot, ActionUserDefined, ActionFree, ActionAlloc}
	if got := s.Devices[0].Events.Action; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	f := s.finding("unknown-actions")
	if f == nil || f.Count != 1 || f.Severity == Warning || !strings.Contains(f.Explain, "teleport") ||
		len(s.warnings()) > 0 {
		t.Errorf("%+v", s.Findings)
	}
}

// TestAnnotations: in recording order, with whatever else they carry.
func TestAnnotations(t *testing.T) {
	s := read(t, encode(dictOf("segments", listOf(), "external_annotations", listOf(
		dictOf("name", "a", "extra", 5, "stage", "START", "time_us", 5, "device", 1), dictOf("stage", "END", "name",
			"a", "time_us", 6.0),
		dictOf("stage", "MIDDLE", "name", "a", "time_us", 6), dictOf("stage", "END", "name", "b"), 7)), form4))
	a := s.Annotations
	want := []Annotation{{true, a[0].Name, 1, 5, a[0].Extra}, {false, a[0].Name, 0, 6, 0}}
	if !reflect.DeepEqual(a, want) || s.Strings[a[0].Extra] != "extra = 5" {
		t.Errorf("%+v", s.Annotations)
	}
	if f := s.finding("annotations-skipped"); f == nil || f.Count != 3 {
		t.Errorf("%+v", s.Findings)
	}
}
