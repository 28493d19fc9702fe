package kit

import (
	"image"
	"image/color"

	"gioui.org/io/system"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/text"
	"gioui.org/widget"
	"golang.org/x/image/math/fixed"
)

// paragraphKey is what the image of a text on several lines depends on.
type paragraphKey struct {
	text   string
	face   Face
	px     int
	room   int
	colour color.NRGBA
}

// A paragraph is a text on several lines. ok is false where it is Gio's to
// draw.
type paragraph struct {
	ok     bool
	sprite Sprite
	dims   giolayout.Dimensions
}

// paragraphCount is how many are kept.
const paragraphCount = 64

// paragraph draws a label on as many lines as it needs, broken where Gio
// breaks them; false if that is Gio's to do.
func (s *typesetter) paragraph(gtx giolayout.Context, l Label) (giolayout.Dimensions, bool) {
	px := gtx.Sp(l.size())
	f := s.sized(l.Face, px)
	if f == nil || gtx.Constraints.Max.X > maxLine || gtx.Locale.Direction != system.LTR {
		return giolayout.Dimensions{}, false
	}
	key := paragraphKey{l.Text, l.Face, px, gtx.Constraints.Max.X, l.Colour}
	p, ok := s.paragraphs[key]
	if !ok {
		if len(s.paragraphs) >= paragraphCount {
			clear(s.paragraphs)
		}
		p = s.newParagraph(gtx, f, l)
		s.paragraphs[key] = p
	}
	if !p.ok || p.dims.Size.Y > gtx.Constraints.Max.Y {
		return giolayout.Dimensions{}, false
	}
	sayText(gtx.Ops, p.dims.Size, l.Text)
	p.sprite.Add(gtx.Ops, image.Point{})
	return p.dims, true
}

func (s *typesetter) newParagraph(gtx giolayout.Context, f *sizedFace, l Label) (p paragraph) {
	gtx.Ops, gtx.Constraints.Max.Y = new(op.Ops), maxLine
	p.dims = widget.Label{}.Layout(gtx, s.shaper, fonts[l.Face], l.size(), l.Text, material1(gtx.Ops, l.Colour))
	s.shaper.LayoutString(text.Parameters{Font: fonts[l.Face], PxPerEm: fixed.I(f.px), MaxWidth: gtx.Constraints.Max.X, Locale: gtx.Locale}, l.Text)
	var all []written
	rest := []rune(l.Text)
	for g, ok := s.shaper.NextGlyph(); ok; g, ok = s.shaper.NextGlyph() {
		// One rune, one letter: nothing else is known to be drawn alike.
		if g.Runes != 1 || g.Flags&text.FlagClusterBreak == 0 || len(rest) == 0 || s.letter(f, rest[0]).glyph == 0 {
			return paragraph{}
		}
		all = append(all, written{rest[0], g.X, int(g.Y)})
		rest = rest[1:]
	}
	if len(rest) > 0 || p.dims.Size.X*p.dims.Size.Y > largestShape {
		return paragraph{}
	}
	p.sprite, p.ok = s.draw(f, all, p.dims.Size, l.Colour), true
	return p
}
