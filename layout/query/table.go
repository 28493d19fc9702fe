package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
)

// null is how a column of whole numbers says NULL. It is snapshot.NoTime too.
const null int64 = math.MinInt64

// A loader gives the value of a column in a row. Of a text column it is a code, which column.text turns into text.
type loader func(row int) int64

// A ColumnInfo describes a column of a table.
type ColumnInfo struct {
	Name, Doc string
	Hidden    bool // SELECT * leaves it out
	Unsigned  bool // the numbers are addresses: their 64 bits have no sign
	// text makes the text of a code; nil for columns of whole numbers.
	text func(code int64) string
	// dict is set instead where codes number a sorted list of texts: comparisons of text are comparisons of codes then.
	dict func() []string
	// number says that the value is the row's number in its part.
	number bool
	// lowCardinality says that many rows share a value, for the planner.
	lowCardinality bool
	// values is about how many it has, where that is known.
	values int
	// load reads the column in one part; columns that are row numbers need none.
	load loader
}

// IsText reports whether it is a column of texts, else of whole numbers.
func (c *ColumnInfo) IsText() bool { return c.text != nil }

// comparable reports whether constraints on the column can be pushed down.
func (c *ColumnInfo) comparable() bool { return c.text == nil || c.dict != nil }

func (c *ColumnInfo) decl() string {
	if c.text != nil {
		return "TEXT"
	}
	return "INTEGER"
}

// A TableInfo is a virtual table over columns that exist already.
type TableInfo struct {
	Name, Doc string
	Columns   []ColumnInfo
	parts     []*part
	// guess is about how many rows it has, for the planner.
	guess int
	// keyed is set for tables whose rows are made for the key asked for.
	keyed *keyed
}

// PerDevice reports whether the table's first column is the device.
func (t *TableInfo) PerDevice() bool { return t.isDevice(0) }

// Asked reports whether its rows are made for the key that a query asks for, so that all of them together may be very
// many.
func (t *TableInfo) Asked() bool { return t.keyed != nil }

// Keyless reports whether it has no rows at all without that key.
func (t *TableInfo) Keyless() bool { return t.Asked() && t.keyed.must != "" }

// A part is the rows of a table that belong to one device, numbered from 0.
type part struct {
	lane *lane
	// make gives the number of rows and the loaders, one a column; called once.
	make func() (int, []loader)

	once  sync.Once
	n     int
	loads []loader

	mu      sync.Mutex
	indexes map[int]*ordered // by column
}

// device is its number; 0 of tables that know no devices.
func (p *part) device() int64 {
	if p.lane == nil {
		return 0
	}
	return int64(p.lane.d.Index)
}

func (p *part) ready() *part {
	p.once.Do(func() { p.n, p.loads = p.make() })
	return p
}

// rowNumber stands for the row's number where a column is meant, as SQLite has it.
const rowNumber = -1

// value is the value of a column, or the row's number.
func (p *part) value(col, row int) int64 {
	if col == rowNumber {
		return int64(row)
	}
	return p.loads[col](row)
}

// block is how many rows are gone through between two looks at the context, and how many a Chunk has at most.
const block = 1024

func ints[T ~int8 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64](s []T) loader {
	return func(row int) int64 { return int64(s[row]) }
}

// ids is ints for references, of which 0 is "none".
func ids[T ~uint32](s []T) loader { return func(row int) int64 { return known(s[row]) } }

func constant(v int64) loader { return func(int) int64 { return v } }

// number is the row's own number.
func number(row int) int64 { return int64(row) }

// known is 0 as null.
func known[T ~uint32](id T) int64 {
	if id == 0 {
		return null
	}
	return int64(id)
}

// flag is a truth value as SQL has it.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// decls are the declarations of the columns, as SQLite takes them.
func (t *TableInfo) decls() string {
	var decls []string
	for _, c := range t.Columns {
		decl := quote(c.Name) + " " + c.decl()
		if c.Hidden {
			decl += " HIDDEN"
		}
		decls = append(decls, decl)
	}
	return strings.Join(decls, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

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
