package kit

import (
	"cmp"
	"image"
	"image/color"
	"strings"
	"time"

	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"
	"gioui.org/widget"
)

// HintDelay is how long the pointer rests on a button before its hint shows.
const HintDelay = 500 * time.Millisecond

// A Button is anything one clicks; how it looks is told anew each frame.
type Button struct {
	click widget.Clickable
	rests Rest
}

// ButtonLook is how a button looks.
type ButtonLook struct {
	Icon, Trailing Icon
	Text           string
	Label          string // quiet text before Text
	Face           Face
	Ground         color.NRGBA // zero: none until hovered
	Colour         color.NRGBA // zero: the theme's text
	Hint, Key      string      // explanation, and the key that does the same
	HintLeft       bool        // the hint extends to the left: for buttons at the right edge
	HintAbove      bool        // for buttons at the lower edge
	Disabled       bool
	MaxWidth       unit.Dp // 0: as wide as its text
	Small          bool
}

// Clicked reports a click since the last frame.
func (b *Button) Clicked(gtx C) bool {
	return b.click.Clicked(gtx)
}

// Layout draws the button.
func (b *Button) Layout(gtx C, th *Theme, look ButtonLook) D {
	look.Colour = cmp.Or(look.Colour, th.Text)
	if look.Disabled {
		gtx, look.Colour = gtx.Disabled(), WithAlpha(th.Quiet, 150)
	}
	gtx.Constraints.Min = image.Point{}
	dims := b.click.Layout(gtx, func(gtx C) D {
		semantic.Button.Add(gtx.Ops)
		semantic.DescriptionOp(look.Hint).Add(gtx.Ops)
		content, d := Measure(gtx, func(gtx C) D { return look.content(gtx, th) })
		r := image.Rectangle{Max: d.Size}
		switch {
		case look.Ground != (color.NRGBA{}):
			FillRound(gtx, th, r, look.Ground)
			if b.click.Hovered() && !look.Disabled {
				FillRound(gtx, th, r, WithAlpha(th.Text, 16))
			}
		case b.click.Hovered() && !look.Disabled:
			FillRound(gtx, th, r, th.Raised)
		}
		if gtx.Focused(&b.click) {
			FocusRing(gtx, th, r)
		}
		content.Add(gtx.Ops)
		if !look.Disabled {
			pointer.CursorPointer.Add(gtx.Ops)
		}
		return d
	})
	b.hint(gtx, th, look, dims.Size)
	return dims
}

// Look is Layout as a widget.
func (b *Button) Look(th *Theme, look ButtonLook) giolayout.Widget {
	return func(gtx C) D { return b.Layout(gtx, th, look) }
}

func (look ButtonLook) content(gtx C, th *Theme) D {
	height, pad := gtx.Dp(28), gtx.Dp(10)
	if look.Small {
		height, pad = gtx.Dp(24), gtx.Dp(8)
	}
	if look.Text == "" {
		pad = (height - gtx.Dp(18)) / 2
	}
	right := pad
	if look.Trailing != NoIcon {
		right = gtx.Dp(3)
	}
	limit := gtx.Constraints.Max.X
	if look.MaxWidth > 0 {
		limit = min(limit, gtx.Dp(look.MaxWidth))
	}
	x := pad
	add := func(w giolayout.Widget, gap unit.Dp) {
		g := gtx
		g.Constraints = giolayout.Constraints{Max: image.Pt(max(0, limit-x-right), height)}
		if look.Trailing != NoIcon {
			g.Constraints.Max.X = max(0, g.Constraints.Max.X-gtx.Dp(18))
		}
		x = Middle(g, w, x, height) + gtx.Dp(gap)
	}
	if look.Icon != NoIcon {
		gap := Unit * 3 / 2
		if look.Text == "" {
			gap = 0
		}
		add(th.Picture(look.Icon, 18, look.Colour), gap)
	}
	if look.Label != "" {
		add(th.Aside(look.Label).Line(th), Unit)
	}
	if look.Text != "" {
		add(Label{Face: look.Face, Colour: look.Colour, Text: look.Text}.Line(th), 0)
	}
	if look.Trailing != NoIcon {
		x = Middle(gtx, th.Picture(look.Trailing, 18, th.Quiet), x, height)
	}
	return D{Size: image.Pt(x+right, height)}
}

// hint shows what the button does, and its key, once the pointer rests on it.
// It is drawn last in the frame, above everything.
func (b *Button) hint(gtx C, th *Theme, look ButtonLook, size image.Point) {
	if !b.click.Hovered() || b.click.Pressed() || look.Hint == "" {
		b.rests = Rest{}
		return
	}
	if !b.rests.On(gtx, 1) {
		return
	}
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(gtx.Dp(320), gtx.Dp(400))}
	text := []giolayout.FlexChild{giolayout.Rigid(Label{Size: SmallSize, Colour: th.Text, Text: look.Hint}.Line(th))}
	if look.Key != "" {
		text = append(text, Gap(8), giolayout.Rigid(func(gtx C) D { return KeyCap(gtx, th, look.Key) }))
	}
	Hint(gtx, th, giolayout.Flex{Alignment: giolayout.Middle}, text, func(d image.Point) image.Point {
		at := image.Pt(0, size.Y+gtx.Dp(Unit))
		if look.HintLeft {
			at.X = size.X - d.X
		}
		if look.HintAbove {
			at.Y = -d.Y - gtx.Dp(Unit)
		}
		return at
	})
}

// A Rest is since when the pointer rests on something.
type Rest struct {
	what  int
	since time.Time
}

// On reports whether the pointer has rested on something for HintDelay; 0 is nothing.
func (r *Rest) On(gtx C, what int) bool {
	if what != r.what {
		*r = Rest{what, gtx.Now}
	}
	due := r.since.Add(HintDelay)
	if what != 0 && gtx.Now.Before(due) {
		gtx.Execute(op.InvalidateCmd{At: due})
	}
	return what != 0 && !gtx.Now.Before(due)
}

// Hint draws text in a box at a place, above everything that is drawn in the frame.
func Hint(gtx C, th *Theme, flex giolayout.Flex, text []giolayout.FlexChild, place func(size image.Point) image.Point) {
	m := op.Record(gtx.Ops)
	inside := func(gtx C) D { return flex.Layout(gtx, text...) }
	c, d := Measure(gtx, Padded(giolayout.Inset{Left: 8, Right: 8, Top: 5, Bottom: 5}, inside))
	at := place(d.Size)
	Box(gtx, th, image.Rectangle{Min: at, Max: at.Add(d.Size)}, th.Line, th.Card)
	Place(gtx.Ops, at, c)
	op.Defer(gtx.Ops, m.Stop())
}

// KeyCap draws the name of a key as a key.
func KeyCap(gtx C, th *Theme, key string) D {
	gtx.Constraints.Min = image.Point{}
	c, d := Measure(gtx, Padded(giolayout.Inset{Left: 5, Right: 5, Top: 1, Bottom: 2},
		Label{Size: SmallSize, Face: Mono, Colour: th.Text, Text: key}.Line(th)))
	Box(gtx, th, image.Rectangle{Max: d.Size}, th.Line, th.Raised)
	c.Add(gtx.Ops)
	return d
}

// LayoutChip draws the button as a small coloured pill in the small text size.
func (b *Button) LayoutChip(gtx C, th *Theme, text string, colour, ground color.NRGBA) D {
	gtx.Constraints.Min = image.Point{}
	return b.click.Layout(gtx, func(gtx C) D {
		semantic.Button.Add(gtx.Ops)
		c, d := Measure(gtx, Padded(giolayout.Inset{Left: 8, Right: 8, Top: 1, Bottom: 2},
			Label{Size: SmallSize, Colour: colour, Text: text}.Line(th)))
		FillRound(gtx, th, image.Rectangle{Max: d.Size}, ground)
		if b.click.Hovered() {
			FillRound(gtx, th, image.Rectangle{Max: d.Size}, WithAlpha(th.Text, 20))
		}
		pointer.CursorPointer.Add(gtx.Ops)
		c.Add(gtx.Ops)
		return d
	})
}

// A KeyHint is a key and what it does.
type KeyHint struct{ Key, Text string }

// KeyCaps draws keys that do the same, which the text separates by two spaces.
func KeyCaps(gtx C, th *Theme, keys string) D {
	var caps []giolayout.FlexChild
	for key := range strings.SplitSeq(keys, "  ") {
		caps = append(caps, giolayout.Rigid(func(gtx C) D { return KeyCap(gtx, th, key) }), Gap(Unit))
	}
	return InRow(caps[:len(caps)-1]...)(gtx)
}

// LayoutLink draws the button as small text in the colour of links.
func (b *Button) LayoutLink(gtx C, th *Theme, text string) D {
	return b.click.Layout(gtx, func(gtx C) D {
		pointer.CursorPointer.Add(gtx.Ops)
		return Label{Size: SmallSize, Colour: th.Link, Text: text}.Layout(gtx, th)
	})
}

// Actions draws buttons at the right edge of a row, y pixels above its lower edge or with -1 in its middle, on a ground
// that begins at least as far to the left as from.
func Actions(gtx C, th *Theme, size image.Point, from, y int, buttons ...giolayout.Widget) {
	children := make([]giolayout.FlexChild, len(buttons))
	for i, b := range buttons {
		children[i] = giolayout.Rigid(b)
	}
	c, d := Measure(gtx, func(gtx C) D { return giolayout.Flex{}.Layout(gtx, children...) })
	at := image.Pt(size.X-d.Size.X, size.Y-d.Size.Y-y)
	if y < 0 {
		at.Y = (size.Y - d.Size.Y) / 2
	}
	FillRound(gtx, th, image.Rectangle{Min: image.Pt(min(at.X, from), at.Y), Max: at.Add(d.Size)}, th.Raised)
	Place(gtx.Ops, at, c)
}
