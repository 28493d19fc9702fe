package export

import (
	"bufio"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"strata/layout/query"
)

// csvSink writes a file for each table.
type csvSink struct {
	folderSink
	several bool // snapshots: a column file comes first
	begun   bool // the files are there
}

func (s *csvSink) Add(ctx context.Context, db *query.DB, file string, tell func(table string, rows int)) error {
	for _, t := range db.Tables() {
		if slices.Contains(s.tables, t.Name) {
			if err := s.add(ctx, db, t, file, tell); err != nil {
				return err
			}
		}
	}
	s.begun = true
	return nil
}

// add appends the rows of a snapshot's table to the file of that table.
func (s *csvSink) add(
	ctx context.Context, db *query.DB, t *query.TableInfo, file string, tell func(table string, rows int),
) (err error) {
	f, err := os.OpenFile(filepath.Join(s.dir, t.Name+".csv"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	out := bufio.NewWriterSize(f, 1<<16)
	var before []query.Value // the values before those of the table
	var columns []query.Column
	if s.several {
		before = []query.Value{{Kind: query.Text, Text: file}}
		columns = []query.Column{{Name: "file"}}
	}
	var rows RowWriter = &csvRows{}
	if !s.begun {
		for _, c := range t.Columns {
			columns = append(columns, query.Column{Name: c.Name})
		}
		rows = CSVRows(out, columns)
	}
	var row []query.Value
	err = db.Scan(ctx, t.Name, func(c *query.Chunk) error {
		tell(t.Name, c.Rows)
		for i := range c.Rows {
			row = append(row[:0], before...)
			for col := range t.Columns {
				row = append(row, chunkValue(c, &t.Columns[col], col, i))
			}
			if err := rows.Row(out, row); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, out.Flush())
}

// chunkValue is a value of a table as CSV shows it.
func chunkValue(c *query.Chunk, info *query.ColumnInfo, col, row int) query.Value {
	if info.IsText() {
		if text, ok := c.Text(col, row); ok {
			return query.Value{Kind: query.Text, Text: text}
		}
	} else if n, ok := c.Int(col, row); ok {
		if info.Unsigned && n < 0 {
			return query.Value{Kind: query.Text, Text: strconv.FormatUint(uint64(n), 10)}
		}
		return query.Value{Kind: query.Int, Int: n}
	}
	return query.Value{}
}
