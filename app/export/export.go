// Package export writes the tables of snapshots into files that other programs read: a database of SQLite, a folder of
// Parquet, a folder of CSV. What it writes appears under its name when it is complete, and not at all when something
// goes wrong.
package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/app/atomicfile"
	"strata/layout/category"
	"strata/layout/query"
	"strata/snapshot"
)

// Format is what is written.
type Format uint8

// The formats there are.
const (
	SQLite Format = iota
	Parquet
	CSV
)

// FormatOf tells the format from the name of the file or folder; false if it says none.
func FormatOf(out string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(out, `/\`))) {
	case ".sqlite", ".sqlite3", ".db":
		return SQLite, true
	case ".parquet":
		return Parquet, true
	case ".csv":
		return CSV, true
	}
	return 0, false
}

// Source is a snapshot to be written. It is opened when its turn comes.
type Source struct {
	Name  string
	Open  func(ctx context.Context) (*snapshot.Snapshot, error)
	Rules *category.Rules // a person's own for categories, nil for none
}

// AllTables is what is written when no tables are named: all whose rows exist without being asked for.
func AllTables() (names []string) {
	for _, t := range query.Open(&snapshot.Snapshot{}, nil).Tables() {
		if !t.Asked() {
			names = append(names, t.Name)
		}
	}
	return names
}

// CheckTables says what is wrong with a list of tables.
func CheckTables(names []string) error {
	var all []string
	for _, t := range query.Open(&snapshot.Snapshot{}, nil).Tables() {
		if t.Keyless() {
			if slices.Contains(names, t.Name) {
				return fmt.Errorf("the table %s is made for a step that is asked for, and cannot be written as a whole",
					t.Name)
			}
			continue
		}
		all = append(all, t.Name)
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			return fmt.Errorf("there is no table %q; there are %s", n, strings.Join(all, ", "))
		}
	}
	return nil
}

// A sink takes tables, snapshot by snapshot, and writes them somewhere. query.Copy is the one for SQLite.
type sink interface {
	// Add writes the tables of a snapshot and calls tell as it goes.
	Add(ctx context.Context, db *query.DB, file string, tell func(table string, rows int)) error
	Finish(context.Context) error
	Abort() // what was written will be removed
}

// folderSink is what the sinks that write into a folder have in common: no file stays open between two snapshots.
type folderSink struct {
	dir    string
	tables []string
}

func (folderSink) Finish(context.Context) error { return nil }
func (folderSink) Abort()                       {}

// Progress is what is being done.
type Progress struct {
	Source int    // index of the snapshot; as many as there are: they are being finished
	Table  string // that is being written; "" while the snapshot is read
	Rows   int64  // of the table so far, about
}

// Write writes tables of all sources. Progress, if not nil, is called often, on the goroutine that called.
func Write(ctx context.Context, sources []Source, out string, tables []string, progress func(Progress)) error {
	format, ok := FormatOf(out)
	if !ok {
		return fmt.Errorf("%s: its ending says no format; name it .sqlite, .parquet or .csv", out)
	}
	out = strings.TrimRight(out, `/\`)
	if len(tables) == 0 {
		tables = AllTables()
	}
	if err := free(out, format); err != nil {
		return err
	}
	temp := atomicfile.TempName(out)
	defer os.RemoveAll(temp) // gone after the rename
	w, err := open(temp, format, tables, len(sources) > 1)
	if err == nil {
		err = writeAll(ctx, w, sources, progress)
	}
	if err == nil {
		err = os.Rename(temp, out)
	}
	var reading *readError
	if err == nil || errors.As(err, &reading) || ctx.Err() != nil {
		return err
	}
	return atomicfile.CannotWrite(out, err)
}

func open(path string, format Format, tables []string, several bool) (sink, error) {
	switch format {
	case SQLite:
		return query.NewCopy(path, tables, several)
	case Parquet:
		return newParquet(path, tables)
	default:
		return &csvSink{folderSink: folderSink{path, tables}, several: several}, os.Mkdir(path, 0o777)
	}
}

// readError is a snapshot that cannot be used.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// writeAll writes all sources into a sink.
func writeAll(ctx context.Context, w sink, sources []Source, progress func(Progress)) error {
	names := partitions(sources)
	var at Progress
	tell := func(table string, rows int) {
		if table != at.Table {
			at.Table, at.Rows = table, 0
		}
		at.Rows += int64(rows)
		if progress != nil {
			progress(at)
		}
	}
	for i, src := range sources {
		at.Source = i
		tell("", 0)
		s, err := src.Open(ctx)
		if err != nil {
			w.Abort()
			return &readError{err}
		}
		db := query.Open(s, nil)
		db.Rules = src.Rules
		err = w.Add(ctx, db, names[i], tell)
		db.Close()
		if err != nil {
			w.Abort()
			return err
		}
	}
	at.Source = len(sources)
	tell("", 0)
	return w.Finish(ctx)
}

// free makes sure that nothing is lost by writing to out: a file of SQLite is replaced, a folder never.
func free(out string, format Format) error {
	info, err := os.Lstat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return atomicfile.CannotWrite(out, err)
	case format == SQLite && info.Mode().IsRegular():
		return nil
	case format == SQLite && info.IsDir():
		return fmt.Errorf("%s: is a folder; name the file in it", out)
	case info.IsDir() && os.Remove(out) == nil: // it was empty
		return nil
	}
	return fmt.Errorf("%s: is there already; give another name, or remove it", out)
}

// partitions names each source: by as much of its path, from the end, as tells it from the others.
func partitions(sources []Source) []string {
	parts := make([][]string, len(sources))
	names := make([]string, len(sources))
	for i, s := range sources {
		parts[i] = strings.Split(filepath.ToSlash(filepath.Clean(s.Name)), "/")
	}
	for depth := 1; ; depth++ {
		seen := map[string]int{}
		longer := false
		for i, p := range parts {
			names[i] = strings.Join(p[max(0, len(p)-depth):], "/")
			seen[names[i]]++
			longer = longer || len(p) > depth
		}
		if len(seen) == len(names) {
			return names
		}
		if !longer { // the same file twice
			for i := range names {
				if seen[names[i]] > 1 {
					names[i] = fmt.Sprintf("%s#%d", names[i], i)
				}
			}
			return names
		}
	}
}

// escape writes a name for a folder of a partition, as Hive does: what could
// mean something to a file system is percent-encoded.
func escape(s string) string { return strings.ReplaceAll(url.PathEscape(s), "=", "%3D") }
