package export

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"strata/layout/query"
)

// A RowWriter writes the rows of one statement, one after another.
type RowWriter interface {
	Row(out *bufio.Writer, values []query.Value) error
	End(out *bufio.Writer) error
}

// csvRows prints comma-separated values with a line of names.
type csvRows struct{ buf []byte }

// CSVRows writes the line of names and returns what writes rows as RFC 4180 has them; NULL is empty.
func CSVRows(out *bufio.Writer, columns []query.Column) RowWriter {
	w := &csvRows{}
	for i, c := range columns {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = appendCSV(w.buf, c.Name)
	}
	out.Write(append(w.buf, '\r', '\n'))
	return w
}

func (w *csvRows) Row(out *bufio.Writer, values []query.Value) error {
	b := w.buf[:0]
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		switch v.Kind {
		case query.Null:
		case query.Int:
			b = strconv.AppendInt(b, v.Int, 10)
		case query.Text:
			b = appendCSV(b, v.Text)
		default:
			b = appendCSV(b, v.String())
		}
	}
	w.buf = append(b, '\r', '\n')
	_, err := out.Write(w.buf)
	return err
}

func (w *csvRows) End(*bufio.Writer) error { return nil }

// appendCSV appends a text as a field: in quotes where it holds a comma, a quote or a line's end, or is empty, to be
// told from NULL.
func appendCSV(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// jsonRows prints an array of objects, one a line.
type jsonRows struct {
	keys [][]byte
	n    int
	buf  []byte
}

// JSONRows writes rows as an array of objects, one a line.
func JSONRows(columns []query.Column) RowWriter { return &jsonRows{keys: jsonKeys(columns)} }

// jsonKeys is the names of columns as JSON, made different from one another.
func jsonKeys(columns []query.Column) [][]byte {
	seen := map[string]bool{}
	keys := make([][]byte, len(columns))
	for i, c := range columns {
		name := c.Name
		for n := 2; seen[name]; n++ {
			name = fmt.Sprintf("%s_%d", c.Name, n)
		}
		seen[name] = true
		keys[i] = appendJSON(nil, name)
	}
	return keys
}

// appendJSON appends a text as JSON; what is no UTF-8 in it is replaced.
func appendJSON(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

func (w *jsonRows) Row(out *bufio.Writer, values []query.Value) error {
	b := append(w.buf[:0], ",\n{"...)
	if w.n == 0 {
		b = append(w.buf[:0], "[\n{"...)
	}
	w.n++
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, w.keys[i]...), ':')
		switch {
		case v.Kind == query.Null, v.Kind == query.Float && (math.IsInf(v.Float, 0) || math.IsNaN(v.Float)):
			b = append(b, "null"...)
		case v.Kind == query.Int:
			b = strconv.AppendInt(b, v.Int, 10)
		case v.Kind == query.Float:
			b = append(b, v.String()...)
		case v.Kind == query.Text:
			b = appendJSON(b, v.Text)
		default:
			b = appendJSON(b, v.String())
		}
	}
	w.buf = append(b, '}')
	_, err := out.Write(w.buf)
	return err
}

func (w *jsonRows) End(out *bufio.Writer) error {
	text := "\n]\n"
	if w.n == 0 {
		text = "[]\n"
	}
	_, err := out.WriteString(text)
	return err
}
