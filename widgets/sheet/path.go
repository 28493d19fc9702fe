package sheet

import (
	"cmp"
	"image"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/widgets/kit"
)

// A PathField is a text field for the path of a file, with a button. Under it hang the paths that what was typed may
// become; Tab completes to what they have in common, or takes the first.
type PathField struct {
	kit.Field
	open    kit.Button
	wants   bool     // the text has changed: other suggestions are wanted
	suggest []string // paths that begin with the text
	rows    [maxSuggestions]kit.Button
	active  int // chosen with the arrow keys, counted from 1
}

// maxSuggestions is how many paths hang under the field.
const maxSuggestions = 8

// Wants returns the text that suggestions are wanted for, once for each change.
func (p *PathField) Wants() (string, bool) {
	wants := p.wants
	p.wants = false
	return p.Field.Text(), wants
}

// Start fills the field, marks a part of it, counted in characters, that typing replaces, and wants suggestions.
func (p *PathField) Start(text string, from, to int) {
	p.SetText(text)
	p.SetCaret(to, from)
	p.suggest, p.active, p.wants = nil, 0, true
}

// Suggest gives the paths that begin with a text, those of folders with a
// separator at their end. It does nothing if other text has been typed since.
func (p *PathField) Suggest(text string, paths []string) {
	if text == p.Field.Text() {
		p.suggest, p.active = paths[:min(len(paths), maxSuggestions)], 0
	}
}

// take puts a suggestion into the field and reports whether it is a file.
func (p *PathField) take(path string) bool {
	p.SetText(path)
	p.wants = true
	return !isSeparator(path[len(path)-1])
}

// complete makes the text as long as all suggestions allow, else takes one.
func (p *PathField) complete() {
	common := p.suggest[0]
	for _, s := range p.suggest[1:] {
		for !strings.HasPrefix(s, common) {
			_, last := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-last]
		}
	}
	if p.active > 0 || len(common) <= len(p.Field.Text()) {
		common = p.suggest[max(0, p.active-1)]
	}
	p.take(common)
}

// keys chooses among the suggestions; it must run before the editor's Update, which has other uses for these keys.
func (p *PathField) keys(gtx C) {
	if len(p.suggest) == 0 { // Tab goes on to the button
		return
	}
	on := func(name key.Name) key.Filter { return key.Filter{Focus: &p.Editor, Name: name} }
	for name := range kit.Pressed(gtx, on(key.NameTab), on(key.NameDownArrow), on(key.NameUpArrow)) {
		switch name {
		case key.NameTab:
			p.complete()
		case key.NameDownArrow:
			p.active = min(p.active+1, len(p.suggest))
		case key.NameUpArrow:
			p.active = max(p.active-1, 0)
		}
	}
}

// Update returns the path that was confirmed with Enter or the button.
func (p *PathField) Update(gtx C) (string, bool) {
	given := false
	p.keys(gtx)
	changed, entered := p.Field.Update(gtx)
	p.wants = p.wants || changed
	if entered {
		given = p.active == 0 || p.take(p.suggest[p.active-1])
		p.active = 0
	}
	for i := range p.suggest {
		if p.rows[i].Clicked(gtx) {
			if given = p.take(p.suggest[i]); !given {
				gtx.Execute(key.FocusCmd{Tag: &p.Editor})
			}
			break
		}
	}
	if p.open.Clicked(gtx) {
		given = true
	}
	if p.wants || given { // until those for the new text are there
		p.suggest, p.active = nil, 0
	}
	path := strings.TrimSpace(p.Field.Text())
	return path, given && path != ""
}

// Layout draws the field. verb is what its button says, empty what stands in the field while nothing is typed.
func (p *PathField) Layout(gtx C, th *kit.Theme, verb, empty string) D {
	children := []giolayout.FlexChild{giolayout.Rigid(p.field(th, verb, empty))}
	for i, path := range p.suggest {
		look := kit.ButtonLook{Icon: kit.IconFile, Text: filepath.Base(path), Small: true, Colour: th.Text}
		if isSeparator(path[len(path)-1]) {
			look.Icon, look.Text = kit.IconOpen, look.Text+string(filepath.Separator)
		}
		if p.active == i+1 {
			look.Ground = th.Selected
		}
		children = append(children, giolayout.Rigid(p.rows[i].Look(th, look)))
	}
	return kit.InColumn(children...)(gtx)
}

func (p *PathField) field(th *kit.Theme, verb, empty string) giolayout.Widget {
	return kit.InRow(
		giolayout.Flexed(1, func(gtx C) D {
			size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(30))
			p.Field.Layout(gtx, th, image.Rectangle{Max: size}, kit.FieldLook{Face: kit.Mono, Hint: empty,
				Ground: th.Ground, Pad: 10})
			return D{Size: size}
		}),
		kit.Gap(8),
		giolayout.Rigid(p.open.Look(th, kit.ButtonLook{Text: verb, Ground: th.Raised, Hint: verb + " this file",
			Key: "Enter", HintLeft: true})),
	)
}

// PathLook is what a PathSheet says.
type PathLook struct {
	Title string // "" for opening a snapshot
	Verb  string // of its button
	Note  string // why there is no dialog, or what is wrong with the path
}

// Path asks for the path of a file: where the system has no dialog.
type Path struct {
	Field PathField
	modal kit.Modal
}

// Update returns a path that was confirmed, and whether the sheet was closed.
func (s *Path) Update(gtx C) (path string, given, closed bool) {
	path, given = s.Field.Update(gtx)
	return path, given, s.modal.Update(gtx)
}

// Layout draws the sheet over the window.
func (s *Path) Layout(gtx C, th *kit.Theme, look PathLook) {
	note := kit.Gap(0)
	if look.Note != "" {
		note = giolayout.Rigid(kit.Padded(giolayout.Inset{Top: 8, Right: 8}, th.Small(look.Note).Wrapped(th)))
	}
	s.modal.Layout(gtx, th, 560, cmp.Or(look.Title, "Open a snapshot"),
		giolayout.Rigid(kit.Padded(giolayout.Inset{Right: 8}, func(gtx C) D {
			return s.Field.Layout(gtx, th, cmp.Or(look.Verb, "Open"), "path of the file")
		})), note)
}

// isSeparator reports whether a byte separates the parts of a path here.
func isSeparator(c byte) bool { return c == '/' || c == filepath.Separator }
