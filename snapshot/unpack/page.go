package unpack

import (
	"bytes"
	"encoding/base64"
	"io"
	"regexp"
)

// maxPage bounds a compressed web page, which is unpacked into memory.
const maxPage = 1 << 30

// inPage is the pickle that the pages of PyTorch's _memory_viz carry in base64 (FORMAT.md, section 1.1). fileSize
// is that of the file, for progress.
func (s *source) inPage(limit int64, fileSize int64) (source, error) {
	page := *s
	if s.data == nil {
		b, err := s.head(min(limit, maxPage))
		if err != nil {
			return source{}, err
		}
		page = inMemory("html", b, 0, float64(fileSize)/float64(max(len(b), 1)))
	}
	for at := 0; ; {
		key := base64Key.FindIndex(page.data[at:])
		if key == nil {
			return source{}, noSnapshotIn(page.data)
		}
		at += key[1]
		rest := page.data[at:]
		n := bytes.IndexByte(rest, page.data[at-1])
		if n < 0 { // the page's end cuts it off
			n = len(rest) &^ 3 // whole groups
		}
		if n >= minBase64 {
			text := page.section("html", int64(at), int64(n))
			return text.through("html", func(r io.Reader) (io.Reader, error) {
				return base64.NewDecoder(base64.StdEncoding, r), nil
			}), nil
		}
	}
}

// base64Key is what stands before the text of a snapshot, as in "base64": "gAS…"; the text ends with the quote it
// begins with.
var base64Key = regexp.MustCompile(`base64["': =\t\r\n]{0,15}["']`)

// minBase64 is the least length of such a text: a shorter one is no snapshot.
const minBase64 = 16
