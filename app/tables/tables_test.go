package tables

import (
	"context"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/growth"
	"strata/layout/query"
	"strata/snapshot"
)

func bundled(t *testing.T) (*layout.Timeline, *breakdown.Grouping) {
	t.Helper()
	s, err := snapshot.Open(context.Background(), "../../testdata/sample.pickle.gz", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	return tl, breakdown.New(tl, breakdown.ByCallSite, breakdown.Options{})
}

// column is a column's numbers of all groups, and what they sum up to.
func column(b interface {
	Len() int
	Row(int) []query.Value
	Group(int) int32
}, c int) (values []int64, sum int64) {
	for i := range b.Len() {
		if v := b.Row(i)[c]; v.Kind == query.Int && b.Group(i) != breakdown.Excluded {
			values = append(values, v.Int)
			sum += v.Int
		}
	}
	return values, sum
}

// TestBreakdownRows sum up to the total; they sort by each column, both ways, and open into their allocations.
func TestBreakdownRows(t *testing.T) {
	tl, g := bundled(t)
	b := NewBreakdown(false)
	b.ShowMoment(g, tl.PeakState, g.At(tl.PeakState))
	groups := b.Groups()
	for c := range b.Heads() {
		b.Sort(c)
		if _, sum := column(b, bytesColumn); sum != tl.PeakBytes {
			t.Errorf("sorted by column %d the bytes sum up to %d, want %d", c, sum, tl.PeakBytes)
		}
	}
	b.Sort(blocksColumn) // the second time
	if values, _ := column(b, blocksColumn); values[0] > values[len(values)-1] || b.Down {
		t.Errorf("upwards the blocks are %v", values)
	}
	b.Sort(shareColumn)
	if values, _ := column(b, bytesColumn); values[0] < values[1] || values[0] != 6872064000 || b.Part(0) != 1 {
		t.Errorf("by share the bytes are %v", values)
	}
	b.Toggle(0)
	sum := int64(0)
	for i := 1; b.Allocation(i) != layout.None; i++ {
		id := b.Allocation(i)
		sum += tl.Size[id]
		if to := b.Leads(i); to.Kind != "allocation" || to.Number != int64(id) || b.Group(i) != b.Group(0) {
			t.Errorf("row %d leads to %v", i, to)
		}
	}
	if sum != 6872064000 || !b.Opened(0) || b.Len() != groups+8+1 {
		t.Errorf("the opened group's allocations hold %d, in %d rows", sum, b.Len())
	}
	text := b.Text()
	if lines := strings.Count(text, "\n"); lines != groups+1 ||
		!strings.Contains(text, "/home/user/strata-demo/train.py:112 evaluate\t6872064000\t31.7 %\t8\n") {
		t.Errorf("%d lines of text:\n%s", lines, text)
	}
	b.Toggle(0)
	if b.Len() != groups+1 {
		t.Errorf("closed it has %d rows, want %d", b.Len(), groups+1)
	}
}

// TestLastRows account for what a search leaves out, so that the columns sum up to the timeline's total.
func TestLastRows(t *testing.T) {
	tl, _ := bundled(t)
	g := breakdown.New(tl, breakdown.ByCallSite, breakdown.Options{Only: func(id layout.ID) bool { return id%3 > 0 }})
	b := NewBreakdown(false)
	b.ShowMoment(g, tl.PeakState, g.At(tl.PeakState))
	b.Sort(bytesColumn)
	_, found := column(b, bytesColumn)
	left, all := b.Row(b.Len() - 2)[bytesColumn].Int, b.Row(b.Len() - 1)[bytesColumn].Int
	if found+left != tl.PeakBytes || all != tl.PeakBytes || left <= 0 {
		t.Errorf("%d found and %d others are not %d, which is said to be %d", found, left, tl.PeakBytes, all)
	}
	b = NewBreakdown(true)
	b.ShowChanges(g, 3000, 8000, g.Between(3000, 8000))
	for _, c := range []struct {
		column int
		want   int64
	}{{aColumn, tl.Total[3000]}, {bColumn, tl.Total[8000]}, {differenceColumn, tl.Total[8000] - tl.Total[3000]}} {
		_, found := column(b, c.column)
		left, all := b.Row(b.Len() - 2)[c.column].Int, b.Row(b.Len() - 1)[c.column].Int
		if found+left != c.want || all != c.want {
			t.Errorf("column %d: %d found and %d others are not %d of %d", c.column, found, left, all, c.want)
		}
	}
}

// TestChangeRows: differences sum up, and the largest has the whole bar.
func TestChangeRows(t *testing.T) {
	tl, g := bundled(t)
	b := NewBreakdown(true)
	b.ShowChanges(g, 3000, 8000, g.Between(3000, 8000))
	if _, sum := column(b, differenceColumn); sum != tl.Total[8000]-tl.Total[3000] || b.Part(0) != 1 {
		t.Errorf("the differences sum up to %d, want %d", sum, tl.Total[8000]-tl.Total[3000])
	}
	a, sumA := column(b, aColumn)
	if _, sumB := column(b, bColumn); sumA != tl.Total[3000] || sumB != tl.Total[8000] || len(a) != b.Groups() {
		t.Errorf("A sums up to %d, B to %d", sumA, sumB)
	}
}

// TestGrowthRows: of the bundled sample the first row is what grows.
func TestGrowthRows(t *testing.T) {
	_, g := bundled(t)
	rows := NewGrowth(growth.Find(g, nil))
	first := rows.Row(0)
	if first[0].Text != "train.py:112 evaluate" || first[2].Text != "grows" || len(rows.Curve(0)) == 0 {
		t.Errorf("the first row is %v", first)
	}
	if lines := strings.Count(rows.Text(), "\n"); lines != rows.Len()+1 {
		t.Errorf("%d lines of text, %d rows", lines, rows.Len())
	}
}
