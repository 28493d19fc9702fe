package tables

import (
	"strings"
	"testing"

	"strata/layout/breakdown"
	"strata/layout/compare"
	"strata/layout/query"
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
