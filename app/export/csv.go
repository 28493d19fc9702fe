package export

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"

	"strata/layout/query"
)

// csvSink writes a file for each table.
type csvSink struct {
	several bool // snapshots: a column file comes first
	files   map[string]*csvFile
}

type csvFile struct {
	f    *os.File
	w    *bufio.Writer
	rows RowWriter // nil before the first snapshot
}

func newCSVSink(dir string, tables []string, several bool) (*csvSink, error) {
	s := &csvSink{several: several, files: map[string]*csvFile{}}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	for _, name := range tables {
		f, err := os.Create(filepath.Join(dir, name+".csv"))
		if err != nil {
			s.Abort()
			return nil, err
		}
		s.files[name] = &csvFile{f: f, w: bufio.NewWriterSize(f, 1<<16)}
	}
	return s, nil
}

func (s *csvSink) Add(ctx context.Context, db *query.DB, file string, tell func(table string, rows int)) error {
	var before []query.Value // the columns before those of the table
	var columns []query.Column
	if s.several {
		before = []query.Value{{Kind: query.Text, Text: file}}
		columns = []query.Column{{Name: "file"}}
	}
	for _, t := range db.Tables() {
		f := s.files[t.Name]
		if f == nil {
			continue
		}
		if f.rows == nil {
			all := columns
			for _, c := range t.Columns {
				all = append(all, query.Column{Name: c.Name})
			}
			f.rows = CSVRows(f.w, all)
		}
		var row []query.Value
		err := db.Scan(ctx, t.Name, func(c *query.Chunk) error {
			tell(t.Name, c.Rows)
			for i := range c.Rows {
				row = append(row[:0], before...)
				for col := range t.Columns {
					row = append(row, chunkValue(c, &t.Columns[col], col, i))
				}
				if err := f.rows.Row(f.w, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// chunkValue is a value of a table as CSV shows it.
func chunkValue(c *query.Chunk, info *query.ColumnInfo, col, row int) query.Value {
	if info.Text {
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
func (s *csvSink) Finish(context.Context) error {
	for _, f := range s.files {
		err := f.w.Flush()
		if closed := f.f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			s.Abort()
			return err
		}
	}
	return nil
}

func (s *csvSink) Abort() {
	for _, f := range s.files {
		f.f.Close()
	}
}
