package picture

import (
	"image"
	"image/color"
	"slices"

	"strata/layout/breakdown"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render/colour"
)

// A legendKey is one entry of the legend: a swatch, a line or, without a colour, neither, and what it stands for.
type legendKey struct {
	colour color.RGBA
	line   bool // across
	tick   bool // upright
	text   string
	at     image.Point // of its upper left corner; its row counts up from the bottom of the axis
}

// legendRows is how many rows a legend has at most.
const legendRows = 2

// placeLegend chooses the keys of the legend: what line and tones mean, and the groups that hold most at the peak, as
// many as there is room for. It returns the height they take, at most a fifth of what there is.
func (c *chart) placeLegend(room int) int {
	p, w := &c.opt.Palette, c.writer
	row := w.height + c.space/2
	rows := min(legendRows, room/5/row)
	var keys []legendKey
	for _, l := range c.opt.Lines {
		if l.Label != "" {
			keys = append(keys, legendKey{colour: l.Colour, line: true, text: l.Label})
		}
	}
	for _, flush := range []bool{false, true} {
		if slices.ContainsFunc(c.opt.Trades, func(t state.Trade) bool { return t.Flush == flush }) {
			key := legendKey{colour: p.Text, tick: true, text: "segments come and go"}
			if flush {
				key = legendKey{colour: p.Pinned, tick: true, text: "cache flushed"}
			}
			keys = append(keys, key)
		}
	}
	held := c.held()
	for tone, text := range colour.ToneNames {
		if c.opt.Bands == nil {
			keys = append(keys, legendKey{colour: colour.Tone(tone).Under(p.Unknown, p.Background), text: text})
		}
	}
	if len(held) > 0 {
		when := "At the peak:"
		if c.opt.Bands != nil {
			when = "At the peak in view:"
		}
		keys = append(keys, legendKey{text: when})
	}
	for i := range held {
		keys = append(keys, legendKey{colour: held[i].Colour,
			text: held[i].Label + "  " + units.Bytes(held[i].Bytes)})
	}
	x, line := c.space, 0
	swatch := w.ascent + c.space/2
	for _, k := range keys {
		k.text = w.fit(regular, k.text, min(c.opt.W-4*c.space-swatch, 48*c.space))
		width := w.width(regular, k.text)
		if k.colour.A > 0 {
			width += swatch
		}
		if x > c.space && x+width > c.opt.W-c.space {
			x, line = c.space, line+1
		}
		if line >= rows || k.text == "" {
			break
		}
		k.at = image.Pt(x, line*row)
		c.keys = append(c.keys, k)
		x += width + 2*c.space
	}
	if len(c.keys) == 0 {
		return 0
	}
	return (c.keys[len(c.keys)-1].at.Y/row+1)*row + c.space/2
}

// held is what groups held at the peak, most first.
func (c *chart) held() (entries []colour.LegendEntry) {
	g := c.opt.Bands
	if g == nil {
		return c.colouring.Held(c.t.PeakState)
	}
	for _, b := range NewBands(g, c.view, c.colouring, 1).all {
		if b.group != breakdown.Excluded {
			entries = append(entries, colour.LegendEntry{Colour: b.colour, Label: b.name, Bytes: b.held})
		}
	}
	return entries
}

// legend draws the keys under the axis.
func (c *chart) legend() {
	w := c.writer
	top := c.plot.Max.Y + c.space + w.height + c.space
	for _, k := range c.keys {
		at := k.at.Add(image.Pt(0, top))
		r := image.Rect(at.X, at.Y+w.height-w.ascent, at.X+w.ascent, at.Y+w.ascent)
		if k.line {
			r.Min.Y, r.Max.Y = (r.Min.Y+r.Max.Y)/2-c.line, (r.Min.Y+r.Max.Y)/2+c.line
		}
		if k.tick {
			r.Min.X, r.Max.X = (r.Min.X+r.Max.X)/2, (r.Min.X+r.Max.X)/2+c.line
		}
		if k.colour.A > 0 {
			c.fill(r, k.colour)
			at.X = r.Max.X + c.space/2
		}
		c.text(regular, at.X, at.Y+w.ascent, k.text, c.opt.Palette.Quiet)
	}
}
