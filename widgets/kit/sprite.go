package kit

import (
	"image"
	"image/color"
	"math"

	"gioui.org/op"
	"gioui.org/op/paint"

	"strata/render/colour"
)

// A Sprite is an image that is drawn pixel by pixel: the zero value draws nothing.
type Sprite struct {
	at    image.Point // of its corner, from where it is drawn
	image paint.ImageOp
	bytes int
}

// NewSprite makes a sprite of an image that is not changed any more.
func NewSprite(img *image.RGBA, at image.Point) Sprite {
	o := paint.NewImageOp(img)
	o.Filter = paint.FilterNearest // no smaller copies of it to be made
	return Sprite{at, o, len(img.Pix)}
}

// Add draws the sprite at a point of whole pixels.
func (s *Sprite) Add(ops *op.Ops, at image.Point) {
	if s.bytes == 0 {
		return
	}
	defer op.Offset(at.Add(s.at)).Push(ops).Pop()
	s.image.Add(ops)
	paint.PaintOp{}.Add(ops)
}

// A spriteCache keeps sprites by what they were made of. When the young ones are too many they become the old ones,
// and the old ones that nobody asked for are gone.
type spriteCache[K comparable] struct {
	bytes         int // of the young
	recent, older map[K]Sprite
}

// spriteBytes limits the pixels of either age; entryOverhead is what an entry takes beside them, about.
const spriteBytes, entryOverhead = 4 << 20, 256

// of is the sprite of a key; new makes it where it is not kept.
func (c *spriteCache[K]) of(k K, new func() Sprite) Sprite {
	if s, ok := c.recent[k]; ok {
		return s
	}
	s, ok := c.older[k]
	if !ok {
		s = new()
	}
	if c.recent == nil || c.bytes > spriteBytes {
		c.older, c.recent, c.bytes = c.recent, make(map[K]Sprite), 0
	}
	c.recent[k] = s
	c.bytes += s.bytes + entryOverhead
	return s
}

// Pixel is a colour over so much of a pixel, of 255.
func Pixel(c color.NRGBA, cover uint8) [4]uint8 {
	a := float64(cover) / 255 * float64(c.A) / 255
	of := func(v uint8) uint8 { return colour.ToSRGB(colour.FromSRGB(v) * a) }
	return [4]uint8{of(c.R), of(c.G), of(c.B), uint8(math.Round(a * 255))}
}

// FillPixels fills a part of an image with an opaque colour.
func FillPixels(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	if r = r.Intersect(img.Rect); r.Empty() {
		return
	}
	row := img.Pix[img.PixOffset(r.Min.X, r.Min.Y):][:4*r.Dx()]
	for x := 0; x < len(row); x += 4 {
		row[x], row[x+1], row[x+2], row[x+3] = c.R, c.G, c.B, c.A
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		copy(img.Pix[img.PixOffset(r.Min.X, y):], row)
	}
}
