package snapshot

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Sniffed is what the head of a file tells of it.
type Sniffed struct {
	Snapshot bool // it looks like one; reading it may still find that it is none
	Packed   bool // compressed: what is in it is several times as big
}

// sniffed is how many bytes of what is in a file Sniff looks through.
const sniffed = 64 << 10

// Sniff looks at the head of a file to tell snapshots from whatever else lies
// in a folder. It goes by the content; names lie.
func Sniff(path string) (Sniffed, error) {
	st, err := os.Stat(path)
	if err != nil {
		return Sniffed{}, err
	}
	if !st.Mode().IsRegular() {
		return Sniffed{}, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return Sniffed{}, err
	}
	defer f.Close()
	if head := headOf(f); sniff(head) == formatZip {
		return sniffZip(f, st.Size()), nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Sniffed{}, err
	}
	return sniffStream(f, 0), nil
}

// headOf reads as much of a file as is looked through. What cannot be read is
// left out: a damaged file may be a snapshot all the same.
func headOf(r io.Reader) []byte {
	head, _ := io.ReadAll(io.LimitReader(r, sniffed))
	return head
}

// sniffStream looks at a file, or at what was compressed depth times.
func sniffStream(r io.Reader, depth int) Sniffed {
	head := headOf(r)
	rest := io.MultiReader(bytes.NewReader(head), r)
	switch f := sniff(head); {
	case f == formatGzip && depth < maxWraps:
		z, err := gzip.NewReader(rest)
		if err != nil {
			return Sniffed{Packed: true}
		}
		return Sniffed{Snapshot: sniffStream(z, depth+1).Snapshot, Packed: true}
	case f == formatZstd && depth < maxWraps:
		z, err := zstd.NewReader(rest, zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return Sniffed{Packed: true}
		}
		defer z.Close()
		return Sniffed{Snapshot: sniffStream(z, depth+1).Snapshot, Packed: true}
	case f == formatHTML:
		return Sniffed{Snapshot: bytes.Contains(head, []byte("base64"))}
	case f == formatJSON:
		return Sniffed{Snapshot: namesSnapshot(head, `"`)}
	case f == formatPickle && len(head) > 0 && bytes.IndexByte([]byte("\x80(}]"), head[0]) >= 0: // what the opcodes of a dict or list begin with
		return Sniffed{Snapshot: namesSnapshot(head, "")}
	}
	return Sniffed{}
}

// sniffZip looks at the first file in a zip file that may be a snapshot.
func sniffZip(r io.ReaderAt, size int64) Sniffed {
	s := Sniffed{Packed: true}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return s
	}
	member, err := zipMember(z)
	if err != nil {
		return s
	}
	in, err := member.Open()
	if err != nil {
		return s
	}
	defer in.Close()
	s.Snapshot = sniffStream(in, 1).Snapshot
	return s
}

// namesSnapshot reports whether the head of a pickle or of JSON has a key that
// a snapshot begins with, in quotes if it is written so; the last is of the oldest form, a list of segments.
func namesSnapshot(head []byte, quote string) bool {
	for _, k := range [...]uint32{sSegments, sDeviceTraces, sAllocatorSettings, sExternalAnnotations, sHostSegments, sHostTraces, sTotalSize} {
		if bytes.Contains(head, []byte(quote+knownStrings[k]+quote)) {
			return true
		}
	}
	return false
}
