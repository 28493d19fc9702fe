package breakdown

import (
	"context"
	"slices"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// TestBanded: the groups of a memory timeline are its categories, whatever they are asked by.
func TestBanded(t *testing.T) {
	s, err := snapshot.Read(context.Background(), "x", []byte("[[1696966047096061, 1696966047096071, "+
		"1696966047096099],"+
		"[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,7,0,0,0],[0,1,0,0,0,4,0,0,2]]]"), snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	g := New(tl, ByCallSite, Options{})
	if g.Len() != 3 || g.Label(1) != "activation" || g.By != ByCategory {
		t.Fatalf("%d groups by %v", g.Len(), g.By)
	}
	if rows := g.At(2); !slices.Equal(rows, []Row{{1, 0, 4}, {2, 0, 2}, {0, 0, 1}}) {
		t.Errorf("rows %v", rows)
	}
	if got := g.Series([]int32{1, 2}, []int32{0, 1, 2}); !slices.Equal(got[0], []int64{0, 7, 4}) ||
		!slices.Equal(got[1], []int64{0, 0, 2}) {
		t.Errorf("series %v", got)
	}
	want := []Change{{Group: 1, A: 0, B: 4, Allocated: 7, Freed: 3}, {Group: 2, A: 0, B: 2, Allocated: 2},
		{Group: 0, A: 1, B: 1}}
	if changes := g.Between(0, 2); !slices.Equal(changes, want) {
		t.Errorf("changes %+v, want %+v", changes, want)
	}
	back := g.Between(2, 0)
	if back[0].A != 4 || back[0].B != 0 {
		t.Errorf("backwards %+v", back)
	}
	if tree := NewTree(g, TreeOptions{}); tree.Weights(1)[0].Bytes != 8 {
		t.Errorf("the tree weighs %+v", tree.Weights(1))
	}
}
