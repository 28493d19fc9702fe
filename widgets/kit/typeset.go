package kit

import (
	"image"
	"image/color"
	"unicode"

	"gioui.org/io/system"
	"gioui.org/op/clip"
	"gioui.org/text"
	"golang.org/x/image/math/fixed"
)

// A typesetter draws texts as images. Gio draws each line as a path, and all paths anew in every frame: without a
// graphics card the letters took more than half of a frame. Gio lays a text out, once; what needs more than one glyph
// of our fonts for each rune (other scripts, emoji) Gio draws as well.
type typesetter struct {
	shaper  *text.Shaper
	lacking bool // a text had runes that no embedded font has
	fonts   [len(ttfs)]*letters
	inks    map[color.NRGBA]*ink
	texts   map[textKey]*setText
	images  spriteCache[imageKey]
}

// textKey is what the layout of a text depends on.
type textKey struct {
	text            string
	face            Face
	px, room, lines int
}

// imageKey is what the image of a text depends on.
type imageKey struct {
	textKey
	colour color.NRGBA
}

// setText is a text that was laid out; ok is false where it is Gio's to draw.
type setText struct {
	ok       bool
	letters  []written
	size     image.Point
	baseline int // of the first line, under the top
}

// written is a letter of a text: where it begins, from the text's left end, and its baseline.
type written struct {
	r rune
	x fixed.Int26_6
	y int
}

const (
	textCount = 4096 // layouts that are kept
	maxLine   = 4096 // px; what is wider Gio draws
	ellipsis  = '…'
)

// set lays a label out on so many lines, 0 for as many as it needs: on one line without regard to the room where that
// is enough, so that another room changes nothing. It returns nil where Gio has to draw.
func (s *typesetter) set(gtx C, l Label, lines int) (*setText, textKey) {
	key := textKey{l.Text, l.Face, gtx.Sp(l.size()), maxLine, 1}
	room := gtx.Constraints.Max.X
	if l.Text == "" || key.px <= 0 || gtx.Locale.Direction != system.LTR {
		return nil, key
	}
	t := s.text(gtx, l, key)
	if (!t.ok || t.size.X > room) && room < maxLine {
		key.room, key.lines = room, lines
		t = s.text(gtx, l, key)
	}
	if !t.ok {
		return nil, key
	}
	return t, key
}

// text finds or makes a layout.
func (s *typesetter) text(gtx C, l Label, key textKey) *setText {
	t, ok := s.texts[key]
	if !ok {
		if len(s.texts) >= textCount {
			clear(s.texts)
		}
		t = new(setText)
		t.ok = s.layOut(gtx, l, key, t)
		s.texts[key] = t
	}
	return t
}

// layOut fills in t as Gio lays the text out. It fails on what is not one glyph for each rune.
func (s *typesetter) layOut(gtx C, l Label, key textKey, t *setText) bool {
	f := s.lettersOf(key.face)
	cut := false
	var bounds image.Rectangle // of the lines, as Gio's label has them
	s.shaper.LayoutString(text.Parameters{Font: fonts[l.Face], PxPerEm: fixed.I(key.px), MaxLines: key.lines,
		MaxWidth: key.room, Locale: gtx.Locale}, l.Text)
	rest := []rune(l.Text)
	for g, ok := s.shaper.NextGlyph(); ok; g, ok = s.shaper.NextGlyph() {
		r := ellipsis
		switch {
		case g.Flags&text.FlagTruncator != 0:
			if key.room == maxLine {
				return false
			}
			rest, cut = nil, true
		case g.Runes != 1 || g.Flags&text.FlagClusterBreak == 0 || len(rest) == 0:
			s.lacking = true
			return false
		default:
			r, rest = rest[0], rest[1:]
		}
		if !f.has(r) {
			s.lacking = s.lacking || r > unicode.MaxLatin1
			return false
		}
		if t.letters == nil {
			t.letters, t.baseline = make([]written, 0, len(rest)+1), int(g.Y)
			bounds.Min = image.Pt(g.X.Floor(), t.baseline-g.Ascent.Ceil())
		}
		t.letters = append(t.letters, written{r, g.X, int(g.Y)})
		bounds.Max.X = max(bounds.Max.X, (g.X + g.Advance).Ceil())
		bounds.Max.Y = max(bounds.Max.Y, int(g.Y)+g.Descent.Ceil())
	}
	if cut {
		bounds.Max.X += t.cutAtWord().Ceil()
	}
	t.size = bounds.Size()
	return len(rest) == 0 && t.size.X*t.size.Y <= largestShape
}

// draw draws a label on so many lines, 0 for as many as it needs; false if that is Gio's to do.
func (s *typesetter) draw(gtx C, l Label, lines int) (D, bool) {
	t, key := s.set(gtx, l, lines)
	if t == nil {
		return D{}, false
	}
	img := s.images.of(imageKey{key, l.Colour}, func() Sprite { return s.image(key, t, l.Colour) })
	d := D{Size: gtx.Constraints.Constrain(t.size)}
	d.Baseline = d.Size.Y - t.baseline
	sayText(gtx.Ops, d.Size, l.Text)
	if d.Size.Y < t.size.Y {
		defer clip.Rect{Min: image.Pt(-key.px, -key.px), Max: image.Pt(t.size.X+key.px, d.Size.Y)}.Push(gtx.Ops).Pop()
	}
	img.Add(gtx.Ops, image.Point{})
	return d, true
}

// cutAtWord moves the ellipsis of a text of one line back to the end of a word, where that costs no more than a third,
// and returns by how much the text is longer for it.
func (t *setText) cutAtWord() fixed.Int26_6 {
	last := len(t.letters) - 1
	for i := last - 1; i > last*2/3; i-- {
		if t.letters[i].r == ' ' && t.letters[i-1].r != ' ' {
			moved := t.letters[i].x - t.letters[last].x
			t.letters = append(t.letters[:i], written{ellipsis, t.letters[i].x, t.letters[i].y})
			return moved
		}
	}
	return 0
}
