package unpack

import (
	"bytes"
	"encoding/base64"
	"io"
)

// maxPage bounds a compressed web page, which is unpacked into memory.
const maxPage = 1 << 30

// inPage is the pickle that the pages of PyTorch's _memory_viz carry in base64 (FORMAT.md, section 1.1). fileSize
// is that of the file, for progress.
func (s *source) inPage(opt Options, fileSize int64) (source, error) {
	page := *s
	if s.data == nil {
		limit := int64(maxPage)
		if opt.MaxPage > 0 {
			limit = min(limit, opt.MaxPage)
		}
		b, err := s.head(limit)
		if err != nil {
			return source{}, err
		}
		page = inMemory("html", b, 0, float64(fileSize)/float64(max(len(b), 1)))
	}
	for rest := page.data; ; {
		i := bytes.Index(rest, []byte("base64"))
		if i < 0 {
			return source{}, noSnapshotIn(page.data)
		}
		rest = rest[i+len("base64"):]
		if from, to := base64String(rest); to > 0 {
			text := page.section("html", int64(len(page.data)-len(rest)+from), int64(to-from))
			return text.through("html", func(r io.Reader) (io.Reader, error) {
				return base64.NewDecoder(base64.StdEncoding, r), nil
			}), nil
		}
	}
}

// base64String finds the string literal that follows a base64 key, as in "base64": "gAS…". Shorter ones than a
// snapshot can be do not count; one that the page's end cuts off does.
func base64String(b []byte) (from, to int) {
	i := 0
	for i < len(b) && i < 16 && bytes.IndexByte([]byte("\"': =\t\r\n"), b[i]) >= 0 {
		i++
	}
	if i == 0 || b[i-1] != '"' && b[i-1] != '\'' {
		return 0, 0
	}
	n := bytes.IndexByte(b[i:], b[i-1])
	if n < 0 {
		n = (len(b) - i) &^ 3 // whole groups
	}
	if n < 16 {
		return 0, 0
	}
	return i, i + n
}
