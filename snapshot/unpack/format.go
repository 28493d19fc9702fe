package unpack

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata/layout/units"
	"strata/snapshot/csvlog"
)

// others are formats that are not read: their first bytes, what they are, and what to do.
var others = []struct{ bytes, what, advice string }{
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", adviceUnpack},
	{"Rar!\x1a\x07", "a RAR archive", adviceUnpack},
	{"\x5d\x00\x00", "compressed with LZMA", adviceUnpack},
	{"LZIP", "compressed with lzip", adviceUnpack},
	{"\x1f\x9d", "compressed with compress", adviceUnpack},
	{"\xff\x06\x00\x00sNaPpY", "compressed with Snappy", adviceUnpack},
	{"PK\x07\x08", "a part of a zip file in several parts", "Put the parts together first"},
	{"\x89PNG", "a PNG picture", adviceFile},
	{"\xff\xd8\xff", "a JPEG picture", adviceFile},
	{"GIF8", "a GIF picture", adviceFile},
	{"RIFF", "a picture, sound or film", adviceFile},
	{"%PDF", "a PDF document", adviceFile},
	{"\x7fELF", "a program or library", adviceFile},
	{"MZ", "a Windows program or library", adviceFile},
	{"\x89HDF", "an HDF5 file", adviceFile},
	{"PAR1", "a Parquet file", adviceFile},
	{"SQLite format 3", "an SQLite database", "If torch_npu's profiler wrote it, have it write text, which Strata " +
		"reads: export_type=torch_npu.profiler.ExportType.Text"},
	{"\x93NUMPY", "a NumPy array", adviceFile},
	{"GGUF", "a model in GGUF", adviceFile},
	{"\x00\x00\x00\x00\x00\x00\x00\x00", "zeros: the disk was full, or copying failed", "Copy it again in full"},
}

const (
	adviceUnpack = "Unpack it first, and open what is in it"
	adviceFile   = "Strata opens what torch.cuda.memory._dump_snapshot writes"
)

// foreign is the error for content that its first bytes say is no snapshot, nil for any other.
func foreign(head []byte) error {
	if len(head) == 0 {
		return nil
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.bytes)) {
			return &Error{What: "this is no snapshot but " + o.what, Advice: o.advice, Reason: Foreign}
		}
	}
	if len(head) > 9 && head[8] == '{' && head[9] == '"' && bytes.Equal(head[3:8], make([]byte, 5)) {
		return &Error{What: "this is no snapshot but a model in safetensors", Advice: adviceFile, Reason: Foreign}
	}
	if bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/")) {
		advice := "git lfs pull fetches the file"
		if m := lfsSize.FindSubmatch(head); m != nil {
			if n, err := strconv.ParseInt(string(m[1]), 10, 64); err == nil {
				advice = "git lfs pull fetches the " + units.Bytes(n) + " file"
			}
		}
		return &Error{What: "this is a Git LFS pointer, not the file it stands for", Advice: advice, Reason: Foreign}
	}
	if csvlog.Is(head) {
		return &Error{What: "this is no snapshot but a table of memory over time", Advice: "Open the snapshot of the " +
			"same run and drop this on it, or: strata run.pickle --with log.csv", Reason: Foreign}
	}
	line, _, _ := strings.Cut(string(trimBOM(head)), "\n")
	textPickle := strings.IndexByte("(]}", head[0]) >= 0 || head[0] == 'c' && !strings.Contains(line, " ")
	if isText(head) && !textPickle {
		return &Error{What: fmt.Sprintf("this is a text, not a snapshot: it begins with %q", units.Clip(line, 60)),
			Advice: adviceFile, Reason: Foreign}
	}
	return nil
}

var lfsSize = regexp.MustCompile(`(?m)^size (\d+)$`)

// isText reports whether the head of a file is text: what is left of a rune at its end does not count.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && len(head) >= utf8.UTFMax || r != '\n' && r != '\t' && r != '\r' &&
			unicode.IsControl(r) {
			return false
		}
		head = head[n:]
	}
	return true
}

var pageTitle = regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>(.*?)</`)

// noSnapshotIn is the error for a web page without a snapshot, such as a server sends in place of a file.
func noSnapshotIn(page []byte) error {
	what := "this is a web page without a snapshot in it"
	if m := pageTitle.FindSubmatch(page[:min(len(page), 1<<16)]); m != nil {
		what += fmt.Sprintf(": %q", units.Clip(html.UnescapeString(string(m[1])), 60))
	}
	return &Error{What: what, Advice: "If it was downloaded, a server sent it in place of the file: download " +
		"that again",
		Reason: Foreign}
}

// A Format is what the first bytes of a file say it is.
type Format uint8

// The formats that Sniff tells apart.
const (
	Pickle Format = iota // or anything that is none of the others
	JSON
	Page  // a web page
	Table // of Ascend's profiler
	Gzip
	Zstd
	XZ
	Bzip2
	LZ4
	Tar
	Zip
)

// String is the format's name as in Content.Compression.
func (f Format) String() string {
	return [...]string{"pickle", "json", "html", "table", "gzip", "zstd", "xz", "bzip2", "lz4", "tar", "zip"}[f]
}

// SniffBytes is how many bytes Sniff needs to see.
const SniffBytes = 4096

var magics = []struct {
	bytes  string
	format Format
}{
	{"\xfd7zXZ\x00", XZ},
	{"BZh", Bzip2},
	{"\x04\x22\x4d\x18", LZ4},
	{"\x1f\x8b", Gzip},
	{"\x28\xb5\x2f\xfd", Zstd},
	{"PK\x03\x04", Zip},
	{"PK\x05\x06", Zip},
}

// Sniff tells a format by its first bytes; file names are not reliable. No pickle begins with the brackets of JSON
// or HTML: they are no opcodes.
func Sniff(head []byte) Format {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return m.format
		}
	}
	if isTar(head) {
		return Tar
	}
	head = bytes.TrimLeft(trimBOM(head), " \t\r\n")
	switch {
	case len(head) == 0:
		return Pickle
	case head[0] == '{', head[0] == '[':
		return JSON
	case head[0] == '<':
		return Page
	case csvlog.IsAscend(head):
		return Table
	}
	return Pickle
}

// isTar reports whether the head of a file is that of a member of a tar file: it has a checksum, in octal digits, which
// counts as blanks in its sum.
func isTar(head []byte) bool {
	const size, from, to = 512, 148, 156
	if len(head) < size {
		return false
	}
	sum := int64(' ' * (to - from))
	for i, c := range head[:size] {
		if i < from || i >= to {
			sum += int64(c)
		}
	}
	want, err := strconv.ParseInt(strings.Trim(string(head[from:to]), " \x00"), 8, 64)
	return err == nil && want == sum
}

// Packed reports whether a file of this format is compressed, so that its content may be many times as big.
func (f Format) Packed() bool { return f >= Gzip }

// bom is a byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte(bom)) }
