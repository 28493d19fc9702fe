package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNote: what was kept about a file is found again under what it is about, until the file changes or the note is
// damaged; it counts among the entries.
func TestNote(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	opt := Options{Dir: t.TempDir()}
	n, data := Note(file, "digest", opt)
	if data != nil {
		t.Fatal("something is kept already")
	}
	if n.path == "" {
		t.Skip("SKIPPED: the file system has no times that tell a change")
	}
	if err := n.Keep([]byte("what is known")); err != nil {
		t.Fatal(err)
	}
	kept := func(what string) string {
		_, data := Note(file, what, opt)
		return string(data)
	}
	if kept("digest") != "what is known" || kept("other") != "" {
		t.Errorf("%q, %q", kept("digest"), kept("other"))
	}
	if !isEntry(filepath.Base(n.note)) {
		t.Error("it is not counted")
	}
	whole, err := os.ReadFile(n.note)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{whole[:20], append(whole[:len(whole):len(whole)], 'x'), {}} {
		if err := os.WriteFile(n.note, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := kept("digest"); got != "" {
			t.Errorf("%q from a damaged note", got)
		}
	}
	if err := os.WriteFile(file, []byte("another size"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := n.Keep([]byte("old")); err != errChanged {
		t.Errorf("kept of a file that has changed: %v", err)
	}
}
