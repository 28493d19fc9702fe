// Package widgets draws the window's panels and reports what the user did in
// them. Nothing here opens a file, starts a goroutine or reaches into another
// widget: each widget takes what it shows as arguments and returns what
// happened as values. Events are read first (Update), drawing comes after
// (Layout).
package widgets

import (
	"image"
	"image/color"

	"gioui.org/font"
	"gioui.org/font/gofont"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"
)

// The measures everything is built from.
const (
	Unit   = unit.Dp(4) // all spacing is a multiple of it
	Radius = unit.Dp(4) // the one corner radius

	BodySize  = unit.Sp(13)
	SmallSize = unit.Sp(11)
	TitleSize = unit.Sp(18)
)

// Colours is one theme's palette. Text and Quiet have a contrast of at least
// 4.5 on Ground, Panel and Raised.
type Colours struct {
	Ground, Panel, Card, Line, Raised color.NRGBA
	Text, Quiet                       color.NRGBA
	Accent, OnAccent                  color.NRGBA // Accent as a fill, and text on it
	Link                              color.NRGBA // Accent as text
	Shape                             color.NRGBA // green-ish text of shapes and phases
	Warning, WarningGround            color.NRGBA
	Red                               color.NRGBA // pinned outline, capacity, OOM, errors; nothing else
	Hover                             color.NRGBA // outline of what is under the pointer
	Grid, Cursor, Shade, Curve        color.NRGBA
	Selected                          color.NRGBA // ground of a chosen segment or row
}

func rgb(c uint32) color.NRGBA {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

func rgba(c uint32, a uint8) color.NRGBA {
	n := rgb(c)
	n.A = a
	return n
}

var darkColours = Colours{
	Ground: rgb(0x0f1118), Panel: rgb(0x141722), Card: rgb(0x171a24), Line: rgb(0x262b3a), Raised: rgb(0x222738),
	Text: rgb(0xd9deea), Quiet: rgb(0x8a93a8),
	Accent: rgb(0x6e9bff), OnAccent: rgb(0x0b1020), Link: rgb(0x6e9bff), Shape: rgb(0x9bd08c),
	Warning: rgb(0xf1c46b), WarningGround: rgb(0x3a2f18),
	Red: rgb(0xff5d5d), Hover: rgb(0xffffff),
	Grid: rgba(0xffffff, 5), Cursor: rgba(0xffffff, 40), Shade: rgba(0x05060a, 150), Curve: rgb(0x4c6cab),
	Selected: rgb(0x2a3350),
}

var lightColours = Colours{
	Ground: rgb(0xffffff), Panel: rgb(0xf4f5f8), Card: rgb(0xfbfbfd), Line: rgb(0xd5d9e2), Raised: rgb(0xe9ecf2),
	Text: rgb(0x1c2130), Quiet: rgb(0x5a6377),
	Accent: rgb(0x2f62d9), OnAccent: rgb(0xffffff), Link: rgb(0x2456c8), Shape: rgb(0x2d6f1f),
	Warning: rgb(0x704a00), WarningGround: rgb(0xffecc2),
	Red: rgb(0xd3222f), Hover: rgb(0x000000),
	Grid: rgba(0x000000, 20), Cursor: rgba(0x000000, 70), Shade: rgba(0xffffff, 150), Curve: rgb(0x9db4e4),
	Selected: rgb(0xd6e1fb),
}

// A Face is a font of the theme.
type Face uint8

// The faces: one proportional and one monospaced family.
const (
	Regular Face = iota
	Strong
	Mono
	MonoStrong
)

var fonts = [...]font.Font{
	Regular:    {Typeface: "Go"},
	Strong:     {Typeface: "Go", Weight: font.Bold},
	Mono:       {Typeface: "Go Mono"},
	MonoStrong: {Typeface: "Go Mono", Weight: font.Bold},
}

// A Theme is what all widgets draw with. It belongs to one window and its
// goroutine.
type Theme struct {
	Dark bool
	Colours

	shaper    *text.Shaper
	scribe    *scribe
	shapes    twoAges[roundedKey]
	dashes    twoAges[dashesKey]
	triangles twoAges[triangleKey]
	mat       *material.Theme
	icons     map[iconKey]*widget.Icon
}

// NewTheme makes a theme with the embedded fonts; the machine's own fonts are
// not looked at, so that the window is the same everywhere.
func NewTheme(dark bool) *Theme {
	th := &Theme{
		shaper:    text.NewShaper(text.NoSystemFonts(), text.WithCollection(gofont.Collection())),
		shapes:    twoAges[roundedKey]{limit: shapeBytes},
		dashes:    twoAges[dashesKey]{limit: shapeBytes},
		triangles: twoAges[triangleKey]{limit: shapeBytes},
		icons:     map[iconKey]*widget.Icon{},
	}
	th.scribe = newScribe(th.shaper)
	th.mat = &material.Theme{Shaper: th.shaper, TextSize: BodySize, Face: "Go", FingerSize: 28}
	th.SetDark(dark)
	return th
}

// SetDark switches between the dark and the light colours.
func (th *Theme) SetDark(dark bool) {
	th.Dark = dark
	th.Colours = lightColours
	if dark {
		th.Colours = darkColours
	}
	th.mat.Palette = material.Palette{Bg: th.Panel, Fg: th.Text, ContrastBg: th.Accent, ContrastFg: th.OnAccent}
}

// A Label is one line of text.
type Label struct {
	Face   Face
	Size   unit.Sp // 0: BodySize
	Colour color.NRGBA
	Text   string
}

// Layout draws the line, cut with an ellipsis where the constraints end.
func (l Label) Layout(gtx giolayout.Context, th *Theme) giolayout.Dimensions {
	return l.layout(gtx, th, 1, text.Start)
}

func (l Label) layout(gtx giolayout.Context, th *Theme, lines int, align text.Alignment) giolayout.Dimensions {
	gtx.Constraints.Min = image.Point{}
	if align == text.Start {
		if d, ok := th.scribe.write(gtx, l, lines == 1); ok {
			return d
		}
		if lines == 0 {
			if d, ok := th.scribe.paragraph(gtx, l); ok {
				return d
			}
		}
	}
	return widget.Label{MaxLines: lines, Alignment: align}.Layout(gtx, th.shaper, fonts[l.Face], l.size(), l.Text, material1(gtx.Ops, l.Colour))
}

func (l Label) size() unit.Sp {
	if l.Size == 0 {
		return BodySize
	}
	return l.Size
}

// Paragraph draws the text on as many lines as it needs.
func (l Label) Paragraph(gtx giolayout.Context, th *Theme) giolayout.Dimensions {
	return l.layout(gtx, th, 0, text.Start)
}

// material1 records a colour for Gio's text widgets.
func material1(ops *op.Ops, c color.NRGBA) op.CallOp {
	m := op.Record(ops)
	paint.ColorOp{Color: c}.Add(ops)
	return m.Stop()
}

// Body, Small and MonoText are the usual labels.
func (th *Theme) Body(s string) Label { return Label{Colour: th.Text, Text: s} }

// Small is a quiet line in the small size.
func (th *Theme) Small(s string) Label { return Label{Size: SmallSize, Colour: th.Quiet, Text: s} }

// MonoText is a line of figures.
func (th *Theme) MonoText(s string) Label { return Label{Face: Mono, Colour: th.Text, Text: s} }

// measure lays a widget out without drawing it yet.
func measure(gtx giolayout.Context, w giolayout.Widget) (op.CallOp, giolayout.Dimensions) {
	m := op.Record(gtx.Ops)
	d := w(gtx)
	return m.Stop(), d
}

// fill paints a rectangle.
func fill(ops *op.Ops, r image.Rectangle, c color.NRGBA) {
	if r.Empty() {
		return
	}
	paint.FillShape(ops, c, clip.Rect(r).Op())
}

// frame draws a one-pixel border inside a rectangle.
func frame(ops *op.Ops, r image.Rectangle, c color.NRGBA) {
	fill(ops, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), c)
	fill(ops, image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), c)
	fill(ops, image.Rect(r.Min.X, r.Min.Y+1, r.Min.X+1, r.Max.Y-1), c)
	fill(ops, image.Rect(r.Max.X-1, r.Min.Y+1, r.Max.X, r.Max.Y-1), c)
}

// place draws a recorded widget at a point.
func place(ops *op.Ops, at image.Point, c op.CallOp) {
	defer op.Offset(at).Push(ops).Pop()
	c.Add(ops)
}

// ascent is how far a line's baseline lies under its top.
func ascent(d giolayout.Dimensions) int { return d.Size.Y - d.Baseline }

// unitDp is a length in dp.
func unitDp(v float32) unit.Dp { return unit.Dp(v) }

// Backing fills the constraints with the ground of panels, which paint none
// themselves: a whole window is cleared with it, which costs nothing.
func Backing(gtx giolayout.Context, th *Theme) {
	fill(gtx.Ops, image.Rectangle{Max: gtx.Constraints.Max}, th.Panel)
}

// Ground fills a rectangle but for a hole in it with the ground of pictures.
func Ground(gtx giolayout.Context, th *Theme, r, hole image.Rectangle) {
	if hole = hole.Intersect(r); hole.Empty() {
		fill(gtx.Ops, r, th.Ground)
		return
	}
	for _, side := range [...]image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, hole.Min.Y), image.Rect(r.Min.X, hole.Max.Y, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, hole.Min.Y, hole.Min.X, hole.Max.Y), image.Rect(hole.Max.X, hole.Min.Y, r.Max.X, hole.Max.Y),
	} {
		fill(gtx.Ops, side, th.Ground)
	}
}

// wide makes a widget take all the width there is, so that what follows it in
// a row stands at the right.
func wide(w giolayout.Widget) giolayout.Widget {
	return func(gtx giolayout.Context) giolayout.Dimensions {
		d := w(gtx)
		d.Size.X = max(d.Size.X, gtx.Constraints.Max.X)
		return d
	}
}
