package raster

import (
	"encoding/binary"
	"image"
	"sort"
	"unsafe"

	"strata/layout"
	"strata/render/colour"
)

// minSeparated is from how many pixels on a block gets a separator: a row of a darker shade on top, a column of it
// where it begins.
const minSeparated = 4

// Paint paints the raster at dst's upper left corner, W by H pixels or as much of it as there is.
func (r *Raster) Paint(dst *image.RGBA, c *colour.Colouring) {
	w, h := min(r.W, dst.Rect.Dx()), min(r.H, dst.Rect.Dy())
	tops := r.ToneTops()
	for y := range h {
		row := dst.Pix[y*dst.Stride:][: 4*w : 4*w]
		r.paintRow(row, y, w, c, &tops)
		if r.Timeline.Waits() {
			r.hatchRow(row, y, w, c, &tops)
		}
	}
}

// HatchGap and HatchStripe are how far apart and how wide the stripes of pending memory are, pixels. Tiles are
// multiples of the gap, so that stripes go on from one to the next.
const HatchGap, HatchStripe = 8, 2

// WaitsFrom is the first column in which an allocation waits to be freed, W if there is none.
func (r *Raster) WaitsFrom(id layout.ID) int {
	if x, ok := r.Timeline.WaitsFrom(id, r.View.Axis); ok {
		return int(min(max(0, r.View.XPixel(x, r.W)), float64(r.W)))
	}
	return r.W
}

// hatchRow draws stripes over allocations from where on they wait to be freed.
func (r *Raster) hatchRow(dst []byte, y, w int, c *colour.Colouring, tops *[3][]int32) {
	last, from := layout.None, r.W
	for x, id := range r.IDs[y*r.W:][:w] {
		if id != last {
			last, from = id, r.WaitsFrom(id)
		}
		if x >= from && (x+y)%HatchGap < HatchStripe {
			binary.LittleEndian.PutUint32(dst[4*x:], c.Edge[toneAt(tops, x, y)][c.Slot(id)])
		}
	}
}

// toneAt is the tone of a pixel: one more for each that is still to begin below it.
func toneAt(tops *[3][]int32, x, y int) uint32 {
	return uint32(int32(y)-tops[colour.Mean][x])>>31 + uint32(int32(y)-tops[colour.Always][x])>>31
}

// ToneTops is in which row each tone begins in each column: by tone, then by column.
func (r *Raster) ToneTops() [3][]int32 {
	top := func(y int64) int32 {
		return int32(sort.Search(r.H, func(i int) bool { return r.ByteAt(i) < y }))
	}
	tops := [3][]int32{make([]int32, r.W), make([]int32, r.W), make([]int32, r.W)}
	for x, b := range r.Bands {
		tops[colour.Always][x], tops[colour.Mean][x], tops[colour.Peak][x] = top(b.Low), top(b.Mean), top(b.High)
	}
	return tops
}

func (r *Raster) paintRow(dst []byte, y, w int, c *colour.Colouring, tops *[3][]int32) {
	at := (y + before) * r.W
	ids := r.all[at : at+w]
	n := len(ids) // so that nothing below is checked for its length
	above, below := r.all[at-r.W:][:n], r.all[at+after*r.W:][:n]
	next1, next2 := r.all[at+r.W:][:n], r.all[at+2*r.W:][:n]
	mean, always := tops[colour.Mean][:n], tops[colour.Always][:n]
	pixels := pixelsOf(dst)[:n]
	last, slot := layout.None, c.Slot(layout.None)
	for x, id := range ids {
		starts := id != last
		if starts {
			last, slot = id, c.Slot(id)
		}
		tone := uint32(int32(y)-mean[x])>>31 + uint32(int32(y)-always[x])>>31
		pixel := &c.Fill[tone]
		if id >= 0 {
			if above[x] != id && next1[x] == id && next2[x] == id && below[x] == id {
				pixels[x] = c.Separator(colour.Tone(tone), id, above[x])
				continue
			}
			if (starts || x == 0) && r.begins(x, id) {
				pixel = &c.Edge[tone]
			}
		}
		pixels[x] = pixel[slot]
	}
}

// pixelsOf is a row of an image as packed pixels. A colour packs one as a machine has it whose numbers begin with their
// lowest byte, as those of all that Strata is built for do. Byte by byte takes three times as long in WebAssembly.
func pixelsOf(row []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(row))), len(row)/4)
}

// begins reports that x is the first column of an allocation that has at least minSeparated.
func (r *Raster) begins(x int, id layout.ID) bool {
	prev, last := r.moments[x], r.moments[x+before+after]
	return prev.Step >= 0 && r.Timeline.Birth[id] > prev.Step && last.Step >= 0 && r.Timeline.Death[id] > last.Step
}
