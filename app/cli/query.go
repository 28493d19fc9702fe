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

	"strata/app/cli/terminal"
	"strata/app/export"
	"strata/layout/query"
)

// maxQueryFile is the most SQL that is read from a file, bytes; query refuses far less.
const maxQueryFile = 4 << 20

// query asks a snapshot in SQL and prints the rows as they come.
func (j *job) query(ctx context.Context) error {
	sql, err := j.SQL.read()
	if err != nil {
		return err
	}
	s, err := j.open(ctx, j.Files[0])
	if err != nil {
		return err
	}
	db := query.Open(s, nil)
	defer db.Close()
	db.Rules = j.Categories
	if words := strings.Fields(strings.TrimRight(sql, "; \t\r\n")); len(words) > 0 && (words[0] == ".schema" ||
		words[0] == ".tables") {
		schema := db.Schema(words[1:]...)
		if schema == "" {
			return fmt.Errorf("there is no table %s; .schema prints them all",
				terminal.Printable(strings.Join(words[1:], ", ")))
		}
		_, err := j.out.WriteString(schema)
		return err
	}
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return sqlError(err)
	}
	defer rows.Close()
	for first := true; first || rows.NextResult(); first = false {
		if err := j.SQL.print(j.out, rows, first); err != nil {
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

// read returns the SQL, from wherever it is.
func (q SQL) read() (string, error) {
	var from io.Reader
	name := q.File
	switch {
	case q.File == "" && q.Text != "-":
		return q.Text, nil
	case q.File == "" || q.File == "-":
		from, name = os.Stdin, "standard input"
	default:
		f, err := os.Open(q.File)
		if err != nil {
			return "", fmt.Errorf("%s: cannot be read: %w", q.File, errors.Unwrap(err))
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

// print prints the rows of the statement at hand. What is there is shown at least every tenth of a second, however
// slowly it comes.
func (q SQL) print(out *bufio.Writer, rows *query.Rows, first bool) error {
	if !first && q.Format != "json" {
		out.WriteByte('\n')
	}
	var w export.RowWriter
	switch q.Format {
	case "csv":
		w = export.CSVRows(out, rows.Columns())
	case "json":
		w = export.JSONRows(rows.Columns())
	default:
		w = &terminal.Table{Columns: rows.Columns()}
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
		if q.Format != "json" { // half an array would be read as damaged JSON, and rightly
			w.End(out)
		}
		return nil // the caller says why
	}
	return w.End(out)
}
