package app

import (
	"runtime"
	"slices"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/widgets"
	"strata/widgets/kit"
)

// A command is something the program can do. Menus, key bindings, the key
// hints of buttons and the help sheet are all printed from this one table.
type command struct {
	id      string
	section string
	name    string
	keys    []binding                        // the first is the one that is shown
	gesture string                           // of the pointer; such rows only explain
	hint    string                           // its text among the hints of the empty bottom bar
	enabled func(*window) bool               // nil: always
	do      func(*window, giolayout.Context) // nil: a gesture, done by its widget
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
	moveIn = "Move"
	fileDo = "File"
	findDo = "Search"
	showDo = "Window"
)

var commands = []command{
	{section: lookAt, gesture: "Hover", name: "see what is under the pointer", hint: "see what it is"},
	{section: lookAt, gesture: "Click", name: "pin it; on empty space: unpin", hint: "pin"},
	{section: lookAt, gesture: "Right-click", name: "send the tooltip away until the next allocation"},
	{section: lookAt, gesture: "R+drag", name: "measure bytes; Esc removes the ruler"},
	{section: lookAt, gesture: "T+drag", name: "measure time or steps"},
	{id: "escape", section: lookAt, name: "close, cancel or unpin", keys: []binding{{name: key.NameEscape}}, do: (*window).escape},
	{id: "copy", section: lookAt, name: "copy the stack trace", keys: []binding{{name: "C", mods: key.ModShortcut}}, enabled: (*window).hasCopy, do: (*window).copyShown},
	{id: "copy-details", section: lookAt, name: "copy all that is known of it", keys: []binding{{name: "C", mods: key.ModShortcut | key.ModShift}}, enabled: (*window).hasShown, do: (*window).copyDetails},
	{id: "context", section: lookAt, name: "menu of what can be done with it", keys: []binding{{name: key.NameF10, mods: key.ModShift}}, enabled: (*window).hasShown, do: (*window).askContext},
	{id: "zoom-to", section: lookAt, name: "zoom to it", keys: []binding{{name: "Z"}}, enabled: (*window).hasShown, do: (*window).zoomTo},
	{id: "same-site", section: lookAt, name: "find what the same line allocates", keys: []binding{{name: "X"}}, enabled: (*window).hasSite, do: (*window).findSameSite},
	{id: "show-pinned", section: lookAt, name: "bring the pinned allocation into view", keys: []binding{{name: "G"}}, enabled: (*window).hasPinned, do: (*window).showPinned},
	{id: "peak", section: lookAt, name: "go to the peak", keys: []binding{{name: "P"}}, hint: "peak", enabled: (*window).hasDoc, do: (*window).goToPeak},

	{id: "search", section: findDo, name: "search", keys: []binding{{name: "F", mods: key.ModShortcut}}, hint: "search", enabled: (*window).hasDoc, do: (*window).openSearch},
	{id: "next-match", section: findDo, name: "next match; in the field Enter", keys: []binding{{name: "N"}}, enabled: (*window).hasMatches, do: walk(1)},
	{id: "previous-match", section: findDo, name: "match before; in the field Shift+Enter", keys: []binding{{name: "N", mods: key.ModShift}}, enabled: (*window).hasMatches, do: walk(-1)},
	{id: "sql", section: findDo, name: "ask in SQL", keys: []binding{{name: "Q"}}, enabled: (*window).hasDoc, do: (*window).toggleSQL},
	{id: "run-sql", section: findDo, name: "run the SQL", keys: []binding{{name: key.NameReturn, mods: key.ModShortcut}, {name: key.NameEnter, mods: key.ModShortcut}}, enabled: (*window).canRunSQL, do: (*window).runSQL},

	{id: "open", section: fileDo, name: "open a snapshot", keys: []binding{{name: "O", mods: key.ModShortcut}}, do: (*window).chooseFile},
	{id: "open-path", section: fileDo, name: "open by typing its path", keys: []binding{{name: "O", mods: key.ModShortcut | key.ModShift}}, do: (*window).askPath},
	{id: "paste", section: fileDo, name: "open the file whose path is on the clipboard", keys: []binding{{name: "V", mods: key.ModShortcut}}, do: (*window).paste},
	{id: "reload", section: fileDo, name: "read the file again", keys: []binding{{name: "R", mods: key.ModShortcut}}, enabled: (*window).hasDoc, do: (*window).reload},
	{id: "picture", section: fileDo, name: "save the picture, PNG or SVG", keys: []binding{{name: "E", mods: key.ModShortcut}}, enabled: (*window).hasDoc, do: (*window).savePicture},
	{id: "close", section: fileDo, name: "close the file", keys: []binding{{name: "W", mods: key.ModShortcut}}, enabled: (*window).hasFile, do: (*window).closeFile},
	{id: "close-others", section: fileDo, name: "close all other files", keys: []binding{{name: "W", mods: key.ModShortcut | key.ModAlt}}, enabled: (*window).hasTabs, do: (*window).closeOthers},
	{id: "reopen", section: fileDo, name: "open what was closed last", keys: []binding{{name: "T", mods: key.ModShortcut | key.ModShift}}, enabled: (*window).hasClosed, do: (*window).reopen},
	{id: "next-tab", section: fileDo, name: "next file", keys: []binding{{name: key.NameTab, mods: key.ModCtrl}, {name: key.NamePageDown, mods: key.ModCtrl}}, enabled: (*window).hasTabs, do: nextTab(1)},
	{id: "previous-tab", section: fileDo, name: "file before", keys: []binding{{name: key.NameTab, mods: key.ModCtrl | key.ModShift}, {name: key.NamePageUp, mods: key.ModCtrl}}, enabled: (*window).hasTabs, do: nextTab(-1)},

	{id: "axis", section: showDo, name: "event order or time", keys: []binding{{name: "M"}}, enabled: (*window).hasTime, do: (*window).switchAxis},
	{id: "colour", section: showDo, name: "next meaning of the colours", keys: []binding{{name: "C"}}, enabled: (*window).hasDoc, do: (*window).nextColour},
	{id: "device", section: showDo, name: "next device", keys: []binding{{name: "V"}}, enabled: (*window).hasDevices, do: (*window).nextDevice},
	{id: "framework", section: showDo, name: "hide or show framework frames", keys: []binding{{name: "H"}}, enabled: (*window).hasDoc, do: (*window).toggleFramework},
	{id: "panel", section: showDo, name: "hide or show the stack panel", keys: []binding{{name: "B"}}, enabled: (*window).hasDoc, do: (*window).togglePanel},
	{id: "theme", section: showDo, name: "dark or light", keys: []binding{{name: "L"}}, do: (*window).switchTheme},
	{id: "fullscreen", section: showDo, name: "full screen", keys: []binding{{name: key.NameF11}}, do: (*window).fullScreen},
	{id: "annotations", section: showDo, name: "filter the annotations", keys: []binding{{name: "A", mods: key.ModShift}}, enabled: (*window).hasAnnotations, do: (*window).filterAnnotations},
	{id: "all-annotations", section: showDo, name: "the framework's own annotations too", keys: []binding{{name: "I"}}, enabled: (*window).hasAnnotations, do: (*window).toggleAnnotations},
	{id: "options", section: showDo, name: "limits, model, entries to draw", keys: []binding{{name: ","}}, do: (*window).askOptions},
	{id: "help", section: showDo, name: "this sheet", keys: []binding{{name: "?", optional: key.ModShift}, {name: key.NameF1}}, hint: "all keys", do: (*window).toggleHelp},
	{id: "recording", section: showDo, name: "how to record a snapshot", keys: []binding{{name: key.NameF2}}, do: (*window).showRecording},

	{section: moveIn, gesture: "Scroll", name: "zoom in and out at the pointer", hint: "zoom"},
	{section: moveIn, gesture: "Shift+scroll", name: "zoom the bytes; over the annotations: deeper levels"},
	{section: moveIn, gesture: shortcutName() + "+scroll", name: "zoom both"},
	{section: moveIn, gesture: "Drag", name: "pan; so does sideways scrolling", hint: "pan"},
	{section: moveIn, gesture: shortcutName() + "+drag", name: "mark a part of the run and zoom into it"},
	{section: moveIn, gesture: "Double-click", name: "fit the height to what is visible", hint: "fit height"},
	{id: "whole", section: moveIn, name: "the whole run", keys: []binding{{name: "0"}, {name: key.NameHome}}, hint: "whole run", enabled: (*window).hasDoc, do: (*window).whole},
	{id: "fit", section: moveIn, name: "fit the height", keys: []binding{{name: "F"}}, enabled: (*window).hasDoc, do: (*window).fitY},
	{id: "zoom-in", section: moveIn, name: "zoom in", keys: []binding{{name: "W"}, {name: "+", optional: key.ModShift}, {name: "=", optional: key.ModShift}}, enabled: (*window).hasDoc, do: zoomBy(keyZoom)},
	{id: "zoom-out", section: moveIn, name: "zoom out", keys: []binding{{name: "S"}, {name: "-", optional: key.ModShift}}, enabled: (*window).hasDoc, do: zoomBy(1 / keyZoom)},
	{id: "left", section: moveIn, name: "pan left", keys: []binding{{name: "A"}, {name: key.NameLeftArrow}}, enabled: (*window).hasDoc, do: panBy(-keyPan, 0)},
	{id: "right", section: moveIn, name: "pan right", keys: []binding{{name: "D"}, {name: key.NameRightArrow}}, enabled: (*window).hasDoc, do: panBy(keyPan, 0)},
	{id: "up", section: moveIn, name: "pan up", keys: []binding{{name: key.NameUpArrow}}, enabled: (*window).hasDoc, do: panBy(0, keyPan)},
	{id: "down", section: moveIn, name: "pan down", keys: []binding{{name: key.NameDownArrow}}, enabled: (*window).hasDoc, do: panBy(0, -keyPan)},
	{id: "next-phase", section: moveIn, name: "next annotation", keys: []binding{{name: "]"}}, enabled: (*window).hasPhases, do: nextPhase(1)},
	{id: "previous-phase", section: moveIn, name: "annotation before", keys: []binding{{name: "["}}, enabled: (*window).hasPhases, do: nextPhase(-1)},
	{id: "back", section: moveIn, name: "back to the view before", keys: []binding{{name: key.NameLeftArrow, mods: key.ModAlt}}, enabled: (*window).canBack, do: goBy(-1)},
	{id: "forward", section: moveIn, name: "forward again", keys: []binding{{name: key.NameRightArrow, mods: key.ModAlt}}, enabled: (*window).canForward, do: goBy(1)},
}

// byID finds a command; it is an error of the program to ask for another.
func byID(id string) *command {
	for i := range commands {
		if commands[i].id == id {
			return &commands[i]
		}
	}
	panic("app: no command " + id)
}

// can reports whether a command is possible now.
func (c *command) can(w *window) bool { return c.do != nil && (c.enabled == nil || c.enabled(w)) }

// keyOf is how a command's key is written, "" if it has none.
func keyOf(id string) string {
	c := byID(id)
	if len(c.keys) == 0 {
		return ""
	}
	return c.keys[0].String()
}

// label is what the help sheet prints in the place of the keys.
func (c *command) label() string {
	if c.gesture != "" {
		return c.gesture
	}
	var names []string
	for _, b := range c.keys {
		// = is the same key as + on many keyboards, and there are two Enters.
		if name := b.String(); b.name != "=" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "  ")
}

func shortcutName() string {
	if runtime.GOOS == "darwin" {
		return "Cmd"
	}
	return "Ctrl"
}

// keyNames are the names of keys that Gio writes as signs no font need have.
var keyNames = map[key.Name]string{
	key.NameEscape: "Esc", key.NameReturn: "Enter", key.NameEnter: "Enter", key.NameHome: "Home", key.NameEnd: "End",
	key.NamePageUp: "PgUp", key.NamePageDown: "PgDn", key.NameDeleteBackward: "Backspace", key.NameDeleteForward: "Del",
	"-": "−",
}

// String is the binding as people write it: "Ctrl+Shift+C".
func (b binding) String() string {
	var s string
	if b.mods.Contain(key.ModShortcut) {
		s += shortcutName() + "+"
	} else if b.mods.Contain(key.ModCtrl) {
		s += "Ctrl+"
	}
	if b.mods.Contain(key.ModAlt) {
		s += "Alt+"
	}
	if b.mods.Contain(key.ModShift) {
		s += "Shift+"
	}
	if n, ok := keyNames[b.name]; ok {
		return s + n
	}
	return s + string(b.name)
}

// plain reports that the key types something, moves a caret, copies or pastes in a
// text field.
func (b binding) plain() bool {
	if (b.name == "C" || b.name == "V") && b.mods == key.ModShortcut {
		return true
	}
	return b.mods&^key.ModShift == 0 && b.name != key.NameEscape && !(len(b.name) > 1 && b.name[0] == 'F')
}

// helpSections prints the table.
func helpSections() []widgets.HelpSection {
	var sections []widgets.HelpSection
	for i := range commands {
		c := &commands[i]
		n := len(sections)
		if n == 0 || sections[n-1].Title != c.section {
			sections = append(sections, widgets.HelpSection{Title: c.section})
			n++
		}
		sections[n-1].Rows = append(sections[n-1].Rows, kit.KeyHint{Key: c.label(), Text: c.name})
	}
	return sections
}

// bottomHints are the most useful gestures, then keys.
func bottomHints() []kit.KeyHint {
	var gestures, keys []kit.KeyHint
	for i := range commands {
		switch c := &commands[i]; {
		case c.hint == "":
		case c.gesture != "":
			gestures = append(gestures, kit.KeyHint{Key: c.gesture, Text: c.hint})
		default:
			keys = append(keys, kit.KeyHint{Key: c.keys[0].String(), Text: c.hint})
		}
	}
	return append(gestures, keys...)
}

// keyFilters asks Gio for the keys of all commands; without the plain ones
// while a text field has the focus.
func keyFilters(typing bool) (filters []bindingFilter) {
	for i := range commands {
		c := &commands[i]
		for _, b := range c.keys {
			if !typing || !b.plain() {
				filters = append(filters, bindingFilter{c, b})
			}
		}
	}
	return filters
}

// A bindingFilter is a command with one of its keys.
type bindingFilter struct {
	command *command
	binding binding
}

func (f bindingFilter) filter() key.Filter {
	return key.Filter{Name: f.binding.name, Required: f.binding.mods, Optional: f.binding.optional}
}

// matches reports whether a key event is this binding.
func (f bindingFilter) matches(e key.Event) bool {
	return e.Name == f.binding.name && e.Modifiers&^f.binding.optional == f.binding.mods
}
