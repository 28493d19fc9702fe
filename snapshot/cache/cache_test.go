package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"strata/snapshot"
)

const root = "../.."

// everyFile is every snapshot there is: those of the repository, and what lies beside it.
func everyFile(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"testdata", "testdata/generated", "testdata/reference",
		"../shared/snapshots", "../shared/cases", "../shared/fixtures"} {
		for _, pattern := range []string{"*.pickle*", "*.json", "*.bin", "*.pkl"} {
			m, err := filepath.Glob(filepath.Join(root, dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, m...)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "../shared/cases")); err != nil {
		t.Log("without ../shared, only the repository's own files are looked at")
	}
	return files
}

var everything = Options{MinBytes: 1}

func in(dir string) Options { return Options{Dir: dir, MinBytes: 1} }

// open opens a file and stores it.
func open(t testing.TB, path string, opt Options) *Opened {
	t.Helper()
	o, err := Open(context.Background(), path, snapshot.Options{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Store(context.Background()); err != nil {
		t.Errorf("%s is not stored: %v", path, err)
	}
	return o
}

// copyOf copies a file into a folder of the test.
func copyOf(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

const example = root + "/testdata/generated/torch2.14.pickle"

// TestRestored holds what comes from the cache to what comes from the file, for every file there is.
func TestRestored(t *testing.T) {
	restored := 0
	for _, path := range everyFile(t) {
		dir := t.TempDir() // some files are the same
		want, errWant := snapshot.Open(context.Background(), path, snapshot.Options{})
		first, errFirst := Open(context.Background(), path, snapshot.Options{}, in(dir))
		if errWant != nil {
			if errFirst == nil || errFirst.Error() != errWant.Error() {
				t.Errorf("%s: %v, but without a cache %v", path, errFirst, errWant)
			}
			continue
		}
		if errFirst != nil || first.Cached {
			t.Errorf("%s: first opened: %v, cached %v", path, errFirst, first.Cached)
			continue
		}
		if err := first.Store(context.Background()); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again := open(t, path, in(dir))
		if !again.Cached {
			t.Errorf("%s: not from the cache", path)
			continue
		}
		restored++
		for _, s := range []*snapshot.Snapshot{first.Snapshot, again.Snapshot} {
			if !reflect.DeepEqual(s, want) {
				t.Errorf("%s differs", path)
			}
		}
	}
	if restored < 30 {
		t.Errorf("only %d files", restored)
	}
}

// TestSource: an entry serves a file under whatever path it is opened.
func TestSource(t *testing.T) {
	opt := in(t.TempDir())
	path := copyOf(t, example)
	open(t, path, opt)
	link := filepath.Join(t.TempDir(), "link.pickle")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{link, filepath.Dir(path) + "/./" + filepath.Base(path)} {
		o := open(t, name, opt)
		if !o.Cached || o.Snapshot.Source.Name != name {
			t.Errorf("%s: cached %v, named %s", name, o.Cached, o.Snapshot.Source.Name)
		}
	}
}

// TestOtherFile: not even a file of the same name, size and time is taken for the one that was stored.
func TestOtherFile(t *testing.T) {
	opt := in(t.TempDir())
	path := copyOf(t, example)
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	open(t, path, opt)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0}, st.Size()-1); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.Chtimes(path, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(context.Background(), path, snapshot.Options{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if again.Cached {
		t.Error("one byte was changed, and the old columns came")
	}
	if err := again.Store(context.Background()); err != nil {
		t.Error(err)
	}
	if !open(t, path, opt).Cached {
		t.Error("the changed file was not stored")
	}
}

// TestKey: whatever decides what is made of a file makes another entry.
func TestKey(t *testing.T) {
	as := identity{1, 2, 3, 4, 5}
	seen := map[key]bool{}
	for i, id := range []identity{as, {9, 2, 3, 4, 5}, {1, 9, 3, 4, 5}, {1, 2, 9, 4, 5}, {1, 2, 3, 9, 5},
		{1, 2, 3, 4, 9}} {
		seen[keyOf(id, snapshot.Limits{})] = true
		if len(seen) != i+1 {
			t.Errorf("%v: the same key as another", id)
		}
	}
	for _, l := range []snapshot.Limits{{Memory: 1}, {Depth: 1}, {Raw: 1}} {
		if seen[keyOf(as, l)] {
			t.Errorf("%v: the same key", l)
		}
	}
}

func TestOptions(t *testing.T) {
	path := copyOf(t, example)
	entries := func(dir string) int {
		d, _ := os.ReadDir(dir)
		return len(d)
	}
	t.Run("disabled", func(t *testing.T) {
		dir := t.TempDir()
		open(t, path, in(dir))
		before := entries(dir)
		if o := open(t, path, Options{Dir: dir, MinBytes: 1, Disabled: true}); o.Cached || entries(dir) != before {
			t.Error("the cache was used")
		}
	})
	t.Run("small", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "none")
		open(t, path, Options{Dir: dir})
		if _, err := os.Stat(dir); err == nil {
			t.Error("a small file was stored")
		}
	})
	t.Run("environment", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "there")
		t.Setenv(DirVariable, dir)
		open(t, path, everything)
		if entries(dir) != 1 {
			t.Errorf("%d entries in %s", entries(dir), dir)
		}
		if o := open(t, path, everything); !o.Cached {
			t.Error("not found again")
		}
	})
	t.Run("user's own", func(t *testing.T) {
		t.Setenv(DirVariable, "")
		home := t.TempDir()
		for _, v := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
			t.Setenv(v, home)
		}
		if dir, err := Dir(); err != nil || !strings.HasPrefix(dir, home) || !strings.Contains(dir, "strata") {
			t.Errorf("%s, %v", dir, err)
		}
	})
}

// TestStoreOnlyWhatIsThere: what changed after it was opened is not stored under the new file's name.
func TestStoreOnlyWhatIsThere(t *testing.T) {
	for name, change := range map[string]func(string) error{
		"changed":  func(p string) error { return os.Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)) },
		"removed":  os.Remove,
		"replaced": func(p string) error { return os.Rename(copyOf(t, example), p) },
	} {
		path, dir := copyOf(t, example), t.TempDir()
		o, err := Open(context.Background(), path, snapshot.Options{}, in(dir))
		if err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if err := o.Store(context.Background()); err == nil {
			t.Errorf("%s: stored", name)
		}
		if d, _ := os.ReadDir(dir); len(d) > 0 {
			t.Errorf("%s: left behind %v", name, d)
		}
	}
}

func TestCancelled(t *testing.T) {
	path, dir := copyOf(t, example), t.TempDir()
	o, err := Open(context.Background(), path, snapshot.Options{}, in(dir))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := o.Store(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("stored: %v", err)
	}
	if d, _ := os.ReadDir(dir); len(d) > 0 {
		t.Errorf("left behind: %v", d)
	}
	open(t, path, in(dir))
	if o, err := Open(ctx, path, snapshot.Options{}, in(dir)); !errors.Is(err, context.Canceled) {
		t.Errorf("opened: %v, %v", o, err)
	}
}

// TestProgress: what is restored ends at the file's own size.
func TestProgress(t *testing.T) {
	path, opt := copyOf(t, example), in(t.TempDir())
	open(t, path, opt)
	st, _ := os.Stat(path)
	var last int64
	_, err := Open(context.Background(), path, snapshot.Options{Progress: func(done, total int64) {
		if done < last || done > total || total != st.Size() {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}}, opt)
	if err != nil || last != st.Size() {
		t.Errorf("ended at %d, %v", last, err)
	}
}

// TestTrouble: nothing that is wrong with the cache's directory keeps a file from being opened.
func TestTrouble(t *testing.T) {
	path := copyOf(t, example)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "\x00", filepath.Join(t.TempDir(),
		strings.Repeat("long", 1000))} {
		o, err := Open(context.Background(), path, snapshot.Options{}, in(dir))
		if err != nil || o.Cached {
			t.Errorf("%q: %v", dir, err)
			continue
		}
		if err := o.Store(context.Background()); err == nil {
			t.Errorf("%q: stored there", dir)
		}
	}
	dir := t.TempDir()
	o := open(t, path, in(dir))
	name := o.key.path(dir)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
	if o, err := Open(context.Background(), path, snapshot.Options{}, in(dir)); err != nil || o.Cached {
		t.Errorf("a folder in place of the entry: %v", err)
	}
}
