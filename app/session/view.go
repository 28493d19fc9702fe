package session

import (
	"context"
	"strings"
	"time"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/capacity"
	"strata/render"
	"strata/render/colour"
	"strata/render/picture"
	"strata/widgets/describe"
)

// Look changes the view and adds it to the history.
func (s *Session) Look(v render.View, now time.Time) {
	s.View = v.Clamp(s.Timeline())
	s.History.Add(s.View, now)
}

// Fit fits the height to what is visible, lines over the timeline included.
func (s *Session) Fit(now time.Time) { s.fit(s.View, now) }

// fit is Look with the height fitted to what is visible.
func (s *Session) fit(v render.View, now time.Time) {
	v = v.Clamp(s.Timeline()).FitY(s.Timeline())
	if s.lines.of == s.Timeline() {
		for _, c := range s.lines.curves {
			_, high := c.Column(v.Axis, v.X0, v.X1)
			v = v.Holding(high)
		}
	}
	s.Look(v, now)
}

// startView shows the whole of something that was not shown before.
func (s *Session) startView() {
	s.Pin(layout.None)
	s.play = playhead{}
	s.View.Axis = s.all.Options.Axis
	if !s.Timeline().HasTime() {
		s.View.Axis = layout.Events
	}
	s.View = s.WholeView()
	s.History.reset(s.View)
	s.Begun++
}

// limits are the memory limit, the offset and the lines that the view has to reach.
func (s *Session) limits() *describe.Limits {
	o := s.all.Options
	return &describe.Limits{Capacity: o.Capacity(s.Timeline()), Offset: o.Offset, Line: s.highestLine()}
}

// WholeView returns the view of the whole run, with the offset and the memory limit.
func (s *Session) WholeView() render.View {
	return s.limits().Whole(render.Whole(s.Timeline(), s.View.Axis))
}

// extendView lets the view reach the offset and the memory limit.
func (s *Session) extendView() { s.View = s.limits().Extend(s.View).Clamp(s.Timeline()) }

// changeLimits changes the memory limit or the offset. Views of the whole height stay views of the whole height, and
// those that reach down to the offset do so still.
func (all *Sessions) changeLimits(change func(*Sessions)) {
	type reach struct{ full, low bool }
	reaches := make([]reach, len(all.All))
	for i, s := range all.All {
		if s.Doc != nil {
			reaches[i] = reach{s.View.Y1 == s.WholeView().Y1, s.View.Y0 <= -float64(all.Options.Offset)}
		}
	}
	offset := all.Options.Offset
	change(all)
	for i, s := range all.All {
		if s.Doc == nil {
			continue
		}
		s.extendView()
		if reaches[i].full {
			s.View.Y1 = s.WholeView().Y1
		}
		if reaches[i].low && offset != all.Options.Offset {
			s.View.Y0 = -float64(all.Options.Offset)
		}
	}
}

// SetCapacity changes the memory limit that is drawn as a line, in all sessions; the zero value is none.
func (all *Sessions) SetCapacity(c capacity.Capacity) {
	all.changeLimits(func(all *Sessions) { all.Options.GPU = c })
}

// SetOffset changes the memory that is added to every total, in bytes, in all sessions.
func (all *Sessions) SetOffset(bytes int64) {
	all.changeLimits(func(all *Sessions) { all.Options.Offset = bytes })
}

// SetEntries draws at most so many allocations, 0 for all, in all sessions.
func (all *Sessions) SetEntries(n int) {
	if n != all.Options.MaxEntries {
		all.Options.MaxEntries = n
		all.Active.settle()
	}
}

// SetAxis changes the axis of all sessions that have it; it reports whether the active one does and had another one.
func (all *Sessions) SetAxis(axis layout.Axis, now time.Time) bool {
	changed := all.Active.showAxis(axis, now)
	if changed {
		all.Options.Axis = axis
	}
	return changed
}

// showAxis shows the same part of the run on an axis; it reports whether that changes anything.
func (s *Session) showAxis(axis layout.Axis, now time.Time) bool {
	t, v := s.Timeline(), s.View
	if t == nil || v.Axis == axis || axis == layout.Time && !t.HasTime() {
		return false
	}
	if whole := render.Whole(t, v.Axis); v.X0 <= whole.X0 && v.X1 >= whole.X1 {
		v.X0, v.X1 = 0, t.Extent(axis)
	} else {
		v.X0 = t.XOfTime(axis, t.TimeAt(v.Axis, v.X0))
		v.X1 = t.XOfTime(axis, t.TimeAt(v.Axis, v.X1))
	}
	v.Axis = axis
	if !(v.X1 > v.X0) { // all of it happened in one microsecond
		v.X1 = v.X0 + 1
	}
	s.Look(v, now)
	return true
}

// GoBack goes so many steps back through the history of views, or forward if negative; that must be possible.
func (s *Session) GoBack(steps int) {
	s.View = s.limits().Extend(s.History.move(-steps)).Clamp(s.Timeline())
}

// Pan moves the view by parts of its width and height.
func (s *Session) Pan(x, y float64, now time.Time) {
	v := s.View
	s.Look(v.Pan(x*(v.X1-v.X0), y*(v.Y1-v.Y0)), now)
}

// GoToPeak brings the highest point to the middle, fits the height, and breaks it down.
func (s *Session) GoToPeak(now time.Time) {
	s.GoToState(s.Timeline().PeakState, now)
	s.ChooseMoment(breakdown.Peak(s.Timeline()))
}

// GoToOOM pins a request that ran out of memory, an index into Stage.OOMs, and brings it to the middle.
func (s *Session) GoToOOM(i int, now time.Time) {
	failed := s.Doc.Stage.OOMs[i]
	s.Pin(layout.None)
	s.Failed = &failed
	s.allocator.event = -2
	s.ChooseMoment(breakdown.After(failed.State, "out of memory"))
	s.goToX(s.Timeline().XOfOOM(s.View.Axis, failed), now)
}

// GoToState brings a state of the timeline to the middle and fits the height.
func (s *Session) GoToState(state int32, now time.Time) {
	s.goToX(s.Timeline().X(s.View.Axis, state), now)
}

// goToX brings a place of the axis to the middle and fits the height.
func (s *Session) goToX(x float64, now time.Time) {
	t, v := s.Timeline(), s.View
	half := (v.X1 - v.X0) / 2
	if whole := render.Whole(t, v.Axis); half*2 >= whole.X1-whole.X0 {
		half /= 8 // in the view of the whole run nothing would move: zoom in
	}
	v.X0, v.X1 = x-half, x+half
	s.fit(v, now)
}

// ShowPinned moves the view so that the pinned allocation is in it, or of a long one a part. It does not zoom.
func (s *Session) ShowPinned(now time.Time) {
	t, id := s.Timeline(), s.Pinned
	x0, x1 := t.Span(id, s.View.Axis)
	v := s.View
	width := v.X1 - v.X0
	switch inView := min(x1, v.X1) - max(x0, v.X0); {
	case inView >= min(x1-x0, width/20):
	case x1-x0 > width*.9: // its begin
		v.X0 = x0 - width*.1
	default:
		v.X0 = (x0+x1)/2 - width/2
	}
	v.X1 = v.X0 + width
	if bottom, top, ok := s.HeightOf(id, v.X0, v.X1); ok && (top > v.Y1 || bottom < v.Y0) {
		v = centred(v, (bottom+top)/2, v.Y1-v.Y0)
	}
	s.Look(v, now)
}

// centred returns a view with other bytes in it: height bytes around middle, moved up where that is below everything.
func centred(v render.View, middle, height float64) render.View {
	v.Y0, v.Y1 = middle-height/2, middle+height/2
	if v.Y0 < -v.Below {
		v.Y0, v.Y1 = -v.Below, height-v.Below
	}
	return v
}

// HeightOf returns where an allocation lies, in bytes, in the middle of its life within a part of the axis.
func (s *Session) HeightOf(id layout.ID, from, to float64) (bottom, top float64, ok bool) {
	t := s.Timeline()
	x0, x1 := t.Span(id, s.View.Axis)
	middle := (max(x0, from) + min(x1, to)) / 2
	at, ok := t.Offset(id, t.Column(s.View.Axis, middle, middle))
	if !ok { // as at the very end of its life
		at, ok = t.Offset(id, layout.Moment{Step: t.Birth[id]})
	}
	return float64(at), float64(at + t.Size[id]), ok
}

// ZoomTo pins an allocation and shows it from its beginning to its end, with some of what is below and above it.
func (s *Session) ZoomTo(id layout.ID, now time.Time) {
	t := s.Timeline()
	s.Pin(id)
	x0, x1 := t.Span(id, s.View.Axis)
	margin := max((x1-x0)*.1, 1)
	v := s.View
	v.X0, v.X1 = x0-margin, x1+margin
	last := min(t.Death[id]-1, int32(len(t.Actions)))
	high, okHigh := t.Offset(id, layout.Moment{Step: t.Birth[id]})
	low, okLow := t.Offset(id, layout.Moment{Step: last})
	if okHigh && okLow { // frees below it move it down, nothing moves it up
		extent := float64(high + t.Size[id] - low)
		height := max(float64(t.Size[id])*6, extent*1.2, float64(t.PeakBytes)/64)
		v = centred(v, float64(low)+extent/2, height)
	}
	s.Look(v, now)
}

// A History is the views one can go back and forward through.
type History struct {
	views []render.View
	at    int // index of the view on screen
	last  time.Time
}

// Views that follow each other faster than oneGesture are one step; at most historyLimit are kept.
const (
	oneGesture   = 700 * time.Millisecond
	historyLimit = 200
)

// reset starts anew with a view.
func (h *History) reset(v render.View) { *h = History{views: []render.View{v}} }

// Add adds a view; those that one went back from are dropped.
func (h *History) Add(v render.View, now time.Time) {
	if len(h.views) > 0 && h.views[h.at] == v {
		return
	}
	h.views = h.views[:min(len(h.views), h.at+1)]
	if len(h.views) > 1 && now.Sub(h.last) < oneGesture {
		h.views[h.at] = v
	} else {
		h.views = append(h.views, v)
		if len(h.views) > historyLimit {
			h.views = append(h.views[:0], h.views[1:]...)
		}
		h.at = len(h.views) - 1
	}
	h.last = now
}

// CanMove reports whether one can go so many steps forward, or back if negative.
func (h *History) CanMove(steps int) bool { return h.at+steps >= 0 && h.at+steps < len(h.views) }

// move goes steps forward, or back if negative; it must be possible.
func (h *History) move(steps int) render.View {
	h.at += steps
	h.last = time.Time{}
	return h.views[h.at]
}

// bands is the timeline of a session as bands of groups, which are made on a goroutine.
type bands struct {
	shown  *picture.Bands
	of     bandsKey // that shown was made for
	making bool
}

// bandsKey is what bands depend on: not the part of the heights that is in view.
type bandsKey struct {
	grouping  *breakdown.Grouping
	view      render.View
	columns   int
	colouring *colour.Colouring
}

// Bands returns the groups as bands of so many columns. Those of another view stay until the new ones are ready; nil
// while there are none.
func (s *Session) Bands(columns int) *picture.Bands {
	grouping, b := s.Grouping(), &s.bands
	if grouping == nil || columns <= 0 {
		return nil
	}
	want := bandsKey{grouping, s.View, columns, s.Doc.Stage.Colouring}
	want.view.Y0, want.view.Y1 = 0, 1
	if want != b.of && !b.making {
		b.making = true
		s.all.Background.Go(func(context.Context) func() {
			made := picture.NewBands(grouping, want.view, want.colouring, columns)
			return func() {
				if *b = (bands{}); s.groups.grouping == grouping {
					*b = bands{shown: made, of: want}
				}
			}
		})
	}
	if b.of.grouping != grouping {
		return nil
	}
	return b.shown
}

// Segments reports whether segments of the allocator are stacked in place of allocations.
func (s *Session) Segments() bool { return s.segments }

// ToggleSegments stacks segments in place of allocations, or allocations again.
func (s *Session) ToggleSegments() {
	if why := s.LacksAllocator(); why != "" && !s.segments {
		short, _, _ := strings.Cut(why, ";")
		s.Say(short)
		return
	}
	s.segments = !s.segments
	s.restage(s.Doc.Stage.Device)
}
