package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"strata/app/export"
	"strata/layout/query"
)

// Asking is what Query is to do.
type Asking struct {
	SQL    string // the text, "-" for standard input
	File   string // the file that holds it, "" if SQL does
	Format string // "table", "csv" or "json"
}

// maxQueryFile is the most SQL that is read from a file, bytes; query refuses
// far less.
const maxQueryFile = 4 << 20

// query asks a snapshot in SQL and prints the rows as they come.
func (c Command) query(ctx context.Context, out *bufio.Writer) error {
	sql, err := c.Asking.text()
	if err != nil {
		return err
	}
	s, err := open(ctx, c.Files[0])
	if err != nil {
		return err
	}
	db := query.Open(s, nil)
	defer db.Close()
	if word := strings.TrimSuffix(strings.TrimSpace(sql), ";"); word == ".schema" || word == ".tables" {
		_, err := out.WriteString(db.Schema())
		return err
	}
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return sqlError(err)
	}
	defer rows.Close()
	for first := true; first || rows.NextResult(); first = false {
		if err := c.Asking.print(out, rows, first); err != nil {
			return err
		}
	}
	return sqlError(rows.Err())
}

// sqlError names what an error is about.
func sqlError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("SQL: %w", err)
}

// text is the SQL, wherever it is.
func (a Asking) text() (string, error) {
	var from io.Reader
	name := a.File
	switch {
	case a.File == "" && a.SQL != "-":
		return a.SQL, nil
	case a.File == "" || a.File == "-":
		from, name = os.Stdin, "standard input"
	default:
		f, err := os.Open(a.File)
		if err != nil {
			return "", fmt.Errorf("%s: cannot be read: %w", a.File, errors.Unwrap(err))
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxQueryFile))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: cannot be read: %w", name, err)
	case !utf8.Valid(b):
		return "", fmt.Errorf("%s: holds no SQL: it is not UTF-8 text", name)
	}
	return string(b), nil
}

// A rowWriter prints the rows of one statement.
type rowWriter interface {
	row(out *bufio.Writer, values []query.Value) error
	end(out *bufio.Writer) error
}

// print prints the rows of the statement at hand. What is there is shown at
// least every tenth of a second, however slowly it comes.
func (a Asking) print(out *bufio.Writer, rows *query.Rows, first bool) error {
	if !first && a.Format != "json" {
		out.WriteByte('\n')
	}
	var w rowWriter
	switch a.Format {
	case "csv":
		w = newCSVRows(out, rows.Columns())
	case "json":
		w = &jsonRows{keys: jsonKeys(rows.Columns())}
	default:
		w = &tableRows{columns: rows.Columns()}
	}
	shown := time.Now()
	for n := 0; rows.Next(); n++ {
		if err := w.row(out, rows.Values()); err != nil {
			return err
		}
		if n%64 == 0 && time.Since(shown) > time.Second/10 {
			if err := out.Flush(); err != nil {
				return err
			}
			shown = time.Now()
		}
	}
	if rows.Err() != nil {
		if a.Format != "json" { // half an array would be read as damaged JSON, and rightly
			w.end(out)
		}
		return nil // the caller says why
	}
	return w.end(out)
}

// csvRows prints comma-separated values with a line of names.
type csvRows struct{ buf []byte }

func newCSVRows(out *bufio.Writer, columns []query.Column) *csvRows {
	w := &csvRows{}
	for i, c := range columns {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = export.AppendCSV(w.buf, c.Name)
	}
	out.Write(append(w.buf, '\r', '\n'))
	return w
}

func (w *csvRows) row(out *bufio.Writer, values []query.Value) error {
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
			b = export.AppendCSV(b, v.Text)
		default:
			b = export.AppendCSV(b, v.String())
		}
	}
	w.buf = append(b, '\r', '\n')
	_, err := out.Write(w.buf)
	return err
}

func (w *csvRows) end(*bufio.Writer) error { return nil }

// jsonRows prints an array of objects, one a line.
type jsonRows struct {
	keys [][]byte
	n    int
	buf  []byte
}

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

func appendJSON(b []byte, s string) []byte {
	var w strings.Builder
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string can always be written
	return append(b, strings.TrimSuffix(w.String(), "\n")...)
}

func (w *jsonRows) row(out *bufio.Writer, values []query.Value) error {
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

func (w *jsonRows) end(out *bufio.Writer) error {
	text := "\n]\n"
	if w.n == 0 {
		text = "[]\n"
	}
	_, err := out.WriteString(text)
	return err
}

// tableRows prints columns that stand under one another: as wide as the first
// rows need, so that nothing waits for the last.
type tableRows struct {
	columns []query.Column
	widths  []int
	right   []bool
	held    [][]string // the first rows, until the widths are known
	kinds   [][]query.Kind
	started bool
}

// heldRows are looked at before the first is printed; maxWidth is what a
// column gets at most, longer texts push the rest to the right.
const (
	heldRows = 500
	maxWidth = 60
)

func (w *tableRows) row(out *bufio.Writer, values []query.Value) error {
	texts := make([]string, len(values))
	kinds := make([]query.Kind, len(values))
	for i, v := range values {
		texts[i], kinds[i] = printable(v.String()), v.Kind
	}
	if w.started {
		return w.line(out, texts)
	}
	w.held, w.kinds = append(w.held, texts), append(w.kinds, kinds)
	if len(w.held) < heldRows {
		return nil
	}
	return w.begin(out)
}

// begin settles the widths and prints what was held.
func (w *tableRows) begin(out *bufio.Writer) error {
	w.started = true
	w.widths, w.right = make([]int, len(w.columns)), make([]bool, len(w.columns))
	head, rule := make([]string, len(w.columns)), make([]string, len(w.columns))
	for i, c := range w.columns {
		head[i] = printable(c.Name)
		w.widths[i] = utf8.RuneCountInString(head[i])
		w.right[i] = len(w.held) > 0
		for j, row := range w.held {
			w.widths[i] = max(w.widths[i], min(maxWidth, utf8.RuneCountInString(row[i])))
			w.right[i] = w.right[i] && w.kinds[j][i] <= query.Float
		}
		rule[i] = strings.Repeat("-", w.widths[i])
	}
	w.line(out, head)
	if err := w.line(out, rule); err != nil {
		return err
	}
	for _, row := range w.held {
		if err := w.line(out, row); err != nil {
			return err
		}
	}
	w.held, w.kinds = nil, nil
	return nil
}

func (w *tableRows) line(out *bufio.Writer, texts []string) error {
	for i, s := range texts {
		pad := strings.Repeat(" ", max(0, w.widths[i]-utf8.RuneCountInString(s)))
		if i > 0 {
			out.WriteString("  ")
		}
		switch {
		case w.right[i]:
			out.WriteString(pad + s)
		case i == len(texts)-1:
			out.WriteString(s)
		default:
			out.WriteString(s + pad)
		}
	}
	return out.WriteByte('\n')
}

func (w *tableRows) end(out *bufio.Writer) error {
	if w.started {
		return nil
	}
	return w.begin(out)
}
