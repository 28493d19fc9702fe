package query

import (
	"math"
	"slices"
	"sort"

	"github.com/ncruces/go-sqlite3"
)

// A test is a constraint that is answered here and not by SQLite: the value of a column against the n-th argument
// of Filter.
type test struct {
	col   int
	op    sqlite3.IndexConstraintOp
	place int // in info.Constraint
}

// An order is a column that rows are to be sorted by.
type order struct {
	col  int // or rowNumber
	desc bool
}

// A plan is how a cursor finds its rows.
type plan struct {
	tests []test
	order []order
}

// A vtab is one table on one connection. It keeps the plans that SQLite was offered, by number.
type vtab struct {
	t     *TableInfo
	c     *conn
	plans []plan
}

// BestIndex takes the constraints that can be answered from the columns, and says what that costs: about the
// nanoseconds of it, of which SQLite's own work for each row is the larger part.
func (v *vtab) BestIndex(info *sqlite3.IndexInfo) error {
	p := plan{tests: v.tests(info)}
	rows, cost := float64(max(1, v.t.guess)), 0.0
	if v.t.keyed != nil {
		rows, cost = v.t.keyed.cost(p.tests)
	} else {
		rows, cost = v.cost(p.tests, rows)
		if o := v.sorting(info); len(o) > 0 && rows > 2 {
			p.order = o
			info.OrderByConsumed = true
		}
	}
	for n, t := range p.tests {
		// SQLite looks again at every row it gets: it knows best how values of different types compare.
		info.ConstraintUsage[t.place].ArgvIndex = n + 1
	}
	info.EstimatedRows = int64(max(1, rows))
	info.EstimatedCost = cost + 200*max(1, rows)
	info.IdxNum = len(v.plans)
	v.plans = append(v.plans, p)
	return nil
}

// tests picks the constraints to be tested here.
func (v *vtab) tests(info *sqlite3.IndexInfo) (tests []test) {
	for i, c := range info.Constraint {
		if !c.Usable || c.Column < 0 || !v.t.Columns[c.Column].comparable() {
			continue
		}
		switch c.Op {
		case sqlite3.INDEX_CONSTRAINT_EQ, sqlite3.INDEX_CONSTRAINT_LT, sqlite3.INDEX_CONSTRAINT_LE,
			sqlite3.INDEX_CONSTRAINT_GT, sqlite3.INDEX_CONSTRAINT_GE:
		default:
			continue
		}
		if v.t.Columns[c.Column].dict != nil && info.Collation(i) != "BINARY" {
			continue
		}
		tests = append(tests, test{c.Column, c.Op, i})
	}
	return v.oneRow(tests)
}

// oneRow leaves tests that ask for one row by its number at that: SQLite tests the rest on the row it gets. Of x
// IN (…), which looks like x = ? here, it would ask for the row once for every x.
func (v *vtab) oneRow(tests []test) []test {
	if !slices.ContainsFunc(tests, v.isOne) {
		return tests
	}
	return slices.DeleteFunc(tests, func(t test) bool { return !v.isOne(t) && !v.t.isDevice(t.col) })
}

// isOne reports whether a test leaves one row of a device at most.
func (v *vtab) isOne(t test) bool {
	c := &v.t.Columns[t.col]
	return t.op == sqlite3.INDEX_CONSTRAINT_EQ && c.number
}

// cost is how many rows tests leave, and what finding them takes.
func (v *vtab) cost(tests []test, rows float64) (left, cost float64) {
	scanned := rows
	left = rows
	for _, t := range tests {
		c := &v.t.Columns[t.col]
		eq := t.op == sqlite3.INDEX_CONSTRAINT_EQ
		part := 0.4
		switch {
		case v.t.isDevice(t.col):
			part = 1 / float64(max(1, len(v.t.parts)))
			scanned *= part
		case eq && c.values > 0:
			part = math.Max(1/rows, 1/float64(c.values))
		case eq && c.lowCardinality:
			part = math.Max(1/rows, 0.01)
		case eq:
			part = 2 / rows
		}
		left *= part
		if !v.t.isDevice(t.col) && (eq || c.number) {
			scanned = math.Min(scanned, left) // by an index
		}
	}
	return left, 100 + scanned
}

// sorting is the order asked for, if it can be given: SQLite's own sorter costs more than all the rest of a query.
func (v *vtab) sorting(info *sqlite3.IndexInfo) []order {
	var o []order
	for _, by := range info.OrderBy {
		if by.Column >= 0 && !v.t.Columns[by.Column].comparable() {
			return nil
		}
		o = append(o, order{by.Column, by.Desc})
	}
	return o
}

// Open makes a cursor.
func (v *vtab) Open() (sqlite3.VTabCursor, error) {
	return &cursor{v: v}, nil
}

// A bound is the values of a column that a row may have.
type bound struct {
	col         int
	least, most int64
}

// bounds turns the tests of a plan and their arguments into ranges of values, one a column, that hold at least all
// that matches; ok is false if nothing can.
func (v *vtab) bounds(p *plan, arg []sqlite3.Value) (out []bound, ok bool) {
	for i, t := range p.tests {
		if arg[i].Type() == sqlite3.NULL {
			return nil, false // comparisons never hold for it
		}
		least, most, known := v.t.Columns[t.col].around(arg[i])
		if !known {
			continue
		}
		at := slices.IndexFunc(out, func(b bound) bool { return b.col == t.col })
		if at < 0 {
			at = len(out)
			out = append(out, bound{t.col, null + 1, math.MaxInt64}) // nor does NULL match
		}
		b := &out[at]
		switch t.op {
		case sqlite3.INDEX_CONSTRAINT_EQ:
			b.least, b.most = max(b.least, least), min(b.most, most)
		case sqlite3.INDEX_CONSTRAINT_LE, sqlite3.INDEX_CONSTRAINT_LT:
			b.most = min(b.most, most)
		default:
			b.least = max(b.least, least)
		}
		if b.least > b.most {
			return nil, false
		}
	}
	return out, true
}

// around is the values of a column next to one of SQLite's, on either side; false if SQLite must judge it.
func (c *ColumnInfo) around(arg sqlite3.Value) (least, most int64, known bool) {
	switch arg.Type() {
	case sqlite3.TEXT:
		if c.dict == nil {
			return 0, 0, false
		}
		at := int64(sort.SearchStrings(c.dict(), arg.Text()))
		return at, at, true
	case sqlite3.INTEGER:
		return arg.Int64(), arg.Int64(), c.dict == nil
	case sqlite3.FLOAT:
		low, high := math.Floor(arg.Float()), math.Ceil(arg.Float())
		return int64(low), int64(high), c.dict == nil && math.Abs(low) < 1<<53 && math.Abs(high) < 1<<53
	}
	return 0, 0, false
}

// isDevice reports whether a column is the device, by which tables are parted.
func (t *TableInfo) isDevice(col int) bool { return col == 0 && t.Columns[0].Name == "device" }

// Destroy has nothing to destroy; SQLite wants it of tables that are created.
func (v *vtab) Destroy() error { return nil }
