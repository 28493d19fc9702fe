package kit

import (
	"cmp"
	"image"
	"image/color"
	"strings"

	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"
)

// A Label is one line of text.
type Label struct {
	Face   Face
	Size   unit.Sp // 0: BodySize
	Colour color.NRGBA
	Text   string
}

// Layout draws the line, cut with an ellipsis where the constraints end.
func (l Label) Layout(gtx C, th *Theme) D {
	return l.layout(gtx, th, 1, text.Start)
}

func (l Label) layout(gtx C, th *Theme, lines int, align text.Alignment) D {
	gtx.Constraints.Min = image.Point{}
	if align == text.Start {
		if d, ok := th.typesetter.draw(gtx, l, lines); ok {
			return d
		}
	}
	font, colour := th.font(l.Face), material1(gtx.Ops, l.Colour)
	return widget.Label{MaxLines: lines, Alignment: align}.Layout(gtx, th.shaper, font, l.size(), l.Text, colour)
}

func (l Label) size() unit.Sp { return cmp.Or(l.Size, BodySize) }

// Wrapped makes a giolayout.Widget of a label on as many lines as it needs.
func (l Label) Wrapped(th *Theme) giolayout.Widget {
	return func(gtx C) D { return l.layout(gtx, th, 0, text.Start) }
}

// Line makes a giolayout.Widget of a label.
func (l Label) Line(th *Theme) giolayout.Widget {
	return func(gtx C) D { return l.Layout(gtx, th) }
}

// Width measures a label.
func (th *Theme) Width(gtx C, l Label) int {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(1<<20, 1<<20)}
	if t, _ := th.typesetter.set(gtx, l, 1); t != nil {
		return t.size.X
	}
	_, d := Measure(gtx, func(gtx C) D { return l.Layout(gtx, th) })
	return d.Size.X
}

// material1 records a colour for Gio's text widgets.
func material1(ops *op.Ops, c color.NRGBA) op.CallOp {
	m := op.Record(ops)
	paint.ColorOp{Color: c}.Add(ops)
	return m.Stop()
}

// Body is a line of text.
func (th *Theme) Body(s string) Label { return Label{Colour: th.Text, Text: s} }

// Small is a quiet line in the small size.
func (th *Theme) Small(s string) Label { return Label{Size: SmallSize, Colour: th.Quiet, Text: s} }

// Aside is a quiet line.
func (th *Theme) Aside(s string) Label { return Label{Colour: th.Quiet, Text: s} }

// Strong is a line that stands out.
func (th *Theme) Strong(s string) Label { return Label{Face: Strong, Colour: th.Text, Text: s} }

// Figures are figures in the small size, quiet.
func (th *Theme) Figures(s string) Label {
	return Label{Face: Mono, Size: SmallSize, Colour: th.Quiet, Text: s}
}

// MonoText is a line of figures.
func (th *Theme) MonoText(s string) Label { return Label{Face: Mono, Colour: th.Text, Text: s} }

// Ascent is how far a line's baseline lies under its top.
func Ascent(d D) int { return d.Size.Y - d.Baseline }

// sayText tells those who do not see it of a text, in an area of its own:
// without one it would take the place of what is said of the area around it.
func sayText(ops *op.Ops, size image.Point, txt string) {
	area := clip.Rect{Max: size}.Push(ops)
	semantic.LabelOp(txt).Add(ops)
	area.Pop()
}

// unseen is a material for Gio's text that draws nothing, and costs nothing:
// what it paints lies far outside of any window.
func unseen(ops *op.Ops) op.CallOp {
	m := op.Record(ops)
	op.Offset(image.Pt(-1<<20, 0)).Add(ops)
	nowhere.Add(ops)
	return m.Stop()
}

var nowhere = paint.NewImageOp(image.NewRGBA(image.Rect(0, 0, 1, 1)))

// Selectable lays out the text of s, which can be selected, in the label's font. Without visible only the selection
// is drawn: text that Gio draws costs more than a label in the same place.
func (l Label) Selectable(gtx C, th *Theme, s *widget.Selectable, visible bool) D {
	material := material1(gtx.Ops, l.Colour)
	if !visible {
		material = unseen(gtx.Ops)
	}
	return s.Layout(gtx, th.shaper, th.font(l.Face), l.size(), material, material1(gtx.Ops, WithAlpha(th.Accent, 96)))
}

// Centred is a widget that draws the text on as many lines as it needs, each in the middle.
func (l Label) Centred(th *Theme) giolayout.Widget {
	return func(gtx C) D { return l.layout(gtx, th, 0, text.Middle) }
}

// oneLine keeps a text of several lines, or a very long one, to its row.
func oneLine(s string) string {
	const most = 400
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}
