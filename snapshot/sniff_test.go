package snapshot

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// TestSniffKnowsEverySnapshot of the tests, whatever it is called.
func TestSniffKnowsEverySnapshot(t *testing.T) {
	n := 0
	for _, pattern := range []string{"../testdata/sample.pickle.gz", "../testdata/reference/*.pickle",
		"../testdata/generated/*", "../../shared/snapshots/*.pickle"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			n++
			s, err := Sniff(file)
			if err != nil || !s.Snapshot || s.Packed != (filepath.Ext(file) == ".gz") {
				t.Errorf("%s: %+v, %v", file, s, err)
			}
		}
	}
	if n < 40 {
		t.Fatalf("only %d files were looked at", n)
	}
}

// TestSniffTellsOthersApart: what else lies in a folder is no snapshot, and what is a snapshot may be wrapped.
func TestSniffTellsOthersApart(t *testing.T) {
	raw, err := os.ReadFile("../testdata/reference/sim-base.pickle")
	if err != nil {
		t.Fatal(err)
	}
	gz := func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(b)
		w.Close()
		return out.Bytes()
	}
	zst := func(b []byte) []byte {
		w, _ := zstd.NewWriter(nil)
		return w.EncodeAll(b, nil)
	}
	zipped := func(names ...string) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, name := range names {
			f, _ := w.Create(name)
			_, _ = f.Write(raw)
		}
		w.Close()
		return out.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		want Sniffed
	}{
		{"plain", raw, Sniffed{true, false}},
		{"gzip", gz(raw), Sniffed{true, true}},
		{"zstd", zst(raw), Sniffed{true, true}},
		{"gzip in zstd", zst(gz(raw)), Sniffed{true, true}},
		{"zip", zipped("a.pickle"), Sniffed{true, true}},
		{"zip of several", zipped("a.pickle", "b.pickle"), Sniffed{false, true}},
		{"page", htmlPage(raw), Sniffed{true, false}},
		{"page in gzip", gz(htmlPage(raw)), Sniffed{true, true}},
		{"another page", []byte("<html><body>segments</body></html>"), Sniffed{}},
		{"JSON", []byte(`{"device_traces": []}`), Sniffed{true, false}},
		{"another JSON", []byte(`{"loss": [1, 2]}`), Sniffed{}},
		{"another pickle", []byte("\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x04loss\x94K\x01s."),
			Sniffed{}},
		{"text about segments", []byte("The segments of device_traces"), Sniffed{}},
		{"gzipped text", gz([]byte("hello")), Sniffed{false, true}},
		{"damaged gzip", gz(raw)[:9], Sniffed{false, true}},
		{"nothing", nil, Sniffed{}},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := Sniff(path); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if _, err := Sniff(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
