package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"strata/app/settings"
	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/widgets"
	"strata/widgets/kit"
)

func unitDp(v int) unit.Dp { return unit.Dp(v) }

// update reads what the user did, panel by panel.
func (w *window) update(gtx giolayout.Context, p *places) {
	if w.panels.menu.Showing() {
		if id, ok := w.panels.menu.Update(gtx); ok {
			w.chosen(gtx, w.panels.menu.Owner, id)
		}
	} else {
		w.keys(gtx)
	}
	w.takePasted(gtx)
	w.updateSheets(gtx)
	w.updateCards(gtx)
	w.updateToolbar(gtx)
	w.updateStrip(gtx, p)
	if w.refocus {
		w.refocus = false
		gtx.Execute(key.FocusCmd{}) // letters are commands again
	}
	w.updateSearch(gtx)
	w.updateSQL(gtx, p)
	if w.doc == nil {
		w.updateStart(gtx)
		return
	}
	w.updateTimeline(gtx, p)
	w.updateLane(gtx)
	if w.wantsContext {
		w.openContext(gtx)
	}
	w.updateEdges(gtx, p)
	if e := w.panels.stack.Update(gtx); e.Copy {
		w.copyStack(gtx)
	} else if e.Toggle {
		w.settings.ShowFramework = !w.panels.stack.HideFramework
		w.save()
	} else {
		w.findFrame(e)
	}
	back := w.panels.back.Update(gtx)
	if e := w.panels.bottom.Update(gtx); (e.Bring || back) && w.hasPinned() {
		w.showPinned(gtx)
	} else if e.Unpin {
		w.selection.Pinned = layout.None
	} else if e.More && w.hasShown() {
		w.openContextAtBar(gtx)
	}
	if _, ok := w.panels.line.Update(gtx); ok {
		w.findings = true
	}
}

func (w *window) updateTimeline(gtx giolayout.Context, p *places) {
	t := w.timeline()
	e := w.panels.timeline.Update(gtx, t, w.view, w.widgetScene())
	if e.Changed {
		w.view = e.View
	}
	if e.Back < 0 && w.canBack() || e.Back > 0 && w.canForward() {
		goBy(min(max(e.Back, -1), 1))(w, gtx)
		return
	}
	if e.Settled {
		w.history.add(w.view, gtx.Now)
	}
	if e.Clicked {
		gtx.Execute(key.FocusCmd{}) // letters are commands again
		w.pinnedBefore = w.selection.Pinned
		w.pin(e.At)
	} else if e.Doubled && int(w.pinnedBefore) < len(t.Size) {
		w.pin(w.pinnedBefore)
	}
	if v, ok := w.panels.minimap.Update(gtx, t, w.view); ok {
		w.look(v, gtx.Now)
	}
}

// updateEdges moves the panels' edges.
func (w *window) updateEdges(gtx giolayout.Context, p *places) {
	moved, done := w.panels.stackEdge.Update(gtx)
	if moved != 0 && !p.stack.Empty() {
		width := int(gtx.Metric.PxToDp(p.stack.Dx())) - int(moved)
		most := int(gtx.Metric.PxToDp(gtx.Constraints.Max.X)) - leastPlot
		w.settings.StackWidth = max(settings.MinStackWidth, min(width, most))
	}
	moved2, done2 := w.panels.mapEdge.Update(gtx)
	if moved2 != 0 && !p.minimap.Empty() {
		height := int(gtx.Metric.PxToDp(p.minimap.Dy())) + int(moved2)
		w.settings.MinimapHeight = max(settings.MinMinimapHeight, min(height, settings.MaxMinimapHeight))
	}
	if w.updateMatchEdge(gtx, p) || done || done2 {
		w.save()
	}
}

func (w *window) updateSheets(gtx giolayout.Context) {
	if w.help {
		closed, record := w.panels.help.Update(gtx)
		if w.help = !closed; record {
			w.showRecording(gtx)
		}
	}
	if w.recording {
		code, closed := w.panels.recording.Update(gtx)
		if w.recording = !closed; code != "" {
			w.toClipboard(gtx, code, "Copied")
		}
	}
	if w.findings && w.panels.findings.Update(gtx) {
		w.findings = false
	}
	w.updateOptions(gtx)
	w.completePaths()
	if w.asking {
		path, given, closed := w.panels.path.Update(gtx)
		w.asking = !closed && (!given || w.given(path))
	}
}

func (w *window) updateCards(gtx giolayout.Context) {
	if w.loading != nil && w.panels.loading.Update(gtx) {
		w.cancelLoading()
	}
	if w.problem != nil {
		switch e := w.panels.error.Update(gtx); {
		case e.Dismiss:
			w.dismiss()
		case e.Retry:
			w.load()
		}
	}
}

func (w *window) updateStart(gtx giolayout.Context) {
	e := w.panels.start.Update(gtx, w.recent())
	switch {
	case e.Choose:
		w.chooseFile(gtx)
	case e.Open != "":
		w.openFiles([]string{typed(e.Open)})
	case e.Sample:
		w.openSample()
	case e.Record:
		w.showRecording(gtx)
	case e.Copy:
		w.toClipboard(gtx, widgets.RecordingCode, "Copied")
	}
}

func (w *window) updateToolbar(gtx giolayout.Context) {
	if w.recentLooked && w.panels.menu.Owner == "file" {
		w.panels.menu.Change(w.fileMenu())
	}
	w.recentLooked = false
	e := w.panels.toolbar.Update(gtx)
	switch {
	case e.Menu == widgets.SettingsMenu:
		w.menuAt = e.At
		w.panels.menu.OpenLeft("settings", e.At, w.settingsMenu())
	case e.Menu == widgets.FileMenu:
		w.panels.menu.Open("file", e.At, w.fileMenu())
		w.lookAtRecent()
	case e.Menu == widgets.DeviceMenu && w.hasDevices():
		w.panels.menu.Open("device", e.At, w.deviceMenu())
	case e.Menu == widgets.ColourMenu && w.hasDoc():
		w.panels.menu.Open("colour", e.At, w.colourMenu())
	case e.SetAxis:
		w.setAxis(e.Axis, gtx.Now)
	case e.Help:
		w.toggleHelp(gtx)
	case e.Theme:
		w.switchTheme(gtx)
	}
}

// toolbarState is what the toolbar shows.
func (w *window) toolbarState(window int) *widgets.ToolbarState {
	s := &widgets.ToolbarState{Title: w.title(), Key: keyOf, Axis: w.view.Axis, Colour: w.mode.String()}
	if w.doc != nil {
		s.File = w.doc.name()
		s.Device = deviceName(w.doc.devices[w.doc.stage.device])
		s.Devices = len(w.doc.devices)
		s.HasTime = w.timeline().HasTime()
		s.Searching = w.searching
		s.Search = func(gtx giolayout.Context) giolayout.Dimensions {
			return w.panels.search.Layout(gtx, w.theme, w.searchState(gtx, window))
		}
	}
	return s
}

// statusNow is what the status line shows.
func (w *window) statusNow(gtx giolayout.Context) *widgets.Status {
	t := w.timeline()
	s := &w.status
	s.Figures = append(s.Figures[:0],
		units.Plural(t.Device.Events.Len(), "event"),
		units.Plural(len(t.Size), "allocation"),
		"peak "+units.Bytes(t.PeakBytes+w.panels.timeline.Limits.Offset)+w.peakWhen(t))
	s.View = w.viewText(t)
	s.Here = w.hereName()
	s.Findings = w.findingsOf()
	s.Right = ""
	if gtx.Now.Before(w.noticeEnd) {
		s.Right = w.notice
		gtx.Execute(op.InvalidateCmd{At: w.noticeEnd})
	}
	return s
}

func (w *window) peakWhen(t *layout.Timeline) string {
	x := t.X(w.view.Axis, t.PeakState)
	if w.view.Axis == layout.Time {
		return " at " + units.Duration(x)
	}
	return " at step " + units.Count(int64(x))
}

// viewText is the part of the run on screen.
func (w *window) viewText(t *layout.Timeline) string {
	v := w.view
	whole := render.Whole(t, v.Axis)
	if v.X0 <= whole.X0 && v.X1 >= whole.X1 {
		return "view: whole run"
	}
	if v.Axis == layout.Time {
		step := (v.X1 - v.X0) / 1000
		return fmt.Sprintf("view: %s – %s (%s)", units.PreciseTime(v.X0, step), units.PreciseTime(v.X1, step), units.Duration(v.X1-v.X0))
	}
	return fmt.Sprintf("view: step %s – %s (%s)", units.Count(int64(v.X0)), units.Count(int64(v.X1)), units.Count(int64(v.X1-v.X0)))
}

// item is a menu's line for a command.
func (w *window) item(id, text string) kit.MenuItem {
	c := byID(id)
	return kit.MenuItem{ID: id, Text: text, Detail: keyOf(id), Disabled: !c.can(w)}
}

func (w *window) fileMenu() []kit.MenuItem {
	items := []kit.MenuItem{
		w.item("open", "Open…"), w.item("open-path", "Open by path…"), w.item("reload", "Read again"), w.item("picture", "Save the picture…"), w.item("sql", "Ask in SQL"),
		{Rule: true}, w.item("close", "Close"), w.item("close-others", "Close all others"), w.item("reopen", "Open the last closed again"),
		w.item("next-tab", "Next file"), w.item("previous-tab", "File before"), {Rule: true},
		w.item("recording", "How to record a snapshot"),
	}
	if len(w.settings.Recent) > 0 {
		items = append(items, kit.MenuItem{Rule: true}, kit.MenuItem{Heading: true, Text: "Recent"})
	}
	for _, f := range w.recent() {
		item := kit.MenuItem{ID: recentPrefix + f.Path, Text: f.Name, Note: f.Folder, Detail: f.Size}
		if f.Missing {
			item.Detail = "missing"
		}
		items = append(items, item)
	}
	if len(w.settings.Recent) > 0 {
		items = append(items, kit.MenuItem{ID: forgetRecent, Text: "Forget these files"})
	}
	return items
}

// recentPrefix marks menu items that open a file.
const recentPrefix = "recent:"

func (w *window) deviceMenu() []kit.MenuItem {
	var items []kit.MenuItem
	for i, d := range w.doc.devices {
		detail := units.ShortCount(d.Events.Len()) + " events"
		if d.Events.Len() == 0 {
			detail = units.Plural(len(d.Segments), "segment")
		}
		items = append(items, kit.MenuItem{ID: strconv.Itoa(i), Text: deviceName(d), Detail: detail, Ticked: i == w.doc.stage.device})
	}
	return items
}

// legendLimit is how many colours the menu explains.
const legendLimit = 12

func (w *window) colourMenu() []kit.MenuItem {
	items := []kit.MenuItem{{Heading: true, Text: "Colour means"}}
	for i, m := range colour.Modes() {
		items = append(items, kit.MenuItem{ID: strconv.Itoa(i), Text: m.String(), Ticked: m == w.mode})
	}
	heading, legend := legendShown(w.doc.stage.colouring)
	if heading == "" {
		return items
	}
	items = append(items, kit.MenuItem{Rule: true}, kit.MenuItem{Heading: true, Text: heading})
	for _, e := range legend {
		c := nrgba(e.Colour)
		items = append(items, kit.MenuItem{Text: e.Label, Detail: units.Bytes(e.Bytes), Swatch: &c, Legend: true})
	}
	return items
}

// legendShown is what the menu explains of a legend, and the words above it.
// Where that is not all, it is what holds the most bytes, in the legend's order:
// a ramp goes from least to most, and its end is what fills the picture.
func legendShown(c *colour.Colouring) (string, []colour.LegendEntry) {
	legend := c.Legend
	switch {
	case len(legend) == 0 && c.Mode != colour.ByAllocation:
		return "", nil
	case c.Mode == colour.ByAllocation:
		return "Blocks that touch differ; it means nothing else", nil
	case len(legend) <= legendLimit:
		return "Bytes allocated in the whole run", legend
	}
	places := make([]int, len(legend))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(legend[b].Bytes, legend[a].Bytes) })
	places = places[:legendLimit]
	slices.Sort(places)
	shown := make([]colour.LegendEntry, legendLimit)
	for i, at := range places {
		shown[i] = legend[at]
	}
	return "The largest, by bytes allocated in the whole run", shown
}

func (w *window) settingsMenu() []kit.MenuItem {
	theme := w.themeName()
	panel := w.item("panel", "Stack panel")
	panel.Ticked = !w.settings.StackHidden
	frames := w.item("framework", "Hide framework frames")
	frames.Ticked = w.panels.stack.HideFramework
	items := []kit.MenuItem{
		{Heading: true, Text: "Theme"},
		{ID: "theme:system", Text: "As the desktop", Ticked: theme == "system"},
		{ID: "theme:dark", Text: "Dark", Ticked: theme == "dark"},
		{ID: "theme:light", Text: "Light", Ticked: theme == "light"},
		{Rule: true},
		panel, frames,
	}
	items = append(items, w.limitItems()...)
	return append(items, kit.MenuItem{Rule: true}, w.item("help", "Keys and gestures"), w.item("recording", "How to record a snapshot"))
}

// chosen does what a menu item stands for.
func (w *window) chosen(gtx giolayout.Context, owner, id string) {
	if w.chosenSQL(gtx, owner, id) || w.chosenLimit(owner, id) {
		return
	}
	switch owner {
	case "device":
		if i, err := strconv.Atoi(id); err == nil && w.doc != nil && i < len(w.doc.devices) {
			w.setDevice(i)
		}
		return
	case "colour":
		if i, err := strconv.Atoi(id); err == nil {
			w.setColour(colour.Mode(i))
		}
		return
	}
	if w.chosenTab(id) {
		return
	}
	if path, ok := strings.CutPrefix(id, recentPrefix); ok {
		w.open(path)
		return
	}
	if id == forgetRecent {
		w.forgetRecentFiles()
		return
	}
	if theme, ok := strings.CutPrefix(id, "theme:"); ok {
		w.setTheme(theme)
		return
	}
	if c := byID(id); c.can(w) {
		c.do(w, gtx)
	}
}
