package sheet

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/widget"

	"strata/widgets/kit"
)

// The fields of an OptionsSheet.
const (
	FieldGPU = iota
	FieldOffset
	FieldEntries
	FieldModel
	FieldVocab
	FieldMemory
	FieldOwnCode
	FieldCategories
	fieldCount
)

// Choices are what the fields of an OptionsSheet hold, as they are typed.
type Choices struct {
	Text      [fieldCount]string
	Quantized bool
}

// OptionNotes are what stands under the fields: what is wrong with one, else what it means.
type OptionNotes struct {
	Wrong, Note [fieldCount]string
}

// An Options asks for what a snapshot does not say: whose memory it is,
// what else is in it, whose tensors; and how much is to be drawn.
type Options struct {
	Quantized bool

	fields [fieldCount]kit.Field
	toggle kit.Button
	apply  kit.Button
	modal  kit.Modal
}

var optionTitles = [fieldCount]string{"GPU", "Memory outside", "Draw at most", "Model", "Vocabulary", "Memory to read",
	"Own code", "Categories"}

var optionHints = [fieldCount]string{"H100, A100-80, 79.1GiB …", "MiB", "all allocations",
	"org/name, a folder, a config.json", "as the model says", "by the size of the file",
	"/my/library/, -/vendored/", "a file of rules"}

// Open fills the fields.
func (o *Options) Open(c Choices) {
	for i := range o.fields {
		o.fields[i].SetText(c.Text[i])
		o.fields[i].SetCaret(len(c.Text[i]), 0)
	}
	o.Quantized = c.Quantized
}

// Tag is what a FocusCmd takes to give a field the focus.
func (o *Options) Tag(field int) *widget.Editor { return o.fields[field].Tag() }

// Focused reports whether a field takes the keys that are typed.
func (o *Options) Focused(gtx C) bool {
	for i := range o.fields {
		if o.fields[i].Focused(gtx) {
			return true
		}
	}
	return false
}

// Update returns what is chosen when that was confirmed, and whether the sheet was closed.
func (o *Options) Update(gtx C) (c Choices, applied, closed bool) {
	for i := range o.fields {
		_, entered := o.fields[i].Update(gtx)
		applied = applied || entered
		c.Text[i] = o.fields[i].Text()
	}
	if o.toggle.Clicked(gtx) {
		o.Quantized = !o.Quantized
	}
	c.Quantized = o.Quantized
	applied = o.apply.Clicked(gtx) || applied
	closed = o.modal.Update(gtx)
	return c, applied, closed
}

// Layout draws the sheet over the window.
func (o *Options) Layout(gtx C, th *kit.Theme, notes *OptionNotes) {
	item := func(gtx C, i int) D {
		if i == fieldCount {
			return o.last(gtx, th)
		}
		return o.row(gtx, th, i, notes)
	}
	o.modal.Layout(gtx, th, 560, "Limits, model, own code", giolayout.Flexed(1, o.modal.List(th, fieldCount+1, item)))
}

// row draws a field with its title and what stands under it.
func (o *Options) row(gtx C, th *kit.Theme, i int, notes *OptionNotes) D {
	height, title := gtx.Dp(30), gtx.Dp(120)
	width := gtx.Constraints.Max.X - gtx.Dp(8)
	gtx.Constraints.Min = image.Point{}
	kit.Middle(gtx, th.Body(optionTitles[i]).Line(th), 0, height)
	r := image.Rect(title, 0, max(title+1, width), height)
	o.fields[i].Layout(gtx, th, r, kit.FieldLook{Face: kit.Mono, Hint: optionHints[i], Ground: th.Ground,
		Wrong: notes.Wrong[i] != "", Pad: 10})
	note := th.Small(notes.Note[i])
	if notes.Wrong[i] != "" {
		note.Text, note.Colour = notes.Wrong[i], th.Red
	}
	g := gtx
	g.Constraints.Max.X = r.Dx()
	c, d := kit.Measure(g, note.Wrapped(th))
	kit.Place(gtx.Ops, image.Pt(title, height+gtx.Dp(2)), c)
	return D{Size: image.Pt(width, height+d.Size.Y+gtx.Dp(10))}
}

// last draws the switch and the button under the fields.
func (o *Options) last(gtx C, th *kit.Theme) D {
	icon := kit.IconUnchecked
	if o.Quantized {
		icon = kit.IconChecked
	}
	return giolayout.Inset{Left: 112, Right: 8}.Layout(gtx, kit.InRow(
		giolayout.Flexed(1, kit.Wide(o.toggle.Look(th, kit.ButtonLook{Icon: icon,
			Text: "int8, fp8 and 4-bit tensors too", Hint: "Consider elements of 8 and 4 bits when naming tensors",
			HintAbove: true}))),
		giolayout.Rigid(o.apply.Look(th, kit.ButtonLook{Text: "Apply", Ground: th.Accent, Colour: th.OnAccent,
			Hint: "Use what is typed", Key: "Enter", HintLeft: true, HintAbove: true}))))
}
