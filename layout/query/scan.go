package query

import (
	"context"
	"errors"
	"fmt"
)

// Tables are all tables, in the order of Schema.
func (db *DB) Tables() []*TableInfo { return db.tables }

// A Chunk is some rows of a table, all of one device.
type Chunk struct {
	Device int
	Rows   int

	t    *TableInfo
	part *part
	from int
}

// Int is a whole number; false for NULL.
func (c *Chunk) Int(col, row int) (int64, bool) {
	v := c.part.loads[col](c.from + row)
	return v, v != null
}

// Text is the text in a column of texts; false for NULL.
func (c *Chunk) Text(col, row int) (string, bool) {
	v, known := c.Int(col, row)
	if !known {
		return "", false
	}
	return c.t.Columns[col].text(v), true
}

// Scan hands a whole table to f, some rows at a time, without SQLite: what an export needs. Tables are in order of
// device and then of row.
func (db *DB) Scan(ctx context.Context, name string, f func(*Chunk) error) error {
	t := db.table(name)
	if t == nil {
		return fmt.Errorf("there is no table %q", name)
	}
	if t.Keyless() {
		return errors.New(t.keyed.must)
	}
	w, _ := newWalk(t, nil)
	for p := w.next(); p != nil; p = w.next() {
		for from := 0; from < p.n; from += block {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := Chunk{Device: int(p.device()), Rows: min(block, p.n-from), t: t, part: p, from: from}
			if err := f(&c); err != nil {
				return err
			}
		}
	}
	return nil
}
