package tables

import (
	"cmp"
	"slices"
	"strings"

	"strata/layout/breakdown"
	"strata/layout/compare"
	"strata/layout/query"
)

// A Pair is what groups hold in two files, as rows; the last one is the sum.
type Pair struct {
	// Sorted is the column that the rows are sorted by, -1 for as they came, the largest difference first.
	Sorted int
	Down   bool

	groups *compare.Groups
	rows   []compare.Row
	order  []int32
	cells  []query.Value
}

var pairHeads = []query.Column{{Name: "group"}, {Name: "A", Origin: asBytes}, {Name: "B", Origin: asBytes},
	{Name: "difference", Origin: asBytes}, {Name: "blocks in A"}, {Name: "blocks in B"}, {Name: "matched by"}}

// NewPair returns the rows of groups at two moments, as compare.Groups.At has them, sorted as before.
func NewPair(g *compare.Groups, rows []compare.Row, before *Pair) *Pair {
	p := &Pair{Sorted: -1, groups: g}
	if before != nil {
		p.Sorted, p.Down = before.Sorted, before.Down
	}
	sum := compare.Row{Match: compare.Match{A: breakdown.Excluded, B: breakdown.Excluded}}
	for i := range rows {
		for side := range sum.Bytes {
			sum.Bytes[side] += rows[i].Bytes[side]
			sum.Blocks[side] += rows[i].Blocks[side]
		}
	}
	p.rows = append(slices.Clone(rows), sum)
	p.arrange()
	return p
}

// Len is the number of rows.
func (p *Pair) Len() int { return len(p.rows) }

// Heads returns the columns.
func (p *Pair) Heads() []query.Column { return pairHeads }

// Leads says what a row is about: nothing that can be gone to.
func (p *Pair) Leads(int) query.Target { return query.Target{} }

// IsSum reports whether a row is the sum of the others.
func (p *Pair) IsSum(i int) bool { return int(p.order[i]) == len(p.rows)-1 }

// Of is what a row is about.
func (p *Pair) Of(i int) *compare.Row { return &p.rows[p.order[i]] }

// Name is the name of a row's group.
func (p *Pair) Name(i int) string {
	if p.IsSum(i) {
		return inAll
	}
	return p.groups.Label(p.Of(i).Match)
}

// Row returns the cells of a row, good until the next call.
func (p *Pair) Row(i int) []query.Value {
	r := p.Of(i)
	rule := ""
	if !p.IsSum(i) {
		rule = r.Rule.String()
	}
	p.cells = append(p.cells[:0], text(p.Name(i)))
	for c := 1; c < len(pairHeads)-1; c++ {
		p.cells = append(p.cells, number(ofPair(r, c)))
	}
	p.cells = append(p.cells, text(rule))
	return p.cells
}

// ofPair is the number in a column.
func ofPair(r *compare.Row, column int) int64 {
	return [...]int64{0, r.Bytes[0], r.Bytes[1], r.Difference(), int64(r.Blocks[0]), int64(r.Blocks[1]), 0}[column]
}

// Sort sorts by a column, or turns the order if it is sorted by that one.
func (p *Pair) Sort(column int) {
	if column != p.Sorted {
		p.Sorted, p.Down = column, column > 0 && column < len(pairHeads)-1
	} else {
		p.Down = !p.Down
	}
	p.arrange()
}

func (p *Pair) arrange() {
	n := len(p.rows) - 1
	p.order = make([]int32, n+1)
	for i := range p.order {
		p.order[i] = int32(i)
	}
	if p.Sorted < 0 {
		return
	}
	slices.SortStableFunc(p.order[:n], func(a, b int32) int {
		x, y := &p.rows[a], &p.rows[b]
		order := cmp.Compare(ofPair(x, p.Sorted), ofPair(y, p.Sorted))
		switch p.Sorted {
		case 0:
			order = strings.Compare(p.groups.Label(x.Match), p.groups.Label(y.Match))
		case len(pairHeads) - 1:
			order = cmp.Compare(x.Rule, y.Rule)
		}
		if p.Down {
			return -order
		}
		return order
	})
}

// Part is how much of the largest difference a row's is, with its sign.
func (p *Pair) Part(i int) float64 {
	if p.IsSum(i) {
		return 0
	}
	most := p.rows[0].Difference() // the largest comes first
	return float64(p.Of(i).Difference()) / float64(max(1, most, -most))
}

// Text is all rows as tab-separated values.
func (p *Pair) Text() string {
	var out strings.Builder
	out.WriteString("group\tA\tB\tdifference\tblocks in A\tblocks in B\tmatched by\n")
	for i := range p.rows {
		cells := slices.Clone(p.Row(i))
		if !p.IsSum(i) {
			cells[0] = text(p.groups.Name(p.Of(i).Match))
		}
		out.WriteString(query.RowText(cells) + "\n")
	}
	return out.String()
}
