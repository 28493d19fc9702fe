package snapshot

import (
	"bufio"
	"bytes"
	"io"
)

// jsonWords are the numbers that Python's json module writes and JSON does not
// have, with what stands for them here: texts of the same length, so that byte
// offsets stay true. A number beyond all bounds is skipped and counted like
// one in a pickle; an empty text is no number at all, as NaN.
var jsonWords = [...]struct{ word, stands []byte }{
	{[]byte("-Infinity"), []byte("-1e999999")},
	{[]byte("Infinity"), []byte("1e999999")},
	{[]byte("NaN"), []byte(`"" `)},
}

// longestWord is the length of the longest of jsonWords.
const longestWord = 9

// A pythonJSON reads JSON as Python writes it, and gives it as JSON.
type pythonJSON struct {
	r      *bufio.Reader
	rest   []byte // what stands for a word whose beginning was read already
	quoted bool   // inside of a text
	escape bool   // after a backslash in it
}

func newPythonJSON(r io.Reader) *pythonJSON { return &pythonJSON{r: bufio.NewReaderSize(r, 64<<10)} }

// Read fills p if it can: the decoder looks at all that it has again for every
// piece it gets.
func (x *pythonJSON) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = x.piece(p[n:])
		n += more
	}
	if n > 0 {
		err = nil // it comes again
	}
	return n, err
}

func (x *pythonJSON) piece(p []byte) (int, error) {
	ahead, err := x.r.Peek(min(len(p)+longestWord, x.r.Size())) // as far as a word at the end of p may reach
	n := min(len(p), len(ahead))
	if n == 0 {
		return 0, err
	}
	copied := copy(p, x.rest[:min(n, len(x.rest))])
	x.rest = x.rest[copied:]
	for i := copied; i < n; {
		stands := x.step(ahead[i:])
		if stands == nil {
			p[i] = ahead[i]
			i++
			continue
		}
		k := copy(p[i:n], stands)
		x.rest = stands[k:]
		i += k
	}
	_, _ = x.r.Discard(n)
	return n, nil
}

// step looks at the next byte, and returns what stands for the word that
// begins with it, if one does.
func (x *pythonJSON) step(b []byte) []byte {
	switch c := b[0]; {
	case x.escape:
		x.escape = false
	case c == '"':
		x.quoted = !x.quoted
	case x.quoted:
		x.escape = c == '\\'
	case c == 'N' || c == 'I' || c == '-' && len(b) > 1 && b[1] == 'I':
		for _, w := range jsonWords {
			if bytes.HasPrefix(b, w.word) {
				return w.stands
			}
		}
	}
	return nil
}
