package app

import (
	"context"
	"errors"
	"image"
	"math/bits"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/app/settings"
	"strata/layout"
	"strata/layout/search"
	"strata/render"
	"strata/render/colour"
	"strata/snapshot"
	"strata/widgets"
	"strata/widgets/kit"
)

// A finder is the search of the window. Typing starts a run on a goroutine of
// its own and gives up the one before; what was found stays until more is.
type finder struct {
	query *search.Query // that is wanted; nil: none
	wrong *search.Error // what is wrong with the text, or with the query here

	timeline *layout.Timeline // what searcher and result are of
	searcher *search.Searcher
	stop     context.CancelFunc // ends the run; nil when none is

	result *search.Result
	lit    *colour.Colouring // with all but the matches dimmed
	litOf  *colour.Colouring // what lit was made of
	toLit  *colour.Colouring // what it is being made of anew, nil if it is not
	place  int               // which match is pinned, from 1; 0: none
	placed layout.ID         // for which that was counted
}

// listing reports whether there is a result to be shown.
func (f *finder) listing() bool { return f.result != nil }

// halt gives up the run at hand.
func (f *finder) halt() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// search looks for a text in place of what was looked for.
func (w *window) search(text string) {
	f := &w.find
	f.halt()
	q, err := search.Parse(text)
	f.wrong = nil
	if errors.As(err, &f.wrong) {
		return // half typed: what was found before stays on screen
	}
	if q.Empty() {
		*f = finder{timeline: f.timeline, searcher: f.searcher}
		return
	}
	f.query = q
	w.runSearch()
}

// searchFor fills the field with a text and looks for it.
func (w *window) searchFor(text string) {
	w.panels.search.SetText(text)
	w.search(text)
}

// runSearch starts the search that is wanted in what is on screen.
func (w *window) runSearch() {
	t, f, st := w.tab, &w.find, w.doc.stage
	w.readySearch()
	ctx, cancel := context.WithCancel(w.ctx)
	f.stop = cancel
	searcher, q, base := f.searcher, f.query, st.colouring
	w.work.Go(func() {
		defer cancel()
		r, err := searcher.Run(ctx, q)
		var lit *colour.Colouring
		if err == nil {
			lit = base.Highlighting(r.Matches.Has)
		}
		w.post(t, func() {
			if f.query != q || f.searcher != searcher {
				return // no longer wanted
			}
			f.stop = nil
			if err != nil {
				errors.As(err, &f.wrong)
				return
			}
			f.result, f.lit, f.litOf, f.toLit, f.placed = r, lit, base, nil, layout.None
		})
	})
}

// readySearch gives what is on screen a searcher; it reports whether it is new.
func (w *window) readySearch() bool {
	f, t := &w.find, w.timeline()
	if f.timeline == t {
		return false
	}
	*f = finder{query: f.query, wrong: f.wrong, timeline: t, searcher: search.New(t)}
	return true
}

// followStage keeps the search to what is on screen: another device or file
// is searched anew, other colours are dimmed anew.
func (w *window) followStage() {
	f := &w.find
	if w.doc == nil {
		f.halt()
		*f = finder{query: f.query, wrong: f.wrong}
		return
	}
	st := w.doc.stage
	switch {
	case f.query == nil:
	case f.timeline != st.timeline:
		f.halt()
		f.wrong = nil
		w.runSearch()
	case f.result != nil && f.litOf != st.colouring && f.toLit != st.colouring && f.stop == nil:
		t, r, base := w.tab, f.result, st.colouring
		f.toLit = base
		w.work.Go(func() {
			lit := base.Highlighting(r.Matches.Has)
			w.post(t, func() {
				if f.result == r && f.toLit == base {
					f.lit, f.litOf, f.toLit = lit, base, nil
				}
			})
		})
	}
}

// colouring is that of the picture: with a search, all but matches dimmed.
func (w *window) colouring() *colour.Colouring {
	if f := &w.find; f.result != nil && f.timeline == w.doc.stage.timeline && f.lit != nil {
		return f.lit
	}
	return w.doc.stage.colouring
}

// openSearch puts the caret into the search field.
func (w *window) openSearch(gtx giolayout.Context) {
	w.searching = true
	if w.doc != nil && w.find.query == nil && w.readySearch() {
		searcher, ctx := w.find.searcher, w.ctx
		w.work.Go(func() { searcher.Prepare(ctx) })
	}
	w.panels.search.SelectAll()
	gtx.Execute(key.FocusCmd{Tag: w.panels.search.Tag()})
}

// clearSearch ends the search; it reports whether there was one.
func (w *window) clearSearch(gtx giolayout.Context) bool {
	bar, f := &w.panels.search, &w.find
	was := w.searching || bar.Focused(gtx) || bar.Text() != "" || f.query != nil
	if was {
		f.halt()
		*f = finder{timeline: f.timeline, searcher: f.searcher}
		bar.SetText("")
		w.searching = false
		gtx.Execute(key.FocusCmd{})
	}
	return was
}

func (w *window) hasMatches() bool {
	return w.doc != nil && w.find.result != nil && w.find.result.Count > 0
}

// walk pins the next match, or the one before, and brings it into view.
func walk(by int) func(*window, giolayout.Context) {
	return func(w *window, gtx giolayout.Context) {
		if !w.hasMatches() {
			return
		}
		set, at := w.find.result.Matches, w.selection.Pinned
		var id layout.ID
		if by > 0 {
			if id = set.Next(max(0, at+1)); id == layout.None {
				id = set.Next(0)
			}
		} else {
			last := layout.ID(len(w.timeline().Size) - 1)
			if at > 0 {
				id = set.Previous(at - 1)
			} else {
				id = layout.None
			}
			if id == layout.None {
				id = set.Previous(last)
			}
		}
		w.pin(id)
		w.showPinned(gtx)
	}
}

// placeOf is which match is pinned, from 1, or 0.
func (f *finder) placeOf(id layout.ID) int {
	if f.result == nil || !f.result.Matches.Has(id) {
		return 0
	}
	if f.placed != id || f.place == 0 {
		n := 0
		for _, word := range f.result.Matches[:id>>6] {
			n += bits.OnesCount64(word)
		}
		n += bits.OnesCount64(f.result.Matches[id>>6] << (63 - id&63))
		f.place, f.placed = n, id
	}
	return f.place
}

// updateSearch reads what the user did in the field and in the list.
func (w *window) updateSearch(gtx giolayout.Context) {
	e := w.panels.search.Update(gtx)
	if w.doc == nil {
		return
	}
	w.searching = w.searching && (w.panels.search.Focused(gtx) || e.Text != "" || e.Open) || e.Text != ""
	switch {
	case e.Open:
		w.openSearch(gtx)
	case e.Clear:
		w.clearSearch(gtx)
	case e.Changed:
		w.search(e.Text)
	case e.Step != 0:
		walk(e.Step)(w, gtx)
	}
	if !w.find.listing() {
		return
	}
	m := w.panels.matches.Update(gtx)
	switch {
	case m.Close:
		w.clearSearch(gtx)
	case m.Peak:
		w.goToState(w.find.result.PeakState, gtx)
	case m.Only != nil:
		w.searchFor(siteTerm(w.doc.snap, m.Only))
	case m.Hide != nil:
		w.searchWithout(siteTerm(w.doc.snap, m.Hide))
	case m.Site != nil:
		w.pin(m.Site.First)
		w.showPinned(gtx)
	}
}

// searchWithout adds to the search that a term must not hold.
func (w *window) searchWithout(term string) {
	w.searchFor(strings.TrimSpace(w.panels.search.Text() + " -" + term))
}

// siteTerm finds the allocations of a line of the list.
func siteTerm(s *snapshot.Snapshot, site *search.Site) string { return search.SiteTerm(s, site.Frame) }

// frameTerm finds the allocations that came through a frame of a stack.
func frameTerm(s *snapshot.Snapshot, f snapshot.FrameID) string {
	return strings.TrimPrefix(search.SiteTerm(s, f), "site:")
}

// findFrame searches for a frame of the stack panel, or without it.
func (w *window) findFrame(e widgets.StackEvent) {
	switch {
	case e.Find != 0:
		w.searchFor(frameTerm(w.doc.snap, e.Find))
	case e.Hide != 0:
		w.searchWithout(frameTerm(w.doc.snap, e.Hide))
	}
}

// searchState is what the field shows.
func (w *window) searchState(gtx giolayout.Context, window int) *widgets.SearchState {
	f := &w.find
	s := &widgets.SearchState{CardRoom: window - gtx.Dp(120), Key: keyOf("search"), Next: keyOf("next-match"), Prev: keyOf("previous-match"), Busy: f.stop != nil && f.result == nil}
	if f.wrong != nil {
		s.Problem, s.Offset, s.Length = sentence(f.wrong.What), f.wrong.Offset, f.wrong.Length
	}
	if f.result != nil {
		s.Found, s.Count, s.Place = true, f.result.Count, f.placeOf(w.selection.Pinned)
	}
	return s
}

// Sizes of the list of matches, dp.
const (
	leastStack = 120 // height left for the stack above it
)

// arrangeMatches gives the list its part of the column at the right.
func (w *window) arrangeMatches(gtx giolayout.Context, p *places) {
	if !w.find.listing() || p.stack.Empty() {
		return
	}
	p.matches = p.stack
	if w.settings.StackHidden {
		p.stack = image.Rectangle{}
		return
	}
	most := p.stack.Dy() - gtx.Dp(leastStack)
	height := max(min(gtx.Dp(unitDp(w.settings.MatchesHeight)), most), p.stack.Dy()/3)
	p.matches.Min.Y = p.stack.Max.Y - height
	p.stack.Max.Y = p.matches.Min.Y
	grip := gtx.Dp(kit.Grip)
	y := p.matches.Min.Y
	p.matchEdge = image.Rect(p.stack.Min.X, y-grip/2, p.stack.Max.X, y-grip/2+grip)
}

// updateMatchEdge moves the edge between stack and matches; it reports the
// end of a drag.
func (w *window) updateMatchEdge(gtx giolayout.Context, p *places) bool {
	moved, done := w.panels.matchEdge.Update(gtx)
	if moved != 0 && !p.matchEdge.Empty() {
		height := int(gtx.Metric.PxToDp(p.matches.Dy())) - int(moved)
		w.settings.MatchesHeight = max(settings.MinMatchesHeight, height)
	}
	return done
}

// drawSearch draws what belongs to a search beside the field.
func (w *window) drawSearch(gtx giolayout.Context, p *places) {
	f := &w.find
	if !f.listing() {
		return
	}
	plot := w.panels.timeline.Plot().Add(p.timeline.Min).Intersect(p.timeline)
	in(gtx, plot, func(gtx giolayout.Context) { w.panels.curve.Layout(gtx, w.theme, f.result, w.view) })
	in(gtx, p.matches, func(gtx giolayout.Context) { w.panels.matches.Layout(gtx, w.theme, w.matchesState()) })
	in(gtx, p.matchEdge, func(gtx giolayout.Context) { w.panels.matchEdge.Layout(gtx, w.theme) })
}

// matchesState is what the list says of now: of the pointer's place in the
// timeline, or of the end.
func (w *window) matchesState() *widgets.MatchesState {
	r := w.find.result
	s := &widgets.MatchesState{Result: r, NowAt: "at the end", Now: r.At(int32(len(r.Timeline.Actions)))}
	if p, ok := w.panels.timeline.Pointer(); ok && w.scene != nil {
		dx := (w.view.X1 - w.view.X0) / float64(w.scene.Size.X)
		x := w.view.X0 + float64(p.X)*dx
		s.NowAt, s.Now = "at the pointer", r.Column(w.view.Axis, x, x+dx)
	}
	return s
}

// goToState brings a moment of the run to the middle of the view.
func (w *window) goToState(state int32, gtx giolayout.Context) {
	t, v := w.timeline(), w.view
	x, half := t.X(v.Axis, state), (v.X1-v.X0)/2
	if whole := render.Whole(t, v.Axis); half*2 >= whole.X1-whole.X0 {
		half /= 8 // as goToPeak: at the whole run there is nowhere to go
	}
	v.X0, v.X1 = x-half, x+half
	w.look(v.Clamp(t).FitY(t), gtx.Now)
}
