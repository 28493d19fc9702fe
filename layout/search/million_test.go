package search

import (
	"math/rand/v2"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/snapshot"
)

// invented is a trace of allocs, each from a stack of its own as far as there are enough of them, on two streams and
// in pools, with phases.
func invented(allocs, stacks, functions int) *layout.Timeline {
	t := traces.Shuffled(rand.New(rand.NewPCG(3, 4)), allocs, 50, func(i int) int64 { return 512 << (i % 12) })
	t.Sites = stacks
	e := &t.Events
	for i, addr := range e.Addr {
		e.Stream[i] = snapshot.StreamID(addr >> 9 & 1)
		e.Meta = append(e.Meta, snapshot.MetaID(addr>>10%3))
		e.Stack[i] = snapshot.StackID(1 + i/3%stacks)
	}
	s := t.Deep(functions)
	s.Streams, s.Pools = []int64{0, 7}, []snapshot.Pool{{}, {}, {A: 0, B: 7}}
	s.Metas = []snapshot.Meta{{}, {Pool: 1}, {Pool: 2}}
	for i := 0; i < len(e.Time); i += 1000 {
		for k, name := range []string{"## forward ##", "## backward ##"} {
			id, at := snapshot.StringID(len(s.Strings)), e.Time[i]+int64(k)*6000
			s.Strings = append(s.Strings, name)
			s.Annotations = append(s.Annotations,
				snapshot.Annotation{Start: true, Name: id, Time: at}, snapshot.Annotation{Name: id, Time: at + 5000})
		}
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}

// BenchmarkMillionStacks searches allocations that each have a stack of their own.
func BenchmarkMillionStacks(b *testing.B) { benchKeystrokes(b, invented(1_000_000, 1_000_000, 20_000)) }

// TestLarge: what is found in a large trace is what the terms say one by one.
func TestLarge(t *testing.T) {
	tl := invented(70_000, 500, 700)
	phases := layout.AllPhases(tl).All
	for _, text := range []string{"", "function_123", "-function_1", "size>=1MiB", "live>1ms", "stream:7", "-pool:0,7",
		"phase:backward", "-phase:forward size<1MiB", "never-freed", "addr:7f", "zzz"} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r := find(t, tl, text)
		// The same with the terms one by one, each allocation by itself.
		count := 0
		texts := map[snapshot.StackID]bool{} // looked at once: there are few
		for id := range layout.ID(len(tl.Size)) {
			want := true
			for i := range q.terms {
				want = want && holdsFor(t, tl, phases, &q.terms[i], id, texts)
			}
			if want {
				count++
			}
			if r.Matches.Has(id) != want {
				t.Fatalf("%q: allocation %d: %v", text, id, !want)
			}
		}
		if r.Count != count || r.Matches.Next(layout.ID(len(tl.Size))) != layout.None {
			t.Errorf("%q: %d found, want %d", text, r.Count, count)
		}
		compareTotals(t, r)
	}
}

// holdsFor is whether a term holds for an allocation, worked out from At.
func holdsFor(
	t *testing.T, tl *layout.Timeline, phases []layout.Phase, x *term, id layout.ID, texts map[snapshot.StackID]bool,
) bool {
	a := tl.At(id)
	is := false
	switch x.kind {
	case inFrames:
		var known bool
		if is, known = texts[a.Stack]; !known {
			for _, f := range tl.Snapshot.Stacks.Of(a.Stack) {
				is = is || x.holds(tl.Snapshot.FrameText(f))
			}
			texts[a.Stack] = is
		}
	case bySize:
		is = a.Size >= x.least && a.Size <= x.most
	case byLife:
		l := Lifetime(tl, id)
		is = l >= x.least && l <= x.most
	case byStream:
		is = tl.Snapshot.Streams[a.Stream] == x.least
	case byPool:
		is = a.Pool != 0 && tl.Snapshot.Pools[a.Pool] == x.pool
	case byPhase:
		at := tl.TimeOf(int(tl.Birth[id] - 1))
		for _, p := range phases {
			is = is || x.holds(p.Name) && at >= p.Start && at <= p.End
		}
	case neverFreed:
		is = a.NeverFreed
	case byAddr:
		is = x.atAddress(a.Addr, a.Size)
	default:
		t.Fatalf("no such term: %v", x)
	}
	return is != x.not
}
