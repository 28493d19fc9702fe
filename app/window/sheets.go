package window

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/app/platform/drops"
	"strata/app/session"
	"strata/widgets/kit"
	"strata/widgets/sheet"
)

// An openSheet lies over the window. At most one is open: Window.sheet.
type openSheet interface {
	// update reads what the user did.
	update(*Window, giolayout.Context)
	draw(*Window, giolayout.Context)
	// focused reports whether one of its text fields has the focus.
	focused(*Window, giolayout.Context) bool
}

// noFields is embedded in sheets without text fields.
type noFields struct{}

func (noFields) focused(*Window, giolayout.Context) bool { return false }

// closeSheet closes the sheet that is open.
func (w *Window) closeSheet(gtx giolayout.Context) {
	if w.sheet.focused(w, gtx) {
		gtx.Execute(key.FocusCmd{}) // letters are commands again
	}
	w.sheet = nil
}

// toggleSheet opens a sheet in the place of any other, or closes it.
func (w *Window) toggleSheet(s openSheet) {
	if w.sheet == s {
		s = nil
	}
	w.sheet = s
}

// helpSheet is the sheet of keys and gestures.
type helpSheet struct{ noFields }

func (w *Window) toggleHelp(giolayout.Context) { w.toggleSheet(helpSheet{}) }

func (helpSheet) update(w *Window, gtx giolayout.Context) {
	switch closed, record := w.help.Update(gtx); {
	case record:
		w.sheet = recordingSheet{}
	case closed:
		w.closeSheet(gtx)
	}
}

func (helpSheet) draw(w *Window, gtx giolayout.Context) {
	w.help.Layout(gtx, w.theme, helpTable, keyOf("recording"))
}

// recordingSheet is the page on how to record a snapshot.
type recordingSheet struct{ noFields }

func (w *Window) toggleRecording(giolayout.Context) { w.toggleSheet(recordingSheet{}) }

func (recordingSheet) update(w *Window, gtx giolayout.Context) {
	code, closed := w.recording.Update(gtx)
	if code != "" {
		w.toClipboard(gtx, code, "Copied")
	}
	if closed {
		w.closeSheet(gtx)
	}
}

func (recordingSheet) draw(w *Window, gtx giolayout.Context) { w.recording.Layout(gtx, w.theme) }

// findingsSheet is what the reader and the layout noticed in the document that is shown.
type findingsSheet struct{ noFields }

func (findingsSheet) update(w *Window, gtx giolayout.Context) {
	if w.findings.Update(gtx) {
		w.closeSheet(gtx)
	}
}

func (findingsSheet) draw(w *Window, gtx giolayout.Context) {
	w.findings.Layout(gtx, w.theme, w.sessions.Active.Findings())
}

// A pathSheet asks for a path, where the system has no dialog or the user would rather type.
type pathSheet struct {
	title, verb string
	name        string // that a file to write is offered
	note        string
	write       func(path string) // what to do with a file to write; nil where one is to be opened
	warned      string            // the file that exists already, which the user has been told of
	ready       bool              // the field has been given the focus
}

func (w *Window) askPath(giolayout.Context) { w.showPath(&pathSheet{}) }

// showPath opens the sheet, with the last folder in its field and what is in it below. What is typed or pasted replaces
// that, of an offered name all but the extension.
func (w *Window) showPath(p *pathSheet) {
	folder := w.lastFolder()
	if folder != "" && !os.IsPathSeparator(folder[len(folder)-1]) {
		folder += string(filepath.Separator)
	}
	from, to := 0, utf8.RuneCountInString(folder)
	if p.name != "" {
		from, to = to, to+utf8.RuneCountInString(strings.TrimSuffix(p.name, filepath.Ext(p.name)))
	}
	w.path.Field.Start(folder+p.name, from, to)
	w.sheet = p
}

func (p *pathSheet) update(w *Window, gtx giolayout.Context) {
	path, given, closed := w.path.Update(gtx)
	if closed || given && p.take(w, path) {
		w.closeSheet(gtx)
	}
}

// take takes a path from the field; it reports false where another one is needed.
func (p *pathSheet) take(w *Window, path string) bool {
	path = typedPath(path)
	if p.write == nil {
		w.open(path)
		return true
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		p.note = session.Sentence(err.Error())
		return false
	}
	info, err := os.Lstat(abs)
	switch {
	case err == nil && info.IsDir():
		p.note = "That is a folder. Add the name of the file."
		return false
	case err == nil && p.warned != abs:
		p.warned = abs
		p.note = "There is a file of that name already. Press " + p.verb + " again to replace it."
		return false
	}
	p.write(abs)
	return true
}

func (p *pathSheet) draw(w *Window, gtx giolayout.Context) {
	w.path.Layout(gtx, w.theme, sheet.PathLook{Title: p.title, Verb: p.verb, Note: p.note})
	if !p.ready {
		p.ready = true
		gtx.Execute(key.FocusCmd{Tag: w.path.Field.Tag()})
	}
}

func (p *pathSheet) focused(w *Window, gtx giolayout.Context) bool { return w.path.Field.Focused(gtx) }

// typedPath returns the path that somebody meant who typed or pasted it: perhaps as a URL, in quotes, or below ~.
func typedPath(text string) string {
	if paths := drops.ParseText(text); len(paths) == 1 {
		return paths[0]
	}
	if n := len(text); n > 2 && text[0] == text[n-1] && (text[0] == '"' || text[0] == '\'') {
		return text[1 : n-1] // of a path below the current folder
	}
	return text
}

// helpSections returns the table for the help sheet.
func helpSections() []sheet.HelpSection {
	var sections []sheet.HelpSection
	for i := range commands {
		c := &commands[i]
		n := len(sections)
		if n == 0 || sections[n-1].Title != c.section {
			sections = append(sections, sheet.HelpSection{Title: c.section})
			n++
		}
		sections[n-1].Rows = append(sections[n-1].Rows, kit.KeyHint{Key: c.keysText(), Text: c.name})
	}
	return sections
}

// bottomHints returns the most useful gestures, then keys.
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

func shortcutName() string {
	if runtime.GOOS == "darwin" {
		return "Cmd"
	}
	return "Ctrl"
}

// keyNames are the names of keys that Gio writes as signs that fonts may lack.
var keyNames = map[key.Name]string{
	key.NameEscape: "Esc", key.NameReturn: "Enter", key.NameEnter: "Enter", key.NameHome: "Home", key.NameEnd: "End",
	key.NamePageUp: "PgUp", key.NamePageDown: "PgDn", key.NameDeleteBackward: "Backspace", key.NameDeleteForward: "Del",
	"-": "−",
}

// String returns the binding as people write it: "Ctrl+Shift+C".
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

// keysText is what the help sheet prints as the keys.
func (c *command) keysText() string {
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
