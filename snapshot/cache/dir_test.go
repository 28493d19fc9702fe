package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"strata/snapshot"
)

func age(t *testing.T, name string, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// TestLeastRecentlyUsed: the bound holds, and what was used last stays.
func TestLeastRecentlyUsed(t *testing.T) {
	dir := t.TempDir()
	names := []string{example, root + "/testdata/generated/torch2.13.pickle",
		root + "/testdata/generated/torch2.12.pickle"}
	var entries []string
	var sizes int64
	for i, n := range names[:2] {
		o := open(t, n, in(dir))
		entries = append(entries, o.key.path(dir))
		st, err := os.Stat(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		sizes += st.Size()
		age(t, entries[i], time.Hour*time.Duration(10-i))
	}
	foreign := filepath.Join(dir, "notes.columns")
	young, old := filepath.Join(dir, tempPrefix+"1"), filepath.Join(dir, tempPrefix+"2")
	for _, f := range []string{foreign, young, old} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		age(t, f, 48*time.Hour)
	}
	age(t, young, time.Minute)
	open(t, names[0], in(dir)) // now the second is the one that was used longest ago

	opt := in(dir)
	opt.MaxBytes = sizes + 100
	third := open(t, names[2], opt)
	for name, want := range map[string]bool{entries[0]: true, entries[1]: false, third.key.path(dir): true,
		foreign: true, young: true, old: false} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: there %v, should be %v", filepath.Base(name), err == nil, want)
		}
	}
	if !open(t, names[0], opt).Cached || open(t, names[1], opt).Cached {
		t.Error("the wrong one went")
	}
}

// TestTooBig: what would take the whole cache is not stored, and nothing goes for it.
func TestTooBig(t *testing.T) {
	dir := t.TempDir()
	open(t, root+"/testdata/generated/torch2.13.pickle", in(dir))
	opt := in(dir)
	opt.MaxBytes = 1000
	o, err := Open(context.Background(), example, snapshot.Options{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Store(context.Background()); !errors.Is(err, errTooBig) {
		t.Errorf("got %v", err)
	}
	if d, _ := os.ReadDir(dir); len(d) != 1 {
		t.Errorf("%d entries", len(d))
	}
}

// TestPrivate: what a snapshot holds is for its owner alone.
func TestPrivate(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("Windows keeps a user's cache directory for the user")
	}
	dir := filepath.Join(t.TempDir(), "new")
	o := open(t, example, in(dir))
	for _, n := range []string{dir, o.key.path(dir)} {
		if st, err := os.Stat(n); err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", n, st.Mode(), err)
		}
	}
}
