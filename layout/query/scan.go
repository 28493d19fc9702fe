package query

import (
	"context"
	"errors"
	"fmt"
)

// A TableInfo describes a table.
type TableInfo struct {
	Name, Doc string
	Columns   []ColumnInfo
	// Asked: its rows are made for the key that a query asks for, so that all of them together may be very many.
	Asked bool
	// Keyless: it has no rows at all without that key.
	Keyless bool
}

// PerDevice reports whether the table's first column is the device.
func (t *TableInfo) PerDevice() bool { return t.Columns[0].Name == "device" }

// A ColumnInfo describes a column of a table.
type ColumnInfo struct {
	Name, Doc string
	Text      bool // else it is of whole numbers
	Unsigned  bool // the numbers are addresses: their 64 bits have no sign
	Hidden    bool // SELECT * leaves it out
}

// Tables describes all tables, in the order of Schema.
func (db *DB) Tables() []TableInfo {
	var out []TableInfo
	for _, t := range db.tables {
		info := TableInfo{Name: t.name, Doc: t.doc, Asked: t.keyed != nil,
			Keyless: t.keyed != nil && t.keyed.must != ""}
		for _, c := range t.cols {
			info.Columns = append(info.Columns, ColumnInfo{c.name, c.doc, c.text != nil, c.unsigned, c.hidden})
		}
		out = append(out, info)
	}
	return out
}

// A Chunk is some rows of a table, all of one device.
type Chunk struct {
	Device int
	Rows   int

	t    *table
	cols [][]int64
}

// Int is a whole number; false for NULL.
func (c *Chunk) Int(col, row int) (int64, bool) {
	v := c.cols[col][row]
	return v, v != null
}

// Text is the text in a column of texts; false for NULL.
func (c *Chunk) Text(col, row int) (string, bool) {
	v := c.cols[col][row]
	if v == null {
		return "", false
	}
	return c.t.cols[col].text(v), true
}

// Scan hands a whole table to f, some rows at a time, without SQLite: what an export needs. Tables are in order of
// device and then of row.
func (db *DB) Scan(ctx context.Context, name string, f func(*Chunk) error) error {
	t := db.table(name)
	if t == nil {
		return fmt.Errorf("there is no table %q", name)
	}
	if t.keyed != nil && t.keyed.must != "" {
		return errors.New(t.keyed.must)
	}
	c := Chunk{t: t, cols: make([][]int64, len(t.cols))}
	for i := range c.cols {
		c.cols[i] = make([]int64, block)
	}
	w, _ := newWalk(t, nil)
	for p := w.next(); p != nil; p = w.next() {
		for from := 0; from < p.n; from += block {
			if err := ctx.Err(); err != nil {
				return err
			}
			c.Device, c.Rows = int(p.device()), min(block, p.n-from)
			for i, load := range p.loads {
				c.cols[i] = c.cols[i][:c.Rows]
				for k := range c.Rows {
					c.cols[i][k] = load(from + k)
				}
			}
			if err := f(&c); err != nil {
				return err
			}
		}
	}
	return nil
}
