package tiles

import (
	"image"

	"strata/layout"
	"strata/render"
	"strata/render/colour"
)

// stripTiles is how many columns of tiles a worker makes in one sweep at most.
const stripTiles = 4

// request lists what a window needs, most urgent first: tiles in sight, the overview, colours, then the tiles to the
// left and right, and last the overview of the other axis, so that to switch to it shows no empty window.
func (c *Cache) request(w *window, o *overview, colouring *colour.Colouring) {
	c.requests = nil
	from, to := w.tiles()
	c.missing(w.level, from, to, colouring)
	if o.colouring != colouring && !o.busy {
		c.requests = append(c.requests, request{colouring: colouring, overview: o})
	}
	for j := from.j; j < to.j; j++ {
		for i := from.i; i < to.i; i++ {
			if t := w.level.tiles[tileAt{i, j}]; t != nil && t.colouring != colouring && !t.painting {
				c.requests = append(c.requests, request{colouring: colouring, repaint: t})
			}
		}
	}
	last := floorDiv(int(w.t.Extent(w.axis)/w.dx), tilePixels) // column of tiles with the end of the data
	for _, i := range [...]int{from.i - 1, to.i} {
		if i >= 0 && i <= last {
			c.missing(w.level, tileAt{i, from.j}, tileAt{i + 1, to.j}, colouring)
		}
	}
	if !w.t.HasTime() {
		return
	}
	if o := c.overview(w.t, layout.Events+layout.Time-w.axis); o.colouring != colouring && !o.busy {
		c.requests = append(c.requests, request{colouring: colouring, overview: o})
	}
}

// missing requests those tiles of [from, to) that are neither there nor being made, in strips.
func (c *Cache) missing(l *level, from, to tileAt, colouring *colour.Colouring) {
	lacks := func(i, j int) bool { return l.tiles[tileAt{i, j}] == nil && !l.making[tileAt{i, j}] }
	gap := func(i int) (first, end int) { // rows of tiles that a column lacks, from the lowest on without a hole
		for first = from.j; first < to.j && !lacks(i, first); first++ {
		}
		for end = first; end < to.j && lacks(i, end); end++ {
		}
		return first, end
	}
	width := min(max(1, (to.i-from.i+1)/2), stripTiles) // so that two workers share it
	for i := from.i; i < to.i; {
		first, end := gap(i)
		strip := request{colouring: colouring, level: l, from: tileAt{i, first}}
		for i++; i < to.i && i-strip.from.i < width; i++ {
			if a, b := gap(i); a != first || b != end {
				break
			}
		}
		if strip.to = (tileAt{i, end}); first < end {
			c.requests = append(c.requests, strip)
		}
	}
}

// zoomOf is what a pixel of a view is worth.
func zoomOf(v render.View, size image.Point) (dx, dy float64) {
	return (v.X1 - v.X0) / float64(size.X), (v.Y1 - v.Y0) / float64(size.Y)
}
