package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// read reads a snapshot that must be readable.
func read(t testing.TB, data []byte) *Snapshot {
	t.Helper()
	s, err := Read(context.Background(), "test", data, Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// randomSnapshot makes an object with all the odd things that a snapshot may hold, in some of its places.
func randomSnapshot(rng *rand.Rand) *node {
	var frames []any
	for i := range 40 {
		f := dictOf("name", fmt.Sprintf("fn%d::f", i%30), "filename", fmt.Sprintf("/home/x/f%d.py", i%7), "line",
			int64(i))
		if i == 3 {
			f.items[5] = uint64(1<<64 - 1)
		}
		if i == 4 {
			f.items = append(f.items, "fx_node_op", "call", "fx_node_name", "add", "fx_node_target", nil,
				"fx_original_trace", "File x\n  y")
		}
		frames = append(frames, f)
	}
	empty := listOf()
	stack := func() *node {
		if rng.IntN(6) == 0 {
			return empty
		}
		l := listOf()
		for range 1 + rng.IntN(60) {
			l.items = append(l.items, frames[rng.IntN(len(frames))])
		}
		return l
	}
	var stacks []*node
	for range 12 {
		stacks = append(stacks, stack())
	}
	pick := func() *node { return stacks[rng.IntN(len(stacks))] }
	anns := listOf(dictOf("stage", "START", "name", "é", "device", 0, "time_us", 5), dictOf("stage", "END", "name", "é",
		"device", 0, "time_us", 6))
	segments := randomSegments(rng, pick)
	traces := listOf(randomTrace(rng, 1+rng.IntN(40), pick), empty, randomTrace(rng, 1+rng.IntN(2500), pick))
	return dictOf("segments", segments, "device_traces", traces,
		"allocator_settings", dictOf("a", "b", "max_split_size", -1, "f", 0.5, "roundup_power2_divisions",
			dictOf("1", 0, "2", 1)),
		"external_annotations", anns, "unknown", dictOf("action", 3, "x", listOf(listOf())))
}

// randomTrace is a trace of n events, with stacks as pick returns them.
func randomTrace(rng *rand.Rand, n int, pick func() *node) *node {
	actions := []string{"alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
		"segment_unmap", "snapshot", "oom", "annotate", "strange_one"}
	userDict := dictOf("action", "alloc", "name", "n", "line", 3, "deep", dictOf("a", listOf(1, 2.5, nil)))
	l := listOf()
	for range n {
		a := actions[rng.IntN(len(actions))]
		e := dictOf("action", a)
		key := "addr"
		if a == "oom" {
			key = "device_free"
		}
		addr := uint64(0x7f00_0000_0000) + uint64(rng.IntN(1000))*512
		if rng.IntN(5) == 0 {
			addr |= 1 << 63
		}
		e.items = append(e.items, key, addr, "size", int64(rng.IntN(1<<30)), "stream",
			[]any{0, int64(-5), int64(0x5500_1234)}[rng.IntN(3)])
		if rng.IntN(10) > 0 {
			e.items = append(e.items, "time_us", int64(1_700_000_000_000_000+rng.IntN(1e6)))
		}
		if rng.IntN(4) > 0 {
			e.items = append(e.items, "frames", pick())
		}
		if rng.IntN(3) == 0 {
			e.items = append(e.items, "compile_context", []string{"N/A", "0/0"}[rng.IntN(2)], "user_metadata",
				[]any{"", "x", userDict}[rng.IntN(3)])
		}
		if rng.IntN(3) == 0 {
			e.items = append(e.items, "pool_id", tupleOf(rng.IntN(2), int64(rng.IntN(2))<<40), "forward_frames",
				listOf("  File \"a.py\", line 3, in f\n    x\n", "z\n"))
		}
		l.items = append(l.items, e)
	}
	if n > 3 {
		l.items[2] = l.items[1] // the same event object twice
	}
	return l
}

// randomSegments is three segments with a few blocks each.
func randomSegments(rng *rand.Rand, pick func() *node) *node {
	segments := listOf()
	for i := range 3 {
		blocks := listOf()
		for k := range 1 + rng.IntN(5) {
			b := dictOf("size", 512*(k+1), "requested_size", 100, "state", []string{"inactive", "active_allocated",
				"active_pending_free"}[rng.IntN(3)])
			if rng.IntN(2) == 0 {
				b.items = append(b.items, "address", uint64(0x7f00_0000_0000+1024*k), "frames", pick())
			} else {
				b.items = append(b.items, "history", listOf(dictOf("addr", 5, "real_size", 77, "frames", pick()),
					dictOf("addr", 5, "real_size", 78)))
			}
			blocks.items = append(blocks.items, b)
		}
		segments.items = append(segments.items, dictOf("device", i%2, "address", uint64(0x7f00_0000_0000), "total_size",
			2<<20,
			"stream", 0, "segment_type", "large", "segment_pool_id", tupleOf(0, 7), "is_expandable", true, "frames",
			pick(), "blocks", blocks, "odd", tupleOf(1, 2, 3, 4)))
	}
	return segments
}

// TestForms writes random snapshots in every way that pickles are written and reads them with both readers: all
// must be equal.
func TestForms(t *testing.T) {
	for seed := range uint64(12) {
		obj := randomSnapshot(rand.New(rand.NewPCG(seed, 1)))
		var first *Snapshot
		for _, f := range allForms {
			data := encode(obj, f)
			got := read(t, data)
			if got.Source.Reader != "stream" {
				t.Fatalf("seed %d, %v: read by %s", seed, f, got.Source.Reader)
			}
			tree, err := viaTree(t, data)
			if err != nil {
				t.Fatalf("seed %d, %v: %v", seed, f, err)
			}
			tree.Source, tree.Findings = got.Source, got.Findings
			if f != form0 && !reflect.DeepEqual(got, tree) { // gopickle leaves the escapes of protocol 0 as they are
				t.Errorf("seed %d, %v: the readers differ", seed, f)
				diffSnapshots(t, got, tree)
			}
			got.Source, got.Findings = Source{}, nil
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(first, got) {
				t.Errorf("seed %d: %v and %v differ", seed, allForms[0], f)
				diffSnapshots(t, first, got)
			}
		}
		if n := len(first.Devices); n != 2 && n != 3 {
			t.Errorf("seed %d: %d devices", seed, n)
		}
	}
}

// TestCutEverywhere cuts a small snapshot at every byte: never a crash, and never an event that was not whole.
func TestCutEverywhere(t *testing.T) {
	ev := func(i int) *node {
		return dictOf("action", "alloc", "addr", 512*i, "size", 100+i, "stream", 0, "time_us", 10+i, "frames",
			listOf(dictOf("name", "f", "filename", "f.py", "line", i)))
	}
	seg := dictOf("device", 0, "address", 4096, "total_size", 512, "blocks",
		listOf(dictOf("size", 512, "state", "inactive", "address", 4096)))
	obj := dictOf("segments", listOf(seg), "device_traces", listOf(listOf(ev(0), ev(1), ev(2), ev(3)), listOf(ev(4))))
	for _, f := range allForms {
		data := encode(obj, f)
		most := 0
		for n := range len(data) {
			s, err := Read(context.Background(), "", data[:n], Options{})
			if err != nil {
				if _, ok := err.(*Error); !ok {
					t.Fatalf("%v cut at %d: %v is no *Error", f, n, err)
				}
				continue
			}
			if len(s.Findings) == 0 || s.Findings[0].ID != "truncated" || s.Findings[0].Severity != Warning {
				t.Fatalf("%v cut at %d: findings %v", f, n, s.Findings)
			}
			events := 0
			for _, d := range s.Devices {
				for i := range d.Events.Len() {
					k := int(d.Events.Addr[i] / 512)
					if k != events || d.Events.Size[i] != int64(100+k) || d.Events.Time[i] != int64(10+k) ||
						len(s.Stacks.Of(d.Events.Stack[i])) != 1 {
						t.Fatalf("%v cut at %d: event %d is not whole", f, n, events)
					}
					events++
				}
			}
			if events < most {
				t.Fatalf("%v cut at %d: %d events, there were %d before", f, n, events, most)
			}
			most = events
		}
		if most < 4 {
			t.Errorf("%v: at most %d events were salvaged", f, most)
		}
		// Whatever follows the end is nobody's business.
		if s := read(t, append(bytes.Clone(data), "\x00\x00trailing"...)); s.Devices[0].Events.Len() != 4 {
			t.Errorf("%v: trailing bytes disturb", f)
		}
	}
}

// TestEmptyMetadata: a dict without items is no text, however often it is met.
func TestEmptyMetadata(t *testing.T) {
	empty := dictOf()
	events := listOf()
	for i, meta := range []any{empty, empty, dictOf(), "", dictOf("k", 1), empty} {
		events.items = append(events.items, dictOf("action", "alloc", "addr", 512*i, "size", 512, "stream", 0, "frames",
			listOf(), "user_metadata", meta))
	}
	for _, form := range allForms {
		s := read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(events)), form))
		for i, want := range []string{"", "", "", "", "k = 1", ""} {
			if got := s.Strings[s.Metas[s.Devices[0].Events.Meta[i]].User]; got != want {
				t.Errorf("%v, event %d: %q, want %q", form, i, got, want)
			}
		}
	}
}
