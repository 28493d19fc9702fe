package widgets

import (
	"cmp"
	"image"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/widget"
	"gioui.org/widget/material"
)

// A PathField is a text field for the path of a file, with a button.
type PathField struct {
	editor widget.Editor
	open   Button
}

// Update returns the path that was confirmed with Enter or the button.
func (p *PathField) Update(gtx giolayout.Context) (string, bool) {
	p.editor.SingleLine, p.editor.Submit = true, true
	given := false
	for {
		ev, ok := p.editor.Update(gtx)
		if !ok {
			break
		}
		if _, ok := ev.(widget.SubmitEvent); ok {
			given = true
		}
	}
	if p.open.Clicked(gtx) {
		given = true
	}
	path := strings.TrimSpace(p.editor.Text())
	return path, given && path != ""
}

// Text is what the field holds.
func (p *PathField) Text() string { return p.editor.Text() }

// SetText fills the field and puts the caret at its end.
func (p *PathField) SetText(s string) {
	p.editor.SetText(s)
	p.editor.SetCaret(p.editor.Len(), p.editor.Len())
}

// Focused reports whether the field takes the keys that are typed.
func (p *PathField) Focused(gtx giolayout.Context) bool { return gtx.Focused(&p.editor) }

// Tag is what a FocusCmd takes to give the field the focus.
func (p *PathField) Tag() *widget.Editor { return &p.editor }

// Layout draws the field. verb is what its button says.
func (p *PathField) Layout(gtx giolayout.Context, th *Theme, verb string) giolayout.Dimensions {
	return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
		giolayout.Flexed(1, func(gtx giolayout.Context) giolayout.Dimensions {
			size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(30))
			border := th.Line
			if gtx.Focused(&p.editor) {
				border = th.Accent
			}
			roundFrame(gtx, image.Rectangle{Max: size}, border, th.Ground)
			e := material.Editor(th.mat, &p.editor, "or type the path of a file")
			e.Color, e.HintColor, e.SelectionColor = th.Text, th.Quiet, withAlpha(th.Accent, 96)
			e.Font, e.TextSize = fonts[Mono], BodySize
			gtx.Constraints = giolayout.Constraints{Min: image.Pt(size.X-gtx.Dp(20), 0), Max: image.Pt(max(0, size.X-gtx.Dp(20)), size.Y)}
			c, d := measure(gtx, e.Layout)
			place(gtx.Ops, image.Pt(gtx.Dp(10), (size.Y-d.Size.Y)/2), c)
			return giolayout.Dimensions{Size: size}
		}),
		giolayout.Rigid(giolayout.Spacer{Width: 8}.Layout),
		giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
			return p.open.Layout(gtx, th, ButtonLook{Text: verb, Ground: th.Raised, Hint: verb + " this file", Key: "Enter", HintLeft: true})
		}),
	)
}

// PathLook is what a PathSheet says.
type PathLook struct {
	Title string // "" for opening a snapshot
	Verb  string // of its button
	Note  string // why there is no dialog, or what is wrong with the path
}

// PathSheet asks for the path of a file: where the system has no dialog.
type PathSheet struct {
	Field  PathField
	modal  modal
	cancel Button
}

// Update returns a path that was confirmed, and whether the sheet was closed.
func (s *PathSheet) Update(gtx giolayout.Context) (path string, given, closed bool) {
	path, given = s.Field.Update(gtx)
	return path, given, s.modal.update(gtx) || s.cancel.Clicked(gtx)
}

// Layout draws the sheet over the window.
func (s *PathSheet) Layout(gtx giolayout.Context, th *Theme, look PathLook) {
	title, verb, note := cmp.Or(look.Title, "Open a snapshot"), cmp.Or(look.Verb, "Open"), look.Note
	s.modal.layout(gtx, th, 560, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Inset{Top: 12, Bottom: 16, Left: 20, Right: 12}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
			return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					return sheetTitle(gtx, th, title, &s.cancel)
				}),
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					return giolayout.Inset{Right: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return s.Field.Layout(gtx, th, verb) })
				}),
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					if note == "" {
						return giolayout.Dimensions{}
					}
					return giolayout.Inset{Top: 8, Right: 8}.Layout(gtx, th.Small(note).paragraph(th))
				}),
			)
		})
	})
}
