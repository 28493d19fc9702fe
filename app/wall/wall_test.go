package wall

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"strata/layout/ranks"
	"strata/snapshot/cache"
)

// folder makes a folder of files: a path ending in a slash is a folder, what is told of it the content; "@" is a
// snapshot.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	snapshot, err := os.ReadFile("../../testdata/generated/oom.pickle")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		data := []byte(content)
		if content == "@" {
			data = snapshot
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestList(t *testing.T) {
	dir := folder(t, map[string]string{"rank10/s.pickle": "@", "rank2/s.pickle": "@", "rank2/notes.txt": "x",
		"rank3/s.pickle.gz": "broken", "rank4/config.json": "{}", ".git/s.pickle": "@", "a/b/c/d/e/s.pickle": "@",
		"odd name": "@"})
	found, more, err := List(t.Context(), []string{dir})
	if err != nil || more {
		t.Fatal(more, err)
	}
	var got []string
	for _, f := range found {
		rel, _ := filepath.Rel(dir, f)
		got = append(got, filepath.ToSlash(rel))
	}
	want := "odd name rank2/s.pickle rank3/s.pickle.gz rank10/s.pickle"
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %s", got, want)
	}
	if names := Names(found); names[1] != filepath.Join("rank2", "s.pickle") || names[0] != "odd name" {
		t.Errorf("%q", names)
	}
	for _, paths := range [][]string{{filepath.Join(dir, "rank4")}, {dir, filepath.Join(dir, "none")}} {
		if _, _, err := List(t.Context(), paths); err == nil {
			t.Errorf("%q has snapshots", paths)
		}
	}
}

// TestRead: every file has its place, broken ones with their reason; a second time nothing is read, and a file that
// was changed is.
func TestRead(t *testing.T) {
	dir := folder(t, map[string]string{"rank0.pickle": "@", "rank1.pickle": "@", "rank2.pickle": "nothing",
		"rank3.pickle": "", "rank4.json": `{"distributedInfo": {"rank": 40, "world_size": 64}, "traceEvents": [
		{"ph": "i", "name": "[memory]", "ts": 1, "pid": 0, "tid": 0, "args": {"Device Type": 1,
		"Device Id": 0, "Addr": 4096, "Bytes": 77, "Total Allocated": 77, "Total Reserved": 99}}]}`})
	names, _, err := List(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	r := &Reader{Cache: cache.Options{Dir: t.TempDir()}}
	read := func() (files []*ranks.File) {
		files = make([]*ranks.File, len(names))
		if err := r.Read(t.Context(), names, func(i int, f *ranks.File) { files[i] = f }); err != nil {
			t.Fatal(err)
		}
		return files
	}
	first := read()
	for i, f := range first {
		if number := []int{0, 1, 2, 3, 40}[i]; f == nil || f.Name != names[i] || f.Rank != number ||
			(f.Error != "") != (i == 2 || i == 3) || (len(f.Devices) > 0) != (f.Error == "") {
			t.Fatalf("file %d: %+v", i, f)
		}
	}
	if p := first[4].Devices[0].Peak; p != 77 {
		t.Errorf("peak %d", p)
	}
	notes, _ := filepath.Glob(filepath.Join(r.Cache.Dir, "*.note"))
	if len(notes) != 3 {
		t.Errorf("%d digests are kept", len(notes))
	}
	if again := read(); fmt.Sprint(*again[0]) != fmt.Sprint(*first[0]) ||
		fmt.Sprint(*again[4]) != fmt.Sprint(*first[4]) {
		t.Errorf("%+v, then %+v", first[4], again[4])
	}
	if err := os.WriteFile(names[4], []byte(`{"device_traces": [[{"action": "alloc", "addr": 4096, "size": 78,
		"stream": 0, "frames": []}]], "segments": []}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if again := read(); again[4].Rank != 4 || again[4].Devices[0].Peak != 78 {
		t.Errorf("%+v", again[4])
	}
}

// TestCancel: nothing is told after the context has ended.
func TestCancel(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("rank%d.pickle", i)] = "@"
	}
	names, _, err := List(t.Context(), []string{folder(t, files)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r := &Reader{Cache: cache.Options{Disabled: true}}
	err = r.Read(ctx, names, func(int, *ranks.File) {
		n++
		cancel()
	})
	if err != context.Canceled || n > 1 {
		t.Errorf("%d files after the end, %v", n, err)
	}
}

// TestRoom: readings that need more than there is wait for one another, and one that needs more than all still runs.
func TestRoom(t *testing.T) {
	m := &room{left: 10, all: 10}
	m.free = sync.NewCond(&m.mu)
	var now, most atomic.Int64
	var work sync.WaitGroup
	for i := range 40 {
		work.Go(func() {
			n := m.take(t.Context(), int64(i))
			most.Store(max(most.Load(), now.Add(n)))
			now.Add(-n)
			m.give(n)
		})
	}
	work.Wait()
	if most.Load() > 10 || m.left != 10 {
		t.Errorf("%d of 10 at a time, %d left", most.Load(), m.left)
	}
}

// BenchmarkRead reads 16 files of testdata.
func BenchmarkRead(b *testing.B) {
	names, _, err := List(b.Context(), []string{"../../testdata/generated"})
	if err != nil {
		b.Fatal(err)
	}
	r := &Reader{Cache: cache.Options{Disabled: true}}
	for b.Loop() {
		if err := r.Read(b.Context(), names, func(int, *ranks.File) {}); err != nil {
			b.Fatal(err)
		}
	}
}
