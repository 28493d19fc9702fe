package snapshot

import (
	"cmp"
	"slices"

	"strata/snapshot/kineto"
)

// tracks take the spans of a trace over into a snapshot, those that have something between two moments, in nanoseconds
// since the Unix epoch.
type tracks struct {
	s           *Snapshot
	t           *kineto.Trace
	intern      func(string) StringID
	first, last int64
	device      int32 // that annotations are of
}

// annotations takes the steps and the user's annotations, as they begin and end.
func (k *tracks) annotations() {
	for i := range k.t.Spans {
		sp := &k.t.Spans[i]
		if sp.Kind != kineto.Annotation || !k.within(sp) {
			continue
		}
		name := k.intern(clean(k.t.Text(sp.Text)))
		for _, start := range []bool{true, false} {
			at := sp.End
			if start {
				at = sp.Start
			}
			k.s.Annotations = append(k.s.Annotations, Annotation{Start: start, Name: name, Time: at / 1000,
				Device: k.device})
		}
	}
	slices.SortStableFunc(k.s.Annotations, func(x, y Annotation) int { return cmp.Compare(x.Time, y.Time) })
}

// spans takes all spans of the trace, thread by thread as they begin.
func (k *tracks) spans() {
	t, sp, threads := k.t, &k.s.Spans, uint32(len(k.s.Threads))
	for i := range t.Threads {
		th := &t.Threads[i]
		k.s.Threads = append(k.s.Threads, Thread{PID: clean(th.PID), TID: clean(th.TID), Name: clean(th.Name)})
	}
	var order []int32
	for i := range t.Spans {
		if k.within(&t.Spans[i]) {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &t.Spans[a], &t.Spans[b]
		return cmp.Or(cmp.Compare(x.Thread, y.Thread), cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
	})
	name := make([]StringID, len(t.Texts)) // by text, + 1
	intern := func(text uint32) StringID {
		if name[text] == 0 {
			name[text] = k.intern(clean(t.Text(text))) + 1
		}
		return name[text] - 1
	}
	var open []int32
	for _, i := range order {
		x := &t.Spans[i]
		for len(open) > 0 && (sp.Thread[open[len(open)-1]] != threads+x.Thread || sp.End[open[len(open)-1]] < x.Start) {
			open = open[:len(open)-1]
		}
		parent := int32(-1)
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		open = append(open, int32(len(sp.Name)))
		op := kineto.Op{Sequence: kineto.None}
		if x.Op >= 0 {
			op = t.Ops[x.Op]
		}
		sp.Name, sp.Kind = append(sp.Name, intern(x.Text)), append(sp.Kind, SpanKind(x.Kind))
		sp.Thread, sp.Parent = append(sp.Thread, threads+x.Thread), append(sp.Parent, parent)
		sp.Start, sp.End = append(sp.Start, x.Start), append(sp.End, x.End)
		sp.Sequence, sp.Shapes = append(sp.Sequence, op.Sequence), append(sp.Shapes, intern(op.Shapes))
	}
}

// within reports whether a span is wanted.
func (k *tracks) within(s *kineto.Span) bool { return s.End >= k.first && s.Start <= k.last }

// WithTrace is the snapshot with the annotations and spans of a trace, as far as they lie between two moments, in
// nanoseconds since the Unix epoch. The snapshot stays as it is.
func (s *Snapshot) WithTrace(t *kineto.Trace, first, last int64) *Snapshot {
	c := *s
	c.Strings, c.Annotations, c.Threads = slices.Clip(s.Strings), slices.Clip(s.Annotations), slices.Clip(s.Threads)
	sp := &c.Spans
	sp.Name, sp.Kind, sp.Thread, sp.Parent = slices.Clip(sp.Name), slices.Clip(sp.Kind), slices.Clip(sp.Thread),
		slices.Clip(sp.Parent)
	sp.Start, sp.End, sp.Sequence, sp.Shapes = slices.Clip(sp.Start), slices.Clip(sp.End), slices.Clip(sp.Sequence),
		slices.Clip(sp.Shapes)
	known := make(map[string]StringID, len(c.Strings))
	for id, text := range c.Strings {
		known[text] = StringID(id)
	}
	device := int32(0)
	if d := s.FirstDevice(); d != nil {
		device = int32(d.Index)
	}
	k := tracks{s: &c, t: t, first: first, last: last, device: device, intern: func(text string) StringID {
		id, is := known[text]
		if !is {
			id = StringID(len(c.Strings))
			c.Strings = append(c.Strings, text)
			known[text] = id
		}
		return id
	}}
	k.annotations()
	k.spans()
	return &c
}
