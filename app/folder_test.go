package app

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
		slices.SortFunc(got, comparePaths)
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for i := range want {
			for j := range want {
				if c := comparePaths(want[i], want[j]); c != compareInts(i, j) {
					t.Errorf("%q against %q: %d", want[i], want[j], c)
				}
			}
		}
	}
}

func compareInts(a, b int) int { return min(1, max(-1, a-b)) }

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

// TestFolderListing finds snapshots by their content, in natural order, and
// nothing else.
func TestFolderListing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rank10.pickle", "rank2.pickle", "no-extension", ".hidden.pickle", "sub/rank0.pickle"} {
		copyTo(t, sample, dir, name)
	}
	copyTo(t, annotated, dir, "sample.txt")
	if err := os.WriteFile(filepath.Join(dir, "notes.pickle"), []byte("nothing of the kind"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := listFolder(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range f.files {
		got = append(got, filepath.Base(file))
	}
	if want := []string{"no-extension", "rank2.pickle", "rank10.pickle", "sample.txt"}; !slices.Equal(got, want) || f.more || f.notice() != "" {
		t.Fatalf("%q, more: %v, want %q", got, f.more, want)
	}
	if f, err := listFolder(context.Background(), filepath.Join(dir, "sub", "..", "empty")); err == nil {
		t.Fatalf("a folder that is not there: %+v", f)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := listFolder(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestFolderIsBounded: of very many snapshots the first ones are opened, and
// that is said.
func TestFolderIsBounded(t *testing.T) {
	dir := t.TempDir()
	first := copyTo(t, sample, dir, "rank0")
	for i := 1; i < folderLimit+5; i++ {
		if err := os.Symlink(first, filepath.Join(dir, fmt.Sprintf("rank%d", i))); err != nil {
			t.Skip(err)
		}
	}
	f, err := listFolder(context.Background(), dir)
	if err != nil || len(f.files) != folderLimit || !f.more || !strings.Contains(f.notice(), "200") {
		t.Fatalf("%d files, more: %v, %q, %v", len(f.files), f.more, f.notice(), err)
	}
	if filepath.Base(f.files[199]) != "rank199" {
		t.Fatal(f.files[199])
	}
}

func TestStamp(t *testing.T) {
	dir := t.TempDir()
	path := copyTo(t, annotated, dir, "a")
	s, err := stampOf(context.Background(), path)
	if err != nil || !s.packed || s.size == 0 || s.modified == 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	var f *folder
	if _, err := stampOf(context.Background(), dir); !errors.As(err, &f) || len(f.files) != 1 {
		t.Fatal(err)
	}
	if s, err := stampOf(context.Background(), filepath.Join(dir, "b")); err != nil || s != (stamp{}) {
		t.Fatal(s, err)
	}
}
