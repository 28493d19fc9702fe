package query

import (
	"math/bits"
	"sort"
)

// fewLookups is how often a walk searches through a column before an index is made of it: a query that looks something
// up once never waits for an index, a join soon has it.
const fewLookups = 3

// fewRows is how many are as quickly tested one by one.
const fewRows = 64

// index returns the index of a column. Where there is none it is made, or nil returned.
func (p *part) index(col int, make bool) *ordered {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.indexes[col] == nil && make {
		if p.indexes == nil {
			p.indexes = map[int]*ordered{}
		}
		p.indexes[col] = newOrdered(p, col)
	}
	return p.indexes[col]
}

// An ordered is a part's rows in the order of one column.
type ordered struct {
	values []int64
	rows   []int32
}

func newOrdered(p *part, col int) *ordered {
	x := &ordered{values: make([]int64, p.n), rows: make([]int32, p.n)}
	for i := range x.rows {
		x.values[i], x.rows[i] = p.loads[col](i), int32(i)
	}
	sortRows(x.values, x.rows, false)
	return x
}

// between returns the rows whose values lie in [least, most], in order of value and, where equal, of row.
func (x *ordered) between(least, most int64) []int32 {
	a := sort.Search(len(x.values), func(i int) bool { return x.values[i] >= least })
	b := a + sort.Search(len(x.values)-a, func(i int) bool { return x.values[a+i] > most })
	return x.rows[a:b]
}

// digit is the bits a pass of the radix sort looks at.
const digit = 11

// sortRows sorts rows by their values, and the values with them, stably. A radix sort: a million rows take some 20
// ms, a tenth of SQLite's sorter.
func sortRows[R any](values []int64, rows []R, descending bool) {
	if len(values) < 2 {
		return
	}
	least, most := values[0], values[0]
	ordered := true
	for i, v := range values {
		ordered = ordered && (i == 0 || !descending && values[i-1] <= v || descending && values[i-1] >= v)
		least, most = min(least, v), max(most, v)
	}
	if ordered {
		return
	}
	key := func(v int64) uint64 {
		if descending {
			return uint64(most) - uint64(v)
		}
		return uint64(v) - uint64(least)
	}
	width := bits.Len64(uint64(most) - uint64(least))
	v2, r2 := make([]int64, len(values)), make([]R, len(rows))
	from, fromRows, to, toRows := values, rows, v2, r2
	for shift := 0; shift < width; shift += digit {
		var count [1 << digit]int
		for _, v := range from {
			count[key(v)>>shift&(1<<digit-1)]++
		}
		at := 0
		for d, n := range count {
			count[d] = at
			at += n
		}
		for i, v := range from {
			d := key(v) >> shift & (1<<digit - 1)
			to[count[d]], toRows[count[d]] = v, fromRows[i]
			count[d]++
		}
		from, fromRows, to, toRows = to, toRows, from, fromRows
	}
	if &from[0] != &values[0] {
		copy(values, from)
		copy(rows, fromRows)
	}
}
