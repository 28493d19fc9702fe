package app

import (
	"image"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/units"
	"strata/widgets"
)

// annotationChoice says which annotations are shown.
type annotationChoice struct {
	all    bool   // the framework's own too
	filter string // for layout.MatchNames; one that it accepts
}

// annotations is which annotations are shown, and which of them is at hand.
type annotations struct {
	annotationChoice

	current int32 // that [ and ] have come to, NoPhase if none
	here    int32 // in force under the pointer, NoPhase if none
	lines   []widgets.PhaseLine
	run     int // counts what was started, so that only the newest counts
}

// keep is what NewPhases keeps.
func (a annotationChoice) keep() func(string) bool {
	keep, err := layout.ChooseNames(a.all, a.filter)
	if err != nil { // not one that was set: those are checked
		keep = func(string) bool { return true }
	}
	return keep
}

// newLane pairs and places the annotations of a device; it takes some time
// where there are many.
func newLane(t *layout.Timeline, keep func(string) bool) *widgets.Annotations {
	return widgets.NewAnnotations(t, layout.NewPhases(t, keep))
}

// rephase shows the annotations that are wanted now.
func (w *window) rephase() {
	a, doc := &w.annotations, w.doc
	if doc == nil {
		return
	}
	a.run++
	t, run, st, choice := w.tab, a.run, doc.stage, a.annotationChoice
	w.work.Go(func() {
		lane := newLane(st.timeline, choice.keep())
		w.post(t, func() {
			if w.doc == doc && doc.stage.timeline == st.timeline && a.run == run {
				fresh := *doc.stage
				fresh.lane, fresh.phases, fresh.shows = lane, lane.Phases, choice
				doc.stage = &fresh
				a.current, a.here = widgets.NoPhase, widgets.NoPhase
			}
		})
	})
}

// toggleAnnotations shows or hides the framework's own annotations.
func (w *window) toggleAnnotations(giolayout.Context) {
	w.annotations.all = !w.annotations.all
	w.panels.lane.Filter.All = w.annotations.all
	w.rephase()
}

// filterAnnotations opens the lane's filter and gives it the focus.
func (w *window) filterAnnotations(gtx giolayout.Context) {
	w.panels.lane.Filter.Open = true
	gtx.Execute(key.FocusCmd{Tag: w.panels.lane.Filter.Tag()})
}

// closeFilter closes the lane's filter; what it filters stays filtered. It
// reports whether it was open.
func (w *window) closeFilter(gtx giolayout.Context) bool {
	was := w.panels.lane.Filter.Open
	w.panels.lane.Filter.Open = false
	if was {
		gtx.Execute(key.FocusCmd{})
	}
	return was
}

// updateLane reads what was done in the lane.
func (w *window) updateLane(gtx giolayout.Context) {
	e := w.panels.lane.Update(gtx, w.timeline(), w.view)
	if e.Changed {
		w.look(e.View, gtx.Now)
	}
	switch {
	case e.OpenFilter:
		w.filterAnnotations(gtx)
	case e.CloseFilter:
		w.closeFilter(gtx)
	case e.ToggleAll:
		w.toggleAnnotations(gtx)
	case e.Typed:
		_, err := layout.MatchNames(e.Text)
		w.panels.lane.Filter.Err = ""
		if err != nil {
			w.panels.lane.Filter.Err = err.Error()
		} else if w.annotations.filter != e.Text {
			w.annotations.filter = e.Text
			w.rephase()
		}
	}
	if e.Phase != widgets.NoPhase {
		w.goToPhase(gtx, e.Phase)
	}
}

// composeLane finds out what the lane and the timeline show of phases.
func (w *window) composeLane(gtx giolayout.Context, p *places) {
	a, lane := &w.annotations, w.doc.stage.lane
	w.panels.lane.Prepare(gtx, lane, w.view, p.gutter, w.panels.timeline.Plot().Dx())
	a.here = widgets.NoPhase
	if at, ok := w.panels.timeline.Pointer(); ok && w.timeline().HasTime() {
		x := w.view.XAt(float64(at.X)+.5, w.panels.timeline.Plot().Dx())
		a.here = lane.Phases.IndexAt(w.timeline().TimeAt(w.view.Axis, x))
	}
	a.lines = a.lines[:0]
	if !p.lane.Empty() {
		a.lines = w.panels.lane.Lines(gtx, a.lines, w.theme, lane, w.view, a.current, w.panels.lane.Hovered())
	}
	w.panels.timeline.Limits.Lines = a.lines
}

// hereName is the name of the phase in force under the pointer, "" if none.
func (w *window) hereName() string {
	if w.doc == nil || w.annotations.here == widgets.NoPhase {
		return ""
	}
	return w.doc.stage.phases.All[w.annotations.here].Name
}

func (w *window) hasPhases() bool { return w.doc != nil && len(w.doc.stage.phases.All) > 0 }
func (w *window) hasAnnotations() bool {
	return w.doc != nil && w.doc.stage.lane.Total > 0
}

// nextPhase goes on to the annotation after the current one, or before it; the
// first one is the first that begins in view.
func nextPhase(by int32) func(*window, giolayout.Context) {
	return func(w *window, gtx giolayout.Context) {
		lane, current := w.doc.stage.lane, w.annotations.current
		last := int32(len(lane.Phases.All)) - 1
		if current == widgets.NoPhase {
			for next := int32(0); next <= last; next++ {
				if x0, _ := lane.Bars[w.view.Axis].Span(next); x0 >= w.view.X0 {
					current = next
					if by < 0 {
						current--
					}
					break
				}
				current = next
			}
		} else {
			current += by
		}
		if current < 0 || current > last {
			w.say("No more annotations")
			current = min(max(current, 0), last)
		}
		w.showPhase(gtx, current)
	}
}

// How small a part of the view a phase may be when one goes to it, and how
// large it is made then.
const (
	leastPhase  = 1. / 50
	phaseInView = 1. / 4
)

// showPhase makes a phase the current one and brings it into view.
func (w *window) showPhase(gtx giolayout.Context, phase int32) {
	w.annotations.current = phase
	lane, v := w.doc.stage.lane, w.view
	w.panels.lane.ShowLevel(lane.Phases.All[phase].Depth)
	x0, x1 := lane.Bars[v.Axis].Span(phase)
	width := v.X1 - v.X0
	if x1-x0 < width*leastPhase {
		width = max((x1-x0)/phaseInView, min(width, 64))
	}
	switch {
	case x1-x0 > width*.9: // larger than the view: its START
		if x0 < v.X0 || x0 > v.X1 {
			v.X0 = x0 - width*.1
		}
	case x0 < v.X0 || x1 > v.X1 || width != v.X1-v.X0:
		v.X0 = (x0+x1)/2 - width/2
	}
	v.X1 = v.X0 + width
	w.look(v, gtx.Now)
	ph := &lane.Phases.All[phase]
	w.say("annotation " + units.Count(int64(phase)+1) + " of " + units.Count(int64(len(lane.Phases.All))) + ": " + ph.Name)
}

// goToPhase zooms to a phase.
func (w *window) goToPhase(gtx giolayout.Context, phase int32) {
	w.annotations.current = phase
	v := w.view
	x0, x1 := w.doc.stage.lane.Bars[v.Axis].Span(phase)
	margin := (x1 - x0) * .04
	if x1 <= x0 {
		margin = (v.X1 - v.X0) / 16
	}
	v.X0, v.X1 = x0-margin, x1+margin
	w.look(v.Clamp(w.timeline()).FitY(w.timeline()), gtx.Now)
}

// arrangeLane takes the lane's place off the timeline's.
func (w *window) arrangeLane(gtx giolayout.Context, p *places) {
	if w.doc == nil {
		return
	}
	height := w.panels.lane.Height(gtx, w.doc.stage.lane)
	if height == 0 || p.timeline.Dy()-height < gtx.Dp(leastHeight) {
		return
	}
	top := p.timeline.Min.Y
	if !p.mapEdge.Empty() {
		top -= gtx.Dp(2)
	}
	p.lane = image.Rect(0, top, p.timeline.Max.X, top+height)
	p.timeline.Min.Y = p.lane.Max.Y
}

// leastHeight is how much of the timeline the lane leaves, dp.
const leastHeight = 140

func (w *window) drawLane(gtx giolayout.Context, p *places) {
	in(gtx, p.lane, func(gtx giolayout.Context) {
		w.panels.lane.Layout(gtx, w.theme, w.doc.stage.lane, w.annotations.current, w.annotations.here)
	})
}

func (w *window) drawLaneTooltip(gtx giolayout.Context, p *places) {
	if w.doc == nil || p.lane.Empty() || w.panels.menu.Showing() {
		return
	}
	w.panels.lane.LayoutTooltip(gtx, w.theme, p.lane.Min, w.timeline(), w.doc.stage.lane, w.view.Axis)
}

// staged follows a device that was laid out: the choice of annotations may
// have changed meanwhile.
func (w *window) staged() {
	st := w.doc.stage
	w.annotations.current, w.annotations.here = widgets.NoPhase, widgets.NoPhase
	w.panels.timeline.Limits.OOMs = st.ooms
	if st.shows != w.annotations.annotationChoice {
		w.rephase()
	}
}
