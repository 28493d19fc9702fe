package picture

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"

	"strata/layout"
	"strata/layout/breakdown"
)

// mostBands is how many groups have a band of their own; the others share one.
const mostBands = 24

// A band is the course of a group over the columns of a picture.
type band struct {
	name   string
	colour color.RGBA
	bytes  []int64 // in each column
}

// banded is the groups that have bands: those that hold most at the peak of what is in view, most first.
func (c *chart) banded() []breakdown.Row {
	if c.bandRows == nil {
		rows := c.opt.Bands.At(max(0, c.t.Column(c.view.Axis, c.view.X0, c.view.X1).Step))
		c.bandRows = rows[:min(len(rows), mostBands)]
	}
	return c.bandRows
}

// bandsOf is the bands of what is in view, the lowest first: the largest group, and at last all that have none. In each
// column they sum up to what is held at its highest moment.
func (c *chart) bandsOf(ctx context.Context) ([]band, error) {
	g, v := c.opt.Bands, c.view
	n := c.plot.Dx()
	moments := c.t.ColumnsBetween(nil, nil, v.Axis, n, func(i int) float64 {
		return v.X0 + (v.X1-v.X0)*float64(i)/float64(n)
	})
	var states []int32
	for _, m := range moments {
		if m != layout.NoMoment {
			states = append(states, m.Step)
		}
	}
	rows := c.banded()
	groups := make([]int32, len(rows))
	bands := make([]band, len(rows)+1)
	for i, r := range rows {
		groups[i] = r.Group
		bands[i] = band{name: g.Label(r.Group), colour: c.bandColour(r.Group, i)}
	}
	others := &bands[len(groups)]
	others.name, others.colour = "others", c.opt.Palette.Rest
	series := append(g.Series(groups, states), nil)
	for i := range bands {
		bands[i].bytes = make([]int64, n)
	}
	at := 0
	for x, m := range moments {
		if m == layout.NoMoment {
			continue
		}
		others.bytes[x] = c.t.Total[states[at]]
		for i := range groups {
			bands[i].bytes[x] = series[i][at]
			others.bytes[x] -= series[i][at]
		}
		at++
	}
	return bands, ctx.Err()
}

// bandColour is the colour that a group's allocations have in the timeline, where call sites have one, else the hue of
// its rank.
func (c *chart) bandColour(group int32, rank int) color.RGBA {
	if g := c.opt.Bands; g.By == breakdown.ByCallSite {
		return c.colouring.Colour(g.First(group))
	}
	return c.opt.Palette.Hues[rank%len(c.opt.Palette.Hues)]
}

// drawBands draws a band for each group, and its name where there is room.
func (c *chart) drawBands(bands []band) {
	p := c.plot
	c.fill(p, c.opt.Palette.Background)
	xs, ys := c.gridLines()
	for _, x := range xs {
		c.fill(image.Rect(x, 0, x+1, p.Dy()).Add(p.Min), c.opt.Palette.Grid)
	}
	for _, y := range ys {
		c.fill(image.Rect(0, y, p.Dx(), y+1).Add(p.Min), c.opt.Palette.Grid)
	}
	below := make([]int64, p.Dx())
	bottoms, tops := make([]int, p.Dx()), make([]int, p.Dx())
	for x := range bottoms {
		bottoms[x] = c.bandY(0)
	}
	for i := range bands {
		b := &bands[i]
		for x, bytes := range b.bytes {
			below[x] += bytes
			tops[x] = c.bandY(below[x])
		}
		c.on.rects(b.colour, 255, c.shape(tops, bottoms)...)
		c.nameBand(b, tops, bottoms)
		bottoms, tops = tops, bottoms
	}
}

// bandY is where so many bytes lie in the picture.
func (c *chart) bandY(bytes int64) int {
	h := c.plot.Dy()
	y := math.Round(c.view.YPixel(float64(bytes), h))
	return c.plot.Min.Y + int(max(0, min(y, float64(h))))
}

// shape is what lies between two heights, columns that are alike together.
func (c *chart) shape(tops, bottoms []int) (r []image.Rectangle) {
	from := 0
	for x := 1; x <= len(tops); x++ {
		if x < len(tops) && tops[x] == tops[from] && bottoms[x] == bottoms[from] {
			continue
		}
		if tops[from] < bottoms[from] {
			r = append(r, image.Rect(c.plot.Min.X+from, tops[from], c.plot.Min.X+x, bottoms[from]))
		}
		from = x
	}
	return r
}

// nameBand writes a band's name where it is highest over the width of the text, if it fits there.
func (c *chart) nameBand(b *band, tops, bottoms []int) {
	w := c.writer
	width := w.width(regular, b.name)
	most, at, base := w.height+1, -1, 0
	for x := 0; x+width+2*c.space <= len(tops); x += max(1, c.space/2) {
		top := slices.Max(tops[x : x+width+2*c.space])
		bottom := slices.Min(bottoms[x : x+width+2*c.space])
		if bottom-top > most {
			most, at, base = bottom-top, x, (top+bottom)/2
		}
	}
	if at >= 0 {
		ink := color.RGBA{R: 0x0b, G: 0x10, B: 0x20, A: 255}
		c.text(regular, c.plot.Min.X+at+c.space, base+w.ascent-w.height/2, b.name, ink)
	}
}
