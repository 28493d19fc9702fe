package allocator

import (
	"image"
	"image/color"
	"sort"

	"strata/layout"
	"strata/layout/state"
	"strata/render/colour"
	"strata/widgets/kit"
)

// A strip draws a segment: bytes of it from left to right.
type strip struct {
	s     *State
	g     *state.Segment
	at    image.Rectangle
	scale float64 // bytes a pixel
}

// stripColours are what strips are drawn with beside the timeline's colours.
type stripColours struct {
	ground, free, line, lost, lit color.RGBA
}

// width is how many pixels of the strip the segment has.
func (p *strip) width() int { return min(p.at.Dx(), max(1, int(float64(p.g.Size)/p.scale+.5))) }

// pixel is where a byte of the segment is drawn.
func (p *strip) pixel(addr uint64) int {
	return p.at.Min.X + min(p.width(), int(float64(addr-p.g.Addr)/p.scale))
}

// byteAt is the byte of the segment that a pixel begins with.
func (p *strip) byteAt(x int) uint64 {
	return p.g.Addr + uint64(min(float64(p.g.Size), float64(x-p.at.Min.X)*p.scale))
}

// under is the block at a pixel: of several the one that has most of it; -1 for none.
func (p *strip) under(x int) int32 {
	from, to := p.byteAt(x), p.byteAt(x+1)
	best, most := int32(-1), uint64(0)
	for _, id := range p.s.At.Blocks[p.first(from):p.g.End] {
		b := p.s.At.History.Block(id)
		if b.Addr >= to {
			break
		}
		if part := min(b.End(), to) - max(b.Addr, from); b.End() > from && part > most {
			best, most = id, part
		}
	}
	return best
}

// first is the first block of the segment that ends behind a byte.
func (p *strip) first(addr uint64) int {
	blocks := p.s.At.Blocks[p.g.First:p.g.End]
	return p.g.First + sort.Search(len(blocks), func(i int) bool {
		b := p.s.At.History.Block(blocks[i])
		return b.End() > addr
	})
}

// paint draws the strip, column by column: a block where one covers it all, else how much of it is in use.
func (p *strip) paint(img *image.RGBA, c *stripColours) {
	w := p.width()
	r := image.Rect(p.at.Min.X, p.at.Min.Y, p.at.Min.X+w, p.at.Max.Y)
	kit.FillPixels(img, r, c.free)
	next := p.first(p.g.Addr)
	for x := r.Min.X; x < r.Max.X && next < p.g.End; {
		from, to := p.byteAt(x), p.byteAt(x+1)
		id := p.s.At.Blocks[next]
		b := p.s.At.History.Block(id)
		switch {
		case b.Addr >= to: // free up to the next block
			x = max(x+1, p.pixel(b.Addr))
		case b.End() <= from:
			next++
		case b.Addr <= from && b.End() >= to:
			end := min(r.Max.X, max(x+1, p.pixel(b.End())))
			p.block(img, c, id, &b, image.Rect(x, r.Min.Y, end, r.Max.Y))
			x = end
		default:
			p.crowd(img, c, image.Rect(x, r.Min.Y, x+1, r.Max.Y), from, to, next)
			x++
			next = p.first(p.byteAt(x))
		}
	}
	kit.FillPixels(img, image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), c.line)
	kit.FillPixels(img, image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y), c.line)
}

// block draws a part of a block that covers whole columns: striped where it waits for another stream, with what it has
// beyond what was asked for at its end in another tone.
func (p *strip) block(img *image.RGBA, c *stripColours, id int32, b *state.Block, r image.Rectangle) {
	col := p.s.colour(id)
	kit.FillPixels(img, r, col)
	if b.Pending(p.s.At.K) {
		stripes(img, r, colour.Mix(col, c.ground, .6))
	}
	lost := p.pixel(b.Addr + uint64(max(0, min(b.Requested, b.Occupied))))
	if tail := image.Rect(max(lost, r.Min.X), r.Min.Y, r.Max.X, r.Max.Y); lost > p.at.Min.X && tail.Dx() > 1 &&
		b.Requested < b.Occupied {
		kit.FillPixels(img, tail, colour.Mix(col, c.ground, .55))
		stripes(img, tail, c.lost)
	}
	if r.Dx() > 2 {
		kit.FillPixels(img, image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y), colour.Mix(col, color.RGBA{A: 255}, .38))
	}
}

// crowd draws a column in which several blocks begin or end: as high as the part of it that is in use, with a mark on
// top that there is more than can be drawn.
func (p *strip) crowd(img *image.RGBA, c *stripColours, r image.Rectangle, from, to uint64, next int) {
	used, most, id, n := uint64(0), uint64(0), int32(-1), 0
	for _, block := range p.s.At.Blocks[next:p.g.End] {
		b := p.s.At.History.Block(block)
		if b.Addr >= to {
			break
		}
		part := min(b.End(), to) - max(b.Addr, from)
		if b.End() <= from {
			continue
		}
		used += part
		n++
		if part > most {
			most, id = part, block
		}
	}
	if id < 0 {
		return
	}
	high := max(1, int(float64(r.Dy())*min(1, float64(used)/float64(max(1, to-from)))))
	r.Min.Y = r.Max.Y - high
	kit.FillPixels(img, r, p.s.colour(id))
	if n > 2 {
		r.Max.Y = r.Min.Y + max(1, high/8)
		kit.FillPixels(img, r, c.line)
	}
}

// stripes draws lines of 45 degrees.
func stripes(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if (x+y)%6 < 2 {
				img.SetRGBA(x, y, c)
			}
		}
	}
}

// colour is what a block is drawn with: as in the timeline, grey where that does not know it.
func (s *State) colour(block int32) color.RGBA {
	id := layout.None
	if s.IDs != nil {
		id = s.IDs[block]
	}
	if id == layout.None {
		return s.Colours.Palette.Unknown
	}
	return s.Colours.Colour(id)
}
