package snapshot

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"strata/snapshot/pickle"
	"strata/snapshot/unpack"
)

// seeds adds small snapshots of all forms and containers.
func seeds(f *testing.F) {
	obj := dictOf("segments", listOf(dictOf("device", 0, "address", 4096, "total_size", 512,
		"segment_pool_id", tupleOf(0, 1),
		"blocks", listOf(dictOf("size", 512, "state", "active_allocated", "history",
			listOf(dictOf("real_size", 5, "frames", listOf())))))),
		"device_traces", listOf(listOf(dictOf("action", "alloc", "addr", 1<<40, "size", 100, "stream", 0,
			"time_us", int64(1)<<50,
			"frames", listOf(dictOf("name", "f", "filename", "f.py", "line", 3)), "user_metadata", dictOf("k", "v")))),
		"external_annotations", listOf(dictOf("stage", "START", "name", "x", "device", 0, "time_us", 1)),
		"allocator_settings", dictOf("a", dictOf("b", 1.5)))
	for _, form := range allForms {
		f.Add(encode(obj, form))
	}
	data := encode(obj, form4)
	f.Add(gzipped(f, data))
	f.Add(zipped(f, "a.pickle", data))
	f.Add(htmlPage(data))
	f.Add(xzipped(f, data))
	f.Add(tarred(f, "a.pickle", string(data)))
	f.Add(gzipped(f, tarred(f, "b.txt", "b", "a.pickle", string(data))))
	f.Add(stored(f, "archive/data.pkl", string(data)))
	f.Add(append(data[:len(data):len(data)], data...))
	f.Add(encode(listOf(listOf(dictOf("action", "alloc", "addr", 1, "size", 5))), form4))
	f.Add(encode(dictOf("segments", dictOf(0, listOf()), "device_traces",
		dictOf("cuda:1", listOf(dictOf("action", "oom")))), form2))
	f.Add(
		[]byte(
			`{"segments": [{"device": 0, "address": 1, "total_size": 5, "blocks": []}], "device_traces": ` +
				`[[{"action": "alloc", "addr": 1e3, "size": 5}]]}`))
	f.Add(append([]byte("\x80\x04cdatetime\ndate\n(K\x01tR0"), data[2:]...))
	more, _ := filepath.Glob(filepath.Join("..", "..", "shared", "cases", "*.pickle*"))
	for _, p := range more {
		if b, err := os.ReadFile(p); err == nil && len(b) < 2000 {
			f.Add(b)
		}
	}
	_ = encode(randomSnapshot(rand.New(rand.NewPCG(1, 1))), form4)
}

// FuzzRead reads any bytes as a file: a whole Snapshot, or an *Error.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(context.Background(), "fuzz", data, Options{Limits: Limits{Memory: 64 << 20, Raw: 1 << 20}})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Error() == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		checkWhole(t, s)
		for i := range s.Stacks.Len() {
			_ = s.StackText(StackID(i), i%2 == 0)
		}
	})
}

// FuzzReaders compares our machine with gopickle on whatever both can read.
func FuzzReaders(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if unpack.Sniff(data) != unpack.Pickle || len(data) > 1<<16 {
			return
		}
		d := &decoding{ctx: context.Background(), lim: Limits{}.forFile(int64(len(data)), false), src: &Source{}}
		d.reset()
		m := pickle.NewMachine(d.b.h, data)
		if err := d.stream(m); err != nil || d.end != nil || m.Unfit || m.Objects {
			return
		}
		if m.TextArgs { // gopickle leaves escapes as they are, and minds what spells a number
			return
		}
		if m.Discarded { // its words stay in our tables, and never come into the tree's
			return
		}
		stream, err := d.b.finish(d.root)
		if err != nil {
			return
		}
		tree, err := viaTree(t, data)
		if err != nil {
			return
		}
		stream.Source, tree.Source = Source{}, Source{}
		if !reflect.DeepEqual(stream, tree) {
			diffSnapshots(t, stream, tree)
			t.Fatal("the readers differ")
		}
	})
}

// FuzzSniff: any bytes as the beginning of any container.
func FuzzSniff(f *testing.F) {
	data := encode(dictOf("segments", listOf(), "device_traces", listOf()), form4)
	for _, head := range []string{"", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "PK\x03\x04", "\xef\xbb\xbf{", " [",
		"<html base64: \"", "\x80\x04"} {
		f.Add([]byte(head), data)
	}
	f.Fuzz(func(t *testing.T, head, rest []byte) {
		_, err := Read(context.Background(), "", append(head[:len(head):len(head)], rest...),
			Options{Limits: Limits{Memory: 64 << 20, Raw: 1 << 20}})
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%v", err)
		}
	})
}
