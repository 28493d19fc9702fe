package allocator

import (
	"image"
	"image/color"
	"math"

	giolayout "gioui.org/layout"

	"strata/layout/state"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/widgets/kit"
)

// lensKey is what the picture of a Lens is made of.
type lensKey struct {
	of      *state.Occupancy
	view    render.View
	size    image.Point
	colours *colour.Colouring
	dark    bool
}

// area is a rectangle in pixels of the picture, not rounded.
type area struct{ x0, y0, x1, y1 float64 }

// pixels are those that have a part in a rectangle.
func pixels(a area) image.Rectangle {
	return image.Rect(int(a.x0), int(a.y0), int(math.Ceil(a.x1)), int(math.Ceil(a.y1)))
}

// within cuts an area off at the edges of the picture, but for a little.
func (p *Lens) within(a area) area {
	w, h := float64(p.plot.Dx()+4), float64(p.plot.Dy()+4)
	return area{min(max(-4, a.x0), w), min(max(-4, a.y0), h), min(max(-4, a.x1), w), min(max(-4, a.y1), h)}
}

// areaOf is where bytes of the segment lie through a part of the axis.
func (p *Lens) areaOf(s *LensState, x [2]float64, addr, end uint64) area {
	v, low := p.view(s), s.Of.Low
	bytes := func(at uint64) float64 { return float64(int64(at - low)) } // may be below, in an odd file
	return p.within(area{v.XPixel(x[0], p.plot.Dx()), v.YPixel(bytes(end), p.plot.Dy()),
		v.XPixel(x[1], p.plot.Dx()), v.YPixel(bytes(addr), p.plot.Dy())})
}

// place is where a block lies, by its index in Of.Blocks.
func (p *Lens) place(s *LensState, i int) area {
	b := s.Of.History.Block(s.Of.Blocks[i])
	return p.areaOf(s, s.Of.X[i], b.Addr, b.End())
}

// A cover tells for each pixel how much of it is in use, and by which block most.
type cover struct {
	size       image.Point
	used, most []float32
	block      []int32
}

func newCover(size image.Point) *cover {
	n := size.X * size.Y
	c := &cover{size, make([]float32, n), make([]float32, n), make([]int32, n)}
	for i := range c.block {
		c.block[i] = -1
	}
	return c
}

// add lets a block have its share of the pixels that it lies in.
func (c *cover) add(block int32, a area) {
	a.x0, a.x1 = max(0, a.x0), min(float64(c.size.X), a.x1)
	a.y0, a.y1 = max(0, a.y0), min(float64(c.size.Y), a.y1)
	if a.x0 >= a.x1 || a.y0 >= a.y1 {
		return
	}
	r := pixels(a)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		high := min(a.y1, float64(y+1)) - max(a.y0, float64(y))
		for x := r.Min.X; x < r.Max.X; x++ {
			share := float32(high * (min(a.x1, float64(x+1)) - max(a.x0, float64(x))))
			i := y*c.size.X + x
			c.used[i] += share
			if share > c.most[i] {
				c.most[i], c.block[i] = share, block
			}
		}
	}
}

// refresh paints the picture anew, if what it is made of differs.
func (p *Lens) refresh(th *kit.Theme, s *LensState) {
	now := lensKey{s.Of, p.view(s), p.plot.Size(), s.Colours, th.Dark}
	if now == p.made {
		return
	}
	p.made = now
	img, c := image.NewRGBA(image.Rectangle{Max: now.size}), coloursOf(th)
	kit.FillPixels(img, img.Rect, c.ground)
	for i, x := range s.Of.Life {
		r := pixels(p.areaOf(s, s.Of.Spans[i], x.Addr, x.Addr+uint64(x.Size)))
		kit.FillPixels(img, r, c.free)
	}
	cover, large := newCover(now.size), []int(nil)
	for i := range s.Of.Within(now.view.X0, now.view.X1) {
		a := p.place(s, i)
		cover.add(int32(i), a)
		if a.x1-a.x0 >= 3 && a.y1-a.y0 >= 3 {
			large = append(large, i)
		}
	}
	p.blend(s, img, cover)
	for _, i := range large {
		p.detail(s, img, c, i)
	}
	p.blocks, p.img = cover.block, kit.NewSprite(img, image.Point{})
}

// blend paints each pixel in the colour of the block that has most of it, the paler the less of it is in use.
func (p *Lens) blend(s *LensState, img *image.RGBA, c *cover) {
	last, col := int32(-1), color.RGBA{}
	for i, block := range c.block {
		if block < 0 {
			continue
		}
		if block != last {
			last, col = block, s.colour(s.Of.Blocks[block])
		}
		part := min(256, 64+int(192*c.used[i]+.5))
		for k, v := range [...]uint8{col.R, col.G, col.B} {
			px := &img.Pix[4*i+k]
			*px = uint8((int(v)*part + int(*px)*(256-part)) >> 8)
		}
	}
}

// detail draws the edges of a block that is large enough for that, stripes where it waits for another stream, and what
// it has beyond what was asked for in another tone.
func (p *Lens) detail(s *LensState, img *image.RGBA, c *stripColours, i int) {
	id := s.Of.Blocks[i]
	b, r, col := s.Of.History.Block(id), pixels(p.place(s, i)), s.colour(id)
	edge := colour.Mix(col, color.RGBA{A: 255}, .38)
	if lost := b.Occupied - b.Requested; lost > 0 {
		tail := pixels(p.areaOf(s, s.Of.X[i], b.Addr+uint64(max(0, b.Requested)), b.End()))
		if tail.Dy() > 2 {
			kit.FillPixels(img, tail, colour.Mix(col, c.ground, .55))
			stripes(img, tail, c.lost)
		}
	}
	if b.Waits != state.Never {
		x := [2]float64{max(s.Of.X[i][0], s.Of.At(b.Waits)), s.Of.X[i][1]}
		stripes(img, pixels(p.areaOf(s, x, b.Addr, b.End())), colour.Mix(col, c.ground, .6))
	}
	kit.FillPixels(img, image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y), edge)
	kit.FillPixels(img, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), edge)
}

// LayoutTooltip draws what is known of what lies under the pointer. origin is where the Lens lies in the window.
func (p *Lens) LayoutTooltip(gtx C, th *kit.Theme, origin image.Point, s *LensState) {
	lines := p.tooltip(s)
	if len(lines) == 0 {
		return
	}
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(520), window.X-gtx.Dp(8)), window.Y)}
	inset := giolayout.Inset{Left: 12, Right: 14, Top: 9, Bottom: 9}
	call, d := kit.Measure(gtx, kit.Padded(inset, th.Titled(lines)))
	kit.FloatBeside(gtx, th, origin.Add(image.Pt(int(p.pointer.X), int(p.pointer.Y))), window, call, d)
}

// tooltip is the lines about what lies under the pointer, the first as a title; none for nothing.
func (p *Lens) tooltip(s *LensState) []string {
	at, is := p.pixel()
	if !is || p.made.of != s.Of {
		return nil
	}
	v := p.view(s)
	x := v.XAt(float64(at.X)+.5, p.plot.Dx())
	if i := p.under(); i >= 0 {
		id := s.Of.Blocks[i]
		b := s.Of.History.Block(id)
		return s.blockLines(id, b.Waits != state.Never && s.Of.At(b.Waits) <= x)
	}
	if now := (holeKey{p.made, at}); now != p.holeAt {
		p.holeAt = now
		y := min(max(0, v.YAt(float64(at.Y)+.5, p.plot.Dy())), float64(s.Of.High-s.Of.Low)-1)
		p.hole, p.isHole = s.Of.Hole(x, s.Of.Low+uint64(y))
	}
	if !p.isHole {
		return []string{"Not part of the segment here"}
	}
	return s.holeLines(&p.hole)
}

// holeLines tell of a free range: since when, by whom, until when, and between what it lies.
func (s *LensState) holeLines(h *state.Hole) []string {
	block := func(id int32) string {
		b := s.Of.History.Block(id)
		return units.Bytes(b.Occupied) + ", " + s.Site(id)
	}
	event := func(k int32) string { return "event " + units.Count(k) + " (" + s.Place(s.Of.At(k)) + ")" }
	since, until := "since before the first event", "until the end"
	if h.From >= 0 {
		since = "since " + event(h.From)
		switch {
		case h.Maker >= 0 && h.Freed:
			since += ", when it was freed: " + block(h.Maker)
		case h.Maker >= 0:
			since += ", cut off by " + block(h.Maker)
		case h.From == s.Of.Life[0].From:
			since += ", when the segment was made"
		default:
			since += ", when the segment grew or shrank"
		}
	}
	if h.To != state.Never {
		until = "until " + event(h.To)
		switch {
		case h.Ender >= 0 && h.Taken:
			until += ", taken by " + block(h.Ender)
		case h.Ender >= 0:
			until += ", joined by what was freed beside it: " + block(h.Ender)
		case h.To == s.Of.Life[len(s.Of.Life)-1].To:
			until += ", when the segment was given back"
		default:
			until += ", when the segment grew or shrank"
		}
	}
	lines := []string{units.BytesInFull(h.Size) + " free", since, until}
	if h.Above >= 0 {
		lines = append(lines, "above it "+block(h.Above))
	}
	if h.Below >= 0 {
		lines = append(lines, "below it "+block(h.Below))
	}
	return append(lines, "0x"+hex(h.Addr))
}
