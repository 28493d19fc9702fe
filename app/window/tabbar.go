package window

import (
	"cmp"
	"slices"
	"strings"

	giolayout "gioui.org/layout"

	"strata/app/files"
	"strata/app/session"
	"strata/layout/units"
	"strata/widgets/panel"
)

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

// tabNames are the names of tabs, which are made when tabs come or go.
type tabNames struct {
	of    []*session.Session
	infos []panel.TabInfo
	notes []noteKey
}

// noteKey is what the note of a tab is made of.
type noteKey struct {
	state   session.State
	size    int64
	evicted bool
}

// tabStates are the states of sessions as the row of tabs shows them.
var tabStates = [...]panel.TabState{session.Ready: panel.TabReady, session.Waiting: panel.TabWaiting,
	session.Reading: panel.TabLoading, session.Failed: panel.TabFailed}

// tabInfos is what the row of tabs shows.
func (w *Window) tabInfos() []panel.TabInfo {
	n, all := &w.tabNames, w.sessions.All
	if !slices.Equal(n.of, all) {
		*n = tabNames{slices.Clone(all), make([]panel.TabInfo, len(all)), make([]noteKey, len(all))}
		paths := make([]string, len(all))
		for i, s := range all {
			paths[i] = s.Path
			if s.Path != "" && !s.Sample {
				paths[i] = files.Absolute(s.Path)
			}
		}
		for i, folder := range files.Distinguish(paths) {
			n.infos[i] = panel.TabInfo{Name: cmp.Or(all[i].Title(), "Nothing open"), Folder: folder, Path: paths[i]}
		}
	}
	for i, s := range all {
		in, state := &n.infos[i], s.State()
		in.State, in.Part = tabStates[state], s.Loaded()
		if key := (noteKey{state, s.Size(), s.Evicted()}); key != n.notes[i] || in.Note == "" {
			n.notes[i], in.Note = key, key.text()
		}
	}
	return n.infos
}

// text is what the tooltip of a tab says beside its path.
func (k noteKey) text() string {
	var parts []string
	if k.size > 0 {
		parts = append(parts, units.Bytes(k.size))
	}
	switch {
	case k.state == session.Waiting && k.evicted:
		parts = append(parts, "unloaded to save memory, read again when it is looked at")
	case k.state == session.Waiting:
		parts = append(parts, "read when it is looked at")
	case k.state == session.Reading:
		parts = append(parts, "being read")
	case k.state == session.Failed:
		parts = append(parts, "could not be opened")
	}
	return strings.Join(parts, " · ")
}
