package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	giolayout "gioui.org/layout"

	"strata/testdata"
	"strata/widgets"
)

// closedLimit is how many closed tabs can be opened again.
const closedLimit = 20

// openFiles opens files and folders, each in a tab of its own and in natural
// order, and goes to the first. What is open already is not opened again.
func (w *window) openFiles(paths []string) {
	if w.doc != nil && len(paths) > 0 {
		w.problem = nil // an old card has been seen
	}
	if len(paths) > 1 {
		paths = slices.SortedStableFunc(slices.Values(paths), comparePaths)
	}
	var opened []*tab
	for _, path := range paths {
		opened = append(opened, w.tabFor(path, false))
	}
	w.goToFirst(opened)
}

// open opens one file.
func (w *window) open(path string) { w.openFiles([]string{path}) }

// openSample opens the snapshot that comes with the program.
func (w *window) openSample() { w.goToFirst([]*tab{w.tabFor(testdata.SampleName, true)}) }

// goToFirst goes to the first of the tabs that were just opened and looks at
// the files of the others, without reading them.
func (w *window) goToFirst(opened []*tab) {
	if len(opened) == 0 {
		return
	}
	w.activate(opened[0])
	w.survey(opened[1:])
}

// tabFor is the tab of a file: the one that it is open in, else a new one at
// the end, or the active one if nothing is in that.
func (w *window) tabFor(path string, sample bool) *tab {
	for _, t := range w.tabs {
		if t.is(path, sample) {
			w.refresh(t)
			return t
		}
	}
	t := w.active
	if !t.empty() {
		t = w.newTab()
		w.tabs = append(w.tabs, t)
	}
	t.path, t.sample, t.problem = path, sample, nil
	return t
}

// is reports whether a tab is that of a file, however its path is written.
func (t *tab) is(path string, sample bool) bool {
	return t.path != "" && t.sample == sample && (sample || absolute(t.path) == absolute(path))
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// empty reports that nothing is in a tab, or nothing but a card that says why
// not.
func (t *tab) empty() bool {
	return t.doc == nil && t.loading == nil && (t.path == "" || t.problem != nil)
}

// starting reports that the page to start from is shown: not where a file is
// about to be, nor beside other files.
func (w *window) starting() bool { return w.empty() && (w.path == "" || len(w.tabs) == 1) }

// waiting reports that a tab's file is still to be loaded.
func (t *tab) waiting() bool {
	return t.path != "" && t.doc == nil && t.loading == nil && t.problem == nil
}

// failed reports that a tab's file could not be loaded.
func (t *tab) failed() bool {
	return t.path != "" && t.doc == nil && t.loading == nil && t.problem != nil
}

// refresh reads the file of an open tab again if it has changed since, and
// tries again if it could not be read.
func (w *window) refresh(t *tab) {
	if t.failed() {
		t.problem = nil
		return
	}
	doc := t.doc
	if doc == nil || t.sample || t.loading != nil {
		return
	}
	path := t.path
	w.work.Go(func() {
		s, err := stampOf(w.ctx, path)
		w.post(t, func() {
			if err == nil && w.doc == doc && doc.stamp != s {
				w.load()
			}
		})
	})
}

// survey finds out about files that are opened later: their sizes, and which of
// them are folders.
func (w *window) survey(opened []*tab) {
	var paths []string
	for _, t := range opened {
		paths = append(paths, t.path)
	}
	looks := w.lookedAt()
	w.work.Go(func() {
		for i, t := range opened {
			s, err := stampOf(w.ctx, paths[i])
			file, statErr := os.Stat(paths[i])
			if statErr == nil && err == nil {
				if other := alias(paths[i], file, looks); other != nil {
					err = &openAlready{other}
				}
				looks = append(looks, look{t, paths[i], file})
			}
			w.post(t, func() {
				if !t.waiting() {
					return
				}
				w.stamp, w.known, w.file = s, true, file
				if err != nil {
					w.fail(err)
				}
			})
		}
	})
}

// fail takes why the tab's file could not be read; that it is a folder is a
// reason to open what is in it, that it is open already to go there.
func (w *window) fail(err error) {
	var o *openAlready
	if errors.As(err, &o) {
		w.merge(o)
		return
	}
	var f *folder
	if errors.As(err, &f) {
		w.unfold(f)
		return
	}
	w.problem = problemOf(w.path, err)
}

// unfold opens the snapshots of a folder in the place of the tab that was for
// the folder.
func (w *window) unfold(f *folder) {
	t := w.tab
	i := slices.Index(w.tabs, t)
	switch {
	case i < 0:
		return // closed meanwhile
	case len(f.files) == 0:
		w.problem = &widgets.Problem{Title: "Nothing to open in " + baseName(f.path), Path: f.path,
			What: "No file in this folder is a snapshot.", Advice: "Folders in it are not searched: open the one that holds them."}
		return
	}
	var all, fresh []*tab
	for _, path := range f.files {
		at := slices.IndexFunc(w.tabs, func(t *tab) bool { return t.is(path, false) })
		if at >= 0 {
			all = append(all, w.tabs[at])
			continue
		}
		n := w.newTab()
		n.path = path
		all, fresh = append(all, n), append(fresh, n)
	}
	w.tabs = slices.Replace(w.tabs, i, i+1, fresh...)
	if t == w.active {
		w.activate(all[0])
	}
	w.survey(fresh)
	if text := f.notice(); text != "" {
		w.with(w.active, func() { w.sayFor(text, 20*time.Second) })
	}
}

// activate puts a tab on screen, and loads its file if it is not there.
func (w *window) activate(t *tab) {
	if was := w.active; was != t {
		w.active = t
		w.use(t)
		w.panels.menu.Close()
		w.findings, w.refocus = false, true
		w.carry(&was.own.timeline.Limits)
	}
	if t.looked == 0 {
		w.rememberFile()
	}
	w.looks++
	t.looked = w.looks
	w.settle()
	if t.waiting() {
		w.load()
	}
}

// carry takes over what is the same in all tabs from the one that was shown.
func (w *window) carry(was *widgets.Limits) {
	w.relimit(func(l *widgets.Limits) { l.Capacity = was.Capacity })
	if w.panels.timeline.Limits.Offset != was.Offset {
		w.setOffset(was.Offset)
	}
	w.panels.stack.HideFramework = !w.settings.ShowFramework
	w.shownOf, w.tipOf = detailsKey{}, detailsKey{}
}

// settle brings the active tab up to what was chosen for all of them while it
// was not on screen: axis, how many allocations to draw. freshColours does the
// rest.
func (w *window) settle() {
	if w.doc == nil {
		return
	}
	st := w.doc.stage
	w.showAxis(w.axis, time.Now())
	if st.timeline.Options.MaxEntries != w.opt.MaxEntries {
		w.restage(st.device)
	}
}

// closeTab closes a tab; if it is the active one, next is shown in its place.
func (w *window) closeTab(t, next *tab) {
	i := slices.Index(w.tabs, t)
	if i < 0 {
		return
	}
	w.unload(t)
	t.problem = nil
	w.tabs = slices.Delete(w.tabs, i, i+1)
	if t.path != "" {
		t.place = i
		w.closedTabs = append(w.closedTabs, t)
		if len(w.closedTabs) > closedLimit {
			w.closedTabs = slices.Delete(w.closedTabs, 0, 1)
		}
	}
	if len(w.tabs) == 0 {
		w.tabs = []*tab{w.newTab()}
		next = w.tabs[0]
	}
	if t == w.active {
		w.activate(next)
	}
}

// neighbour is the tab that takes the place of the active one when it closes:
// the next, else the one before.
func (w *window) neighbour() *tab {
	i := slices.Index(w.tabs, w.active)
	if i+1 < len(w.tabs) {
		return w.tabs[i+1]
	}
	return w.tabs[max(0, i-1)]
}

// lookedBefore is the tab that was on screen before the active one.
func (w *window) lookedBefore() *tab {
	best := w.neighbour()
	for _, t := range w.tabs {
		if t != w.active && t.looked > best.looked {
			best = t
		}
	}
	return best
}

// dismiss takes the card away; a tab that has nothing else to show goes too.
func (w *window) dismiss() {
	if w.failed() {
		w.closeTab(w.tab, w.lookedBefore())
		return
	}
	w.problem = nil
}

func (w *window) hasFile() bool   { return w.path != "" || len(w.tabs) > 1 }
func (w *window) hasTabs() bool   { return len(w.tabs) > 1 }
func (w *window) hasClosed() bool { return len(w.closedTabs) > 0 }

func (w *window) closeFile(giolayout.Context) { w.closeTab(w.active, w.neighbour()) }

// closeOthers closes all tabs but the active one.
func (w *window) closeOthers(giolayout.Context) {
	for _, t := range slices.Clone(w.tabs) {
		if t != w.active {
			w.closeTab(t, w.active)
		}
	}
}

// reopen opens the tab again that was closed last, where it was, and shows in
// it what it showed.
func (w *window) reopen(giolayout.Context) {
	t := w.closedTabs[len(w.closedTabs)-1]
	w.closedTabs = w.closedTabs[:len(w.closedTabs)-1]
	for _, other := range w.tabs {
		if other.is(t.path, t.sample) { // opened again since
			w.activate(other)
			return
		}
	}
	t.evicted = false
	if a := w.active; a.empty() && a.path == "" {
		w.tabs[slices.Index(w.tabs, a)] = t
	} else {
		w.tabs = slices.Insert(w.tabs, min(t.place, len(w.tabs)), t)
	}
	w.activate(t)
}

// nextTab goes on to another tab, around the ends.
func nextTab(by int) func(*window, giolayout.Context) {
	return func(w *window, _ giolayout.Context) {
		n := len(w.tabs)
		w.activate(w.tabs[(slices.Index(w.tabs, w.active)+by+n)%n])
	}
}

// reload reads the tab's file again.
func (w *window) reload(giolayout.Context) { w.load() }

// letGo drops what the widgets keep of a snapshot; what the user typed, and
// where they measured, stays.
func (p *tabPanels) letGo() {
	notch, hide := p.minimap.Notch, p.stack.HideFramework
	p.minimap, p.curve, p.matches = widgets.Minimap{Notch: notch}, widgets.Curve{}, widgets.Matches{}
	p.stack, p.bottom, p.line = widgets.Stack{HideFramework: hide}, widgets.BottomBar{}, widgets.StatusLine{}
	p.timeline.Limits.OOMs = nil
}
