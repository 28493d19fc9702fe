package tables

import (
	"strings"
	"testing"

	"strata/layout/breakdown"
	"strata/layout/compare"
	"strata/layout/query"
	"strata/layout/ranks"
)

// TestPair: rows of a file compared with itself at another moment add up, whatever they are sorted by, and the sum
// stays last.
func TestPair(t *testing.T) {
	tl, _ := bundled(t)
	g := breakdown.New(tl, breakdown.ByCallSite, breakdown.Options{})
	groups := compare.NewGroups(compare.NewCode(tl, tl), g, g)
	half := int32(len(tl.Actions) / 2)
	rows := groups.At(half, tl.PeakState)
	p := NewPair(groups, rows, nil)
	if p.Len() != len(rows)+1 || p.Row(0)[3].Int != rows[0].Difference() || p.Part(0) < -1 || p.Part(0) > 1 {
		t.Errorf("%d rows, the first %v", p.Len(), p.Row(0))
	}
	for column := range p.Heads() {
		for range 2 {
			p.Sort(column)
			last := p.Len() - 1
			if sum := p.Row(last); !p.IsSum(last) || sum[1].Int != tl.Total[half] || sum[2].Int != tl.PeakBytes {
				t.Fatalf("sorted by %d the last row is %v", column, sum)
			}
			for i := 1; i < last; i++ {
				before, now := p.copyOf(i - 1)[column], p.Row(i)[column]
				down := now.Int > before.Int || now.Text > before.Text
				up := now.Int < before.Int || now.Text < before.Text
				if column < 6 && (p.Down && down || !p.Down && up) {
					t.Fatalf("sorted by %d, down %v: %v before %v", column, p.Down, before, now)
				}
			}
		}
	}
	if q := NewPair(groups, rows, p); q.Sorted != p.Sorted || q.Down != p.Down {
		t.Error("the order is forgotten")
	}
	if lines := strings.Count(p.Text(), "\n"); lines != p.Len()+1 {
		t.Errorf("%d lines of text", lines)
	}
}

// copyOf is Row that stays.
func (p *Pair) copyOf(i int) []query.Value { return append([]query.Value{}, p.Row(i)...) }

// TestWall: the rows of a wall, sorted by any column; a rank that could not be read has no numbers.
func TestWall(t *testing.T) {
	file := func(name string, a, b int64) *ranks.File {
		return &ranks.File{Name: name, Rank: -1, Devices: []ranks.Digest{{Peak: a + b, Groups: []ranks.Group{
			{Name: "/p/a.py:1 f", Label: "a.py:1 f", Bytes: a}, {Name: "/p/b.py:1 g", Label: "b.py:1 g", Bytes: b}}}}}
	}
	files := []*ranks.File{file("x", 5, 100), {Name: "broken", Rank: 3, Error: "cut off"}, file("z", 9, 100)}
	w := NewWall(ranks.NewWall(files), []string{"x", "broken", "z"})
	if w.Heads()[6].Name != "rank 3" || w.Row(0)[0].Text != "a.py:1 f" || w.Row(0)[1].Int != 4 || w.Part(0) != 1 {
		t.Errorf("%v: %v", w.Heads(), w.Row(0))
	}
	if v := w.Row(0)[6]; v.Kind != query.Null {
		t.Errorf("the broken rank holds %v", v)
	}
	w.Sort(4)
	if w.Row(0)[0].Text != "b.py:1 g" {
		t.Errorf("sorted by most: %v", w.Row(0))
	}
	w.Sort(4)
	w.Sort(0)
	if w.Row(0)[0].Text != "a.py:1 f" {
		t.Errorf("sorted by name: %v", w.Row(0))
	}
	want := "group\tspread\tmin\tmedian\tmax\tx\trank 3\tz\n/p/a.py:1 f\t4\t5\t5\t9\t5\t\t9\n"
	if got := w.Text(); !strings.HasPrefix(got, want) {
		t.Errorf("%q", got)
	}
}
