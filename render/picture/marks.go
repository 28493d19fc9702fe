package picture

import (
	"image"
	"image/color"
	"math"

	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/raster"
)

// limit draws the line of the device's memory, dashed and with its label. Where it is above the view the label stands
// at the top, with an arrow.
func (c *chart) limit() {
	p, w := c.plot, c.writer
	at := float64(c.opt.Limit - c.opt.Offset)
	if c.opt.Limit <= 0 || at <= c.view.Y0 {
		return
	}
	label := c.opt.LimitLabel
	y, above := p.Min.Y, at > c.view.Y1
	if above {
		label += " ↑"
	} else {
		y = min(p.Min.Y+int(c.view.YPixel(at, p.Dy())), p.Max.Y-1)
		dashes := dashed(image.Rect(p.Min.X, y, p.Max.X, y+c.line).Intersect(p), c.space*3/4, c.space/2)
		c.on.rects(colour.Mix(c.opt.Palette.Background, c.opt.Palette.Pinned, .75), 255, dashes...)
	}
	if c.opt.LimitLabel == "" {
		return
	}
	label = w.fit(regular, label, p.Dx()-c.space)
	x := p.Max.X - w.width(regular, label) - c.space/2
	base := y - c.space/2
	if base-w.ascent < p.Min.Y { // no room above the line
		base = y + c.line + w.ascent
	}
	c.labelled(regular, x, base, label, c.opt.Palette.Pinned)
}

// dashed cuts a line, across or down, into dashes so long and so far apart.
func dashed(line image.Rectangle, long, apart int) (dashes []image.Rectangle) {
	step, dash := image.Pt(long+apart, 0), line
	dash.Max.X = line.Min.X + long
	if line.Dy() > line.Dx() {
		step, dash = image.Pt(0, long+apart), line
		dash.Max.Y = line.Min.Y + long
	}
	for ; dash.Overlaps(line); dash = dash.Add(step) {
		dashes = append(dashes, dash.Intersect(line))
	}
	return dashes
}

// beside is where a label of that width begins: right of x, or left of it where there is no room.
func (c *chart) beside(x, width int) int {
	if x+c.space+width > c.plot.Max.X {
		return x - c.space - width
	}
	return x + c.space
}

// labelled writes a text over the picture, on a ground that keeps it readable, where no other label is.
func (c *chart) labelled(f typeface, x, base int, s string, colour color.RGBA) {
	w := c.writer
	width := w.width(f, s)
	if x = max(c.space/4, min(x, c.opt.W-width-c.space/4)); x+width > c.opt.W {
		return
	}
	ground := image.Rect(x-c.space/4, base-w.ascent+c.line, x+width+c.space/4, base+c.space/4)
	down := 0
	for range c.taken { // each can be in the way once
		for _, r := range c.taken {
			if box := ground.Add(image.Pt(0, down)); box.Overlaps(r) {
				down += r.Max.Y + c.line - box.Min.Y
			}
		}
	}
	ground = ground.Add(image.Pt(0, down))
	c.taken = append(c.taken, ground)
	c.fill(ground.Intersect(c.plot), c.opt.Palette.Background)
	c.text(f, x, base+down, s, colour)
}

// base hatches what lies under the stack, and says how much it is.
func (c *chart) base() {
	if c.opt.Offset <= 0 {
		return
	}
	p, w := c.plot, c.writer
	r := p
	r.Min.Y += int(math.Round(c.view.YPixel(0, p.Dy())))
	if r = r.Intersect(p); r.Empty() {
		return
	}
	pal := &c.opt.Palette
	c.fill(r, pal.Panel)
	c.on.hatch(r, 2*c.line, c.space+c.line, colour.Mix(pal.Panel, pal.Quiet, .35))
	c.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+c.line), pal.Quiet)
	text := w.fit(regular, "+"+units.Bytes(c.opt.Offset)+" outside of the snapshot", r.Dx()-2*c.space)
	if r.Dy() < w.height+c.line || text == "" {
		return
	}
	at := image.Pt(r.Min.X+c.space/2, r.Min.Y+(r.Dy()-w.height)/2)
	box := image.Rect(0, 0, w.width(regular, text)+c.space, w.height).Add(at)
	c.fill(box.Intersect(r), pal.Panel)
	c.text(regular, box.Min.X+c.space/2, box.Min.Y+w.ascent, text, pal.Text)
}

// OOMText is an out-of-memory event in words.
func OOMText(o layout.OOM) string {
	return "Out of memory: asked for " + units.Bytes(o.Asked) + ", " + o.FreeText()
}

// ooms marks where memory ran out: from the top of the stack as high as what was asked for would have reached. The
// labels say both.
func (c *chart) ooms() {
	p, w, red := c.plot, c.writer, c.opt.Palette.Pinned
	last, end := math.MinInt, p.Min.X-1
	for _, o := range c.t.OOMs() {
		x := int(math.Floor(c.view.XPixel(c.t.XOfOOM(c.view.Axis, o), p.Dx())))
		if x < 0 || x > p.Dx() || x == last {
			continue
		}
		last = x
		x = p.Min.X + min(x, p.Dx()-1)
		total := float64(c.t.Total[o.State])
		y := func(bytes float64) int { return p.Min.Y + int(math.Round(c.view.YPixel(bytes, p.Dy()))) }
		c.on.rects(red, 90, image.Rect(x, p.Min.Y, x+1, p.Max.Y))
		top, bottom := max(y(total+float64(o.Asked)), p.Min.Y), min(y(total), p.Max.Y)
		c.fill(image.Rect(x-c.line, top, x+2*c.line, bottom), red)
		c.fill(image.Rect(x-c.space/2, top, x+c.space/2+1, min(top+c.line, bottom)), red)
		label := w.fit(regular, OOMText(o), p.Dx()-2*c.space)
		width := w.width(regular, label)
		at := max(p.Min.X+c.space/4, c.beside(x, width))
		if label == "" || at <= end {
			continue
		}
		end = at + width
		c.labelled(regular, at, p.Min.Y+c.line+w.ascent, label, red)
	}
}

// outlines draws the edges of what is pinned or hovered.
func (c *chart) outlines(r *raster.Raster) {
	if !c.opt.Outlined {
		return
	}
	draw := func(id layout.ID, width int, colour color.RGBA) {
		edge := raster.AppendEdge(nil, r.Outline(id), width)
		for i := range edge {
			edge[i] = edge[i].Add(c.plot.Min)
		}
		c.on.rects(colour, 255, edge...)
	}
	if c.opt.Hovered != c.opt.Pinned {
		draw(c.opt.Hovered, c.line, c.opt.Palette.Hovered)
	}
	draw(c.opt.Pinned, 2*c.line, c.opt.Palette.Pinned)
}

// nothing says in the middle of an empty picture why it is empty, as far as there is room for it.
func (c *chart) nothing() {
	why := c.t.Nothing()
	if why == "" {
		return
	}
	w, p := c.writer, c.plot
	rows := w.wrap(regular, why, min(p.Dx()-2*c.space, 52*c.space))
	row := w.height * 5 / 4
	y := p.Min.Y + (p.Dy()-len(rows)*row)/2 + w.ascent
	if len(rows)*row > p.Dy() {
		return
	}
	for _, s := range rows {
		c.labelled(regular, p.Min.X+(p.Dx()-w.width(regular, s))/2, y, s, c.opt.Palette.Quiet)
		y += row
	}
}
