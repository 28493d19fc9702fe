// Package icon draws Strata's mark: three layers on dark ground, the topmost the
// peak that the program is looking for. It is made of rectangles on a grid of 16,
// so that at 16 pixels every edge lies between two of them.
package icon

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
)

// grid is how many units the mark is wide and high.
const grid = 16

// bar is a rectangle with round corners, in units of the grid.
type bar struct {
	x0, y0, x1, y1, radius float64
	fill                   color.NRGBA
}

var mark = []bar{
	{0, 0, 16, 16, 3, color.NRGBA{0x17, 0x1a, 0x24, 0xff}},
	{2, 11, 14, 14, .5, color.NRGBA{0x6e, 0x9b, 0xff, 0xff}},
	{2, 7, 11, 10, .5, color.NRGBA{0x6f, 0xc2, 0xa8, 0xff}},
	{5, 2, 9, 6, .5, color.NRGBA{0xf1, 0xc4, 0x6b, 0xff}},
}

// Sizes are the sides, in pixels, in which desktops want icons.
func Sizes() []int { return []int{16, 22, 24, 32, 48, 64, 128, 256, 512} }

// Draw draws the mark, size pixels wide and high.
func Draw(size int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.SetNRGBA(x, y, at(x, y, size))
		}
	}
	return img
}

// at is the colour of a pixel: the bars over one another, each as opaque as it
// covers the pixel.
func at(x, y, size int) color.NRGBA {
	scale := float64(size) / grid
	px, py := (float64(x)+.5)/scale, (float64(y)+.5)/scale
	var r, g, b, a float64 // premultiplied
	for _, s := range mark {
		c := min(max(.5-s.distance(px, py)*scale, 0), 1)
		r = r*(1-c) + c*float64(s.fill.R)
		g = g*(1-c) + c*float64(s.fill.G)
		b = b*(1-c) + c*float64(s.fill.B)
		a = a*(1-c) + c
	}
	if a == 0 {
		return color.NRGBA{}
	}
	round := func(v float64) uint8 { return uint8(math.Round(v)) }
	return color.NRGBA{round(r / a), round(g / a), round(b / a), round(255 * a)}
}

// distance is how far a point is from the bar's edge, negative inside.
func (s bar) distance(x, y float64) float64 {
	dx := math.Abs(x-(s.x0+s.x1)/2) - (s.x1-s.x0)/2 + s.radius
	dy := math.Abs(y-(s.y0+s.y1)/2) - (s.y1-s.y0)/2 + s.radius
	return min(max(dx, dy), 0) + math.Hypot(max(dx, 0), max(dy, 0)) - s.radius
}

// WritePNG writes the mark as PNG.
func WritePNG(w io.Writer, size int) error { return png.Encode(w, Draw(size)) }

// SVG is the mark as a drawing for any size.
func SVG() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"512\" height=\"512\" viewBox=\"0 0 %d %d\">\n", grid, grid)
	for _, s := range mark {
		fmt.Fprintf(&b, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\" fill=\"#%02x%02x%02x\"/>\n",
			s.x0, s.y0, s.x1-s.x0, s.y1-s.y0, s.radius, s.fill.R, s.fill.G, s.fill.B)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// WriteICNS writes an icon file of macOS: "icns", the length, and for each size a
// type, a length, and a PNG.
func WriteICNS(w io.Writer) error {
	var body strings.Builder
	for _, e := range []struct {
		kind string
		size int
	}{{"icp4", 16}, {"icp5", 32}, {"icp6", 64}, {"ic07", 128}, {"ic08", 256}, {"ic09", 512}, {"ic10", 1024}} {
		var b strings.Builder
		if err := WritePNG(&b, e.size); err != nil {
			return err
		}
		body.WriteString(e.kind)
		body.Write(binary.BigEndian.AppendUint32(nil, uint32(b.Len()+8)))
		body.WriteString(b.String())
	}
	_, err := fmt.Fprintf(w, "icns%s%s", binary.BigEndian.AppendUint32(nil, uint32(body.Len()+8)), body.String())
	return err
}
