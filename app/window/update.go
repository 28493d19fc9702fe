package window

import (
	"fmt"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/session"
	"strata/app/settings"
	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
	"strata/widgets/sheet"
)

// edges are the edges of panels, to drag.
type edges struct{ stack, minimap, matches, drawer kit.Splitter }

// update reads what the user did, panel by panel.
func (w *Window) update(gtx giolayout.Context, r *panelRects) {
	if !w.menu.Showing() {
		w.tab().updateFlameKeys(gtx)
		w.updatePageKeys(gtx, w.tab())
		w.updateKeys(gtx)
	} else if do := w.menu.Update(gtx); do != nil {
		do(gtx)
	}
	w.takePasted(gtx)
	if w.sheet != nil {
		w.sheet.update(w, gtx)
	}
	w.completePaths()
	w.updateCards(gtx, w.tab())
	w.updateToolbar(gtx, w.tab())
	w.updateTabBar(gtx, r)
	if w.followSessions() {
		gtx.Execute(key.FocusCmd{}) // it is in a field of the other tab
	}
	t := w.tab()
	w.updateSearch(gtx, t)
	if t.Page != nil {
		w.updatePage(gtx, t, r)
		return
	}
	if t.Doc == nil {
		w.updateStart(gtx)
		return
	}
	t.hoveredGroup = panel.NoGroup
	w.updateDrawer(gtx, t, r)
	t.updateTimeline(gtx)
	t.updateLane(gtx)
	if t.wantsContext {
		t.wantsContext = false
		w.openContext(gtx, t)
	}
	w.updateEdges(gtx, r)
	w.updateGroups(gtx, t, r)
	w.updateStack(gtx, t)
	back := t.back.Update(gtx)
	if e := t.bottom.Update(gtx); (e.Bring || back) && t.HasPinned() {
		t.ShowPinned(gtx.Now)
	} else if e.Unpin {
		t.Pin(layout.None)
	} else if e.More && t.hasShown() {
		w.openContextAtBar(gtx, t)
	}
	switch t.line.Update(gtx) {
	case panel.FindingsChip:
		w.sheet = findingsSheet{}
	case panel.ChangedChip:
		t.Load()
	case panel.EntriesChip:
		w.openOptions(gtx)
	}
}

func (t *tab) updateTimeline(gtx giolayout.Context) {
	tl := t.Timeline()
	e := t.timeline.Update(gtx, tl, t.View, t.widgetScene())
	if e.Changed {
		t.View = e.View
	}
	if e.Back < 0 && t.canBack() || e.Back > 0 && t.canForward() {
		t.GoBack(min(max(-e.Back, -1), 1))
		return
	}
	if e.Settled {
		t.History.Add(t.View, gtx.Now)
	}
	if e.Moment != nil {
		t.movePlayhead(e.Moment)
	}
	switch e.Mark.Kind {
	case chart.PeakMark:
		t.GoToPeak(gtx.Now)
		t.Pin(describe.PeakAllocation(tl))
	case chart.OOMMark:
		t.GoToOOM(e.Mark.Index, gtx.Now)
	}
	band := t.pointedBand()
	if band != panel.NoGroup {
		t.hoveredGroup = band
	}
	if e.Clicked && band != panel.NoGroup {
		gtx.Execute(key.FocusCmd{})
		t.lit = band
	} else if e.Clicked {
		gtx.Execute(key.FocusCmd{}) // letters are commands again
		t.pinnedBefore = t.Pinned
		t.Pin(e.At)
	} else if e.Doubled && int(t.pinnedBefore) < len(tl.Size) {
		t.Pin(t.pinnedBefore)
	}
	if v, ok := t.minimap.Update(gtx, tl, t.View); ok {
		t.Look(v, gtx.Now)
	}
}

// updateLane reads what was done in the annotations.
func (t *tab) updateLane(gtx giolayout.Context) {
	e := t.lane.Update(gtx, t.Timeline(), t.View)
	if e.Changed {
		t.Look(e.View, gtx.Now)
	}
	switch {
	case e.OpenFilter:
		t.openFilter(gtx)
	case e.CloseFilter:
		t.closeFilter(gtx)
	case e.ToggleAll:
		t.toggleAllAnnotations()
	case e.Typed:
		t.timeline.DismissTooltip()
		t.lane.Filter.Err = ""
		choice := t.Annotations()
		choice.Filter = e.Text
		if err := t.SetAnnotations(choice); err != nil {
			t.lane.Filter.Err = err.Error()
		}
	}
	if e.Phase != describe.NoPhase {
		t.ZoomToAnnotation(e.Phase, gtx.Now)
	}
}

// updateSearch reads what was done in the search field and in the list of matches.
func (w *Window) updateSearch(gtx giolayout.Context, t *tab) {
	if t.search.Text() != t.Find.Text {
		t.search.SetText(t.Find.Text)
	}
	e := t.search.Update(gtx)
	if t.Doc == nil {
		return
	}
	t.searching = t.searching && (t.search.Focused(gtx) || e.Text != "" || e.Open) || e.Text != ""
	switch {
	case e.Open:
		t.openSearch(gtx)
	case e.Clear:
		t.clearSearch(gtx)
	case e.Changed:
		t.timeline.DismissTooltip()
		t.Search(e.Text)
	case e.Step != 0:
		t.NextMatch(e.Step, gtx.Now)
	case e.Copy && t.hasCopy():
		w.copyShown(gtx)
	}
	if t.Find.Result == nil {
		return
	}
	switch m := t.matches.Update(gtx); {
	case m.Close:
		t.clearSearch(gtx)
	case m.Peak:
		t.GoToState(t.Find.Result.PeakState, gtx.Now)
	case m.Only != nil:
		t.Search(t.SiteTerm(m.Only.Frame))
	case m.Hide != nil:
		t.SearchWithout(t.SiteTerm(m.Hide.Frame))
	case m.Site != nil:
		t.PinAndShow(m.Site.First, gtx.Now)
	}
}

func (w *Window) updateStack(gtx giolayout.Context, t *tab) {
	switch e := t.stack.Update(gtx); {
	case e.Copy:
		w.copyStack(gtx, t, t.stack.HideFramework)
	case e.Toggle:
		w.settings.ShowFramework = !t.stack.HideFramework
		w.save()
	case e.Link > 0:
		if why := t.Why(); why != nil && e.Link <= len(why.Of.Sentences) {
			w.showRanges(t, why, e.Link-1, gtx.Now)
		}
	case e.Find != 0:
		t.Search(t.FrameTerm(e.Find))
	case e.Hide != 0:
		t.SearchWithout(t.FrameTerm(e.Hide))
	}
}

// updateEdges moves the panels' edges.
func (w *Window) updateEdges(gtx giolayout.Context, r *panelRects) {
	done := false
	drag := func(edge *kit.Splitter, size, sign, least, most int, setting *int) {
		moved, ended := edge.Update(gtx)
		if moved != 0 && size > 0 {
			now := int(gtx.Metric.PxToDp(size)) + sign*int(moved)
			*setting = max(least, min(now, most))
		}
		done = done || ended
	}
	const anySize = 1 << 20
	mostStack := int(gtx.Metric.PxToDp(gtx.Constraints.Max.X)) - leastPlotWidth
	s := &w.settings
	drag(&w.edges.stack, r.stack.Dx(), -1, settings.MinStackWidth, mostStack, &s.StackWidth)
	drag(&w.edges.minimap, r.minimap.Dy(), 1, settings.MinMinimapHeight, settings.MaxMinimapHeight, &s.MinimapHeight)
	if !r.matchesEdge.Empty() {
		drag(&w.edges.matches, r.matches.Dy(), -1, settings.MinMatchesHeight, anySize, &s.MatchesHeight)
	}
	drag(&w.edges.drawer, r.drawer.Dy(), -1, settings.MinDrawerHeight, settings.MaxDrawerHeight, &s.DrawerHeight)
	if done {
		w.save()
	}
}

func (w *Window) updateCards(gtx giolayout.Context, t *tab) {
	if t.Loading != nil && w.progress.Update(gtx) {
		t.CancelLoading()
	}
	if t.Problem != nil {
		switch e := w.problem.Update(gtx); {
		case e.Dismiss:
			t.Dismiss()
		case e.Retry:
			t.Load()
		}
	}
}

func (w *Window) updateStart(gtx giolayout.Context) {
	switch e := w.startPage.Update(gtx, w.listRecent()); {
	case e.Choose:
		w.chooseFile(gtx)
	case e.Open != "":
		w.open(typedPath(e.Open))
	case e.Sample:
		w.sessions.OpenSample()
	case e.Record:
		w.toggleRecording(gtx)
	case e.Copy:
		w.toClipboard(gtx, sheet.RecordingCode, "Copied")
	}
}

func (w *Window) updateToolbar(gtx giolayout.Context, t *tab) {
	if w.recent.changed && w.menu.Owner == fileMenu {
		w.menu.Change(w.fileMenu())
	}
	w.recent.changed = false
	switch e := w.toolbar.Update(gtx); {
	case e.Menu == panel.SettingsMenu:
		w.settingsAt = e.At
		w.menu.OpenLeft("settings", e.At, w.settingsMenu(t))
	case e.Menu == panel.FileMenu:
		w.fileAt = e.At
		w.menu.Open(fileMenu, e.At, w.fileMenu())
		w.examineRecent()
	case e.Menu == panel.DeviceMenu && t.hasDevices():
		w.menu.Open("device", e.At, t.deviceMenu())
	case e.Menu == panel.ColourMenu && t.Doc != nil:
		w.menu.Open("colour", e.At, w.colourMenu(t))
	case e.SetAxis:
		w.setAxis(e.Axis, gtx.Now)
	case e.Help:
		w.toggleHelp(gtx)
	case e.SQL && t.Doc != nil:
		t.toggleDrawer(gtx, panel.SQLTab)
	case e.Theme:
		w.switchTheme(gtx)
	}
}

// toolbarState is what the toolbar shows.
func (w *Window) toolbarState(t *tab, width int) *panel.ToolbarState {
	s := &panel.ToolbarState{Title: t.Title(), Key: keyOf, Axis: t.View.Axis, Colour: w.opt.Colour.String()}
	if t.Doc != nil {
		s.File = t.Doc.Name()
		s.Device = t.deviceName()
		s.Devices = len(t.Doc.Devices)
		s.HasTime = t.Timeline().HasTime()
		if t.Timeline().Banded() {
			s.Colour = colour.ByCategory.String()
		}
		s.Searching = t.searching
		s.Search = func(gtx giolayout.Context) giolayout.Dimensions {
			return t.search.Layout(gtx, w.theme, t.searchState(gtx, width))
		}
	}
	return s
}

// searchState is what the search field shows in a window of a width in pixels.
func (t *tab) searchState(gtx giolayout.Context, width int) *panel.SearchState {
	f := &t.Find
	if t.search.Text() != f.Text {
		t.search.SetText(f.Text)
	}
	s := &panel.SearchState{CardRoom: width - gtx.Dp(120), Key: keyOf("search"), Next: keyOf("next-match"),
		Prev: keyOf("previous-match"), Busy: f.Running() && f.Result == nil}
	if f.Wrong != nil {
		s.Problem, s.Offset, s.Length = session.Sentence(f.Wrong.What), f.Wrong.Offset, f.Wrong.Length
	}
	if f.Result != nil {
		s.Found, s.Count, s.Place = true, f.Result.Count, f.Place(t.Pinned)
	}
	return s
}

// matchesState is what the list of matches shows: the figures of the pointer's place in the timeline, or of the end.
func (t *tab) matchesState() *panel.MatchesState {
	r := t.Find.Result
	s := &panel.MatchesState{Result: r, NowAt: "at the end", Now: r.At(int32(len(r.Timeline.Actions)))}
	if x, dx, ok := t.pointed(); ok {
		s.NowAt, s.Now = "at the pointer", r.Column(t.View.Axis, x, x+dx)
	}
	return s
}

// statusNow is what the status line shows.
func (w *Window) statusNow(gtx giolayout.Context, t *tab) *panel.Status {
	tl, s := t.Timeline(), &t.status
	at := " at step " + units.Count(tl.PeakStep())
	if t.View.Axis == layout.Time {
		at = " at " + units.Duration(tl.X(layout.Time, tl.PeakState))
	}
	s.Figures = append(s.Figures[:0],
		units.Plural(int64(tl.Device.Events.Len()), "event"),
		units.Plural(int64(len(tl.Size)), describe.Stacked(tl)),
		"peak "+units.Bytes(tl.PeakBytes+w.opt.Offset)+at)
	if tl.Banded() {
		s.Figures = append(s.Figures[:0], units.Plural(len(tl.Total), "state"), s.Figures[2])
	}
	s.Figures = append(s.Figures, t.linesHere()...)
	s.View = viewText(tl, t.View)
	s.Here = t.hereName()
	s.Findings = t.Findings()
	s.Changed, s.Entries = "", ""
	if t.Changed() {
		s.Changed = "changed: " + keyOf("reload")
	}
	if drawn, all := len(tl.Order), len(tl.Size); drawn < all {
		s.Entries = "the " + units.Count(drawn) + " largest drawn"
	}
	s.Right = ""
	if gtx.Now.Before(t.NoticeEnd) {
		s.Right = t.Notice
		gtx.Execute(op.InvalidateCmd{At: t.NoticeEnd})
	}
	return s
}

// viewText says which part of the run is on screen.
func viewText(t *layout.Timeline, v render.View) string {
	whole := render.Whole(t, v.Axis)
	switch {
	case v.X0 <= whole.X0 && v.X1 >= whole.X1:
		return "view: whole run"
	case v.Axis == layout.Time:
		step := (v.X1 - v.X0) / 1000
		return fmt.Sprintf("view: %s – %s (%s)", units.PreciseTime(v.X0, step), units.PreciseTime(v.X1, step),
			units.Duration(v.X1-v.X0))
	}
	first, last := t.StepAt(v.X0), t.StepAt(v.X1)
	return fmt.Sprintf("view: step %s – %s (%s)", units.Count(first), units.Count(last), units.Count(last-first))
}
