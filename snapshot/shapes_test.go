package snapshot

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"strata/snapshot/pickle"
)

// reading is all that comes of reading a pickle with our own machine.
type reading struct {
	snapshot *Snapshot
	parts    rootParts
	seen     evidence
	end      string // where and why it ended early
	err      string
}

// readOnce reads data as a plain pickle; false if the memory did not suffice.
func readOnce(data []byte, oneByOne bool) (r reading, ok bool) {
	d := &decoding{ctx: context.Background(), lim: Limits{}.forFile(int64(len(data)), formatPickle), src: &Source{},
		total: int64(len(data)), done: func(n int64) int64 { return n }, oneByOne: oneByOne}
	d.reset()
	err := d.stream(pickle.NewMachine(d.b.h, data))
	if d.end != nil {
		r.end = d.end.Error()
	}
	if err == nil {
		r.snapshot, err = d.b.finish(d.root)
	}
	if err != nil {
		r.err = err.Error()
	}
	r.parts, r.seen = d.b.root, d.b.seen
	return r, !errors.Is(err, pickle.ErrMemory)
}

// sameReading fails t unless data reads the same dict by dict and opcode by
// opcode.
func sameReading(t *testing.T, name string, data []byte) {
	t.Helper()
	whole, ok1 := readOnce(data, false)
	single, ok2 := readOnce(data, true)
	if !ok1 || !ok2 || reflect.DeepEqual(whole, single) {
		return
	}
	if whole.snapshot != nil && single.snapshot != nil {
		diffSnapshots(t, whole.snapshot, single.snapshot)
	}
	whole.snapshot, single.snapshot = nil, nil
	t.Errorf("%s: dict by dict %+v\nopcode by opcode %+v", name, whole, single)
}

// manyEvents is a snapshot of n events with stacks, of several shapes, with
// all that makes a dict unusual now and then.
func manyEvents(rng *rand.Rand, n int) *node {
	var stacks []*node
	for i := range 5 {
		frames := listOf()
		for j := range 10 + i {
			frames.items = append(frames.items, dictOf("name", "f"+string(rune('a'+j)), "filename", "a.py", "line", i+j))
		}
		stacks = append(stacks, frames)
	}
	events := listOf()
	for i := range n {
		action := "alloc"
		if i%5 == 3 {
			action = []string{"free_requested", "free_completed", "oom", "odd"}[rng.IntN(4)]
		}
		e := []any{"action", action, "addr", 1<<40 + i*512, "size", 512, "stream", 0, "time_us", 1<<50 + i}
		if i%3 == 0 {
			e = append(e, "category", "x")
		}
		switch rng.IntN(20) {
		case 0:
			e = append(e, "user_metadata", dictOf("k", i%2))
		case 1:
			e = append(e, "user_metadata", "step "+string(rune('a'+rng.IntN(20))))
		case 2:
			e = append(e, "pool_id", tupleOf(1<<40, 7))
		case 3:
			e[5] = "big"
		case 4:
			e = append(e, "pool_id", tupleOf(0, 0), "pool_id", tupleOf(0, rng.IntN(3)))
		case 5:
			e = append(e, "compile_context", nil, 5, 6)
		}
		frames := stacks[rng.IntN(len(stacks))]
		switch {
		case i > 0 && rng.IntN(4) == 0: // the list of an event before
			items := events.items[rng.IntN(i)].(*node).items
			frames = items[len(items)-1].(*node)
		case rng.IntN(9) > 0: // a list of its own, of frames that are shared
			frames = listOf(frames.items...)
		}
		if i > n/2 && rng.IntN(8) > 0 {
			frames = listOf()
			if rng.IntN(3) == 0 {
				e = append(e, "user_metadata", listOf())
			}
		}
		event := dictOf(append(e, "frames", frames)...)
		if i > 0 && rng.IntN(10) == 0 { // the same event again
			event = events.items[rng.IntN(i)].(*node)
		}
		events.items = append(events.items, event)
	}
	return dictOf("segments", listOf(), "device_traces", listOf(events))
}

// TestShapes: what is read dict by dict comes out as if every opcode had been
// read by itself, also where the bytes are damaged or end.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, form := range append(allForms, formGap) {
		for range 4 {
			sameReading(t, form.String(), encode(manyEvents(rng, 400), form))
		}
	}
	files := snapshotFiles(t)
	more, _ := filepath.Glob("../../shared/cases/*.pickle")
	for _, f := range append(files, more...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 2 || sniff(data) != formatPickle {
			continue
		}
		sameReading(t, f, data)
		for range max(2, min(30, 2<<20/len(data))) {
			damaged := bytes.Clone(data)
			for range 1 + rng.IntN(4) {
				damaged[rng.IntN(len(damaged))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				damaged = damaged[:1+rng.IntN(len(damaged)-1)]
			}
			sameReading(t, f+", damaged", damaged)
		}
	}
}

// FuzzShapes is TestShapes on any bytes.
func FuzzShapes(f *testing.F) {
	seeds(f)
	rng := rand.New(rand.NewPCG(3, 1))
	for _, form := range append(allForms, formGap) {
		f.Add(encode(manyEvents(rng, 8), form))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1<<16 {
			sameReading(t, "fuzz", data)
		}
	})
}

// TestShapesSharedEmpty: an empty list that one event has under two keys says
// nothing of what an empty list under only one of them becomes.
func TestShapesSharedEmpty(t *testing.T) {
	events := listOf()
	for i := range 40 {
		a, b := listOf(), listOf()
		if i < 10 {
			b = a
		}
		events.items = append(events.items, dictOf("action", "alloc", "addr", i*512, "size", 512, "frames", a, "user_metadata", b))
	}
	sameReading(t, "an empty list under two keys", encode(dictOf("segments", listOf(), "device_traces", listOf(events)), form4))
}

// TestShapesSkippedEmpty: the empty list of an event that is skipped becomes
// what that of any other event does, whoever has it afterwards.
func TestShapesSkippedEmpty(t *testing.T) {
	events := listOf()
	var skipped *node
	for i := range 60 {
		a, action, size, addr := listOf(), any("alloc"), any(512), any(i*512)
		switch i % 9 {
		case 3:
			action = "odd"
		case 5:
			size = -1
		case 7:
			addr = nil
		}
		e := []any{"action", action, "addr", addr, "size", size, "frames", a}
		if skipped != nil {
			e = append(e, "user_metadata", skipped)
		}
		skipped = nil
		if i%9 == 3 || i%9 == 5 || i%9 == 7 {
			skipped = a
		}
		events.items = append(events.items, dictOf(e...))
	}
	sameReading(t, "an empty list of a skipped event", encode(dictOf("segments", listOf(), "device_traces", listOf(events)), form4))
}
