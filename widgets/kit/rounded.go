package kit

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/unit"
	"golang.org/x/image/vector"

	"strata/render/colour"
)

// A RoundRect is a rectangle with round corners in one colour, of which boxes
// and their shadows consist.
type RoundRect struct {
	Rect   image.Rectangle
	Radius int
	Colour color.NRGBA
}

// roundedKey are rounded rectangles over one another; three make a shadow.
type roundedKey struct {
	n      int
	layers [3]RoundRect
}

const (
	shapeBytes   = 4 << 20
	largestShape = 1 << 20 // px; what is larger Gio draws as a path
)

// FillRound paints a rectangle with the theme's corner radius.
func FillRound(gtx giolayout.Context, th *Theme, r image.Rectangle, c color.NRGBA) {
	th.RoundRects(gtx, RoundRect{r, gtx.Dp(Radius), c})
}

// Box draws a rounded rectangle with a one-pixel border.
func Box(gtx giolayout.Context, th *Theme, r image.Rectangle, border, ground color.NRGBA) {
	radius := gtx.Dp(Radius)
	th.RoundRects(gtx, RoundRect{r, radius, border}, RoundRect{r.Inset(1), radius - 1, ground})
}

// Shadow darkens what is around a floating box a little, so that it is seen
// to float.
func Shadow(gtx giolayout.Context, th *Theme, r image.Rectangle) {
	var layers [3]RoundRect
	for i := range layers {
		grow := gtx.Dp(2 * unit.Dp(i+1))
		layers[i] = RoundRect{r.Inset(-grow).Add(image.Pt(0, gtx.Dp(2))), gtx.Dp(Radius) + grow, color.NRGBA{A: 22}}
	}
	th.RoundRects(gtx, layers[:]...)
}

// RoundRects draws up to three rounded rectangles, each over the one before, as one
// image: as a path each of them is drawn twice, and anew in every frame.
func (th *Theme) RoundRects(gtx giolayout.Context, layers ...RoundRect) {
	var all image.Rectangle
	for _, l := range layers {
		all = all.Union(l.Rect)
	}
	switch size := all.Size(); {
	case all.Empty():
		return
	case size.X*size.Y > largestShape:
		for _, l := range layers {
			paint.FillShape(gtx.Ops, l.Colour, clip.UniformRRect(l.Rect, l.Radius).Op(gtx.Ops))
		}
		return
	}
	key := roundedKey{n: len(layers)}
	for i, l := range layers {
		l.Rect = l.Rect.Sub(all.Min)
		l.Radius = max(0, min(l.Radius, l.Rect.Dx()/2, l.Rect.Dy()/2))
		key.layers[i] = l
	}
	s, ok := th.shapes.get(key)
	if !ok {
		s = NewSprite(key.paint(all.Size()), image.Point{})
		th.shapes.put(key, s)
	}
	s.Add(gtx.Ops, all.Min)
}

// paint makes the image.
func (k *roundedKey) paint(size image.Point) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: size})
	layers := k.layers[:k.n]
	var corners [3][]uint8
	edge := image.Point{} // beyond it, all rows, or columns, are the same
	for i, l := range layers {
		corners[i] = corner(l.Radius)
		edge.X = max(edge.X, l.Rect.Min.X+l.Radius, size.X-l.Rect.Max.X+l.Radius)
		edge.Y = max(edge.Y, l.Rect.Min.Y+l.Radius, size.Y-l.Rect.Max.Y+l.Radius)
	}
	at := func(x, y int) color.RGBA {
		var r, g, b, a float64
		for i := range layers {
			l := &layers[i]
			if f := l.covers(corners[i], x, y); f > 0 {
				f *= float64(l.Colour.A) / 255
				r = r*(1-f) + f*colour.FromSRGB(l.Colour.R)
				g = g*(1-f) + f*colour.FromSRGB(l.Colour.G)
				b = b*(1-f) + f*colour.FromSRGB(l.Colour.B)
				a = a*(1-f) + f
			}
		}
		return color.RGBA{colour.ToSRGB(r), colour.ToSRGB(g), colour.ToSRGB(b), uint8(math.Round(a * 255))}
	}
	for y := range size.Y {
		row := img.Pix[y*img.Stride:][:4*size.X]
		if y > edge.Y && y < size.Y-edge.Y {
			copy(row, img.Pix[(y-1)*img.Stride:])
			continue
		}
		for x := range size.X {
			if x > edge.X && x < size.X-edge.X {
				copy(row[4*x:4*x+4], row[4*x-4:])
				continue
			}
			img.SetRGBA(x, y, at(x, y))
		}
	}
	return img
}

// covers is how much of a pixel lies in the rectangle, 0 to 1.
func (l *RoundRect) covers(corner []uint8, x, y int) float64 {
	if !image.Pt(x, y).In(l.Rect) {
		return 0
	}
	// The upper left corner serves for all.
	dx := min(x-l.Rect.Min.X, l.Rect.Max.X-1-x)
	dy := min(y-l.Rect.Min.Y, l.Rect.Max.Y-1-y)
	if dx >= l.Radius || dy >= l.Radius {
		return 1
	}
	return float64(corner[dy*l.Radius+dx]) / 255
}

// corner is how much each pixel of an upper left corner is covered.
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

// A ShapeBatch is many small shapes in one image, which is made anew when one of
// them changes: each shape drawn for itself costs the graphics system as much
// as a large picture. A shape hides what was there of those before it.
type ShapeBatch struct {
	shapes, drawn []RoundRect
	sprite        Sprite
}

// Begin starts the shapes of a frame.
func (s *ShapeBatch) Begin() { s.shapes = s.shapes[:0] }

// Add adds a shape.
func (s *ShapeBatch) Add(r RoundRect) {
	if !r.Rect.Empty() {
		s.shapes = append(s.shapes, r)
	}
}

// Draw draws them.
func (s *ShapeBatch) Draw(gtx giolayout.Context, th *Theme) {
	if !slices.Equal(s.shapes, s.drawn) {
		s.drawn = append(s.drawn[:0], s.shapes...)
		s.sprite = s.paint(th)
	}
	s.sprite.Add(gtx.Ops, image.Point{})
}

func (s *ShapeBatch) paint(th *Theme) Sprite {
	var all image.Rectangle
	for i := range s.shapes {
		all = all.Union(s.shapes[i].Rect)
	}
	if all.Empty() {
		return Sprite{}
	}
	img := image.NewRGBA(image.Rectangle{Max: all.Size()})
	corners := map[int][]uint8{}
	for _, r := range s.shapes {
		r.Rect = r.Rect.Sub(all.Min)
		r.Radius = max(0, min(r.Radius, r.Rect.Dx()/2, r.Rect.Dy()/2))
		if corners[r.Radius] == nil {
			corners[r.Radius] = corner(r.Radius)
		}
		r.fill(img, corners[r.Radius], th)
	}
	return NewSprite(img, all.Min)
}

// fill paints a rounded rectangle over what is there.
func (r *RoundRect) fill(img *image.RGBA, corner []uint8, th *Theme) {
	full := Pixel(r.Colour, 255)
	for y := r.Rect.Min.Y; y < r.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Rect.Min.X, y):][:4*r.Rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			copy(row[i:i+4], full[:])
		}
		dy := min(y-r.Rect.Min.Y, r.Rect.Max.Y-1-y)
		if dy >= r.Radius {
			continue
		}
		k := th.typesetter.ink(r.Colour)
		for dx, v := range corner[dy*r.Radius:][:r.Radius] {
			copy(row[4*dx:], k[v][:])
			copy(row[len(row)-4-4*dx:], k[v][:])
		}
	}
}
