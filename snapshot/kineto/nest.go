package kineto

import (
	"cmp"
	"slices"
)

// overhang is how far a span may outlast the one around it: whole microseconds are cut off on both sides. What outlasts
// more ends with that one (profiler-files.md, rule D): its own end was missed.
const overhang = 1000

// A nest tells which spans of a kind lie within which, thread by thread.
type nest struct {
	t      *Trace
	of     map[uint32][]int32 // by thread: spans by start, longer ones first
	parent []int32            // by span: the one around it, of the same kind and thread; -1 without
}

// newNest sorts the spans of a kind. parent has room for all spans and is filled for those of the kind.
func newNest(t *Trace, kind Kind, parent []int32) *nest {
	n := &nest{t, map[uint32][]int32{}, parent}
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Kind == kind && !(kind == Frame && t.Threads[s.Thread].TID == "0") {
			n.of[s.Thread] = append(n.of[s.Thread], int32(i))
		}
	}
	order := func(a, b int32) int {
		x, y := &t.Spans[a], &t.Spans[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
	}
	for _, list := range n.of {
		if !slices.IsSortedFunc(list, order) {
			slices.SortStableFunc(list, order)
		}
		var open []int32
		for _, i := range list {
			s := &t.Spans[i]
			for len(open) > 0 && t.Spans[open[len(open)-1]].End < s.Start {
				open = open[:len(open)-1]
			}
			parent[i] = -1
			if len(open) > 0 {
				parent[i] = open[len(open)-1]
				if around := t.Spans[parent[i]].End; s.End > around+overhang {
					s.End = around
				}
			}
			open = append(open, i)
		}
	}
	return n
}

// A point is a moment of a thread.
type point struct {
	thread uint32
	time   int64
}

// at finds for each point the innermost span that holds it, -1 where there is none.
func (n *nest) at(points []point) []int32 {
	found := make([]int32, len(points))
	by := map[uint32][]int32{}
	for k, p := range points {
		found[k] = -1
		if n.of[p.thread] != nil {
			by[p.thread] = append(by[p.thread], int32(k))
		}
	}
	for thread, list := range by {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(points[a].time, points[b].time) })
		spans, next := n.of[thread], 0
		top := int32(-1)
		for _, k := range list {
			at := points[k].time
			for ; next < len(spans) && n.t.Spans[spans[next]].Start <= at; next++ {
				top = spans[next]
			}
			for top >= 0 && n.t.Spans[top].End < at {
				top = n.parent[top]
			}
			found[k] = top
		}
	}
	return found
}

// outermost is the outermost span around one, or itself; -1 of -1.
func (n *nest) outermost(span int32) int32 {
	for span >= 0 && n.parent[span] >= 0 {
		span = n.parent[span]
	}
	return span
}
