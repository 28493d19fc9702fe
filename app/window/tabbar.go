package window

import (
	"cmp"
	"slices"
	"strings"

	giolayout "gioui.org/layout"

	"strata/app/files"
	"strata/app/session"
	"strata/layout/units"
	"strata/widgets/describe"
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
}

// tabInfos is what the row of tabs shows.
func (w *Window) tabInfos() []panel.TabInfo {
	n, all := &w.tabNames, w.sessions.All
	if !slices.Equal(n.of, all) {
		*n = tabNames{slices.Clone(all), make([]panel.TabInfo, len(all))}
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
