//go:build !js

package export

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"strata/layout/query"
)

// parquetSink writes TABLE/file=NAME/device=N/part-0.parquet: the folders tell of file and device, as Hive has it, so
// that an engine that is asked for one of them reads only that.
type parquetSink struct{ folderSink }

func newParquet(path string, tables []string) (sink, error) {
	return &parquetSink{folderSink{path, tables}}, os.Mkdir(path, 0o777)
}

// rowGroup is how many rows are held in memory before they are written.
const rowGroup = 1 << 18

func (s *parquetSink) Add(ctx context.Context, db *query.DB, file string, tell func(table string, rows int)) error {
	infos := map[string]*query.TableInfo{}
	for _, t := range db.Tables() {
		infos[t.Name] = t
	}
	for _, name := range s.tables {
		t := infos[name]
		w := parquetTable{t: t, dir: filepath.Join(s.dir, name, "file="+escape(file))}
		err := db.Scan(ctx, name, func(c *query.Chunk) error {
			tell(name, c.Rows)
			return w.chunk(c)
		})
		if err := cmp.Or(err, w.close()); err != nil {
			return err
		}
	}
	return nil
}

// parquetTable writes one table of one snapshot, a file for each device.
type parquetTable struct {
	t      *query.TableInfo
	dir    string
	f      *os.File
	w      *parquet.GenericWriter[any]
	device int
	rows   []parquet.Row
	values []parquet.Value
}

// first is the first column that is written: the device is in the folder.
func (p *parquetTable) first() int {
	if p.t.PerDevice() {
		return 1
	}
	return 0
}

func (p *parquetTable) chunk(c *query.Chunk) error {
	if p.w == nil || c.Device != p.device {
		if err := p.begin(c.Device); err != nil {
			return err
		}
	}
	n := len(p.t.Columns) - p.first()
	p.values = p.values[:0]
	for row := range c.Rows {
		for i := range n {
			p.values = append(p.values, p.value(c, i, row))
		}
	}
	p.rows = p.rows[:0]
	for row := range c.Rows {
		p.rows = append(p.rows, parquet.Row(p.values[row*n:(row+1)*n]))
	}
	_, err := p.w.WriteRows(p.rows)
	return err
}

// value is a value of the i-th column written.
func (p *parquetTable) value(c *query.Chunk, i, row int) parquet.Value {
	col := i + p.first()
	if p.t.Columns[col].IsText() {
		if s, ok := c.Text(col, row); ok {
			return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s))).Level(0, 1, i)
		}
	} else if v, ok := c.Int(col, row); ok {
		return parquet.Int64Value(v).Level(0, 1, i)
	}
	return parquet.NullValue().Level(0, 0, i)
}

// begin opens the file of a device.
func (p *parquetTable) begin(device int) error {
	if err := p.close(); err != nil {
		return err
	}
	dir := p.dir
	if p.t.PerDevice() {
		dir = filepath.Join(dir, fmt.Sprintf("device=%d", device))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "part-0.parquet"))
	if err != nil {
		return err
	}
	p.f, p.device = f, device
	p.w = parquet.NewGenericWriter[any](f, schemaOf(p.t, p.first()), parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("strata", "", ""))
	return nil
}

func (p *parquetTable) close() error {
	if p.w == nil {
		return nil
	}
	err := cmp.Or(p.w.Close(), p.f.Close())
	p.w = nil
	return err
}

// schemaOf is the columns of a table as Parquet has them, all optional. It
// goes by way of a struct type, as that keeps the columns in order.
func schemaOf(t *query.TableInfo, first int) *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range t.Columns[first:] {
		of, encoding := reflect.TypeFor[int64](), "delta"
		switch {
		case c.IsText():
			of, encoding = reflect.TypeFor[string](), "dict"
		case c.Unsigned:
			of = reflect.TypeFor[uint64]()
		}
		tag := reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional,%s"`, c.Name, encoding))
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("C%d", i), Type: of, Tag: tag})
	}
	return parquet.NewSchema(t.Name, parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}
