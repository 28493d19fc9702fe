package cli

import (
	"context"
	"strings"

	"strata/app/export"
	"strata/snapshot"
)

// Exporting is what Export is to write.
type Exporting struct {
	Out    string
	Tables []string // none: all
}

// export writes the tables of all files.
func (c Command) export(ctx context.Context) error {
	var sources []export.Source
	for _, name := range c.Files {
		if err := notOver(name, c.Export.Out); err != nil {
			return err
		}
		sources = append(sources, export.Source{Name: name, Open: func(ctx context.Context) (*snapshot.Snapshot, error) { return open(ctx, name) }})
	}
	return export.Write(ctx, sources, c.Export.Out, c.Export.Tables, nil)
}

func queryMode() mode {
	return mode{
		kind: Query, name: "query", synopsis: `strata query FILE "SQL" [--format table|csv|json]`,
		about: "Asks a snapshot in SQL. strata query FILE .schema prints the tables. Nothing\ncan be written. A text may hold several statements; - reads it from standard\ninput.",
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
