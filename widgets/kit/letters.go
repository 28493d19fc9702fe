package kit

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"unicode"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// sizedFace is a face at a size.
type sizedFace struct {
	font   *sfnt.Font
	px     int
	glyphs map[rune]sfnt.GlyphIndex // 0: the face lacks it
	masks  map[maskKey]mask
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

// maskCount limits the masks of a sized face, inkCount the colours.
const maskCount, inkCount = 4096, 256

var ttfs = [...][]byte{Regular: goregular.TTF, Strong: gobold.TTF, Mono: gomono.TTF, MonoStrong: gomonobold.TTF}

// parsed are the fonts, parsed when they are first needed.
var parsed [len(ttfs)]*sfnt.Font

// sized is a face at a size; nil if its font cannot be read.
func (s *typesetter) sized(face Face, px int) *sizedFace {
	key := sizeKey{face, px}
	f, ok := s.sizes[key]
	if ok {
		return f
	}
	if parsed[face] == nil {
		parsed[face], _ = sfnt.Parse(ttfs[face])
	}
	if parsed[face] != nil && px > 0 {
		f = &sizedFace{font: parsed[face], px: px, glyphs: map[rune]sfnt.GlyphIndex{}, masks: map[maskKey]mask{}}
	}
	s.sizes[key] = f
	return f
}

// glyph finds a rune; 0 where the face lacks it or it is no letter that stands for itself.
func (s *typesetter) glyph(f *sizedFace, r rune) sfnt.GlyphIndex {
	g, ok := f.glyphs[r]
	if !ok && !unicode.In(r, unicode.C, unicode.M, unicode.Zl, unicode.Zp) {
		g, _ = f.font.GlyphIndex(&s.buf, r)
	}
	f.glyphs[r] = g
	return g
}

// draw makes the image of a text of some size.
func (s *typesetter) image(f *sizedFace, all []written, size image.Point, c color.NRGBA) Sprite {
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
	segments, err := f.font.LoadGlyph(&s.buf, s.glyph(f, r), upem, nil) // in units of the font
	var m mask
	if err == nil && len(segments) > 0 {
		scale := float32(f.px) / float32(upem)
		at := func(p fixed.Point26_6) (x, y float32) {
			return float32(p.X)*scale + float32(fraction)/64, float32(p.Y) * scale
		}
		b := segments.Bounds()
		x0, y0 := at(b.Min)
		x1, y1 := at(b.Max)
		floor := func(v float32) int { return int(math.Floor(float64(v))) }
		ceil := func(v float32) int { return int(math.Ceil(float64(v))) }
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

// ink makes or finds the pixels of a colour. Gio mixes light, not numbers: a pixel that is half covered has half the
// light of the colour, and its numbers stand for that light.
func (s *typesetter) ink(c color.NRGBA) *ink {
	if k := s.inks[c]; k != nil {
		return k
	}
	if len(s.inks) >= inkCount {
		clear(s.inks)
	}
	k := new(ink)
	for i := range k {
		k[i] = Pixel(c, uint8(i))
	}
	s.inks[c] = k
	return k
}
