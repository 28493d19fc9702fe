package kit

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"
)

// A Field is a text field.
type Field struct {
	widget.Editor
	Many bool // it has many lines
}

// FieldLook is how a field looks in its box.
type FieldLook struct {
	Face   Face
	Hint   string // stands there while nothing is typed
	Ground color.NRGBA
	Wrong  bool    // what is typed cannot be used
	Pad    unit.Dp // between the box and the text, at both sides
}

// SetText fills the field and puts the caret at its end.
func (f *Field) SetText(s string) {
	f.Editor.SetText(s)
	f.SetCaret(f.Len(), f.Len())
}

// Focused reports whether the field takes the keys that are typed.
func (f *Field) Focused(gtx C) bool { return gtx.Focused(&f.Editor) }

// Tag is what a FocusCmd takes to give the field the focus.
func (f *Field) Tag() *widget.Editor { return &f.Editor }

// Update reads what was typed: whether the text changed, and whether Enter was pressed in a field of one line.
func (f *Field) Update(gtx C) (changed, submitted bool) {
	f.SingleLine, f.Submit = !f.Many, !f.Many
	for {
		ev, ok := f.Editor.Update(gtx)
		if !ok {
			return changed, submitted
		}
		switch ev.(type) {
		case widget.ChangeEvent:
			changed = true
		case widget.SubmitEvent:
			submitted = true
		}
	}
}

// Layout draws a field of one line in a box.
func (f *Field) Layout(gtx C, th *Theme, r image.Rectangle, look FieldLook) {
	Box(gtx, th, r, f.Border(gtx, th, look.Wrong), look.Ground)
	pad := gtx.Dp(look.Pad)
	gtx.Constraints = giolayout.Constraints{Min: image.Pt(max(0, r.Dx()-2*pad), 0),
		Max: image.Pt(max(0, r.Dx()-2*pad), r.Dy())}
	c, d := Measure(gtx, f.Style(th, look.Face, look.Hint).Layout)
	Place(gtx.Ops, r.Min.Add(image.Pt(pad, (r.Dy()-d.Size.Y)/2)), c)
}

// Border is the colour of a field's border.
func (f *Field) Border(gtx C, th *Theme, wrong bool) color.NRGBA {
	switch {
	case wrong:
		return th.Red
	case f.Focused(gtx):
		return th.Accent
	}
	return th.Line
}

// Style is how the field's text is drawn.
func (f *Field) Style(th *Theme, face Face, hint string) material.EditorStyle {
	style := material.Editor(th.mat, &f.Editor, hint)
	style.Color, style.HintColor, style.SelectionColor = th.Text, th.Quiet, WithAlpha(th.Accent, 96)
	style.Font, style.TextSize = th.font(face), BodySize
	return style
}
