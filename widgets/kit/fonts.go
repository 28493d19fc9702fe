package kit

import (
	"cmp"
	"image"
	"image/color"
	"io"
	"log"
	"slices"
	"strings"
	"time"
	"unicode"

	"gioui.org/font"
	fontfile "gioui.org/font/opentype"
	"gioui.org/op"
	"gioui.org/text"
	"github.com/go-text/typesetting/fontscan"
	imgfont "golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

var ttfs = [...][]byte{Regular: goregular.TTF, Strong: gobold.TTF, Mono: gomono.TTF, MonoStrong: gomonobold.TTF}

// A letters is an embedded font.
type letters struct {
	font  *sfnt.Font
	buf   sfnt.Buffer
	known map[rune]bool // it has the rune
	sizes map[int]imgfont.Face
}

// lettersOf parses a font when it is first needed.
func (s *typesetter) lettersOf(face Face) *letters {
	if s.fonts[face] == nil {
		f, err := sfnt.Parse(ttfs[face])
		if err != nil {
			panic(err) // it is embedded
		}
		s.fonts[face] = &letters{font: f, known: map[rune]bool{}, sizes: map[int]imgfont.Face{}}
	}
	return s.fonts[face]
}

// has reports whether the font has a rune that stands for itself.
func (f *letters) has(r rune) bool {
	has, ok := f.known[r]
	if !ok {
		i, err := f.font.GlyphIndex(&f.buf, r)
		has = err == nil && i != 0 && !unicode.In(r, unicode.C, unicode.M, unicode.Zl, unicode.Zp)
		f.known[r] = has
	}
	return has
}

// sized is the font at a size.
func (f *letters) sized(px int) imgfont.Face {
	if f.sizes[px] == nil {
		f.sizes[px], _ = opentype.NewFace(f.font, &opentype.FaceOptions{Size: float64(px), DPI: 72}) // never fails
	}
	return f.sizes[px]
}

// image makes the image of a text of some size.
func (s *typesetter) image(key textKey, t *setText, c color.NRGBA) Sprite {
	face := s.lettersOf(key.face).sized(key.px)
	// Letters may reach a little beyond their lines.
	cover := image.NewAlpha(image.Rectangle{Max: t.size}.Inset(-key.px))
	var ink image.Rectangle
	for _, l := range t.letters {
		r, mask, at, _, ok := face.Glyph(fixed.Point26_6{X: l.x, Y: fixed.I(l.y)}, l.r)
		m, is := mask.(*image.Alpha)
		if !ok || !is {
			continue
		}
		seen := r.Intersect(cover.Rect)
		for y := seen.Min.Y; y < seen.Max.Y; y++ {
			from := m.Pix[m.PixOffset(at.X+seen.Min.X-r.Min.X, at.Y+y-r.Min.Y):][:seen.Dx()]
			row := cover.Pix[cover.PixOffset(seen.Min.X, y):][:seen.Dx()]
			for i, v := range from {
				row[i] = uint8(min(255, int(row[i])+int(v)))
			}
		}
		ink = ink.Union(seen)
	}
	return s.tint(cover, ink, c)
}

// tint makes a sprite of a part of a mask.
func (s *typesetter) tint(cover *image.Alpha, part image.Rectangle, c color.NRGBA) Sprite {
	if part.Empty() {
		return Sprite{}
	}
	img, colours := image.NewRGBA(image.Rectangle{Max: part.Size()}), s.ink(c)
	for y := range part.Dy() {
		for x, v := range cover.Pix[cover.PixOffset(part.Min.X, part.Min.Y+y):][:part.Dx()] {
			copy(img.Pix[y*img.Stride+4*x:], colours[v][:])
		}
	}
	return NewSprite(img, part.Min)
}

// ink is a colour by how much of a pixel it covers.
type ink [256][4]uint8

// inkCount is how many colours are kept.
const inkCount = 256

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

// systemFonts brings in the machine's fonts once a text needs them: to look for them takes a tenth of a second, and a
// second where nothing has done so before, and most texts do without.
type systemFonts struct {
	coming   chan foundFonts // nil: not asked for yet
	here     bool
	families font.Typeface // of the machine, to be tried after the embedded ones
}

// foundFonts is a shaper that knows the machine's fonts, and their families.
type foundFonts struct {
	shaper   *text.Shaper
	families font.Typeface
}

// systemFamilies lists the families of the machine's fonts behind commas, those first that go with ours: Gio looks for
// a rune only in the families that a text names.
func systemFamilies() font.Typeface {
	found, err := fontscan.SystemFonts(log.New(io.Discard, "", 0), "") // Gio has looked, and says where the index lies
	if err != nil {
		return ""
	}
	var families []string
	for i := range found {
		families = append(families, found[i].Family)
	}
	rank := func(family string) int { // how well it goes with ours, as far as the name tells
		for i, part := range [...]string{"emoji", "notosanscjksc", "notosans", "sans", "gothic", "hei", "ui"} {
			if strings.Contains(family, part) {
				return i
			}
		}
		return 10
	}
	slices.SortFunc(families, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return font.Typeface(", " + strings.Join(slices.Compact(families), ", "))
}

// font is a face for Gio, with the machine's families behind our own.
func (th *Theme) font(face Face) font.Font {
	f := fonts[face]
	f.Typeface += th.system.families
	return f
}

// newShaper makes a shaper with the embedded fonts and, where it is asked for, those of the machine for what the
// embedded ones lack.
func newShaper(system bool) *text.Shaper {
	var ours []font.FontFace
	for _, ttf := range ttfs {
		faces, err := fontfile.ParseCollection(ttf)
		if err != nil {
			panic(err) // it is embedded
		}
		ours = append(ours, faces...)
	}
	options := []text.ShaperOption{text.WithCollection(ours)}
	if !system {
		options = append(options, text.NoSystemFonts())
	}
	return text.NewShaper(options...)
}

// loadFonts starts to look for the machine's fonts when a text was drawn that needs them, and takes them when they are
// found. It is called once a frame.
func (th *Theme) loadFonts(gtx C) {
	f := &th.system
	switch {
	case f.here || f.coming == nil && !th.typesetter.lacking:
		return
	case f.coming == nil:
		coming := make(chan foundFonts, 1)
		f.coming = coming
		go func() {
			s := newShaper(true)
			s.LayoutString(text.Parameters{Font: fonts[Regular], PxPerEm: fixed.I(13), MaxWidth: maxLine}, "x") // looks
			coming <- foundFonts{s, systemFamilies()}
		}()
	}
	select {
	case found := <-f.coming:
		f.here, f.families = true, found.families
		th.shaper, th.mat.Shaper, th.typesetter.shaper = found.shaper, found.shaper, found.shaper
		clear(th.typesetter.texts)
		gtx.Execute(op.InvalidateCmd{})
	default:
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(50 * time.Millisecond)})
	}
}
