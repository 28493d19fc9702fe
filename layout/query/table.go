package query

import (
	"math"
	"sort"
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
	// ascends: within a part the values never decrease as a rule; whether they do in a given part is looked up
	// once, unless it is certain.
	ascends, certain bool
	// lowCardinality says that many rows share a value, for the planner.
	lowCardinality bool
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
	sorted  map[int]bool
	indexes map[int]*index // by column
}

func (p *part) ready() *part {
	p.once.Do(func() { p.n, p.loads = p.make() })
	return p
}

// at is the value of a column in a row.
func (p *part) at(col, row int) int64 {
	var v [1]int64
	p.loads[col](v[:], row)
	return v[0]
}

// block is how many values are loaded at a time.
const block = 1024

// isSorted reports whether a column never decreases; it is looked up once.
func (p *part) isSorted(col int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if yes, known := p.sorted[col]; known {
		return yes
	}
	var buf [block]int64
	last, yes := null, true
	for row := 0; row < p.n && yes; row += block {
		vals := buf[:min(block, p.n-row)]
		p.loads[col](vals, row)
		for _, v := range vals {
			yes = yes && v >= last
			last = v
		}
	}
	if p.sorted == nil {
		p.sorted = map[int]bool{}
	}
	p.sorted[col] = yes
	return yes
}

// span narrows rows [lo, hi) to those whose values in a sorted column lie in [min, max].
func (p *part) span(col, lo, hi int, least, most int64) (int, int) {
	n := hi - lo
	a := sort.Search(n, func(i int) bool { return p.at(col, lo+i) >= least })
	b := sort.Search(n, func(i int) bool { return p.at(col, lo+i) > most })
	return lo + a, lo + max(a, b)
}

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
