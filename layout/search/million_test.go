package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// invented is a trace of allocs, each from a stack of its own as far as there are enough of them, of which most are
// freed soon.
func invented(allocs, stacks, frames int) *layout.Timeline {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &snapshot.Snapshot{Strings: []string{""}, Streams: []int64{0, 7}, Pools: []snapshot.Pool{{}, {}, {A: 0, B: 7}},
		Metas: []snapshot.Meta{{}, {Pool: 1}, {Pool: 2}}}
	s.Frames.Name, s.Frames.File, s.Frames.Line = []snapshot.StringID{0}, []snapshot.StringID{0}, []int32{0}
	const deep = 20
	for i := range frames {
		s.Strings = append(s.Strings, fmt.Sprintf("function_%d", i), fmt.Sprintf("/srv/train/module_%d.py", i/10))
		s.Frames.Name = append(s.Frames.Name, snapshot.StringID(2*i+1))
		s.Frames.File = append(s.Frames.File, snapshot.StringID(2*i+2))
		s.Frames.Line = append(s.Frames.Line, int32(i))
	}
	s.Stacks.Start, s.Stacks.Site = []uint32{0, 0}, []snapshot.FrameID{0}
	for i := range stacks {
		for d := range deep {
			s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(1+(i*7919+d*104729)%frames))
		}
		s.Stacks.Start = append(s.Stacks.Start, uint32(len(s.Stacks.Frame)))
		s.Stacks.Site = append(s.Stacks.Site, s.Stacks.Frame[len(s.Stacks.Frame)-deep])
	}
	e := &snapshot.Events{}
	add := func(a snapshot.Action, addr uint64, size int64, stack int) {
		e.Action, e.Addr, e.Size = append(e.Action, a), append(e.Addr, addr), append(e.Size, size)
		e.Stream, e.Stack = append(e.Stream, snapshot.StreamID(addr>>9&1)), append(e.Stack, snapshot.StackID(stack))
		e.Meta = append(e.Meta, snapshot.MetaID(addr>>10%3))
		e.Time = append(e.Time, 1_700_000_000_000_000+int64(len(e.Time))*13)
	}
	var live []int
	sizeOf := func(i int) int64 { return 512 << (i % 12) }
	for i := range allocs {
		add(snapshot.ActionAlloc, uint64(i+1)<<9, sizeOf(i), 1+i%stacks)
		if live = append(live, i); len(live) > 50 && rng.IntN(100) > 0 {
			k := rng.IntN(len(live))
			add(snapshot.ActionFreeCompleted, uint64(live[k]+1)<<9, sizeOf(live[k]), 0)
			live[k] = live[len(live)-1]
			live = live[:len(live)-1]
		}
	}
	for i := 0; i < len(e.Time); i += 1000 {
		for k, name := range []string{"## forward ##", "## backward ##"} {
			id := snapshot.StringID(len(s.Strings))
			s.Strings = append(s.Strings, name)
			s.Annotations = append(s.Annotations, snapshot.Annotation{Start: true, Name: id,
				Time: e.Time[i] + int64(k)*6000}, snapshot.Annotation{Name: id, Time: e.Time[i] + int64(k)*6000 + 5000})
		}
	}
	s.Devices = []snapshot.Device{{Events: *e}}
	return layout.New(s, &s.Devices[0], layout.Options{})
}

// BenchmarkMillionStacks searches allocations that each have a stack of their own.
func BenchmarkMillionStacks(b *testing.B) { benchKeystrokes(b, invented(1_000_000, 1_000_000, 20_000)) }

// TestInParts: what is found on two cores is what is found on one.
func TestInParts(t *testing.T) {
	tl := invented(70_000, 500, 700)
	s := New(tl)
	for _, text := range []string{"", "function_123", "-function_1", "size>=1MiB", "live>1ms", "stream:7", "-pool:0,7",
		"phase:backward", "-phase:forward size<1MiB", "never-freed", "addr:7f", "zzz"} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r := find(t, s, text)
		// The same with the terms one by one, each allocation by itself.
		count := 0
		texts := map[snapshot.StackID]bool{} // looked at once: there are few
		for id := range layout.ID(len(tl.Size)) {
			want := true
			for i := range q.terms {
				want = want && holdsFor(t, s, &q.terms[i], id, texts)
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
func holdsFor(t *testing.T, s *Searcher, x *term, id layout.ID, texts map[snapshot.StackID]bool) bool {
	tl := s.t
	a := tl.At(id)
	is := false
	switch x.kind {
	case inFrames:
		var known bool
		if is, known = texts[a.Stack]; !known {
			for _, f := range tl.Snapshot.Stacks.Of(a.Stack) {
				is = is || x.holds(FrameText(tl.Snapshot, f))
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
		for _, p := range s.phases().All {
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
