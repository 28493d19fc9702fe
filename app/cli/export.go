package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"strata/app/export"
	"strata/layout/units"
	"strata/snapshot"
)

// Exporting is what Export is to write.
type Exporting struct {
	Out    string
	Tables []string // none: all
}

// export writes the tables of all files.
func (c Command) export(ctx context.Context, stderr io.Writer) error {
	var sources []export.Source
	for _, name := range c.Files {
		if err := notOver(name, c.Export.Out); err != nil {
			return err
		}
		sources = append(sources, export.Source{Name: name, Open: func(ctx context.Context) (*snapshot.Snapshot, error) { return open(ctx, name) }})
	}
	m := &meter{names: c.Files, begun: time.Now()}
	if isTerminal(stderr) {
		m.line = stderr
	}
	err := export.Write(ctx, sources, c.Export.Out, c.Export.Tables, m.show)
	m.clear()
	if err == nil {
		ctx.Value(filesKey{}).(*files).log.Phase("export", time.Since(m.begun), "of "+units.Count(int64(len(c.Files)))+" snapshots")
	}
	return err
}

// A meter shows on a terminal how far an export is, in one line that is written
// over.
type meter struct {
	line  io.Writer // nil for none
	names []string
	begun time.Time
	last  time.Time
	shown bool
	at    export.Progress
}

// meterEvery is how often the line changes.
const meterEvery = 200 * time.Millisecond

func (m *meter) show(p export.Progress) {
	m.at = p
	now := time.Now()
	if m.line == nil || now.Sub(m.begun) < 2*meterEvery || now.Sub(m.last) < meterEvery {
		return // what is done at once needs no line
	}
	m.last, m.shown = now, true
	fmt.Fprintf(m.line, "\r\x1b[K%s", m.text())
}

// text is at most as wide as a terminal is as a rule.
func (m *meter) text() string {
	if m.at.Source >= len(m.names) {
		return "finishing: indexes and what remains to be written"
	}
	s := clip(filepath.Base(m.names[m.at.Source]), 36)
	if n := len(m.names); n > 1 {
		s = fmt.Sprintf("%d of %d: %s", m.at.Source+1, n, s)
	}
	if m.at.Table == "" {
		return "reading " + s
	}
	return s + "  " + m.at.Table + "  " + units.Count(m.at.Rows)
}

// clear takes the line away.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.line, "\r\x1b[K")
	}
}

// isTerminal reports whether somebody may be looking at what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

func queryMode() mode {
	return mode{
		kind: Query, name: "query", synopsis: `strata query FILE "SQL" [--format table|csv|json]`,
		about: "Asks a snapshot in SQL. strata query FILE .schema prints the tables,\n\".schema events\" one of them. Nothing can be written. A text may hold several\nstatements; where there is none, or -, it is read from standard input.",
		options: []option{
			{long: "file", short: "f", arg: "FILE.sql", help: "the file that holds the SQL, - for standard input",
				set: func(c *Command, v string) string { c.Asking.File = v; return notEmpty(v) }},
			{long: "format", arg: "table|csv|json", help: "how rows are printed (default: table)", set: func(c *Command, v string) string {
				c.Asking.Format = v
				if v != "table" && v != "csv" && v != "json" {
					return "the format is table, csv or json"
				}
				return ""
			}},
		},
		check: func(c *Command) error {
			want := 2
			if c.Asking.File != "" {
				want = 1
			}
			switch {
			case len(c.Files) == 0:
				return usageErrorf(Query, "strata query needs a FILE and SQL")
			case len(c.Files) < want && piped():
				c.Asking.SQL = "-"
				return nil
			case len(c.Files) < want:
				return usageErrorf(Query, `strata query needs SQL after the FILE, as in: strata query %s "SELECT * FROM devices"`, c.Files[0])
			case len(c.Files) > want && want == 1:
				return usageErrorf(Query, "the SQL is given twice, by --file and by %q", c.Files[1])
			case len(c.Files) > want:
				return usageErrorf(Query, "strata query asks one FILE, and the SQL is one argument in quotes; %q is too much", c.Files[2])
			}
			if want == 2 {
				c.Asking.SQL = c.Files[1]
				c.Files = c.Files[:1]
			}
			return nil
		},
	}
}

func exportMode() mode {
	return mode{
		kind: Export, name: "export", synopsis: "strata export FILE ... -o OUT.sqlite|OUT.parquet/|OUT.csv/ [--tables A,B]",
		about: "Writes the tables that strata query asks into files for other programs: a\ndatabase of SQLite, or a folder of Parquet or CSV. Several FILEs go into the\nsame tables.",
		options: []option{
			{long: "out", short: "o", arg: "OUT", help: "what to write; its ending says the format", set: func(c *Command, v string) string {
				c.Export.Out = v
				if _, ok := export.FormatOf(v); !ok {
					return "it ends in .sqlite, .parquet or .csv"
				}
				return ""
			}},
			{long: "tables", arg: "A,B", help: "only these tables (default: all but polygons and\nlive, which are made for what is asked for)", set: func(c *Command, v string) string {
				c.Export.Tables = strings.Split(v, ",")
				if err := export.CheckTables(c.Export.Tables); err != nil {
					return err.Error()
				}
				return ""
			}},
		},
		check: func(c *Command) error {
			switch {
			case len(c.Files) == 0:
				return usageErrorf(Export, "strata export needs a FILE")
			case c.Export.Out == "":
				return usageErrorf(Export, "strata export needs a place to write to: -o OUT.sqlite, OUT.parquet or OUT.csv")
			}
			return nil
		},
	}
}
