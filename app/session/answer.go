package session

import (
	"cmp"
	"slices"
	"strings"

	"strata/layout/query"
)

// An Answer is the rows of one statement, as far as they have come and are kept.
type Answer struct {
	query.Answer
	Order  []int32 // the rows as they are sorted, nil for as they came
	Sorted int     // by this column, -1 for none
	Down   bool    // descending
	Cut    bool    // there are more rows than are kept
}

// sortRows returns the order of rows by a column, as SQLite orders values: NULL, numbers, text, blobs.
func sortRows(rows [][]query.Value, column int, down bool) []int32 {
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		c := compareValues(&rows[i][column], &rows[j][column])
		if down {
			return -c
		}
		return c
	})
	return order
}

func compareValues(a, b *query.Value) int {
	class := func(k query.Kind) int {
		if k == query.Float {
			return int(query.Int)
		}
		return int(k)
	}
	number := func(v *query.Value) float64 {
		if v.Kind == query.Int {
			return float64(v.Int)
		}
		return v.Float
	}
	if c := cmp.Compare(class(a.Kind), class(b.Kind)); c != 0 {
		return c
	}
	switch {
	case a.Kind == query.Int && b.Kind == query.Int:
		return cmp.Compare(a.Int, b.Int)
	case class(a.Kind) == int(query.Int):
		return cmp.Compare(number(a), number(b))
	}
	return cmp.Compare(a.Text, b.Text)
}

// Text returns the names of the columns and the rows, as they are sorted, one a line, as spreadsheets paste them.
func (an *Answer) Text() string {
	names := make([]string, len(an.Columns))
	for i := range names {
		names[i] = cellText(an.Columns[i].Name)
	}
	var b strings.Builder
	b.WriteString(strings.Join(names, "\t") + "\n")
	for i, row := range an.Rows {
		if i < len(an.Order) {
			row = an.Rows[an.Order[i]]
		}
		b.WriteString(RowText(row) + "\n")
	}
	return b.String()
}

// RowText returns a row as spreadsheets paste it: cells between tabs, NULL empty.
func RowText(row []query.Value) string {
	cells := make([]string, len(row))
	for i := range row {
		if row[i].Kind != query.Null {
			cells[i] = cellText(row[i].String())
		}
	}
	return strings.Join(cells, "\t")
}

func cellText(s string) string {
	return strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(s)
}
