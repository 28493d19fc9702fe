package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNaturalOrder(t *testing.T) {
	for _, want := range [][]string{
		{"rank2.pickle", "rank10.pickle", "rank100.pickle"},
		{"a", "B", "c"},
		{"run", "run1", "run01", "run2", "run10"},
		{"1", "2", "10", "a"},
		{"v1.2.9", "v1.2.10", "v1.10.1"},
		{"step 99999999999999999999", "step 100000000000000000000"},
		{"a/rank2", "a/rank10", "a b/rank1"},
		{"node2/rank0", "node2/rank1", "node10/rank0"},
		{"snap", "snap.pickle"},
		{"Å1", "å2"},
		{"", "0", "00"},
	} {
		got := slices.Clone(want)
		slices.Reverse(got)
		slices.SortFunc(got, ComparePaths)
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for i := range want {
			for j := range want {
				if c := ComparePaths(want[i], want[j]); c != compareInts(i, j) {
					t.Errorf("%q against %q: %d", want[i], want[j], c)
				}
			}
		}
	}
}

func compareInts(a, b int) int { return min(1, max(-1, a-b)) }

// TestFolderListing finds snapshots by their content, in natural order, and
// nothing else.
func TestFolderListing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rank10.pickle", "rank2.pickle", "no-extension", ".hidden.pickle",
		"sub/rank0.pickle"} {
		copyTo(t, "../../testdata/reference/sim-base.pickle", dir, name)
	}
	copyTo(t, "../../testdata/sample.pickle.gz", dir, "sample.txt")
	for _, name := range []string{"ASCEND_PROFILER_OUTPUT/operator_memory.csv",
		"ASCEND_PROFILER_OUTPUT/memory_record.csv", "ASCEND_PROFILER_OUTPUT/trace_view.json", "profiler_info_3.json"} {
		copyTo(t, "../../testdata/profiler/rank3_ascend_pt/"+name, dir, "rank3_ascend_pt/"+name)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.pickle"), []byte("nothing of the kind"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := ListFolder(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range f.Files {
		got = append(got, filepath.Base(file))
	}
	if want := []string{"no-extension", "rank2.pickle", "operator_memory.csv", "rank10.pickle",
		"sample.txt"}; !slices.Equal(got, want) ||
		f.More || f.Notice() != "" {
		t.Fatalf("%q, more: %v, want %q", got, f.More, want)
	}
	f, err = ListFolder(context.Background(), filepath.Join(dir, "rank3_ascend_pt"))
	if err != nil || len(f.Files) != 1 || filepath.Base(f.Files[0]) != "operator_memory.csv" {
		t.Fatalf("%+v, %v", f, err)
	}
	if f, err := ListFolder(context.Background(), filepath.Join(dir, "sub", "..", "empty")); err == nil {
		t.Fatalf("a folder that is not there: %+v", f)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ListFolder(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestFolderIsBounded: of very many snapshots the first ones are opened, and
// that is said.
func TestFolderIsBounded(t *testing.T) {
	dir := t.TempDir()
	first := copyTo(t, "../../testdata/reference/sim-base.pickle", dir, "rank0")
	for i := 1; i < folderLimit+5; i++ {
		if err := os.Symlink(first, filepath.Join(dir, fmt.Sprintf("rank%d", i))); err != nil {
			t.Skip(err)
		}
	}
	f, err := ListFolder(context.Background(), dir)
	if err != nil || len(f.Files) != folderLimit || !f.More || !strings.Contains(f.Notice(), "200") {
		t.Fatalf("%d files, more: %v, %q, %v", len(f.Files), f.More, f.Notice(), err)
	}
	if filepath.Base(f.Files[199]) != "rank199" {
		t.Fatal(f.Files[199])
	}
}

func TestStamp(t *testing.T) {
	dir := t.TempDir()
	path := copyTo(t, "../../testdata/sample.pickle.gz", dir, "a")
	s, err := Examine(context.Background(), path)
	if err != nil || !s.Compressed || s.Size == 0 || s.modified == 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	var f *Folder
	if _, err := Examine(context.Background(), dir); !errors.As(err, &f) || len(f.Files) != 1 {
		t.Fatal(err)
	}
	if s, err := Examine(context.Background(), filepath.Join(dir, "b")); err != nil || s != (Stamp{}) {
		t.Fatal(s, err)
	}
}

// copyTo copies a file, making the folders it needs, and returns where to.
func copyTo(t testing.TB, from string, to ...string) string {
	t.Helper()
	path := filepath.Join(to...)
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDistinguish: files of one name are told apart by their folders.
func TestDistinguish(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{[]string{"/a/x", "/a/y"}, []string{"", ""}},
		{[]string{"/run/rank0/s", "/run/rank1/s", "/run/t"}, []string{"rank0", "rank1", ""}},
		{[]string{"/r1/rank0/s", "/r2/rank0/s"}, []string{"r1", "r2"}},
		{[]string{"/r1/a/s", "/r1/b/s", "/r2/a/s"}, []string{"/r1/a", "/r1/b", "/r2/a"}},
		{[]string{"/s", "/a/s"}, []string{"/", "/a"}},
		{[]string{"", ""}, []string{"", ""}},
		{[]string{"/r1/a_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv",
			"/r1/b_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv"}, []string{"", ""}},
		{[]string{"/r1/a/ASCEND_PROFILER_OUTPUT/operator_memory.csv", "/r2/a"}, []string{"r1", "r2"}},
	} {
		if got := Distinguish(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}

// TestName: a file is called by the last part of its path, tables of torch_npu's profiler by their profile's folder.
func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"/a/run.pickle": "run.pickle", "run.pickle": "run.pickle",
		"/r/rank3_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv": "rank3_ascend_pt",
		"ASCEND_PROFILER_OUTPUT/operator_memory.csv":                    "operator_memory.csv",
		"/r/operator_memory.csv":                                        "operator_memory.csv",
	} {
		if got := Name(path); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}

func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for _, name := range []string{"rank0.pickle", "Rank1.PICKLE", "rank2.txt", ".hidden.pickle", "other.pkl.gz",
		"rang é/x.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sep := string(filepath.Separator)
	patterns := []string{"*.pickle", "*.gz", "*.json"}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"~", nil},
		{dir + sep, []string{"rang é" + sep, "Rank1.PICKLE", "other.pkl.gz", "rank0.pickle"}},
		{dir + sep + "ran", []string{"Rank1.PICKLE", "rank0.pickle", "rang é" + sep}},
		{dir + sep + "rank0.pickle", nil},
		{dir + sep + ".", []string{".hidden.pickle"}},
		{dir + sep + "rang é" + sep, []string{"rang é" + sep + "x.json"}},
		{dir + sep + "nowhere" + sep + "x", nil},
	} {
		var want []string
		for _, name := range c.want {
			want = append(want, dir+sep+name)
		}
		if got := Completions(c.text, patterns); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.text, got, want)
		}
	}
	if got := Completions("~"+sep+"rang", patterns); !slices.Equal(got, []string{"~" + sep + "rang é" + sep}) {
		t.Errorf("below ~: %q", got)
	}
}
