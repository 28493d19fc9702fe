package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	if words := strings.Fields(strings.TrimRight(sql, "; \t\r\n")); len(words) > 0 && (words[0] == ".schema" || words[0] == ".tables") {
		schema := db.Schema(words[1:]...)
		if schema == "" {
			return fmt.Errorf("there is no table %s; .schema prints them all", printable(strings.Join(words[1:], ", ")))
		}
		_, err := out.WriteString(schema)
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

// piped reports whether a file or another program is standard input, so that
// the SQL is there where none is given.
func piped() bool {
	info, err := os.Stdin.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
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

// print prints the rows of the statement at hand. What is there is shown at
// least every tenth of a second, however slowly it comes.
func (a Asking) print(out *bufio.Writer, rows *query.Rows, first bool) error {
	if !first && a.Format != "json" {
		out.WriteByte('\n')
	}
	var w export.RowWriter
	switch a.Format {
	case "csv":
		w = export.CSVRows(out, rows.Columns())
	case "json":
		w = export.JSONRows(rows.Columns())
	default:
		w = &tableRows{columns: rows.Columns()}
	}
	shown := time.Now()
	for n := 0; rows.Next(); n++ {
		if err := w.Row(out, rows.Values()); err != nil {
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
			w.End(out)
		}
		return nil // the caller says why
	}
	return w.End(out)
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

func (w *tableRows) Row(out *bufio.Writer, values []query.Value) error {
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

func (w *tableRows) End(out *bufio.Writer) error {
	if w.started {
		return nil
	}
	return w.begin(out)
}
