package window

import (
	"strings"
	"time"

	"gioui.org/io/event"
	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/widgets/panel"
)

// A command is something the program can do. Menus, key bindings, the key hints of buttons and the help sheet are all
// made from the table of commands.
type command struct {
	id      string
	section string
	name    string
	keys    []binding                        // the first is the one that is shown
	gesture string                           // of the pointer; such rows only explain
	hint    string                           // its text among the hints of the empty bottom bar
	enabled func(*Window) bool               // nil: always
	do      func(*Window, giolayout.Context) // nil: a gesture, done by its widget
}

// A binding is a key with its modifiers.
type binding struct {
	name     key.Name
	mods     key.Modifiers
	optional key.Modifiers // may be held as well: Shift where it only makes the sign
}

// Sections of the help sheet.
const (
	lookAt = "Look"
	heldDo = "What held it"
	moveIn = "Move"
	fileDo = "File"
	findDo = "Search"
	showDo = "Window"
)

// alone binds keys without modifiers.
func alone(names ...key.Name) []binding { return with(0, names...) }

// ctrl binds keys with Ctrl, on macOS Cmd.
func ctrl(names ...key.Name) []binding { return with(key.ModShortcut, names...) }

// with binds keys with modifiers.
func with(mods key.Modifiers, names ...key.Name) (bindings []binding) {
	for _, name := range names {
		b := binding{name: name, mods: mods}
		if strings.Contains("+=-?<>", string(name)) {
			b.optional = key.ModShift
		}
		bindings = append(bindings, b)
	}
	return bindings
}

// when makes a condition of the shown tab one of the window.
func when(can func(*tab) bool) func(*Window) bool {
	return func(w *Window) bool { return can(w.tab()) }
}

// on makes an action on the shown tab one of the window.
func on(do func(*tab, giolayout.Context)) func(*Window, giolayout.Context) {
	return func(w *Window, gtx giolayout.Context) { do(w.tab(), gtx) }
}

// move makes a move in the shown session an action of the window.
func move(do func(*session.Session, time.Time)) func(*Window, giolayout.Context) {
	return func(w *Window, gtx giolayout.Context) { do(w.sessions.Active, gtx.Now) }
}

// pan pans by parts of the view.
func pan(x, y float64) func(*Window, giolayout.Context) {
	return move(func(s *session.Session, now time.Time) { s.Pan(x, y, now) })
}

// stepEvent makes going some events on an action of the window.
func stepEvent(by int) func(*Window, giolayout.Context) {
	return move(func(s *session.Session, now time.Time) { s.StepEvent(by, now) })
}

// panOrStep pans up by a part of the view or, while the allocator is shown, goes some events on.
func panOrStep(y float64, by int) func(*Window, giolayout.Context) {
	return on(func(t *tab, gtx giolayout.Context) {
		if t.allocatorShows() {
			t.StepEvent(by, gtx.Now)
			return
		}
		t.Pan(0, y, gtx.Now)
	})
}

// nextSegment makes going to an event that changes segments an action of the window.
func nextSegment(by int) func(*Window, giolayout.Context) {
	return move(func(s *session.Session, now time.Time) { s.NextSegmentEvent(by, now) })
}

// all makes an action on all sessions one of the window.
func all(do func(*session.Sessions)) func(*Window, giolayout.Context) {
	return func(w *Window, _ giolayout.Context) { do(w.sessions) }
}

var commands = forPage(inPage, []command{
	{section: lookAt, gesture: "Hover", name: "see what is under the pointer", hint: "see what it is"},
	{section: lookAt, gesture: "Click", name: "pin it; on empty space: unpin", hint: "pin"},
	{section: lookAt, gesture: "Right-click", name: "send the tooltip away until the next allocation"},
	{section: lookAt, gesture: "R+drag", name: "measure bytes; Esc removes the ruler"},
	{section: lookAt, gesture: "T+drag", name: "measure time or steps"},
	{id: "escape", section: lookAt, name: "close, cancel or unpin", keys: alone(key.NameEscape), do: (*Window).escape},
	{id: "copy", section: lookAt, name: "copy the stack trace as it is shown", keys: ctrl("C"),
		enabled: when((*tab).hasCopy), do: (*Window).copyShown},
	{id: "copy-all", section: lookAt, name: "copy all of the stack trace", keys: with(key.ModShortcut|key.ModAlt, "C"),
		enabled: when((*tab).hasDetails),
		do:      func(w *Window, gtx giolayout.Context) { w.copyStack(gtx, w.tab(), false) }},
	{id: "copy-details", section: lookAt, name: "copy all that is known of it",
		keys: with(key.ModShortcut|key.ModShift, "C"), enabled: when((*tab).hasDetails), do: (*Window).copyDetails},
	{id: "context", section: lookAt, name: "menu of what can be done with it", keys: with(key.ModShift, key.NameF10),
		enabled: when((*tab).hasShown), do: on(func(t *tab, _ giolayout.Context) { t.askContext() })},
	{id: "zoom-to", section: lookAt, name: "zoom to it", keys: alone("Z"), enabled: when((*tab).hasShown),
		do: on(func(t *tab, gtx giolayout.Context) { t.ZoomTo(t.selection().Shown(), gtx.Now) })},
	{id: "segment-of", section: lookAt, name: "what lay in its segment through the run", keys: with(key.ModShift, "Z"),
		enabled: when((*tab).hasSegment), do: on(func(t *tab, _ giolayout.Context) { t.showSegment() })},
	{id: "same-site", section: lookAt, name: "find what the same line allocates", keys: alone("X"),
		enabled: when((*tab).hasSite),
		do:      on(func(t *tab, _ giolayout.Context) { t.SearchSite(t.selection().Shown()) })},
	{id: "show-pinned", section: lookAt, name: "bring the pinned allocation into view", keys: alone("G"),
		enabled: when(func(t *tab) bool { return t.HasPinned() }), do: move((*session.Session).ShowPinned)},

	{id: "moment-start", section: heldDo, name: "what is held at the start", keys: alone(key.NameHome),
		enabled: when((*tab).hasDoc), do: goTo(func(*layout.Timeline) breakdown.Moment { return breakdown.Start() })},
	{id: "moment-end", section: heldDo, name: "what is held at the end", keys: alone(key.NameEnd),
		enabled: when((*tab).hasDoc), do: goTo(breakdown.End)},
	{id: "next-oom", section: heldDo, name: "next out of memory", keys: alone("O"), enabled: when((*tab).hasDoc),
		do: move((*session.Session).NextOOM)},
	{id: "breakdown", section: heldDo, name: "all that was held, in a table", keys: alone("E"),
		enabled: when((*tab).hasDoc), do: toggling(panel.BreakdownTab)},
	{id: "flame", section: heldDo, name: "what each call held, a flame graph", keys: alone("K"),
		enabled: when((*tab).hasDoc), do: toggling(panel.FlameTab)},
	{id: "turn-flame", section: heldDo, name: "the flame graph the other way round", keys: alone("J"),
		enabled: when((*tab).flameShows), do: on(func(t *tab, _ giolayout.Context) { t.turnFlame() })},
	{id: "growth", section: heldDo, name: "what grows with each repetition", keys: alone("U"),
		enabled: when((*tab).hasDoc), do: toggling(panel.GrowthTab)},
	{id: "allocator", section: heldDo, name: "the allocator: segments, blocks and what is free", keys: alone("."),
		enabled: when((*tab).hasDoc), do: toggling(panel.AllocatorTab)},
	{id: "next-events", section: heldDo, name: "a hundred events on", keys: alone(key.NamePageDown),
		enabled: when((*tab).allocatorShows), do: stepEvent(100)},
	{id: "events-before", section: heldDo, name: "a hundred events back", keys: alone(key.NamePageUp),
		enabled: when((*tab).allocatorShows), do: stepEvent(-100)},
	{id: "next-segment", section: heldDo, name: "the next event that changes segments", keys: alone(">"),
		enabled: when((*tab).allocatorShows), do: nextSegment(1)},
	{id: "segment-before", section: heldDo, name: "the one before", keys: alone("<"),
		enabled: when((*tab).allocatorShows), do: nextSegment(-1)},
	{id: "all-segments", section: heldDo, name: "from one segment back to all of them",
		keys: alone(key.NameDeleteBackward), enabled: when((*tab).hasLens),
		do: on(func(t *tab, _ giolayout.Context) { t.closeLens() })},
	{id: "next-group", section: heldDo, name: "light the next group", keys: with(key.ModShift, key.NameDownArrow),
		enabled: when((*tab).listsGroups), do: on(func(t *tab, _ giolayout.Context) { t.stepLit(1) })},
	{id: "previous-group", section: heldDo, name: "light the group before", keys: with(key.ModShift, key.NameUpArrow),
		enabled: when((*tab).listsGroups), do: on(func(t *tab, _ giolayout.Context) { t.stepLit(-1) })},
	{id: "search-group", section: heldDo, name: "find the allocations of the lit group",
		keys: alone(key.NameReturn, key.NameEnter), enabled: when((*tab).hasLit),
		do: on(func(t *tab, _ giolayout.Context) { t.SearchGroup(t.litGroup()) })},
	{id: "open-group", section: heldDo, name: "open or close the lit group in the table", keys: alone(key.NameSpace),
		enabled: when((*tab).canOpenLit), do: on(func(t *tab, _ giolayout.Context) { t.openLit() })},
	{section: heldDo, gesture: "Click below", name: "in the strip of the axis: what is held there"},
	{section: heldDo, gesture: "Shift+drag below", name: "in the strip of the axis: what changed between two places"},
	{id: "peak", section: heldDo, name: "go to the peak", keys: alone("P"), hint: "peak",
		enabled: when((*tab).hasDoc), do: move((*session.Session).GoToPeak)},

	{id: "search", section: findDo, name: "search", keys: ctrl("F"), hint: "search",
		enabled: when((*tab).hasDoc), do: on((*tab).openSearch)},
	{id: "next-match", section: findDo, name: "next match; in the field Enter", keys: alone("N"),
		enabled: when(func(t *tab) bool { return t.HasMatches() }),
		do:      move(func(s *session.Session, now time.Time) { s.NextMatch(1, now) })},
	{id: "previous-match", section: findDo, name: "match before; in the field Shift+Enter",
		keys: with(key.ModShift, "N"), enabled: when(func(t *tab) bool { return t.HasMatches() }),
		do: move(func(s *session.Session, now time.Time) { s.NextMatch(-1, now) })},
	{id: "sql", section: findDo, name: "ask in SQL", keys: alone("Q"), enabled: when((*tab).hasDoc),
		do: toggling(panel.SQLTab)},
	{id: "run-sql", section: findDo, name: "run the SQL", keys: ctrl(key.NameReturn, key.NameEnter),
		enabled: when((*tab).canRunSQL), do: (*Window).runSQL},

	{id: "open", section: fileDo, name: "open a snapshot", keys: ctrl("O"), do: (*Window).chooseFile},
	{id: "open-path", section: fileDo, name: "open by typing its path",
		keys: with(key.ModShortcut|key.ModShift, "O"), do: (*Window).askPath},
	{id: "paste", section: fileDo, name: "open the file whose path is on the clipboard", keys: ctrl("V"),
		do: (*Window).paste},
	{id: "reload", section: fileDo, name: "read the file again", keys: ctrl("R"), enabled: (*Window).canReload,
		do: (*Window).reload},
	{id: "lay-over", section: fileDo, name: "lay a trace or a log over it",
		keys: with(key.ModShift, "O"), enabled: when((*tab).hasDoc),
		do: (*Window).chooseOver},
	{id: "picture", section: fileDo, name: "save the picture, PNG or SVG", keys: ctrl("E"),
		enabled: when((*tab).hasDoc), do: (*Window).savePicture},
	{id: "compare", section: fileDo, name: "put it beside another open file", keys: ctrl("K"),
		enabled: (*Window).canCompare, do: (*Window).compare},
	{id: "wall", section: fileDo, name: "all open files, or the folder, as a wall", keys: ctrl("G"),
		enabled: (*Window).hasPath, do: (*Window).wallOfOpen},
	{id: "close", section: fileDo, name: "close the file", keys: ctrl("W"), enabled: (*Window).hasFile,
		do: all(func(all *session.Sessions) { all.Close(all.Active, all.Neighbour()) })},
	{id: "close-others", section: fileDo, name: "close all other files", keys: with(key.ModShortcut|key.ModAlt, "W"),
		enabled: (*Window).hasTabs, do: all((*session.Sessions).CloseOthers)},
	{id: "reopen", section: fileDo, name: "open what was closed last", keys: with(key.ModShortcut|key.ModShift, "T"),
		enabled: func(w *Window) bool { return w.sessions.CanReopen() }, do: all((*session.Sessions).Reopen)},
	{id: "next-tab", section: fileDo, name: "next file", keys: with(key.ModCtrl, key.NameTab, key.NamePageDown),
		enabled: (*Window).hasTabs, do: all(func(all *session.Sessions) { all.Step(1) })},
	{id: "previous-tab", section: fileDo, name: "file before",
		keys:    append(with(key.ModCtrl|key.ModShift, key.NameTab), with(key.ModCtrl, key.NamePageUp)...),
		enabled: (*Window).hasTabs, do: all(func(all *session.Sessions) { all.Step(-1) })},

	{id: "axis", section: showDo, name: "event order or time", keys: alone("M"), enabled: when((*tab).hasTime),
		do: (*Window).switchAxis},
	{id: "colour", section: showDo, name: "next meaning of the colours", keys: alone("C"),
		enabled: when((*tab).hasDoc), do: (*Window).nextColour},
	{id: "device", section: showDo, name: "next device", keys: alone("V"), enabled: when((*tab).hasDevices),
		do: on(func(t *tab, _ giolayout.Context) { t.SetDevice((t.Doc.Stage.Device + 1) % len(t.Doc.Devices)) })},
	{id: "bands", section: showDo, name: "bands of groups, or allocations", keys: alone("Y"),
		enabled: when((*tab).hasDoc), do: (*Window).toggleBands},
	{id: "segments", section: showDo, name: "segments in place of allocations", keys: with(key.ModShift, "S"),
		enabled: when((*tab).hasDoc), do: on(func(t *tab, _ giolayout.Context) { t.ToggleSegments() })},
	{id: "lines", section: showDo, name: "lines of what the allocator held, and none", keys: with(key.ModShift, "L"),
		enabled: when((*tab).hasDoc), do: func(w *Window, _ giolayout.Context) { w.setLines(w.lines() + 1) }},
	{id: "framework", section: showDo, name: "hide or show framework frames", keys: alone("H"),
		enabled: when((*tab).hasDoc), do: (*Window).toggleFramework},
	{id: "panel", section: showDo, name: "hide or show the stack panel", keys: alone("B"),
		enabled: when((*tab).hasDoc), do: (*Window).togglePanel},
	{id: "theme", section: showDo, name: "dark or light", keys: alone("L"), do: (*Window).switchTheme},
	{id: "fullscreen", section: showDo, name: "full screen", keys: alone(key.NameF11), do: (*Window).fullScreen},
	{id: "annotations", section: showDo, name: "filter the annotations", keys: with(key.ModShift, "A"),
		enabled: when((*tab).hasAnnotations), do: on((*tab).openFilter)},
	{id: "all-annotations", section: showDo, name: "the framework's own annotations too", keys: alone("I"),
		enabled: when((*tab).hasAnnotations), do: on(func(t *tab, _ giolayout.Context) { t.toggleAllAnnotations() })},
	{id: "options", section: showDo, name: "limits, model, own code, categories", keys: alone(","),
		do: (*Window).openOptions},
	{id: "help", section: showDo, name: "this sheet", keys: alone("?", key.NameF1), hint: "all keys",
		do: (*Window).toggleHelp},
	{id: "recording", section: showDo, name: "how to record a snapshot", keys: alone(key.NameF2),
		do: (*Window).toggleRecording},

	{section: moveIn, gesture: "Scroll", name: "zoom in and out at the pointer", hint: "zoom"},
	{section: moveIn, gesture: "Shift+scroll", name: "zoom the bytes; over the annotations: deeper levels"},
	{section: moveIn, gesture: shortcutName() + "+scroll", name: "zoom both"},
	{section: moveIn, gesture: "Drag", name: "pan; so does sideways scrolling", hint: "pan"},
	{section: moveIn, gesture: shortcutName() + "+drag", name: "mark a part of the run and zoom into it"},
	{section: moveIn, gesture: "Double-click", name: "fit the height to what is visible", hint: "fit height"},
	{id: "whole", section: moveIn, name: "the whole run", keys: alone("0"), hint: "whole run",
		enabled: when((*tab).hasDoc), do: move(func(s *session.Session, now time.Time) { s.Look(s.WholeView(), now) })},
	{id: "fit", section: moveIn, name: "fit the height", keys: alone("F"), enabled: when((*tab).hasDoc),
		do: move((*session.Session).Fit)},
	{id: "zoom-in", section: moveIn, name: "zoom in", keys: alone("W", "+", "="), enabled: when((*tab).hasDoc),
		do: on(func(t *tab, gtx giolayout.Context) { t.zoom(keyZoom, gtx.Now) })},
	{id: "zoom-out", section: moveIn, name: "zoom out", keys: alone("S", "-"), enabled: when((*tab).hasDoc),
		do: on(func(t *tab, gtx giolayout.Context) { t.zoom(1/keyZoom, gtx.Now) })},
	{id: "left", section: moveIn, name: "pan left", keys: alone("A", key.NameLeftArrow),
		enabled: when((*tab).hasDoc), do: pan(-keyPan, 0)},
	{id: "right", section: moveIn, name: "pan right", keys: alone("D", key.NameRightArrow),
		enabled: when((*tab).hasDoc), do: pan(keyPan, 0)},
	{id: "up", section: moveIn, name: "pan up; in the allocator: one event back", keys: alone(key.NameUpArrow),
		enabled: when((*tab).hasDoc), do: panOrStep(keyPan, -1)},
	{id: "down", section: moveIn, name: "pan down; in the allocator: one event on", keys: alone(key.NameDownArrow),
		enabled: when((*tab).hasDoc), do: panOrStep(-keyPan, 1)},
	{id: "next-phase", section: moveIn, name: "next annotation", keys: alone("]"), enabled: when((*tab).hasPhases),
		do: on(func(t *tab, gtx giolayout.Context) { t.goToAnnotation(1, gtx.Now) })},
	{id: "previous-phase", section: moveIn, name: "annotation before", keys: alone("["),
		enabled: when((*tab).hasPhases),
		do:      on(func(t *tab, gtx giolayout.Context) { t.goToAnnotation(-1, gtx.Now) })},
	{id: "back", section: moveIn, name: "back to the view before", keys: with(key.ModAlt, key.NameLeftArrow),
		enabled: when((*tab).canBack), do: on(func(t *tab, _ giolayout.Context) { t.GoBack(1) })},
	{id: "forward", section: moveIn, name: "forward again", keys: with(key.ModAlt, key.NameRightArrow),
		enabled: when((*tab).canForward), do: on(func(t *tab, _ giolayout.Context) { t.GoBack(-1) })},
})

// commandByID finds a command; it is an error of the program to ask for another.
func commandByID(id string) *command {
	for i := range commands {
		if commands[i].id == id {
			return &commands[i]
		}
	}
	panic("window: no command " + id)
}

// can reports whether a command is possible now.
func (c *command) can(w *Window) bool { return c.do != nil && (c.enabled == nil || c.enabled(w)) }

// keyOf returns how a command's key is written, "" if it has none.
func keyOf(id string) string {
	c := commandByID(id)
	if len(c.keys) == 0 {
		return ""
	}
	return c.keys[0].String()
}

// typing reports whether a text field has the focus.
func (w *Window) typing(gtx giolayout.Context) bool {
	t := w.tab()
	return w.startPage.Path.Focused(gtx) || t.search.Focused(gtx) || t.sql.Focused(gtx) ||
		t.lane.Filter.Focused(gtx) || t.drawer.allocator.Jump.Focused(gtx) || w.sheet != nil && w.sheet.focused(w, gtx)
}

// updateKeys runs the commands whose keys were pressed.
func (w *Window) updateKeys(gtx giolayout.Context) {
	bound := boundKeys
	t := w.tab()
	switch {
	case w.typing(gtx):
		bound = boundTyping
	case !t.hasLit() || !gtx.Focused(nil) || w.sheet != nil:
		bound = boundPressing
	}
	for {
		ev, ok := gtx.Event(bound.filters...)
		if !ok {
			return
		}
		e, ok := ev.(key.Event)
		if !ok || e.State != key.Press {
			continue
		}
		for _, b := range bound.keys {
			if b.matches(e) && b.command.can(w) {
				b.command.do(w, gtx)
				break
			}
		}
	}
}

// bound is a set of keys of commands with the filters that ask Gio for them.
type bound struct {
	keys    []boundKey
	filters []event.Filter
}

// A boundKey is a command with one of its keys.
type boundKey struct {
	binding
	command *command
}

// What the table gives does not change.
var (
	boundKeys     = bind(func(binding) bool { return true })
	boundPressing = bind(func(b binding) bool { return !b.presses() }) // while they may press a button
	boundTyping   = bind(func(b binding) bool { return !b.types() })   // while a text field has the focus

	helpTable = helpSections()
	hints     = bottomHints()
)

// bind collects the keys of all commands that fit.
func bind(fits func(binding) bool) (b bound) {
	for i := range commands {
		for _, k := range commands[i].keys {
			if fits(k) {
				b.keys = append(b.keys, boundKey{k, &commands[i]})
				b.filters = append(b.filters, key.Filter{Name: k.name, Required: k.mods, Optional: k.optional})
			}
		}
	}
	return b
}

// matches reports whether a key event is of this binding.
func (b binding) matches(e key.Event) bool {
	return e.Name == b.name && e.Modifiers&^b.optional == b.mods
}

// presses reports whether the key presses the button that has the focus.
func (b binding) presses() bool {
	return b.mods == 0 && (b.name == key.NameReturn || b.name == key.NameEnter || b.name == key.NameSpace)
}

// types reports whether the key types something, moves a caret, copies or pastes in a text field. AltGr, which types
// letters, comes as Ctrl+Alt from Windows.
func (b binding) types() bool {
	if (b.name == "C" || b.name == "V") && b.mods == key.ModShortcut || b.mods.Contain(key.ModCtrl|key.ModAlt) {
		return true
	}
	return b.mods&^key.ModShift == 0 && b.name != key.NameEscape && !(len(b.name) > 1 && b.name[0] == 'F')
}
