package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"strata/snapshot"
)

const root = "../.."

// everyFile is every snapshot there is: those of the repository, and what lies
// beside it.
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

// TestRestored holds what comes from the cache to what comes from the file,
// for every file there is.
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

// fill gives everything in v a value that is not zero, so that nothing that is
// left out of an entry can look as if it had been in it.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(strings.Repeat("é", int(*n%7)+1))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(*n % 120)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 250))
	default:
		panic("a kind that no snapshot had: " + v.Kind().String())
	}
}

// memory is a file in memory.
type memory []byte

func (m *memory) WriteAt(b []byte, at int64) (int, error) {
	if more := int(at) + len(b) - len(*m); more > 0 {
		*m = append(*m, make([]byte, more)...)
	}
	return copy((*m)[at:], b), nil
}

// encode is the columns of a snapshot as an entry holds them.
func encode(t testing.TB, s *snapshot.Snapshot, h header) []byte {
	t.Helper()
	w := newWriter(context.Background(), s)
	b := memory{}
	if err := w.write(&b, h); err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != w.size() {
		t.Errorf("%d bytes, announced were %d", len(b), w.size())
	}
	return b
}

// decode is the reverse.
func decode(b []byte, k key, budget int64) (*snapshot.Snapshot, error) {
	r := &reader{ctx: context.Background(), f: bytes.NewReader(b), size: int64(len(b)), budget: budget}
	if _, err := r.front(k); err != nil {
		return nil, err
	}
	return r.snapshot()
}

// TestEveryField finds a field of Snapshot that the walk forgets.
func TestEveryField(t *testing.T) {
	want := &snapshot.Snapshot{}
	n := int64(0)
	fill(reflect.ValueOf(want).Elem(), &n)
	w := &coder{}
	w.snapshot(want)
	if w.err != nil {
		t.Fatal(w.err)
	}
	got := &snapshot.Snapshot{}
	r := &coder{reading: true, catalog: w.catalog, budget: 1 << 20, room: 1 << 20}
	r.snapshot(got)
	if r.err != nil || len(r.catalog) > 0 || len(r.columns) != len(w.columns) {
		t.Fatalf("%v, %d bytes left, %d columns of %d", r.err, len(r.catalog), len(r.columns), len(w.columns))
	}
	for i := range w.columns {
		at := 0
		if err := w.columns[i].blocks(func(b []byte) error { at += copy(r.columns[i].bytes[at:], b); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range r.after {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	got.Source.Name, got.Source.Bytes = want.Source.Name, want.Source.Bytes // of the file at hand
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if check(want) == nil {
		t.Error("the ids of this snapshot are nowhere, and yet it is taken")
	}
}

// TestSource: an entry serves a file under whatever name it is opened.
func TestSource(t *testing.T) {
	opt := in(t.TempDir())
	path := copyOf(t, example)
	open(t, path, opt)
	moved := filepath.Join(t.TempDir(), "moved.pickle")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	another := copyOf(t, moved)
	for _, name := range []string{moved, another, filepath.Join(filepath.Dir(another), ".", filepath.Base(another))} {
		o := open(t, name, opt)
		if !o.Cached || o.Snapshot.Source.Name != name {
			t.Errorf("%s: cached %v, named %s", name, o.Cached, o.Snapshot.Source.Name)
		}
	}
}

// TestOtherFile: not even a file of the same size, time and samples is taken
// for the one that was stored.
func TestOtherFile(t *testing.T) {
	opt := in(t.TempDir())
	path := copyOf(t, root+"/testdata/reference/sim-devices.pickle")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) < 1<<20 { // bytes after the end do no harm
		b = append(b, 0)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	first := open(t, path, opt)
	b[20<<10]++ // between the samples
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b[20<<10:][:1], 20<<10); err != nil {
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
		t.Error("one byte in the middle was changed, and the old columns came")
	}
	if again.key != first.key {
		t.Error("this test wants the two to have the same samples")
	}
	if err := again.Store(context.Background()); err != nil {
		t.Error(err)
	}
	if !open(t, path, opt).Cached {
		t.Error("the changed file was not stored in place of the old one")
	}
}

// TestKey: whatever decides what is made of a file makes another entry.
func TestKey(t *testing.T) {
	file := bytes.Repeat([]byte("snapshot"), 50_000)
	keyFor := func(b []byte, l snapshot.Limits) key {
		k, err := keyOf(bytes.NewReader(b), int64(len(b)), l)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	seen := map[key]string{keyFor(file, snapshot.Limits{}): "as it is"}
	other := func(what string, b []byte, l snapshot.Limits) {
		k := keyFor(b, l)
		if seen[k] != "" {
			t.Errorf("%s: the same key as %s", what, seen[k])
		}
		seen[k] = what
	}
	for what, at := range map[string]int{"head": 0, "tail": len(file) - 1, "middle": len(file)/2 - len(file)/2%(1<<14)} {
		b := bytes.Clone(file)
		for i := at; i < min(at+1<<15, len(b)); i++ {
			b[i] ^= 1
		}
		other(what, b, snapshot.Limits{})
	}
	other("shorter", file[:len(file)-8], snapshot.Limits{})
	other("small", file[:100], snapshot.Limits{})
	other("limits", file, snapshot.Limits{Memory: 1 << 30})
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

// TestStoreOnlyWhatIsThere: what changed after it was opened is not stored
// under the new file's name.
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

// TestTrouble: nothing that is wrong with the cache's directory keeps a file
// from being opened.
func TestTrouble(t *testing.T) {
	path := copyOf(t, example)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "\x00", filepath.Join(t.TempDir(), strings.Repeat("long", 1000))} {
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

// TestDamaged changes an entry everywhere: it is read as it was, or not at
// all, and then stored anew.
func TestDamaged(t *testing.T) {
	path, dir := copyOf(t, example), t.TempDir()
	o := open(t, path, in(dir))
	name := o.key.path(dir)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	step := max(1, len(good)/500)
	for at := 0; at < len(good); at += step {
		for what, b := range map[string][]byte{"cut off": good[:at], "changed": bytes.Clone(good)} {
			if len(b) > at {
				b[at] ^= 0x40
			}
			s, err := decode(b, o.key, 1<<30)
			identityOnly := what == "changed" && at >= identityAt && at < catalogAt
			switch {
			case err == nil && !identityOnly:
				t.Fatalf("%s at %d of %d: taken", what, at, len(good))
			case err != nil && identityOnly:
				t.Fatalf("identity changed at %d: %v", at, err)
			case err == nil && len(s.Devices) != len(o.Snapshot.Devices):
				t.Fatal("differs")
			}
		}
	}
	bad := bytes.Clone(good)
	bad[len(bad)-1] ^= 1
	if err := os.WriteFile(name, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	if open(t, path, in(dir)).Cached {
		t.Error("a damaged entry was taken")
	}
	if !open(t, path, in(dir)).Cached {
		t.Error("a damaged entry was not replaced")
	}
}

// TestBudget: an entry takes no more memory than a snapshot may.
func TestBudget(t *testing.T) {
	s, err := snapshot.Open(context.Background(), example, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := encode(t, s, header{})
	if _, err := decode(b, key{}, int64(len(b))/2); !errors.Is(err, errMemory) {
		t.Errorf("got %v", err)
	}
}

// TestHashAll: every byte and the length count.
func TestHashAll(t *testing.T) {
	b := make([]byte, 2*leafBytes+100)
	sum := func() [32]byte {
		s, err := hashAll(context.Background(), bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := sum()
	if first != sum() {
		t.Error("not the same twice")
	}
	for _, at := range []int{0, leafBytes - 1, leafBytes, 2 * leafBytes, len(b) - 1} {
		b[at]++
		if sum() == first {
			t.Errorf("byte %d does not count", at)
		}
		b[at]--
	}
	if b = b[:len(b)-1]; sum() == first {
		t.Error("the length does not count")
	}
	if _, err := hashAll(context.Background(), bytes.NewReader(b), int64(len(b))+1); !errors.Is(err, io.EOF) {
		t.Errorf("a file that has become shorter: %v", err)
	}
}
