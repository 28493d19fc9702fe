package app

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/layout/units"
	"strata/widgets"
	"strata/widgets/kit"
)

// updateStrip reads what was done in the row of tabs.
func (w *window) updateStrip(gtx giolayout.Context, p *places) {
	if p.tabs.Empty() {
		return
	}
	e := w.panels.tabs.Update(gtx)
	switch {
	case e.List:
		w.panels.menu.OpenLeft("tabs", e.At.Add(p.tabs.Min), w.tabsMenu())
		w.panels.menu.Reveal(slices.Index(w.tabs, w.active))
	case e.Close >= 0 && e.Close < len(w.tabs):
		w.closeTab(w.tabs[e.Close], w.neighbour())
	case e.Choose >= 0 && e.Choose < len(w.tabs):
		w.activate(w.tabs[e.Choose])
	}
}

// drawStrip draws the row of tabs.
func (w *window) drawStrip(gtx giolayout.Context, p *places) {
	if p.tabs.Empty() {
		return
	}
	infos := w.tabInfos()
	for i := range infos {
		if infos[i].State == widgets.TabLoading {
			gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(progressEvery)})
			break
		}
	}
	in(gtx, p.tabs, func(gtx giolayout.Context) {
		w.panels.tabs.Layout(gtx, w.theme, infos, slices.Index(w.tabs, w.active))
	})
}

// tabInfos is what the row shows; the names are made when tabs come or go.
func (w *window) tabInfos() []widgets.TabInfo {
	if !slices.Equal(w.named, w.tabs) {
		w.named = slices.Clone(w.tabs)
		w.infos = make([]widgets.TabInfo, len(w.tabs))
		paths := make([]string, len(w.tabs))
		for i, t := range w.tabs {
			paths[i] = t.path
			if t.path != "" && !t.sample {
				paths[i] = absolute(t.path)
			}
		}
		for i, folder := range distinguish(paths) {
			w.infos[i].Name, w.infos[i].Folder, w.infos[i].Path = cmp.Or(w.tabs[i].title(), "Nothing open"), folder, paths[i]
		}
	}
	for i, t := range w.tabs {
		in := &w.infos[i]
		in.State, in.Part = t.state(), t.part()
		if key := (noteKey{in.State, t.stamp.size, t.evicted}); key != t.noteOf || in.Note == "" {
			t.noteOf, in.Note = key, t.note(in.State)
		}
	}
	return w.infos
}

// state is how far a tab is.
func (t *tab) state() widgets.TabState {
	switch {
	case t.loading != nil:
		return widgets.TabLoading
	case t.failed():
		return widgets.TabFailed
	case t.waiting():
		return widgets.TabWaiting
	}
	return widgets.TabReady
}

// part is how much of the loading is done.
func (t *tab) part() float32 {
	if t.loading == nil {
		return 0
	}
	total := t.loading.total.Load()
	if total <= 0 {
		return 0
	}
	return min(1, float32(t.loading.done.Load())/float32(total))
}

// noteKey is what the note of a tab depends on.
type noteKey struct {
	state   widgets.TabState
	size    int64
	evicted bool
}

// note is what the tooltip of a tab says beside its path.
func (t *tab) note(s widgets.TabState) string {
	var parts []string
	if t.stamp.size > 0 {
		parts = append(parts, units.Bytes(t.stamp.size))
	}
	switch s {
	case widgets.TabWaiting:
		if t.evicted {
			parts = append(parts, "unloaded to save memory, read again when it is looked at")
		} else {
			parts = append(parts, "read when it is looked at")
		}
	case widgets.TabLoading:
		parts = append(parts, "being read")
	case widgets.TabFailed:
		parts = append(parts, "could not be opened")
	}
	return strings.Join(parts, " · ")
}

// distinguish is, for each path, the folder that tells it from others of the
// same name, "" for those whose name is enough.
func distinguish(paths []string) []string {
	folders := make([]string, len(paths))
	same := map[string][]int{}
	for i, path := range paths {
		if path != "" {
			same[filepath.Base(path)] = append(same[filepath.Base(path)], i)
		}
	}
	for _, group := range same {
		if len(group) < 2 {
			continue
		}
		for up := 1; ; up++ {
			seen := map[string]bool{}
			for _, i := range group {
				folders[i] = parent(paths[i], up)
				seen[folders[i]] = true
			}
			if len(seen) == len(group) || seen[""] {
				break
			}
		}
		for _, i := range group {
			if folders[i] == "" { // of different depths: all of the folder
				for _, i := range group {
					folders[i] = filepath.Dir(paths[i])
				}
				break
			}
		}
	}
	return folders
}

// parent is the name of the folder so many levels above a file, "" above the
// topmost.
func parent(path string, up int) string {
	for range up {
		dir := filepath.Dir(path)
		if dir == path {
			return ""
		}
		path = dir
	}
	name := filepath.Base(path)
	if name == "." || name == string(filepath.Separator) {
		return ""
	}
	return name
}

// tabPrefix marks menu items that go to a tab.
const tabPrefix = "tab:"

// tabsMenu lists all tabs.
func (w *window) tabsMenu() []kit.MenuItem {
	var items []kit.MenuItem
	for i, in := range w.tabInfos() {
		item := kit.MenuItem{ID: tabPrefix + strconv.Itoa(i), Text: in.Name, Note: in.Folder, Ticked: w.tabs[i] == w.active}
		if in.State != widgets.TabReady {
			item.Detail = in.State.String()
		}
		items = append(items, item)
	}
	return append(items, kit.MenuItem{Rule: true}, w.item("close", "Close this file"), w.item("close-others", "Close all others"), w.item("reopen", "Open the last closed again"))
}

// chosenTab goes to the tab of a menu item; it reports whether it was one.
func (w *window) chosenTab(id string) bool {
	text, ok := strings.CutPrefix(id, tabPrefix)
	if !ok {
		return false
	}
	if i, err := strconv.Atoi(text); err == nil && i < len(w.tabs) {
		w.activate(w.tabs[i])
	}
	return true
}
