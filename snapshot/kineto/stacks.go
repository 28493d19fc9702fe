package kineto

import (
	"slices"
	"strings"
)

// Stacks tell who asked for memory: for every event of Trace.Memory the operators, Python frames and annotations at
// that moment, and for backward operators those of the forward pass (profiler-files.md, section 1.5).
type Stacks struct {
	t                  *Trace
	ops, frames, notes *nest
	op, frame, note    []int32  // by event: the innermost span, -1 without
	forward            []origin // by event
	main               map[string]uint32
	parent             []int32
}

// An origin is where an event comes from that is in no Python frame of its own thread.
type origin struct {
	op       int32 // the operator of the forward pass, -1 if unknown
	frame    int32 // the innermost Python frame there
	backward int32 // and that in the main thread at the moment of the event
}

// NewStacks finds the spans around each memory event.
func NewStacks(t *Trace) *Stacks {
	s := &Stacks{t: t, parent: make([]int32, len(t.Spans)), main: map[string]uint32{}}
	s.ops, s.frames = newNest(t, OpSpan, s.parent), newNest(t, Frame, s.parent)
	s.notes = newNest(t, Annotation, s.parent)
	points := make([]point, len(t.Memory))
	for i := range t.Memory {
		points[i] = point{t.Memory[i].Thread, t.Memory[i].Time}
	}
	s.op, s.frame, s.note = s.ops.at(points), s.frames.at(points), s.notes.at(points)
	for thread, list := range s.frames.of {
		pid := t.Threads[thread].PID
		if main, is := s.main[pid]; !is || len(list) > len(s.frames.of[main]) ||
			len(list) == len(s.frames.of[main]) && thread < main {
			s.main[pid] = thread
		}
	}
	s.findForward(points)
	s.findNotes(points)
	return s
}

// findNotes takes for threads without annotations those of their process's main thread.
func (s *Stacks) findNotes(points []point) {
	busiest := map[string]uint32{}
	for thread, list := range s.notes.of {
		pid := s.t.Threads[thread].PID
		if b, is := busiest[pid]; !is || len(list) > len(s.notes.of[b]) ||
			len(list) == len(s.notes.of[b]) && thread < b {
			busiest[pid] = thread
		}
	}
	var asked []int32
	var others []point
	for i, p := range points {
		if main, is := busiest[s.t.Threads[p.thread].PID]; is && s.notes.of[p.thread] == nil {
			asked, others = append(asked, int32(i)), append(others, point{main, p.time})
		}
	}
	for k, note := range s.notes.at(others) {
		s.note[asked[k]] = note
	}
}

// findForward finds for the events without Python frames the operator of the forward pass: by an arrow to one of their
// operators, else by its sequence number.
func (s *Stacks) findForward(points []point) {
	t := s.t
	from := s.arrows()
	sequence := s.sequences()
	first := map[point]int32{} // by start: the operator that ends first
	for thread, list := range s.ops.of {
		for _, i := range list {
			p := point{thread, t.Spans[i].Start}
			if was, is := first[p]; !is || t.Spans[i].End < t.Spans[was].End {
				first[p] = i
			}
		}
	}
	s.forward = make([]origin, len(t.Memory))
	var asked []int32
	var starts, moments []point
	for i := range t.Memory {
		o := &s.forward[i]
		*o = origin{-1, -1, -1}
		if s.frame[i] >= 0 {
			continue
		}
		start := point{}
		for op := s.op[i]; op >= 0 && o.op < 0; op = s.parent[op] {
			span := &t.Spans[op]
			if source, is := from[point{span.Thread, span.Start}]; is {
				if fwd, known := first[source]; known {
					o.op, start = fwd, source
				}
			} else if fwd, is := sequence[s.sequenceOf(op)]; is && t.Spans[fwd].Thread != span.Thread {
				o.op, start = fwd, point{t.Spans[fwd].Thread, t.Spans[fwd].Start}
			}
		}
		main, is := s.main[t.Threads[points[i].thread].PID]
		if !is || main == points[i].thread {
			continue
		}
		if o.op < 0 && s.op[i] < 0 {
			continue // nothing ties it to the main thread
		}
		asked, starts = append(asked, int32(i)), append(starts, start)
		moments = append(moments, point{main, points[i].time})
	}
	frames, backward := s.frames.at(starts), s.frames.at(moments)
	for k, i := range asked {
		if s.forward[i].backward = backward[k]; s.forward[i].op >= 0 {
			s.forward[i].frame = frames[k]
		}
	}
}

// arrows tells for the start of a backward operator that of the forward one.
func (s *Stacks) arrows() map[point]point {
	begin := map[int64]point{}
	end := map[int64]point{}
	var ids []int64
	for _, f := range s.t.Flows {
		if f.Forward {
			begin[f.ID] = point{f.Thread, f.Time}
			continue
		}
		if _, is := end[f.ID]; !is {
			ids = append(ids, f.ID)
		}
		end[f.ID] = point{f.Thread, f.Time}
	}
	from := map[point]point{}
	for _, id := range ids {
		if source, is := begin[id]; is {
			from[end[id]] = source
		}
	}
	return from
}

// sequences tells which operator of the forward pass has a sequence number: the last of those that have it.
func (s *Stacks) sequences() map[int64]int32 {
	of := map[int64]int32{}
	for i := range s.t.Spans {
		span := &s.t.Spans[i]
		if span.Op < 0 {
			continue
		}
		op := &s.t.Ops[span.Op]
		if op.Sequence == None || op.Sequence < 0 || op.Forward > 0 {
			continue
		}
		if was, is := of[op.Sequence]; !is || span.Start >= s.t.Spans[was].Start {
			of[op.Sequence] = int32(i)
		}
	}
	return of
}

// sequenceOf is the sequence number of a backward operator, -2 if it is none.
func (s *Stacks) sequenceOf(span int32) int64 {
	if op := s.t.Spans[span].Op; op >= 0 && s.t.Ops[op].Forward > 0 && s.t.Ops[op].Sequence >= 0 {
		return s.t.Ops[op].Sequence
	}
	return -2
}

// A Call is one entry of a stack.
type Call struct {
	Text   string
	Python bool // as "file.py(12): name", "nn.Module: Linear_3" or "<built-in …>"; else an operator or a heading
}

// Of returns the stack of a memory event, innermost first: the operators, then the Python frames that called them. An
// event of an autograd thread has in place of these the frames of the forward operator, and those of the main thread
// at that moment, each under a heading.
func (s *Stacks) Of(event int32) (calls []Call) {
	for op := s.op[event]; op >= 0; op = s.parent[op] {
		calls = append(calls, Call{Text: s.name(op)})
	}
	if s.frame[event] >= 0 {
		return s.python(calls, s.frame[event])
	}
	if all := s.callStack(calls, s.op[event]); len(all) > len(calls) {
		return all
	}
	o := s.forward[event]
	if o.op >= 0 {
		calls = s.python(append(calls, Call{Text: ForwardOf + s.name(o.op)}), o.frame)
		if o.frame < 0 {
			calls = s.callStack(calls, o.op)
		}
	}
	if o.backward >= 0 {
		calls = s.python(append(calls, Call{Text: CalledBy}), o.backward)
	}
	return calls
}

// Headings in stacks: what follows the first, the operator of the forward pass, is its stack; what follows the second
// is that of the main thread, which called backward.
const (
	ForwardOf = "forward of "
	CalledBy  = "backward called by"
)

func (s *Stacks) name(span int32) string { return s.t.Text(s.t.Spans[span].Text) }

// python appends the Python frames from one outwards.
func (s *Stacks) python(calls []Call, frame int32) []Call {
	for ; frame >= 0; frame = s.parent[frame] {
		calls = append(calls, Call{s.name(frame), true})
	}
	return calls
}

// callStack appends the Python stack that an operator has in files of before 1.11, or one around it.
func (s *Stacks) callStack(calls []Call, op int32) []Call {
	for ; op >= 0; op = s.parent[op] {
		i := s.t.Spans[op].Op
		if i < 0 || s.t.Ops[i].Stack == 0 {
			continue
		}
		for line := range strings.SplitSeq(s.t.Text(s.t.Ops[i].Stack), ";") {
			if line = strings.TrimSpace(line); line != "" {
				calls = append(calls, Call{line, true})
			}
		}
		break
	}
	return calls
}

// Key tells stacks apart: events with equal keys have equal stacks.
func (s *Stacks) Key(event int32) [4]int32 {
	o := s.forward[event]
	return [4]int32{s.op[event], s.frame[event], o.op, o.backward}
}

// Op is the outermost operator of an event, "" without.
func (s *Stacks) Op(event int32) string {
	if op := s.ops.outermost(s.op[event]); op >= 0 {
		return s.name(op)
	}
	return ""
}

// Module is the innermost torch.nn.Module of an event, such as "Linear_3": of the forward pass, if that is where it
// comes from; "" without.
func (s *Stacks) Module(event int32) string {
	for _, frame := range []int32{s.frame[event], s.forward[event].frame} {
		for ; frame >= 0; frame = s.parent[frame] {
			if name, is := strings.CutPrefix(s.name(frame), "nn.Module: "); is {
				return name
			}
		}
	}
	return ""
}

// Step is the step of the profiler that an event is in, such as "ProfilerStep#3"; "" without.
func (s *Stacks) Step(event int32) string {
	for note := s.note[event]; note >= 0; note = s.parent[note] {
		if name := s.name(note); strings.HasPrefix(name, stepPrefix) {
			return name
		}
	}
	return ""
}

// Notes are the annotations around an event, outermost first.
func (s *Stacks) Notes(event int32) (names []string) {
	for note := s.note[event]; note >= 0; note = s.parent[note] {
		names = append(names, s.name(note))
	}
	slices.Reverse(names)
	return names
}
