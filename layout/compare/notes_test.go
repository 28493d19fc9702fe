package compare

import (
	"context"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/snapshot"
)

// TestNotes: a trace of torch.profiler beside a snapshot, and one without stacks, are told of.
func TestNotes(t *testing.T) {
	open := func(name string) *layout.Timeline {
		s, err := snapshot.Open(context.Background(), "../../testdata/"+name, snapshot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return layout.New(s, s.FirstDevice(), layout.Options{})
	}
	sample, trace, bare := open("sample.pickle.gz"), open("profiler/devices.json"), open("generated/no-stacks.pickle")
	for _, c := range []struct {
		a, b *layout.Timeline
		want []string
	}{{sample, sample, nil}, {trace, trace, nil}, {sample, trace, []string{"B is of a profiler"}}, {trace, sample,
		[]string{"A is of a profiler"}},
		{bare, sample, []string{"A has no stacks"}}} {
		group := func(tl *layout.Timeline) *breakdown.Grouping { return breakdown.New(tl, 0, breakdown.Options{}) }
		notes := NewGroups(NewCode(c.a, c.b), group(c.a), group(c.b)).Notes()
		ok := len(notes) == len(c.want)
		for i := range c.want {
			ok = ok && strings.HasPrefix(notes[i], c.want[i])
		}
		if !ok {
			t.Errorf("%q, want %q", notes, c.want)
		}
	}
}

// TestMemoryTimelines: categories of memory timelines, which have bytes but no blocks, add up to both totals; beside a
// snapshot it is told that there is nothing else to group by.
func TestMemoryTimelines(t *testing.T) {
	group := func(data string) *breakdown.Grouping {
		s, err := snapshot.Read(context.Background(), "x", []byte(data), snapshot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return breakdown.New(layout.New(s, &s.Devices[0], layout.Options{}), 0, breakdown.Options{})
	}
	a := group("[[1696966047096061, 1696966047096071],[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,7,0,0,0]]]")
	b := group("[[1696966047096061, 1696966047096071],[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,4,0,0,2]]]")
	g := NewGroups(NewCode(a.Timeline, b.Timeline), a, b)
	var held [2]int64
	for _, r := range g.At(1, 1) {
		held[0], held[1] = held[0]+r.Bytes[0], held[1]+r.Bytes[1]
	}
	if held != [2]int64{8, 7} {
		t.Errorf("the groups hold %d, the totals are 8 and 7", held)
	}
	s, err := snapshot.Open(context.Background(), "../../testdata/sample.pickle.gz", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := breakdown.New(layout.New(s, s.FirstDevice(), layout.Options{}), 0, breakdown.Options{})
	notes := NewGroups(NewCode(a.Timeline, c.Timeline), a, c).Notes()
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "A is a memory timeline") }) {
		t.Errorf("notes %q", notes)
	}
}
