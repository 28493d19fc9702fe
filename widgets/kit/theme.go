// Package kit is what any program with a window could use: colours and fonts, text, buttons, menus, tables, fields and
// boxes drawn with Gio. It knows nothing of snapshots. As everywhere under widgets, events are read first (Update),
// drawing comes after (Layout); values go in and events come out.
package kit

import (
	"image/color"

	"gioui.org/font"
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

// Colours is one theme's palette. Text and Quiet have a contrast of at least 4.5 on Ground, Panel and Raised.
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

// RGBA returns the colour 0xrrggbb with an opacity of 0 to 255.
func RGBA(c uint32, a uint8) color.NRGBA {
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
	Grid: RGBA(0xffffff, 5), Cursor: RGBA(0xffffff, 40), Shade: RGBA(0x05060a, 150), Curve: rgb(0x4c6cab),
	Selected: rgb(0x2a3350),
}

var lightColours = Colours{
	Ground: rgb(0xffffff), Panel: rgb(0xf4f5f8), Card: rgb(0xfbfbfd), Line: rgb(0xd5d9e2), Raised: rgb(0xe9ecf2),
	Text: rgb(0x1c2130), Quiet: rgb(0x5a6377),
	Accent: rgb(0x2f62d9), OnAccent: rgb(0xffffff), Link: rgb(0x2456c8), Shape: rgb(0x2d6f1f),
	Warning: rgb(0x704a00), WarningGround: rgb(0xffecc2),
	Red: rgb(0xd3222f), Hover: rgb(0x000000),
	Grid: RGBA(0x000000, 20), Cursor: RGBA(0x000000, 70), Shade: RGBA(0xffffff, 150), Curve: rgb(0x9db4e4),
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

// A Theme is what all widgets draw with. It belongs to one window and its goroutine.
type Theme struct {
	Dark bool
	Colours

	shaper     *text.Shaper
	system     systemFonts
	typesetter *typesetter
	shapes     spriteCache[roundedKey]
	dashes     spriteCache[dashesKey]
	triangles  spriteCache[triangleKey]
	mat        *material.Theme
	icons      map[iconKey]*widget.Icon
}

// NewTheme makes a theme with the embedded fonts; the machine's own fonts are
// not looked at, so that the window is the same everywhere.
func NewTheme(dark bool) *Theme {
	th := &Theme{shaper: newShaper(false), icons: map[iconKey]*widget.Icon{}}
	th.typesetter = &typesetter{shaper: th.shaper, inks: map[color.NRGBA]*ink{}, texts: map[textKey]*setText{}}
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
