package kit

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/unit"
	"golang.org/x/image/vector"

	"strata/render/colour"
)

// A RoundRect is a rectangle with round corners in one colour, of which boxes and their shadows consist.
type RoundRect struct {
	Rect   image.Rectangle
	Radius int
	Colour color.NRGBA
}

// roundedKey are rounded rectangles over one another; three make a shadow.
type roundedKey [3]RoundRect

const largestShape = 1 << 20 // px; what is larger Gio draws as a path

// FillRound paints a rectangle with the theme's corner radius.
func FillRound(gtx C, th *Theme, r image.Rectangle, c color.NRGBA) {
	th.RoundRects(gtx, RoundRect{r, gtx.Dp(Radius), c})
}

// Box draws a rounded rectangle with a one-pixel border.
func Box(gtx C, th *Theme, r image.Rectangle, border, ground color.NRGBA) {
	radius := gtx.Dp(Radius)
	th.RoundRects(gtx, RoundRect{r, radius, border}, RoundRect{r.Inset(1), radius - 1, ground})
}

// Shadow darkens what is around a floating box a little, so that it is seen to float.
func Shadow(gtx C, th *Theme, r image.Rectangle) {
	var layers [3]RoundRect
	for i := range layers {
		grow := gtx.Dp(2 * unit.Dp(i+1))
		layers[i] = RoundRect{r.Inset(-grow).Add(image.Pt(0, gtx.Dp(2))), gtx.Dp(Radius) + grow, color.NRGBA{A: 22}}
	}
	th.RoundRects(gtx, layers[:]...)
}

// RoundRects draws up to three rounded rectangles, each over the one before, as one image: as a path each of them is
// drawn twice, and anew in every frame.
func (th *Theme) RoundRects(gtx C, layers ...RoundRect) {
	all := around(layers)
	if size := all.Size(); size.X*size.Y > largestShape {
		for _, l := range layers {
			paint.FillShape(gtx.Ops, l.Colour, clip.UniformRRect(l.Rect, l.Radius).Op(gtx.Ops))
		}
		return
	}
	var key roundedKey
	for i, l := range layers {
		l.Rect = l.Rect.Sub(all.Min)
		key[i] = l
	}
	s := th.shapes.of(key, func() Sprite { return paintShapes(key[:len(layers)]) })
	s.Add(gtx.Ops, all.Min)
}

// A ShapeBatch is many small shapes in one image, which is made anew when one of them changes: each shape drawn for
// itself costs the graphics system as much as a large picture.
type ShapeBatch struct {
	shapes, drawn []RoundRect
	sprite        Sprite
}

// Add adds a shape to those of this frame.
func (s *ShapeBatch) Add(r RoundRect) {
	if !r.Rect.Empty() {
		s.shapes = append(s.shapes, r)
	}
}

// Draw draws the shapes that were added since it last did.
func (s *ShapeBatch) Draw(gtx C) {
	if !slices.Equal(s.shapes, s.drawn) {
		s.drawn = append(s.drawn[:0], s.shapes...)
		s.sprite = paintShapes(s.shapes)
	}
	s.shapes = s.shapes[:0]
	s.sprite.Add(gtx.Ops, image.Point{})
}

// around is the smallest rectangle that holds all shapes.
func around(shapes []RoundRect) (all image.Rectangle) {
	for i := range shapes {
		all = all.Union(shapes[i].Rect)
	}
	return all
}

// paintShapes makes an image of shapes, each over those before it.
func paintShapes(shapes []RoundRect) Sprite {
	all := around(shapes)
	if all.Empty() {
		return Sprite{}
	}
	img := image.NewRGBA(image.Rectangle{Max: all.Size()})
	corners := map[int][]uint8{}
	for _, r := range shapes {
		r.Rect = r.Rect.Sub(all.Min)
		r.Radius = max(0, min(r.Radius, r.Rect.Dx()/2, r.Rect.Dy()/2))
		if corners[r.Radius] == nil {
			corners[r.Radius] = corner(r.Radius)
		}
		r.paint(img, corners[r.Radius])
	}
	return NewSprite(img, all.Min)
}

// paint paints a rounded rectangle over what is there. The upper left corner serves for all four.
func (r *RoundRect) paint(img *image.RGBA, corner []uint8) {
	var under, over [4]uint8 // the pixel before, without and with the shape
	last := -1
	for y := r.Rect.Min.Y; y < r.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Rect.Min.X, y):][:4*r.Rect.Dx()]
		dy := min(y-r.Rect.Min.Y, r.Rect.Max.Y-1-y)
		for x := range r.Rect.Dx() {
			cover := 255
			if dx := min(x, r.Rect.Dx()-1-x); dx < r.Radius && dy < r.Radius {
				cover = int(corner[dy*r.Radius+dx])
			}
			p := [4]uint8(row[4*x:])
			if cover != last || p != under {
				last, under, over = cover, p, r.over(p, cover)
			}
			copy(row[4*x:], over[:])
		}
	}
}

// over is the shape's colour over part of a pixel, of 255. Light is mixed, not its numbers.
func (r *RoundRect) over(under [4]uint8, cover int) [4]uint8 {
	c, part := r.Colour, float64(cover)/255*float64(r.Colour.A)/255
	mix := func(a, b uint8) uint8 { return colour.ToSRGB(colour.FromSRGB(a)*(1-part) + colour.FromSRGB(b)*part) }
	return [4]uint8{mix(under[0], c.R), mix(under[1], c.G), mix(under[2], c.B),
		uint8(math.Round(float64(under[3])*(1-part) + 255*part))}
}

// corner is how much each pixel of an upper left corner is covered, of 255.
func corner(radius int) []uint8 {
	if radius <= 0 {
		return nil
	}
	r := float32(radius)
	const bulge = .44771525 // of a curve's handle to a quarter of a circle, from the corner
	z := vector.NewRasterizer(radius, radius)
	z.DrawOp = draw.Src
	z.MoveTo(0, r)
	z.CubeTo(0, r*bulge, r*bulge, 0, r, 0)
	z.LineTo(r, r)
	z.ClosePath()
	dst := image.NewAlpha(image.Rect(0, 0, radius, radius))
	z.Draw(dst, dst.Rect, image.Opaque, image.Point{})
	return dst.Pix
}
