package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/klauspost/compress/gzip"

	"strata/snapshot/unpack"
)

// viaTree reads data with gopickle, whatever is in it.
func viaTree(t testing.TB, data []byte) (*Snapshot, error) {
	t.Helper()
	d := &decoding{ctx: context.Background(), lim: Limits{}.forFile(int64(len(data)), false), src: &Source{}}
	if err := d.tree(data); err != nil {
		return nil, err
	}
	return d.b.finish(d.root)
}

// viaStream reads data with our own machine only.
func viaStream(t testing.TB, data []byte) (*Snapshot, error) {
	t.Helper()
	d := &decoding{ctx: context.Background(), lim: Limits{}.forFile(int64(len(data)), false), src: &Source{},
		share: func(n int64) int64 { return n }}
	if err := d.pickle(&unpack.Content{Data: data}); err != nil {
		return nil, err
	}
	if d.end != nil {
		return nil, d.end
	}
	return d.b.finish(d.root)
}

// TestReadersAgree reads every pickle there is with both readers.
func TestReadersAgree(t *testing.T) {
	files := snapshotFiles(t)
	for _, dir := range []string{"cases", "fixtures"} {
		m, _ := filepath.Glob("../../shared/" + dir + "/*.pickle*")
		files = append(files, m...)
	}
	n := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if unpack.Sniff(data) == unpack.Gzip {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if unpack.Sniff(data) != unpack.Pickle {
			continue
		}
		tree, errT := viaTree(t, data)
		stream, errS := viaStream(t, data)
		if errT != nil || errS != nil {
			if (errT == nil) != (errS == nil) {
				t.Errorf("%s: gopickle says %v, our machine %v", f, errT, errS)
			}
			continue
		}
		n++
		if !reflect.DeepEqual(tree, stream) {
			t.Errorf("%s: the readers differ", f)
			diffSnapshots(t, tree, stream)
		}
	}
	if n < 20 {
		t.Errorf("only %d files were read", n)
	}
}

func diffSnapshots(t testing.TB, a, b *Snapshot) {
	va, vb := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range va.NumField() {
		if !reflect.DeepEqual(va.Field(i).Interface(), vb.Field(i).Interface()) {
			x, y := va.Field(i).Interface(), vb.Field(i).Interface()
			t.Logf("%s: %.300s\n%.300s", va.Type().Field(i).Name, fmt.Sprint(x), fmt.Sprint(y))
		}
	}
}
