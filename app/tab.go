package app

import (
	"os"
	"path/filepath"
	"time"

	"strata/layout"
	"strata/render"
	"strata/render/tiles"
	"strata/widgets"
)

// A tab is one file in the window with all that belongs to it: how far its
// loading is, what went wrong, where one looked and what one asked. The window
// shows one of them; its state is in the same place for whoever works on it,
// as window embeds the tab at hand.
type tab struct {
	path    string      // of its file; "" for a tab in which nothing was opened yet
	sample  bool        // the embedded sample; path is only its name
	stamp   stamp       // of the file when it was looked at last
	known   bool        // it has been looked at
	file    os.FileInfo // of the file when it was looked at last, nil if it was not there
	evicted bool        // unloaded to make room: not loaded again before it is looked at
	kept    *kept       // what unloading left to come back to, nil if nothing
	noteOf  noteKey
	place   int    // where it was, once it is closed
	looked  uint64 // when the user looked at it last, on the window's own clock; 0: never

	doc        *document
	loading    *loading
	staging    *staging  // nil: none
	opening    time.Time // when what is shown was asked for, until its picture is sharp
	pictured   bool      // and it has been shown at all
	problem    *widgets.Problem
	wantDevice int
	find       finder
	asker      asker

	annotations annotations
	searching   bool // the search field is in use

	view      render.View
	history   history
	selection widgets.Selection
	// pinnedBefore is what was pinned before the last click: a second click
	// makes both a double click, which pins nothing.
	pinnedBefore layout.ID
	scene        *tiles.Composition // what the last frame showed, nil if nothing

	shown, tip widgets.Details // of the selection, made when it changes
	shownOf    detailsKey
	tipOf      detailsKey
	status     widgets.Status
	notice     string
	noticeEnd  time.Time

	own tabPanels
}

// tabPanels are the widgets that remember something of their file: where they
// are scrolled to, what was typed into them, what they drew last.
type tabPanels struct {
	minimap  widgets.Minimap
	timeline widgets.Timeline
	back     widgets.OffViewButton
	stack    widgets.Stack
	bottom   widgets.BottomBar
	line     widgets.StatusLine
	lane     widgets.Lane
	search   widgets.SearchBar
	matches  widgets.Matches
	curve    widgets.Curve
	sql      widgets.SQL
}

// newTab makes an empty tab with what the command line and the settings say.
func (w *window) newTab() *tab {
	t := &tab{wantDevice: w.opt.Device, selection: widgets.NoSelection}
	t.view.Axis = w.axis
	t.own.stack.HideFramework = !w.settings.ShowFramework
	t.own.timeline.Notch, t.own.minimap.Notch, t.own.lane.Notch = w.notch, w.notch, w.notch
	w.startLimits(t)
	return t
}

// use makes a tab the one at hand.
func (w *window) use(t *tab) {
	w.tab, w.panels.tabPanels = t, &t.own
}

// post leaves something for the window's goroutine that is about a tab: while
// it is done, that tab is the one at hand, whichever is on screen.
func (w *window) post(t *tab, f func()) {
	w.mail.post(func() {
		w.with(t, f)
	})
}

// with does something to a tab that need not be the one on screen.
func (w *window) with(t *tab, f func()) {
	was, active := w.tab, w.active
	w.use(t)
	f()
	if was == active {
		was = w.active // which may be another one now
	}
	w.use(was)
}

// title is what a tab is called, "" where nothing is open.
func (t *tab) title() string {
	if t.path == "" {
		return ""
	}
	return filepath.Base(t.path)
}
