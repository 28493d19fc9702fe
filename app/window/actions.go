package window

import (
	"runtime"
	"slices"
	"time"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/app/platform/display"
	"strata/app/settings"
	"strata/layout"
	"strata/layout/capacity"
	"strata/layout/query"
	"strata/render/colour"
	"strata/widgets/describe"
	"strata/widgets/panel"
)

// How far a key zooms and pans.
const (
	keyZoom = 1.5
	keyPan  = .15
)

// wheelNotch is how much Gio scrolls for one notch of the wheel: X11 sends two events of ten, Wayland's compositors
// about a hundred, Windows its raw 120. It must be asked after display.Choose.
func wheelNotch() float32 {
	switch runtime.GOOS {
	case "windows":
		return 120
	case "darwin":
		return 10
	case "js":
		return 100 // app/web/site/input.js sees to that
	}
	if display.X11() {
		return 20
	}
	return 100
}

// escape closes or cancels the topmost thing there is.
func (w *Window) escape(gtx giolayout.Context) {
	t := w.tab()
	switch {
	case w.sheet != nil:
		w.closeSheet(gtx)
	case t.timeline.CancelRegion():
	case t.timeline.RemoveRulers():
	case t.Problem != nil:
		t.Dismiss()
	case t.Loading != nil:
		t.CancelLoading()
	case t.canRunSQL() && t.SQL.Running():
		t.CancelSQL()
	case t.canRunSQL() && t.sql.Focused(gtx):
		t.toggleDrawer(gtx, panel.SQLTab)
	case t.escapePage():
	case t.drawer.allocator.Jump.Focused(gtx):
		gtx.Execute(key.FocusCmd{})
	case t.search.Focused(gtx) && t.search.Text() != "":
		gtx.Execute(key.FocusCmd{})
	case t.clearSearch(gtx):
	case t.closeFilter(gtx):
	case t.flameShows() && t.drawer.flame.Graph.Home():
	case t.closeLens():
	case t.lit != panel.NoGroup:
		t.lit = panel.NoGroup
	case t.Annotation != describe.NoPhase:
		t.Annotation = describe.NoPhase
		t.FollowView()
	case t.Pinned != layout.None || t.Failed != nil:
		t.Pin(layout.None)
	case t.Doc != nil && t.FollowView():
	default:
		t.Pin(layout.None)
	}
}

// hasSegment reports whether an allocation is shown whose segment the file may tell.
func (t *tab) hasSegment() bool { return t.hasShown() && !t.Segments() && t.LacksAllocator() == "" }

// showSegment shows what lay through the run in the segment of an allocation.
func (t *tab) showSegment() {
	d := &t.drawer
	d.page, d.allocator.face = panel.AllocatorTab, panel.Segments
	d.allocator.lens = lens{wanted: true, id: t.selection().Shown()}
}

// findLens finds the segment that is wanted, once the allocator's history is known.
func (t *tab) findLens() {
	l, held := &t.drawer.allocator.lens, t.Allocator()
	if !l.wanted || held == nil {
		return
	}
	id := l.id
	*l = lens{}
	if block := slices.Index(held.IDs, id); block >= 0 {
		if life, in := held.History.LifeOf(int32(block)); in {
			*l = lens{of: held.History, life: life}
			return
		}
	}
	t.Say("The file tells of no segment that it lies in")
}

// hasCopy reports whether copyShown has something to copy.
func (t *tab) hasCopy() bool { return t.hasDetails() || t.pickedRow() != nil }

// copyShown copies what was clicked last: a row of an answer, or an allocation's stack.
func (w *Window) copyShown(gtx giolayout.Context) {
	t := w.tab()
	if row := t.pickedRow(); row != nil && t.stack.SelectedText(gtx) == "" {
		w.toClipboard(gtx, query.RowText(row), "Row copied")
		return
	}
	if text := t.stack.SelectedText(gtx); text != "" {
		w.toClipboard(gtx, text, "Copied") // the key did not reach the text's own widget
		return
	}
	w.copyStack(gtx, t, !w.settings.ShowFramework)
}

// copyStack copies the stack in the panel, as it is shown there or with the framework's frames.
func (w *Window) copyStack(gtx giolayout.Context, t *tab, hideFramework bool) {
	text := describe.StackText(t.Doc.Snapshot, t.stack.Stack(), hideFramework)
	switch all := describe.StackText(t.Doc.Snapshot, t.stack.Stack(), false); {
	case all == "":
		t.Say("No stack was recorded for this " + describe.Stacked(t.Timeline()))
	case text == all:
		w.toClipboard(gtx, text, "Stack copied")
	default:
		w.toClipboard(gtx, text, "Stack copied as shown, without framework frames")
	}
}

func (w *Window) copyDetails(gtx giolayout.Context) {
	t := w.tab()
	text := ""
	if id := t.selection().Shown(); id >= 0 {
		text = describe.AllocationText(t.Timeline(), w.about(t), id, t.View.Axis)
	} else {
		text = describe.RequestText(t.Timeline(), w.about(t), t.Failed, t.View.Axis)
	}
	w.toClipboard(gtx, text, "Details copied")
}

// zoom zooms X at the pointer, or in the middle where it is elsewhere.
func (t *tab) zoom(factor float64, now time.Time) {
	at := (t.View.X0 + t.View.X1) / 2
	if p, ok := t.timeline.Pointer(); ok && t.scene != nil {
		at = t.View.XAt(float64(p.X)+.5, t.scene.Size.X)
	}
	t.Look(t.View.ZoomX(at, factor), now)
}

// goToAnnotation goes on by so many annotations, and shows their level.
func (t *tab) goToAnnotation(by int32, now time.Time) {
	t.NextAnnotation(by, now)
	t.lane.ShowLevel(t.Doc.Stage.Lane.Phases.All[t.Annotation].Depth)
}

// switchAxis changes the axis and keeps the same part of the run in view.
func (w *Window) switchAxis(gtx giolayout.Context) {
	axis := layout.Time
	if w.tab().View.Axis == layout.Time {
		axis = layout.Events
	}
	w.setAxis(axis, gtx.Now)
}

// setAxis chooses the axis of all files that have it, and remembers it.
func (w *Window) setAxis(axis layout.Axis, now time.Time) {
	if w.sessions.SetAxis(axis, now) {
		w.settings.Axis = settings.AxisName(axis)
		w.save()
	}
}

func (w *Window) nextColour(giolayout.Context) {
	modes, doc := colour.Modes(), w.sessions.Active.Doc
	next := (int(w.opt.Colour) + 1) % len(modes)
	for doc != nil && !modes[next].In(doc.Snapshot) {
		next = (next + 1) % len(modes)
	}
	w.setColour(modes[next])
}

// setColour chooses what colours mean, and remembers it. Refresh of the sessions does the rest.
func (w *Window) setColour(m colour.Mode) {
	w.opt.Colour, w.settings.Colour = m, m.String()
	w.save()
}

// setCapacity draws the line of another GPU, the zero value for none, and remembers it.
func (w *Window) setCapacity(c capacity.Capacity) {
	w.sessions.SetCapacity(c)
	w.settings.GPU = c.Name
	w.save()
}

// setModel names tensors by another model, and remembers it.
func (w *Window) setModel(id string, vocab int64, quantized bool) {
	w.settings.Model, w.settings.VocabSize, w.settings.Quantized = id, vocab, quantized
	w.save()
	w.sessions.SetModel(id, vocab, quantized)
}

func (w *Window) toggleFramework(giolayout.Context) {
	w.settings.ShowFramework = !w.settings.ShowFramework
	w.save()
}

func (w *Window) togglePanel(giolayout.Context) {
	w.settings.StackHidden = !w.settings.StackHidden
	w.save()
}

// openSearch puts the caret into the search field.
func (t *tab) openSearch(gtx giolayout.Context) {
	t.searching = true
	t.search.SelectAll()
	gtx.Execute(key.FocusCmd{Tag: t.search.Tag()})
}

// clearSearch ends the search; it reports whether there was one.
func (t *tab) clearSearch(gtx giolayout.Context) bool {
	was := t.searching || t.search.Focused(gtx) || t.search.Text() != "" || t.Find.Wanted()
	if was {
		t.ClearSearch()
		t.search.SetText("")
		t.searching = false
		gtx.Execute(key.FocusCmd{})
	}
	return was
}

// toggleAllAnnotations shows or hides the framework's own annotations.
func (t *tab) toggleAllAnnotations() {
	choice := t.Annotations()
	choice.All = !choice.All
	t.lane.Filter.All = choice.All
	_ = t.SetAnnotations(choice) // its filter was accepted before
}

// openFilter opens the filter of the annotations and gives it the focus.
func (t *tab) openFilter(gtx giolayout.Context) {
	t.lane.Filter.Open = true
	gtx.Execute(key.FocusCmd{Tag: t.lane.Filter.Tag()})
}

// closeFilter closes the filter of the annotations, which stay filtered. It reports whether it was open.
func (t *tab) closeFilter(gtx giolayout.Context) bool {
	was := t.lane.Filter.Open
	t.lane.Filter.Open = false
	if was {
		gtx.Execute(key.FocusCmd{})
	}
	return was
}

// askContext wants the menu of what is pinned. What is only hovered is pinned first, as a menu lies over it.
func (t *tab) askContext() {
	t.Pin(t.selection().Shown())
	t.wantsContext = true
}

func (w *Window) hasFile() bool {
	s := w.sessions.Active
	return s.Path != "" || s.Page != nil || w.hasTabs()
}

func (w *Window) hasTabs() bool { return len(w.sessions.All) > 1 }

// inPage reports whether the window is a page in a browser, where files have no paths.
const inPage = runtime.GOOS == "js"

// privacy is what the start page says in a page.
const privacy = "Nothing leaves this machine: files are read here, and this page cannot send them anywhere."

// pageKeys are the keys in a page in place of those that browsers keep for themselves.
var pageKeys = map[string][]binding{
	"close":        with(key.ModAlt, "W"),
	"close-others": with(key.ModAlt|key.ModShift, "W"),
	"reopen":       with(key.ModAlt|key.ModShift, "T"),
	"next-tab":     with(key.ModAlt, key.NamePageDown),
	"previous-tab": with(key.ModAlt, key.NamePageUp),
	"fullscreen":   nil, // the browser has F11
}

// forPage makes of the table of commands the one of a page: with its keys, and without what needs paths.
func forPage(page bool, all []command) []command {
	if !page {
		return all
	}
	all = slices.DeleteFunc(slices.Clone(all), func(c command) bool { return c.id == "open-path" })
	for i := range all {
		c := &all[i]
		if keys, other := pageKeys[c.id]; other {
			c.keys = keys
		}
		if c.id == "paste" {
			c.name = "open the files that are on the clipboard"
		}
	}
	return all
}
