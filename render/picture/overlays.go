package picture

import (
	"image"
	"image/color"
	"math"

	"strata/layout"
	"strata/render/raster"
)

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

// curve draws the line over the picture, with a margin that sets it off.
func (c *chart) curve() {
	if c.opt.Curve == nil {
		return
	}
	p := c.plot
	dx := (c.view.X1 - c.view.X0) / float64(p.Dx())
	var line, margin []image.Rectangle
	add := func(x0, y0, x1, y1 int) {
		r := image.Rect(x0, y0, x1, y1)
		line = append(line, r.Intersect(p))
		margin = append(margin, r.Inset(-c.line).Intersect(p))
	}
	begin, last := p.Min.X, 0
	for i := range p.Dx() + 1 {
		y := last
		if i < p.Dx() {
			held := c.opt.Curve(c.view.X0+float64(i)*dx, c.view.X0+float64(i+1)*dx)
			y = p.Min.Y + int(math.Round(max(-8, min(c.view.YPixel(float64(held), p.Dy()), float64(p.Dy()+8)))))
		}
		if x := p.Min.X + i; i == 0 {
			last = y
		} else if y != last || i == p.Dx() {
			add(begin, last-c.line, x, last+c.line)
			if y != last {
				add(x-c.line, min(y, last)-c.line, x+c.line, max(y, last)+c.line)
			}
			begin, last = x, y
		}
	}
	c.on.rects(c.opt.Palette.Background, 200, margin...)
	c.on.rects(c.opt.Palette.Curve, 255, line...)
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
