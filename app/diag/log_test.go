package diag

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"strata/snapshot"
	"strata/snapshot/cache"
)

// TestOpen: each phase has a line, in order, also when the snapshot comes from
// the cache, and a name cannot do anything to the terminal.
func TestOpen(t *testing.T) {
	data, err := os.ReadFile("../../testdata/sample.pickle.gz")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a\x1b[2Jb")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	kept := cache.Options{Dir: t.TempDir(), MinBytes: 1}
	open := func() (*cache.Opened, string) {
		var out strings.Builder
		o, err := New(true, &out).Open(context.Background(), name, snapshot.Options{}, kept)
		if err != nil {
			t.Fatal(err)
		}
		return o, out.String()
	}
	o, first := open()
	if err := o.Store(context.Background()); err != nil {
		t.Fatal(err)
	}
	_, again := open()
	for _, c := range []struct{ text, want string }{
		{first, `(?s)^strata: opening ".*a\\x1b\[2Jb"\n` +
			`strata: .*s  read: 159,415 bytes.*s  decode: 159,415 bytes.*s  finish: 3,406,863 bytes.*s  look in the ` +
			`cache: nothing.*s  opened: 16,180 events.*each\)\n$`},
		{again,
			`(?s)^strata: opening .*\nstrata: .*s  restore from the cache: 159,415 bytes.*16,180 events \([0-9]+ ns ` +
				`each\)\n$`},
	} {
		if !regexp.MustCompile(c.want).MatchString(c.text) {
			t.Errorf("%s\ndoes not match %s", c.text, c.want)
		}
	}
}

// TestNil: not being asked for costs nothing and fails nowhere.
func TestNil(t *testing.T) {
	l := New(false, nil)
	l.Opening("a")
	l.Phase("b", 1)
	l.Stored(1, os.ErrClosed)
	if _, err := l.Open(context.Background(), "../../testdata/reference/sim-base.pickle", snapshot.Options{},
		cache.Options{Disabled: true}); err != nil {
		t.Fatal(err)
	}
}
