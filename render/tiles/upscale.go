package tiles

import (
	"image"
	"image/draw"
	"unsafe"
)

// maxUpscaled is how many pixels are scaled here and not by the graphics system, which a card does for nothing
// and a processor in ten times as long: Gio draws what it scales as a path. More than these would be felt.
const maxUpscaled = 5 << 19

// A strip is a part of the screen that was scaled.
type strip struct {
	at      image.Point
	picture *Picture
}

// pixelCount is how many pixels the gaps have.
func pixelCount(gaps []image.Rectangle) int {
	n := 0
	for _, g := range gaps {
		n += g.Dx() * g.Dy()
	}
	return n
}

// joined is the gaps in the window, neighbours in a row as one.
func joined(gaps []image.Rectangle, size image.Point) []image.Rectangle {
	var all []image.Rectangle
	for _, g := range gaps {
		g = g.Intersect(image.Rectangle{Max: size})
		if g.Empty() {
			continue
		}
		if n := len(all); n > 0 && all[n-1].Max.X == g.Min.X && all[n-1].Min.Y == g.Min.Y && all[n-1].Max.Y == g.Max.Y {
			all[n-1].Max.X = g.Max.X
			continue
		}
		all = append(all, g)
	}
	return all
}

// upscale paints what the composition shows in its gaps, pixel by pixel.
func (s *Composition) upscale() []strip {
	var strips []strip
	for _, g := range s.gaps {
		img := image.NewRGBA(image.Rectangle{Max: g.Size()})
		if s.bare {
			draw.Draw(img, img.Rect, image.NewUniform(s.colouring.Palette.Background), image.Point{}, draw.Src)
		}
		for i := range s.behind {
			if p := &s.pieces[i]; p.rect.Overlaps(g) {
				p.upscale(img, g)
			}
		}
		strips = append(strips, strip{g.Min, NewPicture(img)})
	}
	return strips
}

// upscale paints what of a piece lies in a gap; its pixels are those that the piece's at answers for.
func (p *piece) upscale(dst *image.RGBA, gap image.Rectangle) {
	r, from := gap.Intersect(p.rect), p.picture.pixels
	xs := make([]int32, 0, r.Dx()) // column of the piece for each pixel on screen
	for x := r.Min.X - p.rect.Min.X; x < r.Max.X-p.rect.Min.X; x++ {
		xs = append(xs, int32((2*x+1)*p.raster.W/(2*p.rect.Dx())))
	}
	var last []byte
	lastY := -1
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := dst.Pix[dst.PixOffset(r.Min.X-gap.Min.X, y-gap.Min.Y):][:4*r.Dx()]
		fromY := (2*(y-p.rect.Min.Y) + 1) * p.raster.H / (2 * p.rect.Dy())
		if fromY == lastY {
			copy(row, last)
			continue
		}
		line := from.Pix[fromY*from.Stride:][:4*p.raster.W]
		to, of := wholePixels(row), wholePixels(line)
		for i, x := range xs {
			to[i] = of[x]
		}
		last, lastY = row, fromY
	}
}

// wholePixels is a row of an image by pixels: to copy them whole takes half as long as by bytes. Images and their
// rows begin at whole pixels in memory.
func wholePixels(row []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(row))), len(row)/4)
}
