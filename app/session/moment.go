package session

import (
	"context"
	"slices"
	"time"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/explain"
	"strata/layout/state"
	"strata/widgets/describe"
)

// A playhead is the moment that is broken down, and the one it is compared with. The zero value is the peak of what is
// in view.
type playhead struct {
	of       *layout.Timeline
	chosen   bool
	compared bool
	at       breakdown.Moment
	against  breakdown.Moment // of compared
}

// Moment returns the moment that breakdowns are made for: the chosen one, else the peak of what is in view.
func (s *Session) Moment() breakdown.Moment {
	t := s.Timeline()
	if s.play.chosen && s.play.of == t {
		return s.play.at
	}
	return breakdown.After(max(0, t.Column(s.View.Axis, s.View.X0, s.View.X1).Step), "peak in view")
}

// MomentChosen reports whether Moment is chosen, not the peak of what is in view.
func (s *Session) MomentChosen() bool {
	return s.Doc != nil && s.play.chosen && s.play.of == s.Timeline()
}

// Against returns the moment that Moment is compared with; false where there is none.
func (s *Session) Against() (breakdown.Moment, bool) {
	return s.play.against, s.MomentChosen() && s.play.compared
}

// ChooseMoment breaks a moment down, whatever is in view.
func (s *Session) ChooseMoment(m breakdown.Moment) {
	s.play = playhead{of: s.Timeline(), chosen: true, at: m}
}

// Compare breaks down how a moment, at, differs from another one.
func (s *Session) Compare(against, at breakdown.Moment) {
	s.play = playhead{of: s.Timeline(), chosen: true, compared: true, at: at, against: against}
}

// FollowView breaks down the peak of what is in view again; it reports whether that changes anything.
func (s *Session) FollowView() bool {
	was := s.MomentChosen()
	s.play = playhead{}
	return was
}

// MomentAt returns the moment at a place of the axis.
func (s *Session) MomentAt(x float64) breakdown.Moment {
	return breakdown.AtPlace(s.Timeline(), s.View.Axis, x)
}

// GoToMoment chooses a moment and brings it into view. It does not zoom.
func (s *Session) GoToMoment(m breakdown.Moment, now time.Time) {
	s.ChooseMoment(m)
	x, v := s.Timeline().X(s.View.Axis, m.State), s.View
	if x < v.X0 || x > v.X1 {
		width := v.X1 - v.X0
		v.X0 = x - width/2
		v.X1 = v.X0 + width
		s.Look(v, now)
	}
}

// NextOOM goes to the next request that ran out of memory behind the moment, around the end, and pins it.
func (s *Session) NextOOM(now time.Time) {
	ooms, state := s.Doc.Stage.OOMs, s.Moment().State
	if len(ooms) == 0 {
		s.Say("The device never ran out of memory")
		return
	}
	next := 0
	if s.Failed != nil {
		state = s.Failed.State
	}
	for i, o := range ooms {
		if o.State > state || s.Failed != nil && o.Event > s.Failed.Event {
			next = i
			break
		}
	}
	s.GoToOOM(next, now)
}

// why is the explanation of a request that failed.
type why struct {
	of    *layout.Timeline
	event int32
	found *describe.Reasons // nil while it is worked out
}

// Why explains the failed request that is pinned, nil while that is not known or none is. It is worked out on a
// goroutine from the allocator's state, which is not kept: it takes as much memory as the timeline.
func (s *Session) Why() *describe.Reasons {
	t := s.Timeline()
	if t == nil || s.Failed == nil || t.Snapshot.IsTrace() { // traces have no segments to explain it from
		return nil
	}
	want := why{of: t, event: s.Failed.Event}
	if s.why.of == want.of && s.why.event == want.event {
		return s.why.found
	}
	s.why = want
	capacity := s.all.Options.Capacity(t).Bytes
	var h *state.History
	if a := &s.allocator; a.of == t && a.held != nil {
		h = a.held.History
	}
	s.all.Background.Go(func(context.Context) func() {
		if h == nil {
			h = state.New(t.Snapshot, t.Device)
		}
		events := explain.Events(h)
		number := slices.IndexFunc(events, func(k int) bool { return h.Event(k) == int(want.event) })
		var found *describe.Reasons
		if number >= 0 {
			found = describe.Why(explain.Explain(h, events, number, capacity))
		}
		return func() {
			if s.why == want {
				s.why.found = found
			}
		}
	})
	return nil
}

// A NamedMoment is a moment, or a pair of them, in a menu.
type NamedMoment struct {
	Text, Detail string
	At           breakdown.Moment
	Against      *breakdown.Moment
}

// NamedMoments returns the moments of the run and of the current annotation that have names.
func (s *Session) NamedMoments() (moments, pairs []NamedMoment) {
	t := s.Timeline()
	start, peak, end := breakdown.After(0, "start"), breakdown.Peak(t), breakdown.End(t)
	moments = []NamedMoment{{Text: "Start", At: start}, {Text: "Peak of the run", At: peak}, {Text: "End", At: end}}
	if ooms := s.Doc.Stage.OOMs; len(ooms) > 0 {
		moments = append(moments, NamedMoment{Text: "Out of memory",
			At: breakdown.After(ooms[len(ooms)-1].State, "out of memory")})
	}
	pairs = []NamedMoment{{Text: "End against start", At: end, Against: &start},
		{Text: "Peak against start", At: peak, Against: &start}, {Text: "Peak against end", At: peak, Against: &end}}
	i := s.annotationHere()
	if i == describe.NoPhase {
		return moments, pairs
	}
	all := s.Doc.Stage.Lane.Phases.All
	name := all[i].Name
	begin, finish := s.phaseEdges(i)
	moments = append(moments, NamedMoment{Text: "Begin of " + name, At: begin},
		NamedMoment{Text: "End of " + name, At: finish})
	for k := i - 1; k >= 0; k-- {
		if all[k].Name == name {
			_, before := s.phaseEdges(k)
			pairs = append(pairs, NamedMoment{Text: "End of " + name + " against the one before", At: finish,
				Against: &before})
			break
		}
	}
	return moments, pairs
}

// annotationHere is the current annotation, else the innermost at the moment.
func (s *Session) annotationHere() int32 {
	if s.Annotation != describe.NoPhase {
		return s.Annotation
	}
	t, m := s.Timeline(), s.Moment()
	if !t.HasTime() || len(t.Actions) == 0 {
		return describe.NoPhase
	}
	return s.Doc.Stage.Lane.Phases.IndexAt(t.TimeOf(min(max(0, int(m.State)-1), len(t.Actions)-1)))
}

// phaseEdges are the states at which an annotation begins and ends.
func (s *Session) phaseEdges(i int32) (begin, end breakdown.Moment) {
	p := &s.Doc.Stage.Lane.Phases.All[i]
	_, lo, _ := s.Timeline().States(layout.Time, float64(p.Start), float64(p.Start)+1)
	_, _, hi := s.Timeline().States(layout.Time, float64(p.Start), float64(p.End)+1)
	return breakdown.After(max(0, lo), "begin of "+p.Name), breakdown.After(max(0, lo, hi), "end of "+p.Name)
}

// Lines says which lines of the allocator lie over the timeline.
type Lines uint8

// The choices of lines. Each has what the one before it has.
const (
	NoLines    Lines = iota
	OfReserved       // and marks where segments come and go
	OfAllocated
	Shaded // between the two
	LinesChoices
)

// String says what is shown.
func (l Lines) String() string {
	return [LinesChoices]string{"Nothing", "Reserved", "Reserved and allocated", "Both, and shaded between them"}[l]
}

// lines are those of a timeline. Until they are made curves and trades are those of the choice before.
type lines struct {
	of     *layout.Timeline
	want   Lines
	curves []*state.Curve
	trades []state.Trade
}

// Lines returns what is chosen to be seen of the allocator, and the lines that were laid over it. It is worked out on a
// goroutine from the allocator's history, which is not kept; until then the answer is what was chosen before.
func (s *Session) Lines(want Lines) ([]*state.Curve, []state.Trade) {
	t := s.Timeline()
	if s.lines.of == t && s.lines.want == want {
		return s.lines.curves, s.lines.trades
	}
	next := lines{of: t, want: want}
	if want == NoLines { // few, and soon made
		next.curves = state.SeriesCurves(t, false)
	} else if s.lines.of == t {
		next.curves, next.trades = s.lines.curves, s.lines.trades
	}
	s.setLines(next)
	if want != NoLines {
		s.all.Background.Go(func(context.Context) func() {
			h := state.New(t.Snapshot, t.Device)
			made := lines{t, want, []*state.Curve{state.NewCurve(h, t, state.Reserved)}, state.Trades(t)}
			if want >= OfAllocated && !t.Snapshot.IsTrace() { // whose stack is that line
				made.curves = append(made.curves, state.NewCurve(h, t, state.Allocated))
			}
			made.curves = append(made.curves, state.SeriesCurves(t, true)...)
			return func() {
				if s.Timeline() == t && s.lines.of == t && s.lines.want == want {
					s.setLines(made)
				}
			}
		})
	}
	return s.lines.curves, s.lines.trades
}

// setLines changes the lines. A view of the whole height stays one.
func (s *Session) setLines(l lines) {
	full := s.View.Y1 == s.WholeView().Y1
	s.lines = l
	s.extendView()
	if full {
		s.View.Y1 = s.WholeView().Y1
	}
}

// highestLine is the most bytes that a line shows, 0 without lines.
func (s *Session) highestLine() (bytes int64) {
	if s.lines.of == s.Timeline() {
		for _, c := range s.lines.curves {
			bytes = max(bytes, c.Peak)
		}
	}
	return bytes
}
