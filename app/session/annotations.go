package session

import (
	"context"
	"sort"
	"time"

	"strata/layout"
	"strata/layout/units"
	"strata/widgets/describe"
)

// newLane pairs and places the annotations of a device. Many take some time.
func newLane(t *layout.Timeline, choice layout.Choice) *describe.Annotations {
	phases, err := layout.NewPhases(t, choice)
	if err != nil { // of a filter from the command line; those that are typed are checked
		phases = layout.AllPhases(t)
	}
	return describe.NewAnnotations(t, phases)
}

// Annotations returns which annotations are wanted.
func (s *Session) Annotations() layout.Choice { return s.annotations }

// SetAnnotations shows other annotations. The error is that of a filter that cannot be read; nothing changes then.
func (s *Session) SetAnnotations(choice layout.Choice) error {
	if _, err := layout.MatchNames(choice.Filter); err != nil {
		return err
	}
	if choice != s.annotations {
		s.annotations = choice
		s.showAnnotations()
	}
	return nil
}

// showAnnotations finds and shows the annotations that are wanted.
func (s *Session) showAnnotations() {
	doc := s.Doc
	if doc == nil {
		return
	}
	t, choice := doc.Stage.Timeline, s.annotations
	s.all.Background.Go(func(context.Context) func() {
		lane := newLane(t, choice)
		return func() {
			if s.Doc == doc && doc.Stage.Timeline == t && s.annotations == choice {
				fresh := *doc.Stage
				fresh.Lane, fresh.annotations = lane, choice
				doc.Stage = &fresh
				s.Annotation = describe.NoPhase
			}
		}
	})
}

// NextAnnotation goes to the annotation so many after the current one, or before it if negative. Without a current one
// it begins with the first that begins in view.
func (s *Session) NextAnnotation(by int32, now time.Time) {
	lane, current := s.Doc.Stage.Lane, s.Annotation
	last := int32(len(lane.Phases.All)) - 1
	if current == describe.NoPhase {
		current = int32(sort.Search(int(last)+1, func(i int) bool { // they are in the order of their begins
			x0, _ := lane.Bars[s.View.Axis].Span(int32(i))
			return x0 >= s.View.X0
		}))
		by = min(by, 0)
	}
	current += by
	if current < 0 || current > last {
		s.Say("No more annotations")
		current = min(max(current, 0), last)
	}
	s.showAnnotation(current, now)
}

// How small a part of the view an annotation may be when one goes to it, and how large it is made then.
const (
	minAnnotationPart  = 1. / 50
	goodAnnotationPart = 1. / 4
)

// showAnnotation makes an annotation the current one and brings it into view.
func (s *Session) showAnnotation(i int32, now time.Time) {
	s.Annotation = i
	lane, v := s.Doc.Stage.Lane, s.View
	x0, x1 := lane.Bars[v.Axis].Span(i)
	width := v.X1 - v.X0
	if x1-x0 < width*minAnnotationPart {
		width = max((x1-x0)/goodAnnotationPart, min(width, 64))
	}
	switch {
	case x1-x0 > width*.9: // larger than the view: its begin
		if x0 < v.X0 || x0 > v.X1 {
			v.X0 = x0 - width*.1
		}
	case x0 < v.X0 || x1 > v.X1 || width != v.X1-v.X0:
		v.X0 = (x0+x1)/2 - width/2
	}
	v.X1 = v.X0 + width
	s.Look(v, now)
	begin, _ := s.phaseEdges(i)
	s.ChooseMoment(begin)
	all := lane.Phases.All
	s.Say("annotation " + units.Count(int64(i)+1) + " of " + units.Count(int64(len(all))) + ": " + all[i].Name)
}

// ZoomToAnnotation makes an annotation the current one and zooms to it.
func (s *Session) ZoomToAnnotation(i int32, now time.Time) {
	s.Annotation = i
	v := s.View
	x0, x1 := s.Doc.Stage.Lane.Bars[v.Axis].Span(i)
	margin := (x1 - x0) * .04
	if x1 <= x0 {
		margin = (v.X1 - v.X0) / 16
	}
	v.X0, v.X1 = x0-margin, x1+margin
	s.fit(v, now)
}
