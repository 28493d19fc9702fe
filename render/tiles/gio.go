package tiles

import (
	"image"
	"image/color"

	"gioui.org/f32"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
)

// tileSide is the most pixels of a texture in either direction. Stretched by coarse it is no larger than maxDrawn.
const tileSide = maxDrawn / coarse

// A Picture is an image that Gio draws. Its textures are uploaded once and kept as long as it is drawn in every
// frame; the image must not be changed any more.
type Picture struct {
	Size   image.Point
	pixels *image.RGBA
	tiles  []pictureTile
}

type pictureTile struct {
	at    image.Point
	size  image.Point
	image paint.ImageOp
}

// NewPicture prepares an image for Gio. It is cut into tiles that every graphics system can hold.
func NewPicture(img *image.RGBA) *Picture {
	p := &Picture{Size: img.Rect.Size(), pixels: img}
	for y := 0; y < p.Size.Y; y += tileSide {
		for x := 0; x < p.Size.X; x += tileSide {
			size := image.Pt(min(tileSide, p.Size.X-x), min(tileSide, p.Size.Y-y))
			min := img.Rect.Min.Add(image.Pt(x, y))
			sub := img.SubImage(image.Rectangle{Min: min, Max: min.Add(size)}).(*image.RGBA)
			op := paint.NewImageOp(sub)
			op.Filter = paint.FilterNearest
			p.tiles = append(p.tiles, pictureTile{at: image.Pt(x, y), size: size, image: op})
		}
	}
	return p
}

// Add draws the picture pixel by pixel with its upper left corner at at, within the current clip.
func (p *Picture) Add(ops *op.Ops, at image.Point) {
	for i := range p.tiles {
		t := &p.tiles[i]
		offset := op.Offset(at.Add(t.at)).Push(ops)
		area := clip.Rect{Max: t.size}.Push(ops)
		t.image.Add(ops)
		paint.PaintOp{}.Add(ops)
		area.Pop()
		offset.Pop()
	}
}

// AddScaled draws the picture scaled, its upper left corner at at (pixels, fractions allowed), within the current
// clip.
func (p *Picture) AddScaled(ops *op.Ops, at f32.Point, scaleX, scaleY float32) {
	transform := op.Affine(f32.AffineId().Scale(f32.Point{}, f32.Pt(scaleX, scaleY)).Offset(at)).Push(ops)
	for i := range p.tiles {
		t := &p.tiles[i]
		offset := op.Offset(t.at).Push(ops)
		t.image.Add(ops)
		paint.PaintOp{}.Add(ops) // an image is painted where it is; a clip would be one more path to draw
		offset.Pop()
	}
	transform.Pop()
}

// Add draws the composition with its upper left corner at the origin, within the current clip.
func (s *Composition) Add(ops *op.Ops) {
	rest := s.pieces
	switch {
	case len(s.gaps) == 0: // nothing shows of other levels
		rest = rest[s.behind:]
	case s.scaled:
		if s.strips == nil {
			s.strips = s.upscale()
		}
		for i := range s.strips {
			s.strips[i].picture.Add(ops, s.strips[i].at)
		}
		rest = rest[s.behind:]
	case s.bare:
		area := clip.Rect{Max: s.Size}.Push(ops)
		paint.Fill(ops, color.NRGBA(s.colouring.Palette.Background)) // it is opaque
		area.Pop()
	}
	for i := range rest {
		p := &rest[i]
		if p.exact() {
			p.picture.Add(ops, p.rect.Min)
			continue
		}
		p.picture.AddScaled(ops, f32.Pt(float32(p.rect.Min.X), float32(p.rect.Min.Y)),
			float32(p.rect.Dx())/float32(p.raster.W), float32(p.rect.Dy())/float32(p.raster.H))
	}
}
