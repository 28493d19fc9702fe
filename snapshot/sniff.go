package snapshot

import (
	"bytes"
	"errors"
	"os"

	"strata/snapshot/unpack"
)

// Sniffed is what the head of a file tells of it.
type Sniffed struct {
	Snapshot bool // it looks like one; reading it may still find that it is none
	Packed   bool // it is compressed, so that its content is several times as big
}

// sniffBytes is how many bytes of a file's content Sniff looks at.
const sniffBytes = 64 << 10

// Sniff looks at the head of a file to tell whether it is a snapshot. It goes by the content, not by the name.
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
	var head [unpack.SniffBytes]byte
	n, _ := f.ReadAt(head[:], 0)
	s := Sniffed{Packed: unpack.Sniff(head[:n]).Packed()}
	c, err := unpack.OpenAt(f, st.Size(), unpack.Options{MaxPage: sniffBytes})
	if err != nil {
		return s, nil
	}
	defer c.Close()
	content, err := c.Head(sniffBytes)
	if err != nil || len(content) == 0 {
		return s, nil
	}
	if c.Format == unpack.JSON {
		s.Snapshot = namesSnapshot(content, `"`)
	} else { // the first opcode of a pickled dict or list
		s.Snapshot = bytes.IndexByte([]byte("\x80(}]"), content[0]) >= 0 && namesSnapshot(content, "")
	}
	return s, nil
}

// snapshotKeys are the keys that a snapshot begins with; the last one is of a list of segments.
var snapshotKeys = [...]uint32{
	sSegments, sDeviceTraces, sAllocatorSettings, sExternalAnnotations, sHostSegments, sHostTraces, sTotalSize,
}

// namesSnapshot reports whether the head of a pickle or of JSON has one of snapshotKeys, between quotes.
func namesSnapshot(head []byte, quote string) bool {
	for _, k := range snapshotKeys {
		if bytes.Contains(head, []byte(quote+knownStrings[k]+quote)) {
			return true
		}
	}
	return false
}
