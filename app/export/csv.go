package export

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"strata/layout/query"
)

// csvSink writes a file for each table, as RFC 4180 has it; NULL is empty.
type csvSink struct {
	dir     string
	tables  []string
	several bool
	files   map[string]*csvFile
	buf     []byte
}

type csvFile struct {
	f *os.File
	w *bufio.Writer
}

func newCSVSink(dir string, tables []string, several bool) (*csvSink, error) {
	s := &csvSink{dir: dir, tables: tables, several: several, files: map[string]*csvFile{}}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	for _, name := range tables {
		f, err := os.Create(filepath.Join(dir, name+".csv"))
		if err != nil {
			s.abort()
			return nil, err
		}
		s.files[name] = &csvFile{f, bufio.NewWriterSize(f, 1<<16)}
	}
	return s, nil
}

func (s *csvSink) add(ctx context.Context, db *query.DB, file string, tell func(table string, rows int)) error {
	for _, t := range db.Tables() {
		f := s.files[t.Name]
		if f == nil {
			continue
		}
		if info, err := f.f.Stat(); err == nil && info.Size() == 0 && f.w.Buffered() == 0 {
			s.header(f, &t)
		}
		err := db.Scan(ctx, t.Name, func(c *query.Chunk) error {
			tell(t.Name, c.Rows)
			for row := range c.Rows {
				if err := s.row(f, &t, c, row, file); err != nil {
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

func (s *csvSink) header(f *csvFile, t *query.TableInfo) {
	if s.several {
		f.w.WriteString("file,")
	}
	for i, c := range t.Columns {
		if i > 0 {
			f.w.WriteByte(',')
		}
		f.w.WriteString(c.Name)
	}
	f.w.WriteString("\r\n")
}

func (s *csvSink) row(f *csvFile, t *query.TableInfo, c *query.Chunk, row int, file string) error {
	b := s.buf[:0]
	if s.several {
		b = append(AppendCSV(b, file), ',')
	}
	for i := range t.Columns {
		if i > 0 {
			b = append(b, ',')
		}
		if t.Columns[i].Text {
			if v, ok := c.Text(i, row); ok {
				b = AppendCSV(b, v)
			}
		} else if v, ok := c.Int(i, row); ok && t.Columns[i].Unsigned {
			b = strconv.AppendUint(b, uint64(v), 10)
		} else if ok {
			b = strconv.AppendInt(b, v, 10)
		}
	}
	s.buf = append(b, '\r', '\n')
	_, err := f.w.Write(s.buf)
	return err
}

// AppendCSV appends a text as a field: in quotes where it holds a comma, a
// quote or a line's end, or is empty, to be told from NULL.
func AppendCSV(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

func (s *csvSink) finish(context.Context) error {
	for _, f := range s.files {
		err := f.w.Flush()
		if closed := f.f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			s.abort()
			return err
		}
	}
	return nil
}

func (s *csvSink) abort() {
	for _, f := range s.files {
		f.f.Close()
	}
}
