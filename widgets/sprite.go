package widgets

import (
	"image"

	"gioui.org/op"
	"gioui.org/op/paint"
)

// A sprite is an image that is drawn pixel by pixel: the zero value draws
// nothing.
type sprite struct {
	at    image.Point // of its corner, from where it is drawn
	image paint.ImageOp
	bytes int
}

// newSprite makes a sprite of an image that is not changed any more.
func newSprite(img *image.RGBA, at image.Point) sprite {
	o := paint.NewImageOp(img)
	o.Filter = paint.FilterNearest // no smaller copies of it to be made
	return sprite{at, o, len(img.Pix)}
}

// add draws the sprite at a point of whole pixels.
func (s *sprite) add(ops *op.Ops, at image.Point) {
	if s.bytes == 0 {
		return
	}
	defer op.Offset(at.Add(s.at)).Push(ops).Pop()
	s.image.Add(ops)
	paint.PaintOp{}.Add(ops)
}

// twoAges keeps sprites by what they were made of. When the young ones are too
// many they become the old ones, and the old ones that nobody asked for are
// gone.
type twoAges[K comparable] struct {
	limit      int // bytes of either age
	bytes      int // of the young
	young, old map[K]sprite
}

// sparse is what an entry takes beside its pixels, about.
const sparse = 256

func (c *twoAges[K]) get(k K) (sprite, bool) {
	if s, ok := c.young[k]; ok {
		return s, true
	}
	s, ok := c.old[k]
	if ok {
		c.put(k, s)
	}
	return s, ok
}

func (c *twoAges[K]) put(k K, s sprite) {
	if c.young == nil || c.bytes > c.limit {
		c.old, c.young, c.bytes = c.young, make(map[K]sprite), 0
	}
	c.young[k] = s
	c.bytes += s.bytes + sparse
}
