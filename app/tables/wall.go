package tables

import (
	"cmp"
	"slices"
	"strings"

	"strata/layout/query"
	"strata/layout/ranks"
)

// A Wall is what groups hold in each of many ranks, as rows.
type Wall struct {
	// Sorted is the column that the rows are sorted by, -1 for as they came, the largest spread first.
	Sorted int
	Down   bool

	wall  *ranks.Wall
	heads []query.Column
	order []int32
	cells []query.Value
}

// wallColumns is how many columns stand before those of the ranks.
const wallColumns = 5

// NewWall returns the rows of a wall whose files have names.
func NewWall(w *ranks.Wall, names []string) *Wall {
	t := &Wall{Sorted: -1, wall: w, heads: []query.Column{{Name: "group"}, {Name: "spread", Origin: asBytes},
		{Name: "min", Origin: asBytes}, {Name: "median", Origin: asBytes}, {Name: "max", Origin: asBytes}}}
	for i := range w.Ranks {
		t.heads = append(t.heads, query.Column{Name: w.Title(i, names[i]), Origin: asBytes})
	}
	t.order = make([]int32, len(w.Groups))
	for i := range t.order {
		t.order[i] = int32(i)
	}
	return t
}

// Heads returns the columns.
func (t *Wall) Heads() []query.Column { return t.heads }

// Len is the number of rows.
func (t *Wall) Len() int { return len(t.order) }

// Leads says what a row is about: nothing that can be gone to.
func (t *Wall) Leads(int) query.Target { return query.Target{} }

// Row returns the cells of a row, good until the next call.
func (t *Wall) Row(i int) []query.Value {
	r := &t.wall.Groups[t.order[i]]
	t.cells = append(t.cells[:0], text(r.Label))
	for column := 1; column < len(t.heads); column++ {
		v := query.Value{}
		if !t.Unread(column) {
			v = number(ofRow(r, column))
		}
		t.cells = append(t.cells, v)
	}
	return t.cells
}

// Unread reports whether a column is of a rank that could not be read.
func (t *Wall) Unread(column int) bool {
	return column >= wallColumns && t.wall.Ranks[column-wallColumns].Digest == nil
}

// ofRow is the number in a column.
func ofRow(r *ranks.Row, column int) int64 {
	if column >= wallColumns {
		return r.Bytes[column-wallColumns]
	}
	return [wallColumns]int64{0, r.Spread, r.Min, r.Median, r.Max}[column]
}

// Sort sorts by a column: numbers from the largest first, and the other way round the second time.
func (t *Wall) Sort(column int) {
	if column != t.Sorted {
		t.Sorted, t.Down = column, column > 0
	} else {
		t.Down = !t.Down
	}
	slices.SortStableFunc(t.order, func(a, b int32) int {
		x, y := &t.wall.Groups[a], &t.wall.Groups[b]
		order := strings.Compare(x.Label, y.Label)
		if column > 0 {
			order = cmp.Compare(ofRow(x, column), ofRow(y, column))
		}
		if t.Down {
			return -order
		}
		return order
	})
}

// Part is how much of the largest spread a row's is.
func (t *Wall) Part(i int) float64 {
	return float64(t.wall.Groups[t.order[i]].Spread) / float64(max(1, t.wall.Groups[0].Spread))
}

// Text is all rows as tab-separated values.
func (t *Wall) Text() string {
	var out strings.Builder
	for i, h := range t.heads {
		if i > 0 {
			out.WriteByte('\t')
		}
		out.WriteString(h.Name)
	}
	out.WriteByte('\n')
	for i := range t.order {
		cells := slices.Clone(t.Row(i))
		cells[0] = text(t.wall.Groups[t.order[i]].Name)
		out.WriteString(query.RowText(cells) + "\n")
	}
	return out.String()
}
