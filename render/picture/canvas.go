package picture

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"strata/layout"
	"strata/render/colour"
	"strata/render/raster"
)

// A canvas is what a chart is drawn on: pixels, or SVG.
type canvas interface {
	// rects fills rectangles; alpha is how much of what is below they cover, in 255ths.
	rects(c color.RGBA, alpha uint8, r ...image.Rectangle)
	// hatch fills a rectangle with slanted stripes, so wide and so far apart.
	hatch(r image.Rectangle, stripe, gap int, c color.RGBA)
	// text writes s with its left end at x and its baseline at y. Width is what it takes.
	text(f typeface, x, y, width int, s string, c color.RGBA)
	// picture draws the timeline into a rectangle, and over its background lines of a grid: places in the picture,
	// from its upper left corner.
	picture(to image.Rectangle, r *raster.Raster, c *colour.Colouring, xs, ys []int) error
}

// A bitmap is the canvas of pixels.
type bitmap struct {
	img *image.RGBA
	*writer
}

func (b *bitmap) rects(c color.RGBA, alpha uint8, r ...image.Rectangle) {
	var src image.Image = image.NewUniform(c)
	if alpha < 255 {
		src = image.NewUniform(color.NRGBA{R: c.R, G: c.G, B: c.B, A: alpha})
	}
	for _, r := range r {
		draw.Draw(b.img, r, src, image.Point{}, draw.Over)
	}
}

func (b *bitmap) hatch(r image.Rectangle, stripe, gap int, c color.RGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if (x+y)%gap < stripe {
				b.img.SetRGBA(x, y, c)
			}
		}
	}
}

func (b *bitmap) text(f typeface, x, y, _ int, s string, c color.RGBA) {
	d := font.Drawer{Dst: b.img, Src: image.NewUniform(c), Face: b.faces[f], Dot: fixed.P(x, y)}
	d.DrawString(s)
}

func (b *bitmap) picture(to image.Rectangle, r *raster.Raster, c *colour.Colouring, xs, ys []int) error {
	r.Paint(b.img.SubImage(to).(*image.RGBA), c)
	dot := func(x, y int) {
		if r.At(x, y) == layout.None {
			b.img.SetRGBA(to.Min.X+x, to.Min.Y+y, c.Palette.Grid)
		}
	}
	for _, y := range ys {
		for x := range r.W {
			dot(x, y)
		}
	}
	for _, x := range xs {
		for y := range r.H {
			dot(x, y)
		}
	}
	return nil
}
