package query

import (
	"math"
	"strings"
	"sync"
)

// null is how a column of whole numbers says NULL. It is snapshot.NoTime too.
const null int64 = math.MinInt64

// A loader fills dst with the values of a column in the rows from, from+1, …. Of a text column these are codes,
// which column.text turns into text.
type loader func(dst []int64, from int)

// A column is a column of a table, as SQL sees it.
type column struct {
	name, doc string
	hidden    bool // not part of SELECT *
	unsigned  bool // the bits are an address, up to 2^64
	// text makes the text of a code; nil for columns of whole numbers.
	text func(code int64) string
	// dict is set where codes number a sorted list of texts: comparisons of text are comparisons of codes then.
	dict []string
	// number says that the value is the row's number in its part.
	number bool
	// lowCardinality says that many rows share a value, for the planner.
	lowCardinality bool
	// load reads the column in one part; columns that are row numbers need none.
	load loader
}

// comparable reports whether constraints on the column can be pushed down.
func (c *column) comparable() bool { return c.text == nil || c.dict != nil }

func (c *column) decl() string {
	if c.text != nil {
		return "TEXT"
	}
	return "INTEGER"
}

// A table is a virtual table over columns that exist already.
type table struct {
	name, doc string
	cols      []column
	parts     []*part
	// guess is about how many rows it has, for the planner.
	guess int
	// keyed is set for tables whose rows are made for the key asked for.
	keyed *keyed
}

// A part is the rows of a table that belong to one device. Its rows are numbered from 0; those of a whole table run
// through its parts.
type part struct {
	device int64
	// make gives the number of rows and the loaders, one a column; called once.
	make func() (int, []loader)

	once  sync.Once
	n     int
	loads []loader

	mu      sync.Mutex
	indexes map[int]*ordered // by column
}

func (p *part) ready() *part {
	p.once.Do(func() { p.n, p.loads = p.make() })
	return p
}

// block is how many values are loaded at a time.
const block = 1024

func ints[T ~int8 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64](s []T) loader {
	return func(dst []int64, from int) {
		for i, v := range s[from : from+len(dst)] {
			dst[i] = int64(v)
		}
	}
}

// ids is ints for references, of which 0 is "none".
func ids[T ~uint32](s []T) loader {
	return func(dst []int64, from int) {
		for i, v := range s[from : from+len(dst)] {
			if dst[i] = int64(v); v == 0 {
				dst[i] = null
			}
		}
	}
}

func constant(v int64) loader {
	return func(dst []int64, _ int) {
		for i := range dst {
			dst[i] = v
		}
	}
}

// number is the row's own number.
func number(dst []int64, from int) {
	for i := range dst {
		dst[i] = int64(from + i)
	}
}

func each(f func(row int) int64) loader {
	return func(dst []int64, from int) {
		for i := range dst {
			dst[i] = f(from + i)
		}
	}
}

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

// create is the statement that declares the table, for SQLite.
func (t *table) create() string {
	var b strings.Builder
	b.WriteString("CREATE TABLE x(")
	for i, c := range t.cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(c.name) + " " + c.decl())
		if c.hidden {
			b.WriteString(" HIDDEN")
		}
	}
	b.WriteString(")")
	return b.String()
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
