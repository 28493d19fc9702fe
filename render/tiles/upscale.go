package tiles

import (
	"image"
	"unsafe"
)

// maxUpscaled is how many pixels are scaled here and not by the graphics system, which a card does for nothing
// and a processor in ten times as long: Gio draws what it scales as a path. More than these would be felt.
const maxUpscaled = 5 << 19

// An upscaler paints scaled pieces pixel by pixel, where exact ones are still missing.
type upscaler struct {
	most int // pixels
	// memory of the composition at hand and of the one before: Gio may still hold the latter, but draws it no more.
	memory [2][]byte
	turn   int
	xs     []int32 // column of the piece for each pixel on screen
}

// strip is a part of the screen that was scaled.
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

// upscale paints what the composition shows in its gaps.
func (st *upscaler) upscale(s *Composition) []strip {
	st.turn = 1 - st.turn
	if need := 4 * pixelCount(s.gaps); cap(st.memory[st.turn]) < need {
		st.memory[st.turn] = make([]byte, need)
	}
	rest := st.memory[st.turn][:cap(st.memory[st.turn])]
	var strips []strip
	for _, g := range s.gaps {
		n := 4 * g.Dx() * g.Dy()
		img := &image.RGBA{Pix: rest[:n:n], Stride: 4 * g.Dx(), Rect: image.Rectangle{Max: g.Size()}}
		rest = rest[n:]
		if s.bare {
			b := s.colouring.Palette.Background
			fillPixels(img.Pix, [4]byte{b.R, b.G, b.B, b.A})
		}
		for i := range s.behind {
			if p := &s.pieces[i]; p.rect.Overlaps(g) {
				st.paint(img, g, p)
			}
		}
		strips = append(strips, strip{g.Min, NewPicture(img)})
	}
	return strips
}

// paint paints what of a piece lies in a gap; its pixels are those that the piece's at answers for.
func (st *upscaler) paint(dst *image.RGBA, gap image.Rectangle, p *piece) {
	r, from := gap.Intersect(p.rect), p.picture.pixels
	st.xs = st.xs[:0]
	for x := r.Min.X - p.rect.Min.X; x < r.Max.X-p.rect.Min.X; x++ {
		st.xs = append(st.xs, int32((2*x+1)*p.raster.W/(2*p.rect.Dx())))
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
		for i, x := range st.xs {
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

// fillPixels fills with one pixel.
func fillPixels(pix []byte, c [4]byte) {
	copy(pix, c[:])
	for n := 4; n < len(pix); n *= 2 {
		copy(pix[n:], pix[:n])
	}
}
