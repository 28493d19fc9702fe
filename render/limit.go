package render

import "image"

// limit draws the line of the device's memory, dim and with its label. Where
// it is above the view the label stands at the top, with an arrow.
func (c *chart) limit() {
	p, w := c.plot, c.writer
	at := float64(c.opt.Limit)
	if c.opt.Limit <= 0 || at <= c.view.Y0 {
		return
	}
	label := c.opt.LimitLabel
	y, above := p.Min.Y, at > c.view.Y1
	if above {
		label += " ↑"
	} else {
		y = min(p.Min.Y+int(c.view.YPixel(at, p.Dy())), p.Max.Y-1)
		c.fill(image.Rect(p.Min.X, y, p.Max.X, y+c.line).Intersect(p), mix(c.opt.Palette.Background, c.opt.Palette.Pinned, .5))
	}
	if c.opt.LimitLabel == "" {
		return
	}
	label = w.fit(w.regular, label, p.Dx()-c.space)
	x := p.Max.X - w.width(w.regular, label) - c.space/2
	base := y - c.space/2
	if base-w.ascent < p.Min.Y { // no room above the line
		base = y + c.line + w.ascent
	}
	ground := image.Rect(x-c.space/4, base-w.ascent+c.line, p.Max.X, base+c.space/4).Intersect(p)
	c.fill(ground, c.opt.Palette.Background)
	w.text(w.regular, x, base, label, c.opt.Palette.Pinned)
}
