package kit

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"unicode"
	"unicode/utf8"

	"gioui.org/io/system"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/text"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A scribe writes lines of text into images. Gio draws each line as a path,
// and all paths anew in every frame: where there is no graphics card, the
// letters took more than half of a frame. An image is drawn once and then
// only copied. Where a line needs more than letters one after the other
// (several lines, other scripts), Gio does it.
type typesetter struct {
	shaper *text.Shaper
	buf    sfnt.Buffer
	sizes  map[sizeKey]*sizedFace
	inks   map[color.NRGBA]*ink
	lines  spriteCache[lineKey]

	paragraphs map[paragraphKey]paragraph
}

type sizeKey struct {
	face Face
	px   int
}

// sizedFace is a face at a size.
type sizedFace struct {
	font            *sfnt.Font
	px              int
	ascent, descent int // of a line, around its baseline, px
	baseline        int // under the top of a text
	letters         map[rune]letter
	masks           map[maskKey]mask
}

// letter is a rune in a face.
type letter struct {
	glyph   sfnt.GlyphIndex // 0: the face lacks it
	advance fixed.Int26_6
}

// maskKey is a letter that begins at so many 64ths of a pixel.
type maskKey struct {
	r        rune
	fraction fixed.Int26_6
}

// mask is how much of each pixel a letter covers, around its origin.
type mask struct {
	rect image.Rectangle
	pix  []uint8
}

// lineKey is what the image of a line depends on: its first bytes, up to
// where it was cut.
type lineKey struct {
	text   string
	shown  int
	face   Face
	px     int
	colour color.NRGBA
}

// Limits of what is kept and of what is drawn as an image.
const (
	lineBytes = 4 << 20
	maskCount = 4096 // of a sized face
	inkCount  = 256
	maxLine   = 4096 // px
)

var ttfs = [...][]byte{Regular: goregular.TTF, Strong: gobold.TTF, Mono: gomono.TTF, MonoStrong: gomonobold.TTF}

// parsed are the fonts, parsed when they are first needed.
var parsed [len(ttfs)]*sfnt.Font

func newTypesetter(shaper *text.Shaper) *typesetter {
	return &typesetter{shaper: shaper, sizes: map[sizeKey]*sizedFace{}, inks: map[color.NRGBA]*ink{}, lines: spriteCache[lineKey]{limit: lineBytes},
		paragraphs: map[paragraphKey]paragraph{}}
}

// sized is a face at a size; nil if its font cannot be read.
func (s *typesetter) sized(face Face, px int) *sizedFace {
	key := sizeKey{face, px}
	if f, ok := s.sizes[key]; ok {
		return f
	}
	var f *sizedFace
	if parsed[face] == nil {
		parsed[face], _ = sfnt.Parse(ttfs[face])
	}
	if parsed[face] != nil && px > 0 {
		f = &sizedFace{font: parsed[face], px: px, letters: map[rune]letter{}, masks: map[maskKey]mask{}}
		// Where a line lies is Gio's to say.
		s.shaper.LayoutString(text.Parameters{Font: fonts[face], PxPerEm: fixed.I(px), MaxLines: 1, MaxWidth: maxLine}, "x")
		if g, ok := s.shaper.NextGlyph(); ok {
			f.ascent, f.descent, f.baseline = g.Ascent.Ceil(), g.Descent.Ceil(), int(g.Y)
		} else {
			f = nil
		}
	}
	s.sizes[key] = f
	return f
}

// letter finds a rune.
func (s *typesetter) letter(f *sizedFace, r rune) letter {
	if l, ok := f.letters[r]; ok {
		return l
	}
	var l letter
	if !unicode.In(r, unicode.C, unicode.M, unicode.Zl, unicode.Zp) {
		upem := f.font.UnitsPerEm()
		i, err := f.font.GlyphIndex(&s.buf, r)
		a, err2 := f.font.GlyphAdvance(&s.buf, i, fixed.Int26_6(upem), font.HintingNone) // in units of the font
		if err == nil && err2 == nil && i != 0 {
			l = letter{i, (a*fixed.I(f.px) + fixed.Int26_6(upem)/2) / fixed.Int26_6(upem)}
		}
	}
	f.letters[r] = l
	return l
}

const ellipsis = '…'

// fit is how wide a text is, 26.6 px, and how many bytes of it there is room for
// beside an ellipsis; all of them if it fits. It fails on what is not letters
// one after the other.
func (s *typesetter) fit(f *sizedFace, txt string, room int) (width fixed.Int26_6, shown int, ok bool) {
	dots := s.letter(f, ellipsis)
	most := fixed.Int26_6(math.MaxInt32)
	if room < maxLine {
		most = fixed.I(room)
	}
	var cutWidth fixed.Int26_6
	last := rune(' ') // spaces at the ends are Gio's
	for i, r := range txt {
		l := s.letter(f, r)
		if l.glyph == 0 || r == utf8.RuneError || width > fixed.I(maxLine) {
			return 0, 0, false
		}
		if width+dots.advance <= most {
			cutWidth, shown = width, i
		}
		width += l.advance
		last = r
	}
	switch {
	case last == ' ' || txt[0] == ' ':
		return 0, 0, false
	case width <= most:
		return width, len(txt), true
	case dots.glyph == 0 || shown == 0 || txt[shown-1] == ' ' || txt[shown] == ' ':
		return 0, 0, false
	}
	return cutWidth + dots.advance, shown, true
}

// width is how wide a line is that has all the room it wants, px; false if
// only Gio knows.
func (s *typesetter) width(gtx giolayout.Context, l Label) (int, bool) {
	f := s.sized(l.Face, gtx.Sp(l.size()))
	if f == nil || l.Text == "" || gtx.Locale.Direction != system.LTR {
		return 0, false
	}
	w, _, ok := s.fit(f, l.Text, maxLine)
	return w.Ceil(), ok
}

// write draws a label on one line, cut with an ellipsis if cut says so; false
// if that is Gio's to do.
func (s *typesetter) write(gtx giolayout.Context, l Label, cut bool) (giolayout.Dimensions, bool) {
	px := gtx.Sp(l.size())
	f := s.sized(l.Face, px)
	if f == nil || l.Text == "" || gtx.Locale.Direction != system.LTR {
		return giolayout.Dimensions{}, false
	}
	width, shown, ok := s.fit(f, l.Text, gtx.Constraints.Max.X)
	if !ok || !cut && shown < len(l.Text) {
		return giolayout.Dimensions{}, false
	}
	key := lineKey{l.Text, shown, l.Face, px, l.Colour}
	img, ok := s.lines.get(key)
	if !ok {
		img = s.draw(f, s.line(f, l.Text, shown), image.Pt(width.Ceil(), f.ascent+f.descent), l.Colour)
		s.lines.put(key, img)
	}
	size := image.Pt(width.Ceil(), f.ascent+f.descent)
	d := giolayout.Dimensions{Size: gtx.Constraints.Constrain(size)}
	d.Baseline = d.Size.Y - f.baseline
	sayText(gtx.Ops, d.Size, l.Text)
	if d.Size.Y < size.Y {
		defer clip.Rect{Min: image.Pt(-px, -px), Max: image.Pt(size.X+px, d.Size.Y)}.Push(gtx.Ops).Pop()
	}
	img.Add(gtx.Ops, image.Point{})
	return d, true
}

// written is a letter of a text: where it begins, from the text's left end,
// and its baseline.
type written struct {
	r rune
	x fixed.Int26_6
	y int
}

// line is the letters of a line that was cut, or not.
func (s *typesetter) line(f *sizedFace, txt string, shown int) []written {
	all := make([]written, 0, shown+1)
	var x fixed.Int26_6
	add := func(r rune) {
		all = append(all, written{r, x, f.baseline})
		x += s.letter(f, r).advance
	}
	for _, r := range txt[:shown] {
		add(r)
	}
	if shown < len(txt) {
		add(ellipsis)
	}
	return all
}

// draw makes the image of a text of some size.
func (s *typesetter) draw(f *sizedFace, all []written, size image.Point, c color.NRGBA) Sprite {
	// Letters may reach a little beyond their lines.
	rect := image.Rectangle{Max: size}.Inset(-f.px)
	w := rect.Dx()
	cover := make([]uint8, w*rect.Dy())
	var ink image.Rectangle
	for _, l := range all {
		m := s.mask(f, l.r, l.x&63)
		to := m.rect.Add(image.Pt(l.x.Floor(), l.y))
		seen := to.Intersect(rect)
		for y := seen.Min.Y; y < seen.Max.Y; y++ {
			from := m.pix[(y-to.Min.Y)*to.Dx()+seen.Min.X-to.Min.X:][:seen.Dx()]
			row := cover[(y-rect.Min.Y)*w+seen.Min.X-rect.Min.X:][:seen.Dx()]
			for i, v := range from {
				row[i] = uint8(min(255, int(row[i])+int(v)))
			}
		}
		ink = ink.Union(seen)
	}
	if ink.Empty() {
		return Sprite{}
	}
	img := image.NewRGBA(image.Rectangle{Max: ink.Size()})
	colours := s.ink(c)
	for y := range ink.Dy() {
		row := cover[(y+ink.Min.Y-rect.Min.Y)*w+ink.Min.X-rect.Min.X:][:ink.Dx()]
		for i, v := range row {
			copy(img.Pix[y*img.Stride+4*i:], colours[v][:])
		}
	}
	return NewSprite(img, ink.Min)
}

// mask makes or finds the mask of a letter.
func (s *typesetter) mask(f *sizedFace, r rune, fraction fixed.Int26_6) mask {
	key := maskKey{r, fraction}
	if m, ok := f.masks[key]; ok {
		return m
	}
	upem := fixed.Int26_6(f.font.UnitsPerEm())
	segments, err := f.font.LoadGlyph(&s.buf, s.letter(f, r).glyph, upem, nil) // in units of the font
	var m mask
	if err == nil && len(segments) > 0 {
		scale := float32(f.px) / float32(upem)
		at := func(p fixed.Point26_6) (x, y float32) {
			return float32(p.X)*scale + float32(fraction)/64, float32(p.Y) * scale
		}
		b := segments.Bounds()
		x0, y0 := at(b.Min)
		x1, y1 := at(b.Max)
		floor, ceil := func(v float32) int { return int(math.Floor(float64(v))) }, func(v float32) int { return int(math.Ceil(float64(v))) }
		m.rect = image.Rect(floor(x0), floor(y0), ceil(x1), ceil(y1))
		m.pix = trace(segments, m.rect, at)
	}
	if len(f.masks) >= maskCount {
		clear(f.masks)
	}
	f.masks[key] = m
	return m
}

// trace fills an outline.
func trace(segments sfnt.Segments, r image.Rectangle, at func(fixed.Point26_6) (x, y float32)) []uint8 {
	z := vector.NewRasterizer(r.Dx(), r.Dy())
	z.DrawOp = draw.Src
	left, top := float32(r.Min.X), float32(r.Min.Y)
	for _, s := range segments {
		ax, ay := at(s.Args[0])
		bx, by := at(s.Args[1])
		cx, cy := at(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			z.ClosePath()
			z.MoveTo(ax-left, ay-top)
		case sfnt.SegmentOpLineTo:
			z.LineTo(ax-left, ay-top)
		case sfnt.SegmentOpQuadTo:
			z.QuadTo(ax-left, ay-top, bx-left, by-top)
		case sfnt.SegmentOpCubeTo:
			z.CubeTo(ax-left, ay-top, bx-left, by-top, cx-left, cy-top)
		}
	}
	z.ClosePath()
	dst := image.NewAlpha(image.Rectangle{Max: r.Size()})
	z.Draw(dst, dst.Rect, image.Opaque, image.Point{})
	return dst.Pix
}

// ink is a colour by how much of a pixel it covers.
type ink [256][4]uint8

// ink makes or finds the pixels of a colour. Gio mixes light, not numbers: a
// pixel that is half covered has half the light of the colour, and its
// numbers stand for that light.
func (s *typesetter) ink(c color.NRGBA) *ink {
	if k := s.inks[c]; k != nil {
		return k
	}
	if len(s.inks) >= inkCount {
		clear(s.inks)
	}
	k := newInk(c)
	s.inks[c] = k
	return k
}

func newInk(c color.NRGBA) *ink {
	k := new(ink)
	for i := range k {
		k[i] = Pixel(c, uint8(i))
	}
	return k
}
