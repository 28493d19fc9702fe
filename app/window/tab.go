package window

import (
	"cmp"
	"slices"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/app/beside"
	"strata/app/files"
	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/shape"
	"strata/layout/units"
	"strata/render/tiles"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/panel"
)

// A tab is a session with the widgets that remember something about it: where they are scrolled to, what was typed
// into them, what they drew last.
type tab struct {
	*session.Session
	docPanels

	pair beside.Pair // of a Page
	wall beside.Wall

	minimap  chart.Minimap
	timeline chart.Timeline
	back     chart.OffViewButton
	lane     chart.Lane
	search   panel.SearchBar
	sql      panel.SQL

	begun     int // Session.Begun, when it was seen last
	lines     []chart.PhaseLine
	searching bool // the search field is in use
	drawer    drawer

	wantsContext bool // the menu of an allocation is to open
}

// docPanels is what holds something of the document that is shown. The zero value with nothing hovered holds nothing.
type docPanels struct {
	stack     panel.Stack
	groupList panel.Groups
	bottom    panel.BottomBar
	line      panel.StatusLine
	matches   panel.Matches

	loaded   bool               // there may be something
	scene    *tiles.Composition // of the last frame, nil if nothing was shown
	bands    *bandScene         // in its place, nil for none
	pictured bool               // a scene was shown of the document that is opened

	under        *session.Stage // that hovered, mark and here belong to: of another one they say nothing
	hovered      layout.ID
	mark         chart.Mark // under the pointer
	here         int32      // the annotation in force under the pointer, describe.NoPhase if none
	pinnedBefore layout.ID  // before the last click: the second click of a double click pins it again

	details, tip     describe.Details // of the selection and of what is hovered
	detailsOf, tipOf detailsKey
	status           panel.Status

	groups            *panel.GroupsState // of the panel at the right, made of groupsOf
	groupsOf          groupsKey
	lit, hoveredGroup int32 // groups of litOf: clicked, and under the pointer; panel.NoGroup for none
	litOf             *breakdown.Grouping
	answer            *session.Answer
}

// detailsKey is what describe.Details are made of.
type detailsKey struct {
	timeline *layout.Timeline
	phases   *layout.Phases
	id       layout.ID
	failed   *layout.OOM
	axis     layout.Axis
	offset   int64
	namer    *shape.Namer
}

// tab returns the tab that is shown.
func (w *Window) tab() *tab {
	s := w.sessions.Active
	t := w.tabs[s]
	if t == nil {
		t = &tab{Session: s, begun: s.Begun, docPanels: docPanels{hovered: layout.None, here: describe.NoPhase}}
		t.timeline.Notch, t.minimap.Notch, t.lane.Notch = w.notch, w.notch, w.notch
		choice := s.Annotations()
		t.lane.Filter.All, t.lane.Filter.Open = choice.All, choice.Filter != ""
		t.lane.Filter.SetText(choice.Filter)
		w.tabs[s] = t
	}
	return t
}

// followSessions follows changes of the sessions: another tab is shown, documents were unloaded, tabs were closed.
func (w *Window) followSessions() (switched bool) {
	if t := w.tab(); t != w.shown {
		w.shown, switched = t, true
		w.menu.Close()
		if w.sheet == openSheet(findingsSheet{}) {
			w.sheet = nil
		}
	}
	for s, t := range w.tabs {
		if t.loaded && s.Doc == nil {
			t.release()
		}
		if !w.sessions.Holds(s) {
			delete(w.tabs, s)
		}
	}
	if t := w.shown; t.begun != t.Begun {
		t.begun = t.Begun
		t.timeline.RemoveRulers()
	}
	return switched
}

// release drops what the widgets hold of a document. What the user typed, and where they measured, stays.
func (t *tab) release() {
	t.docPanels = docPanels{hovered: layout.None, here: describe.NoPhase}
	t.minimap = chart.Minimap{Notch: t.minimap.Notch}
	t.sql.Table.Show(nil)
	t.drawer = drawer{page: t.drawer.page}
	t.timeline.Release()
}

// selection is what the panels describe.
func (t *tab) selection() describe.Selection {
	hovered := t.hovered
	if t.Doc == nil || t.under != t.Doc.Stage {
		hovered = layout.None // it was laid out since the last frame
	}
	return describe.Selection{Hovered: hovered, Pinned: t.Pinned, Failed: t.Failed}
}

// widgetScene is the scene for the widgets: a nil pointer in an interface would not be nil.
func (t *tab) widgetScene() chart.Scene {
	switch {
	case t.bands != nil:
		return t.bands
	case t.scene == nil:
		return nil
	}
	return t.scene
}

// hereName is the name of the annotation in force under the pointer, "" if none.
func (t *tab) hereName() string {
	if t.Doc == nil || t.under != t.Doc.Stage || t.here == describe.NoPhase {
		return ""
	}
	return t.Doc.Stage.Lane.Phases.All[t.here].Name
}

// away says where the pinned allocation is if it is out of view.
func (t *tab) away() chart.Side {
	if !t.HasPinned() {
		return chart.InView
	}
	v, id := t.View, t.Pinned
	switch x0, x1 := t.Timeline().Span(id, v.Axis); {
	case x1 < v.X0:
		return chart.OffLeft
	case x0 > v.X1:
		return chart.OffRight
	}
	if t.timeline.ShowsPinned(id) {
		return chart.InView
	}
	switch bottom, top, ok := t.HeightOf(id, v.X0, v.X1); {
	case ok && top < v.Y0:
		return chart.OffBelow
	case ok && bottom > v.Y1:
		return chart.OffAbove
	}
	return chart.InView // too small to be seen
}

// What a tab can do now.
func (t *tab) hasDoc() bool         { return t.Doc != nil }
func (t *tab) hasShown() bool       { return t.Doc != nil && t.selection().Shown() >= 0 }
func (t *tab) hasTime() bool        { return t.Doc != nil && t.Timeline().HasTime() }
func (t *tab) hasDevices() bool     { return t.Doc != nil && len(t.Doc.Devices) > 1 }
func (t *tab) hasAnnotations() bool { return t.Doc != nil && t.Doc.Stage.Lane.Total > 0 }
func (t *tab) hasPhases() bool      { return t.Doc != nil && len(t.Doc.Stage.Lane.Phases.All) > 0 }
func (t *tab) canBack() bool        { return t.Doc != nil && t.History.CanMove(-1) }
func (t *tab) canForward() bool     { return t.Doc != nil && t.History.CanMove(1) }
func (t *tab) canRunSQL() bool      { return t.Doc != nil && t.drawer.page == panel.SQLTab }

// hasDetails reports whether there is something to describe: an allocation, or a request that failed.
func (t *tab) hasDetails() bool { return t.hasShown() || t.Doc != nil && t.Failed != nil }

// hasSite reports whether an allocation is shown whose stack was recorded.
func (t *tab) hasSite() bool {
	return t.hasShown() && len(t.Doc.Snapshot.Stacks.Of(t.Timeline().At(t.selection().Shown()).Stack)) > 0
}

// about is what there is to say of allocations beside what the timeline knows.
func (w *Window) about(t *tab) describe.About {
	return describe.About{Phases: t.Doc.Stage.Lane.Phases, Offset: w.opt.Offset, Shape: w.sessions.Naming.Name}
}

// describe brings the texts about the selection up to date.
func (w *Window) describe(t *tab) {
	if t.Doc == nil {
		return
	}
	update := func(key *detailsKey, d *describe.Details, id layout.ID, failed *layout.OOM) {
		k := detailsKey{t.Timeline(), t.Doc.Stage.Lane.Phases, id, failed, t.View.Axis, w.opt.Offset,
			w.sessions.Naming.Version()}
		switch {
		case k == *key:
			return
		case id == layout.None && failed != nil:
			*d = describe.Request(t.Timeline(), w.about(t), failed, t.View.Axis)
		default:
			*d = describe.Allocation(t.Timeline(), w.about(t), id, t.View.Axis)
		}
		*key = k
	}
	update(&t.detailsOf, &t.details, t.selection().Shown(), t.Failed)
	update(&t.tipOf, &t.tip, t.hovered, nil)
	t.tip.Here = t.hereName()
	t.details.Here = t.tip.Here
}

// deviceName names the device, and says where segments are stacked.
func (t *tab) deviceName() string {
	name := session.DeviceName(t.Doc.Device())
	if t.Segments() {
		name += " · segments"
	}
	return name
}

// px converts a setting in dp.
func px(gtx giolayout.Context, dp int) int { return gtx.Dp(unit.Dp(dp)) }

// updateTabBar reads what was done in the row of tabs.
func (w *Window) updateTabBar(gtx giolayout.Context, r *panelRects) {
	if r.tabs.Empty() {
		return
	}
	all := w.sessions
	switch e := w.tabBar.Update(gtx); {
	case e.List:
		w.menu.OpenLeft("tabs", e.At.Add(r.tabs.Min), w.tabsMenu())
		w.menu.Reveal(slices.Index(all.All, all.Active))
	case e.Close >= 0 && e.Close < len(all.All):
		all.Close(all.All[e.Close], all.Neighbour())
	case e.Choose >= 0 && e.Choose < len(all.All):
		all.Activate(all.All[e.Choose])
	}
}

// tabNames are the names of tabs, which are made when tabs come or go, or one opens another file.
type tabNames struct {
	of    []*session.Session
	paths []string
	infos []panel.TabInfo
}

// tabInfos is what the row of tabs shows.
func (w *Window) tabInfos() []panel.TabInfo {
	n, all := &w.tabNames, w.sessions.All
	same := slices.Equal(n.of, all)
	for i := 0; same && i < len(all); i++ {
		same = n.paths[i] == all[i].Path
	}
	if !same {
		*n = tabNames{of: slices.Clone(all), infos: make([]panel.TabInfo, len(all))}
		paths := make([]string, len(all))
		for i, s := range all {
			paths[i] = s.Path
			n.paths = append(n.paths, s.Path)
			if s.Path != "" && !s.Sample {
				paths[i] = files.Absolute(s.Path)
			}
		}
		for i, folder := range files.Distinguish(paths) {
			n.infos[i] = panel.TabInfo{Name: cmp.Or(all[i].Title(), "Nothing open"), Folder: folder, Path: paths[i]}
		}
	}
	for i, s := range all {
		in := &n.infos[i]
		in.State, in.Part, in.Note = s.State(), s.Loaded(), tabNote(s)
	}
	return n.infos
}

// tabNote is what the tooltip of a tab says beside its path.
func tabNote(s *session.Session) string {
	note := ""
	switch state := s.State(); {
	case state == describe.Waiting && s.Evicted():
		note = "unloaded to save memory, read again when it is looked at"
	case state == describe.Waiting:
		note = "read when it is looked at"
	case state == describe.Reading:
		note = "being read"
	case state == describe.Failed:
		note = "could not be opened"
	}
	if s.Size() == 0 {
		return note
	}
	return strings.TrimSuffix(units.Bytes(s.Size())+" · "+note, " · ")
}
