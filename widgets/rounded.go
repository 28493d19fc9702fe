package widgets

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/unit"
	"golang.org/x/image/vector"

	"strata/render/colour"
)

// A rounded is a rectangle with round corners in one colour, of which boxes
// and their shadows consist.
type rounded struct {
	rect   image.Rectangle
	radius int
	colour color.NRGBA
}

// roundedKey are rounded rectangles over one another; three make a shadow.
type roundedKey struct {
	n      int
	layers [3]rounded
}

const (
	shapeBytes   = 4 << 20
	largestShape = 1 << 20 // px; what is larger Gio draws as a path
)

// fillRound paints a rectangle with the theme's corner radius.
func fillRound(gtx giolayout.Context, th *Theme, r image.Rectangle, c color.NRGBA) {
	th.round(gtx, rounded{r, gtx.Dp(Radius), c})
}

// roundFrame draws a rounded rectangle with a one-pixel border.
func roundFrame(gtx giolayout.Context, th *Theme, r image.Rectangle, border, ground color.NRGBA) {
	radius := gtx.Dp(Radius)
	th.round(gtx, rounded{r, radius, border}, rounded{r.Inset(1), radius - 1, ground})
}

// shadow darkens what is around a floating box a little, so that it is seen
// to float.
func shadow(gtx giolayout.Context, th *Theme, r image.Rectangle) {
	var layers [3]rounded
	for i := range layers {
		grow := gtx.Dp(2 * unit.Dp(i+1))
		layers[i] = rounded{r.Inset(-grow).Add(image.Pt(0, gtx.Dp(2))), gtx.Dp(Radius) + grow, color.NRGBA{A: 22}}
	}
	th.round(gtx, layers[:]...)
}

// round draws up to three rounded rectangles, each over the one before, as one
// image: as a path each of them is drawn twice, and anew in every frame.
func (th *Theme) round(gtx giolayout.Context, layers ...rounded) {
	var all image.Rectangle
	for _, l := range layers {
		all = all.Union(l.rect)
	}
	switch size := all.Size(); {
	case all.Empty():
		return
	case size.X*size.Y > largestShape:
		for _, l := range layers {
			paint.FillShape(gtx.Ops, l.colour, clip.UniformRRect(l.rect, l.radius).Op(gtx.Ops))
		}
		return
	}
	key := roundedKey{n: len(layers)}
	for i, l := range layers {
		l.rect = l.rect.Sub(all.Min)
		l.radius = max(0, min(l.radius, l.rect.Dx()/2, l.rect.Dy()/2))
		key.layers[i] = l
	}
	s, ok := th.shapes.get(key)
	if !ok {
		s = newSprite(key.paint(all.Size()), image.Point{})
		th.shapes.put(key, s)
	}
	s.add(gtx.Ops, all.Min)
}

// paint makes the image.
func (k *roundedKey) paint(size image.Point) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: size})
	layers := k.layers[:k.n]
	var corners [3][]uint8
	edge := image.Point{} // beyond it, all rows, or columns, are the same
	for i, l := range layers {
		corners[i] = corner(l.radius)
		edge.X = max(edge.X, l.rect.Min.X+l.radius, size.X-l.rect.Max.X+l.radius)
		edge.Y = max(edge.Y, l.rect.Min.Y+l.radius, size.Y-l.rect.Max.Y+l.radius)
	}
	at := func(x, y int) color.RGBA {
		var r, g, b, a float64
		for i := range layers {
			l := &layers[i]
			if f := l.covers(corners[i], x, y); f > 0 {
				f *= float64(l.colour.A) / 255
				r = r*(1-f) + f*colour.FromSRGB(l.colour.R)
				g = g*(1-f) + f*colour.FromSRGB(l.colour.G)
				b = b*(1-f) + f*colour.FromSRGB(l.colour.B)
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
func (l *rounded) covers(corner []uint8, x, y int) float64 {
	if !image.Pt(x, y).In(l.rect) {
		return 0
	}
	// The upper left corner serves for all.
	dx := min(x-l.rect.Min.X, l.rect.Max.X-1-x)
	dy := min(y-l.rect.Min.Y, l.rect.Max.Y-1-y)
	if dx >= l.radius || dy >= l.radius {
		return 1
	}
	return float64(corner[dy*l.radius+dx]) / 255
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

// dashes is the look of a dashed line, px.
type dashes struct {
	on, off int
	colour  color.NRGBA
}

type dashesKey struct {
	dashes
	size image.Point
}

// dashed draws a dashed line along the longer side of a rectangle.
func (th *Theme) dashed(gtx giolayout.Context, r image.Rectangle, d dashes) {
	size := r.Size()
	if r.Empty() || size.X*size.Y > largestShape {
		return
	}
	key := dashesKey{d, size}
	s, ok := th.dashes.get(key)
	if !ok {
		img, colour := image.NewRGBA(image.Rectangle{Max: size}), pixel(d.colour, 255)
		for y := range size.Y {
			for x := range size.X {
				along := x
				if size.Y > size.X {
					along = y
				}
				if along%(d.on+d.off) < d.on {
					copy(img.Pix[y*img.Stride+4*x:], colour[:])
				}
			}
		}
		s = newSprite(img, image.Point{})
		th.dashes.put(key, s)
	}
	s.add(gtx.Ops, r.Min)
}
