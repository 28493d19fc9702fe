package cache

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"strata/snapshot"
)

// fill gives everything in v a value that is not zero, so that nothing that is left out of an entry can look as if
// it had been in it.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() { // what is unexported is no part of a file
				fill(v.Field(i), n)
			}
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

// encode is the columns of a snapshot as an entry holds them.
func encode(t testing.TB, s *snapshot.Snapshot) []byte {
	t.Helper()
	w := encoderOf(s)
	var b bytes.Buffer
	if err := w.write(context.Background(), &b, key{}); err != nil {
		t.Fatal(err)
	}
	if int64(b.Len()) != w.size() {
		t.Errorf("%d bytes, announced were %d", b.Len(), w.size())
	}
	return b.Bytes()
}

// decodeEntry is the reverse.
func decodeEntry(b []byte, k key, budget int64) (*snapshot.Snapshot, error) {
	return decode(context.Background(), bytes.NewReader(b), int64(len(b)), k, budget, func(float64) {})
}

// TestEveryField finds a field of Snapshot that the walk forgets.
func TestEveryField(t *testing.T) {
	want := &snapshot.Snapshot{}
	n := int64(0)
	fill(reflect.ValueOf(want).Elem(), &n)
	w := encoderOf(want)
	got := &snapshot.Snapshot{}
	r := &coder{reading: true, catalog: w.catalog, budget: 1 << 20, room: 1 << 20}
	r.value(reflect.ValueOf(got).Elem())
	if r.err != nil || len(r.catalog) > 0 || len(r.columns) != len(w.columns) {
		t.Fatalf("%v, %d bytes left, %d columns of %d", r.err, len(r.catalog), len(r.columns), len(w.columns))
	}
	for i := range w.columns {
		copy(r.columns[i], w.columns[i])
	}
	got.Source.Name, got.Source.Bytes = want.Source.Name, want.Source.Bytes // of the file at hand
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if check(want) == nil {
		t.Error("the ids of this snapshot are nowhere, and yet it is taken")
	}
}

// TestDamaged changes an entry everywhere: it is read as it was, or not at all, and then stored anew.
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
			if _, err := decodeEntry(b, o.key, 1<<30); err == nil {
				t.Fatalf("%s at %d of %d: taken", what, at, len(good))
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

// TestOtherKey: an entry that lies under the name of another file's is not taken for that file.
func TestOtherKey(t *testing.T) {
	s, err := snapshot.Open(context.Background(), example, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeEntry(encode(t, s), key{1}, 1<<30); !errors.Is(err, errDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestBudget: an entry takes no more memory than a snapshot may.
func TestBudget(t *testing.T) {
	s, err := snapshot.Open(context.Background(), example, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := encode(t, s)
	if _, err := decodeEntry(b, key{}, int64(len(b))/2); !errors.Is(err, errMemory) {
		t.Errorf("got %v", err)
	}
}
