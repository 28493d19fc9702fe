package snapshot

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// bzipped is a snapshot with two events, compressed with bzip2, which Go's library only reads.
const bzipped = "QlpoOTFBWSZTWcMlDRAAAETX4F//AEEACgACr+ffEkAEBgCgAJSKp/qj1Hqj0TZTyjZQyP1QGxIGmohGTIbNQmjajJkME3IcC4FN" +
	"RqWkEi" +
	"BKAjYDNzA97HlFIgn1Xq0leM8x8C3IDUntb5VSKwfd1HebvXJD7HRisKccITrgGVWPteuYDNMmxvUY0uydThAgbVxlO3oCR/Wsm66hUXMSNqTMC" +
	"qyz" +
	"f+LuSKcKEhhkoaIA"

// packed compresses data with what to makes of a writer.
func packed(t testing.TB, data []byte, to func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := to(&b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func xzipped(t testing.TB, data []byte) []byte {
	return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
}

// tarred is a tar file of members, by name and content in turns.
func tarred(t testing.TB, members ...string) []byte {
	return packed(t, nil, func(b io.Writer) (io.WriteCloser, error) {
		w := tar.NewWriter(b)
		for i := 0; i < len(members); i += 2 {
			h := &tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o600, Typeflag: tar.TypeReg}
			if strings.HasSuffix(h.Name, "/") {
				h.Typeflag = tar.TypeDir
			}
			if err := w.WriteHeader(h); err != nil {
				return nil, err
			}
			if _, err := w.Write([]byte(members[i+1])); err != nil {
				return nil, err
			}
		}
		return w, nil
	})
}

// stored is a zip file of uncompressed members as torch.save writes it, with sizes behind the data.
func stored(t testing.TB, members ...string) []byte { return zippedBy(t, zip.Store, members...) }

func zippedBy(t testing.TB, method uint16, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = w.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// traced is a snapshot of n events.
func traced(n int) []byte {
	events := listOf()
	for i := range n {
		events.items = append(events.items, dictOf("action", "alloc", "addr", 512*i, "size", 100+i*i%977, "stream", 0,
			"time_us", 10+i, "frames", listOf(dictOf("name", "f", "filename", "f.py", "line", i%50))))
	}
	return encode(dictOf("device_traces", listOf(events), "segments", listOf()), form4)
}

// TestPacked opens a snapshot in every container, and half of each: what was complete is shown, and that it is a part.
func TestPacked(t *testing.T) {
	const events = 60_000
	plain := traced(events)
	text := string(plain)
	lz := packed(t, plain, func(w io.Writer) (io.WriteCloser, error) {
		z := lz4.NewWriter(w)
		return z, z.Apply(lz4.BlockSizeOption(lz4.Block64Kb))
	})
	bag := tarred(t, "run/", "", "run/notes.txt", "hello", "run/snap.pickle", text)
	for name, data := range map[string][]byte{
		"none": plain, "gzip": gzipped(t, plain), "xz": xzipped(t, plain), "lz4": lz, "tar": bag,
		"html":     htmlPage(plain),
		"gzip+tar": gzipped(t, bag), "xz+tar": xzipped(t, bag), "tar+gzip": tarred(t, "a.pickle.gz",
			string(gzipped(t, plain))),
		"zip": stored(t, "archive/data.pkl", text, "archive/version", "3\n", "archive/.data/serialization_id",
			"17"),
		"tar+zip":  tarred(t, "snap.pt", string(stored(t, "archive/data.pkl", text))),
		"zip+html": stored(t, "viz.html", string(htmlPage(plain))), "zip+xz": stored(t, "a.pickle.xz",
			string(xzipped(t, plain))),
	} {
		s := read(t, data)
		if s.Source.Compression != name || s.Devices[0].Events.Len() != events || len(s.warnings()) > 0 {
			t.Errorf("%s: %+v, %+v", name, s.Source, s.Findings)
		}
		s, err := Read(context.Background(), "", data[:len(data)/2], Options{})
		if err != nil {
			t.Errorf("half of %s: %v", name, err)
			continue
		}
		f := s.finding("truncated")
		if n := s.Devices[0].Events.Len(); n < 500 || n >= events || f == nil || f.Severity != Warning ||
			!strings.Contains(f.Explain, "figures are those of the part") || strings.Contains(f.Explain, "%") {
			t.Errorf("half of %s: %d events, %+v", name, n, s.Findings)
		}
		if f != nil && strings.Contains(f.Advice, "xz -dc") != strings.Contains(name, "xz") {
			t.Errorf("half of %s: %s", name, f.Advice)
		}
	}
	streamed := stored(t, "a.txt", "hello", "PK/b.txt", text[:1000]+"PK\x03", "snap.pickle", text, "c.txt", "bye")
	for name, data := range map[string][]byte{
		"behind others": streamed[:len(streamed)*3/4], "alone": stored(t, "snap", text)[:len(text)*3/4],
		"zstd": zippedBy(t, zstd.ZipMethodWinZip, "a", text),
	} {
		if n := read(t, data).Devices[0].Events.Len(); n < events/2 || (n < events) != (name != "zstd") {
			t.Errorf("a zip file, %s: %d events", name, n)
		}
	}
	huge := xzipped(t, plain)
	huge[bytes.Index(huge, []byte{0x21, 1})+2] = 40 // a dictionary of 4 GiB
	if _, err := Read(context.Background(), "", huge, Options{}); err == nil ||
		!strings.Contains(err.Error(), "more than 1 GiB") {
		t.Errorf("a huge dictionary: %v", err)
	}
	old, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	if s := read(t, old); s.Source.Compression != "bzip2" || s.Devices[0].Events.Len() != 2 {
		t.Errorf("bzip2: %+v", s.Source)
	}
}

// TestDamagedShare: what is said to come after damage within a compressed file is about what does.
func TestDamagedShare(t *testing.T) {
	plain := traced(60_000)
	copy(plain[len(plain)/4:], "\xff\xff\xff\xff\xff\xff")
	s := read(t, gzipped(t, plain))
	if f := s.finding("damaged"); f == nil || !strings.Contains(f.Explain, "about 7") {
		t.Errorf("%+v", s.Findings)
	}
}

// TestForeign: what is no snapshot is told by its name, whatever it is packed in.
func TestForeign(t *testing.T) {
	lfs := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1048576\n"
	for data, want := range map[string]string{
		"7z\xbc\xaf\x27\x1c\x00\x04": "a 7z archive", "Rar!\x1a\x07\x01\x00": "a RAR archive",
		"\x89PNG\r\n\x1a\n\x00":        "a PNG picture",
		"\xff\xd8\xff\xe0\x00\x10JFIF": "a JPEG picture", "%PDF-1.7\n%\xe2\xe3": "a PDF document",
		"\x7fELF\x02\x01\x01\x00": "a program",
		"\x89HDF\r\n\x1a\n":       "an HDF5 file", "SQLite format 3\x00": "an SQLite database. If torch_npu's",
		"\x93NUMPY\x01\x00":        "a NumPy array",
		lfs:                        "git lfs pull fetches the 1.00 MiB file",
		string(make([]byte, 5000)): "zeros: the disk was full",
		"Traceback (most recent call last):\n": `this is a text, not a snapshot: it begins with "Traceback (most ` +
			`recent call last):"`,
		"<!DOCTYPE html><html><head><title>404 &mdash; Not Found</title></head></html>": `a web page without a ` +
			`snapshot in it: "404 — Not Found"`,
		"\x50\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{}}": "a model in safetensors",
		"\x5d\x00\x00\x80\x00\xff\xff":                          "compressed with LZMA. Unpack it first",
	} {
		for _, data := range [][]byte{[]byte(data), gzipped(t, []byte(data)), tarred(t, "a.pickle", data)} {
			_, err := Read(context.Background(), "f", data, Options{})
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || e.Kind != KindNotSnapshot ||
				e.Advice == "" {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	for method, want := range map[uint16]string{9: "Deflate64 (method 9)", 12: "bzip2 (method 12)",
		14: "LZMA (method 14)", 77: "a method (method 77)"} {
		data := stored(t, "a.pickle", "N.")
		for _, at := range []int{8, bytes.Index(data, []byte("PK\x01\x02")) + 10} {
			data[at], data[at+1] = byte(method), 0
		}
		for _, data := range [][]byte{data, data[:len(data)-30]} {
			if _, err := Read(context.Background(), "f", data, Options{}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	for want, members := range map[string][]string{
		"holds 2 files, not one snapshot": {"a.pickle", "x", "b.pickle", "y"}, "holds 0 files": {"dir/", ""},
		"holds 3 files, not one snapshot: a.txt, b.txt, c": {"a.txt", "x", "b.txt", "y", "c", "z"},
		"tar file holds a.txt: this is a text":             {"a.txt", "x"},
	} {
		for _, data := range [][]byte{tarred(t, members...), gzipped(t, tarred(t, members...))} {
			if _, err := Read(context.Background(), "f", data, Options{}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	old := tarred(t, "a.txt", "x")[:1024]
	clear(old[257:265]) // its magic, which tar had not before POSIX
	sum := 0
	for i, c := range old[:512] {
		if i < 148 || i >= 156 {
			sum += int(c)
		}
	}
	copy(old[148:], fmt.Sprintf("%06o\x00 ", sum+8*' '))
	if _, err := Read(context.Background(), "f", old, Options{}); !strings.Contains(err.Error(), "holds a.txt") {
		t.Errorf("an old tar file: %v", err)
	}
}

// TestBehind: only another pickle is told of, not texts and zeros.
func TestBehind(t *testing.T) {
	plain := traced(3)
	for rest, want := range map[string]int64{"": 0, "\n": 0, "\x00\x00\x00": 0, "trailing text": 0, "\x80\x04N.": 4,
		"\x80": 0, "\x80\x7f": 0,
		string(traced(100_00)): int64(len(traced(100_00)))} {
		data := append(bytes.Clone(plain), rest...)
		for _, data := range [][]byte{data, gzipped(t, data), htmlPage(data)} {
			got := int64(0)
			if f := read(t, data).finding("second-pickle"); f != nil {
				got = f.Count
			}
			if got < want || got > want+3 || want == 0 && got > 0 { // a page has zeros behind it
				t.Errorf("%d bytes behind, want %d", got, want)
			}
		}
	}
}
