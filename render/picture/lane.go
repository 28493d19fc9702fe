package picture

import (
	"image"
	"math"
	"strings"

	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
)

// A chartRow is one level of the lane in a chart.
type chartRow struct {
	level, top, bottom int
	labels             bool
}

// How many levels have labels, and how many more are drawn thin.
const (
	chartRows, chartThins = 3, 5
)

// placeLane finds the room of the lane from y on and returns where it ends. It leaves most of the height up to bottom
// to the timeline.
func (c *chart) placeLane(y, bottom int) int {
	if c.opt.Phases == nil || !c.t.HasTime() || len(c.opt.Phases.All) == 0 {
		return y
	}
	begin, gap := y, c.line
	for level := range min(c.opt.Phases.Depth(), chartRows+chartThins) {
		row := chartRow{level: level, top: y, bottom: y + c.writer.height + 2*c.line, labels: level < chartRows}
		if !row.labels {
			row.bottom = y + c.space/2
		}
		if row.bottom-begin > (bottom-begin)/4 {
			break
		}
		c.rows = append(c.rows, row)
		y = row.bottom + gap
	}
	if len(c.rows) > 0 {
		y += c.space / 2
	}
	return y
}

// maxPhaseLines is how many phases have lines across the timeline.
const maxPhaseLines = 16

// lane draws the phases, and lines where the long ones begin and end.
func (c *chart) lane() {
	if len(c.rows) == 0 {
		return
	}
	p := c.plot
	bars := c.opt.Phases.Bars(c.t, c.view.Axis)
	hues := colour.PhaseHues(c.opt.Phases)
	var found []layout.Bar
	lines := 0
	for _, row := range c.rows {
		found = bars.Appear(found[:0], row.level, c.view.X0, c.view.X1, p.Dx())
		wide := 0
		for _, b := range found {
			c.bar(b, row, hues[b.Phase])
			if b.Count == 1 && b.X1-b.X0 >= float64(3*c.space) {
				wide++
			}
		}
		if lines += wide; lines > maxPhaseLines {
			continue
		}
		for _, b := range found {
			if b.Count == 1 && b.X1-b.X0 >= float64(3*c.space) {
				c.phaseLines(b, hues[b.Phase])
			}
		}
	}
	if hidden := c.opt.Phases.Depth() - len(c.rows); hidden > 0 { // said, not lost
		w := c.writer
		text := "+" + units.Count(hidden)
		if width := w.width(mono, text); width+c.space/2 < p.Min.X {
			c.text(mono, p.Min.X-c.space/2-width, c.rows[len(c.rows)-1].bottom, text, c.opt.Palette.Quiet)
		}
	}
}

// bar draws one phase, or a cell of many.
func (c *chart) bar(b layout.Bar, row chartRow, hue uint8) {
	p, w := c.plot, c.writer
	x0, x1 := int(math.Round(max(b.X0, 0))), int(math.Round(min(b.X1, float64(p.Dx()))))
	if b.Count == 1 && x1-x0 > 3*c.line {
		x1 -= c.line // bars that touch are told apart
	}
	r := image.Rect(p.Min.X+x0, row.top, p.Min.X+max(x1, x0+c.line), row.bottom)
	if r = r.Intersect(image.Rect(p.Min.X, row.top, p.Max.X, row.bottom)); r.Empty() {
		return
	}
	ground, text := colour.PhaseColours(c.opt.Palette.Dark, hue)
	ph := &c.opt.Phases.All[b.Phase]
	switch {
	case b.Count > 1:
		ground = colour.Mix(c.opt.Palette.Panel, c.opt.Palette.Quiet, .25+.6*math.Sqrt(b.Dense))
	case ph.Instant:
		r.Max.X, ground = r.Min.X+c.line, text
	case r.Dx() < c.space:
		ground = colour.Mix(c.opt.Palette.Panel, text, .65) // too small for a ground to be seen
	}
	c.fill(r, ground)
	if b.Count > 1 || ph.Instant || !row.labels {
		return
	}
	if ph.Open { // it goes on
		c.fill(image.Rect(r.Max.X-2*c.line, r.Min.Y, r.Max.X, r.Max.Y), text)
	}
	room := r.Dx() - c.space
	label := ph.Name
	if w.width(regular, label) > room {
		label = strings.Trim(label, "# ")
		if room < 8*c.space && w.width(regular, label) > room {
			return // a few letters say nothing
		}
	}
	c.text(regular, r.Min.X+c.space/2, r.Min.Y+c.line+w.ascent, w.fit(regular, label, room), text)
}

// phaseLines draws a line where a phase begins, and a dashed one where it ends.
func (c *chart) phaseLines(b layout.Bar, hue uint8) {
	p := c.plot
	_, text := colour.PhaseColours(c.opt.Palette.Dark, hue)
	ph := &c.opt.Phases.All[b.Phase]
	line := func(x float64, ends bool) {
		px := int(math.Floor(x))
		if px < 0 || px > p.Dx() {
			return
		}
		px = p.Min.X + min(px, p.Dx()-1)
		down := image.Rect(px, p.Min.Y, px+1, p.Max.Y)
		if ends {
			c.on.rects(text, 51, dashed(down, c.space, c.space)...)
		} else {
			c.on.rects(text, 51, down)
		}
	}
	line(b.X0, false)
	if !ph.Open {
		line(b.X1, true)
	}
}
