package tiles

import (
	"cmp"
	"image"
	"math"
	"slices"
	"time"

	"strata/layout"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// A Composition is what there is to show of a view at one moment: its tiles pixel by pixel, and where they are still
// missing the nearest zoom level or the overview, scaled. It always answers for what is on screen.
type Composition struct {
	View render.View
	Size image.Point // pixels

	pieces    []piece // back to front
	colouring *colour.Colouring
	sharp     bool
	bare      bool // some of it shows the background
	version   uint64

	behind int               // how many pieces are of other levels
	gaps   []image.Rectangle // where those show
	scaled bool              // the gaps are scaled here, not by the graphics system
	strips []strip           // of the gaps, once painted
}

// A piece is a picture drawn into a rectangle of the screen.
type piece struct {
	rect    image.Rectangle
	raster  *raster.Raster
	picture *Picture
	tile    *tile // nil for an overview
}

// compositionKey is what a composition depends on.
type compositionKey struct {
	t         *layout.Timeline
	colouring *colour.Colouring
	view      render.View
	size      image.Point
	changes   uint64
}

// Compose says what to show of a view in size pixels, and requests what is missing: once Work was called, the
// cache's wake is called when there is more. It takes far less than a frame. Nothing else may call it at the same
// time.
func (c *Cache) Compose(t *layout.Timeline, colouring *colour.Colouring, v render.View, size image.Point) *Composition {
	if size.X <= 0 || size.Y <= 0 {
		return &Composition{View: v, Size: size, colouring: colouring, sharp: true}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := compositionKey{t, colouring, v, size, c.changes}
	if c.last != nil && c.key == key {
		return c.last
	}
	c.frame++
	dx, dy := zoomOf(v, size)
	l := c.levelOf(t, v.Axis, dx, dy)
	l.used = c.frame
	o := c.overview(t, v.Axis)
	w := l.over(v, size)
	c.sight = w
	now := time.Now()
	if last := c.key; last.t != t || last.view != v || last.size != size {
		c.woken = now // this frame, too, takes its time: all that is missing may be there after it
	}
	c.drop(now, l)
	c.request(&w, o, colouring)

	c.versions++
	s := &Composition{View: v, Size: size, colouring: colouring, version: c.versions}
	stale := func(t *tile) bool { return c.stale(t, o, colouring) }
	exact, gaps := c.exact(&w, colouring, stale)
	if len(gaps) > 0 {
		near, covered := c.nearest(&w, gaps, stale)
		if s.bare = !covered; s.bare {
			s.addOverview(o, &w)
		}
		s.pieces = append(s.pieces, near...)
		s.behind, s.gaps = len(s.pieces), joined(gaps, size)
		s.scaled = pixelCount(s.gaps) <= c.upscaled
	}
	s.pieces = append(s.pieces, exact.pieces...)
	s.sharp = len(gaps) == 0 && exact.sharp
	c.shown = 0
	for _, p := range s.pieces {
		if p.tile != nil {
			p.tile.used = c.frame
			c.shown += tileBytes
		}
	}
	c.last, c.key = s, key
	return s
}

// stale reports that a tile would bring back the colours of before, say those of the other theme, where the overview
// has the right ones. A tile that was on screen just now stays there until it is painted anew.
func (c *Cache) stale(t *tile, o *drawing, colouring *colour.Colouring) bool {
	return t.colouring != colouring && t.used < c.frame-1 && o.raster != nil && o.colouring == colouring
}

// exact finds the tiles of the window's own level, and where they lack.
func (c *Cache) exact(w *window, colouring *colour.Colouring, stale func(*tile) bool) (
	found Composition, gaps []image.Rectangle,
) {
	found.sharp = true
	from, to := w.tiles()
	for j := from.j; j < to.j; j++ {
		for i := from.i; i < to.i; i++ {
			at := tileAt{i, j}
			rect := w.place(at)
			t := w.level.tiles[at]
			if t == nil || stale(t) {
				gaps = append(gaps, rect)
				continue
			}
			found.sharp = found.sharp && t.colouring == colouring
			found.pieces = append(found.pieces, piece{rect, t.raster, t.picture, t})
		}
	}
	return found, gaps
}

// What a scaled level may cost and how far it may be scaled: beyond that the overview looks no worse.
const (
	maxUpscale = 8
	minUpscale = 1. / 4
	maxPieces  = 96
	nearLevels = 2
)

// nearest finds tiles of the levels nearest in zoom to fill gaps with, the nearest last. When they cover the gaps,
// nothing behind them shows, and what is scaled is expensive to draw.
func (c *Cache) nearest(w *window, gaps []image.Rectangle, stale func(*tile) bool) (pieces []piece, covered bool) {
	type candidate struct {
		*level
		distance float64
	}
	var levels []candidate
	for _, l := range c.levels {
		sx, sy := l.dx/w.dx, l.dy/w.dy
		if l == w.level || l.t != w.t || l.axis != w.axis || len(l.tiles) == 0 ||
			min(sx, sy) < minUpscale || max(sx, sy) > maxUpscale {
			continue
		}
		levels = append(levels, candidate{l, math.Abs(math.Log(sx)) + math.Abs(math.Log(sy))})
	}
	slices.SortFunc(levels, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var found [][]piece
	total := 0
	for _, l := range levels {
		var pieces []piece
		for _, t := range l.tiles {
			rect := w.placeOf(t)
			if !rect.Empty() && slices.ContainsFunc(gaps, rect.Overlaps) && !stale(t) {
				pieces = append(pieces, piece{rect, t.raster, t.picture, t})
			}
		}
		if total += len(pieces); len(pieces) == 0 || total > maxPieces {
			total -= len(pieces)
			continue
		}
		found = append(found, pieces)
		if covered = w.covers(pieces, gaps); covered || len(found) == nearLevels {
			break
		}
	}
	slices.Reverse(found)
	return slices.Concat(found...), covered
}

// covers reports that pieces of one level, which do not overlap, hide what of the gaps is in the window.
func (w *window) covers(pieces []piece, gaps []image.Rectangle) bool {
	for _, g := range gaps {
		g = g.Intersect(image.Rectangle{Max: w.size})
		var hidden []image.Rectangle
		for i := range pieces {
			hidden = append(hidden, g.Intersect(pieces[i].rect))
		}
		if pixelCount(hidden) < g.Dx()*g.Dy() {
			return false
		}
	}
	return true
}

// placeOf is where in the window a tile of another level lies, in whole pixels, so that neighbours meet without a
// seam; empty when out of sight.
func (w *window) placeOf(t *tile) image.Rectangle {
	l := t.level
	x0, x1 := float64(t.at.i)*tilePixels*l.dx, float64(t.at.i+1)*tilePixels*l.dx
	y0, y1 := float64(t.at.j)*tilePixels*l.dy, float64(t.at.j+1)*tilePixels*l.dy
	return w.rect(x0, x1, y0, y1)
}

// rect is where in the window a part of the world lies; empty when that is out of sight.
func (w *window) rect(x0, x1, y0, y1 float64) image.Rectangle {
	left, right := x0/w.dx-float64(w.x), x1/w.dx-float64(w.x)
	bottom, top := y0/w.dy-float64(w.y), y1/w.dy-float64(w.y)
	if right <= 0 || left >= float64(w.size.X) || top <= 0 || bottom >= float64(w.size.Y) {
		return image.Rectangle{}
	}
	round := func(v float64) int { return int(math.Round(v)) }
	return image.Rect(round(left), w.size.Y-round(top), round(right), w.size.Y-round(bottom))
}

// maxDrawn is the largest side of anything drawn, pixels: graphics systems fail beyond.
const maxDrawn = 4096

// addOverview puts the overview behind everything.
func (s *Composition) addOverview(o *drawing, w *window) {
	if o.raster == nil {
		return
	}
	v := o.raster.View
	left, right := v.X0/w.dx-float64(w.x), v.X1/w.dx-float64(w.x)
	if height := (v.Y1 - v.Y0) / w.dy; right-left <= maxDrawn && height <= maxDrawn {
		if rect := w.rect(v.X0, v.X1, v.Y0, v.Y1); !rect.Empty() {
			s.pieces = append(s.pieces, piece{rect: rect, raster: o.raster, picture: o.picture})
		}
		return
	}
	// So much enlarged that a part of it, in coarse pixels, does as well.
	n := image.Pt((w.size.X+coarse-1)/coarse, (w.size.Y+coarse-1)/coarse)
	visible := render.View{Axis: v.Axis, X0: float64(w.x) * w.dx, X1: float64(w.x+n.X*coarse) * w.dx,
		Y0: float64(w.y+w.size.Y-n.Y*coarse) * w.dy, Y1: float64(w.y+w.size.Y) * w.dy}
	r := o.raster.Sample(visible, n.X, n.Y)
	rect := image.Rectangle{Max: n.Mul(coarse)}
	s.pieces = append(s.pieces, piece{rect: rect, raster: r, picture: paintTile(r, s.colouring)})
}

// coarse is the side of the pixels of a sampled overview.
const coarse = 8

// exact reports that the piece is drawn pixel by pixel.
func (p *piece) exact() bool { return p.rect.Dx() == p.raster.W && p.rect.Dy() == p.raster.H }

// at is the piece's allocation at a pixel of the screen that lies in it.
func (p *piece) at(x, y int) layout.ID {
	x, y = x-p.rect.Min.X, y-p.rect.Min.Y
	return p.raster.At((2*x+1)*p.raster.W/(2*p.rect.Dx()), (2*y+1)*p.raster.H/(2*p.rect.Dy()))
}

// At is the allocation on screen at a pixel, None outside.
func (s *Composition) At(x, y int) layout.ID {
	at := image.Pt(x, y)
	if !at.In(image.Rectangle{Max: s.Size}) {
		return layout.None
	}
	for i := len(s.pieces) - 1; i >= 0; i-- {
		if p := &s.pieces[i]; at.In(p.rect) {
			return p.at(x, y)
		}
	}
	return layout.None
}

// Sharp reports that everything is drawn pixel by pixel in the right colours.
func (s *Composition) Sharp() bool { return s.sharp }

// Version differs whenever At may answer differently.
func (s *Composition) Version() uint64 { return s.version }

// Outline is where an allocation is on screen, in runs of pixel columns from left to right.
func (s *Composition) Outline(id layout.ID) []raster.Run {
	var runs []raster.Run
	for i := range s.pieces {
		p := &s.pieces[i]
		own := p.raster.Outline(id)
		if len(own) == 0 {
			continue
		}
		var over []image.Rectangle // what hides parts of the piece
		for _, q := range s.pieces[i+1:] {
			if q.rect.Overlaps(p.rect) {
				over = append(over, q.rect)
			}
		}
		for _, r := range own {
			runs = s.visible(runs, p.onScreen(r), over)
		}
	}
	slices.SortFunc(runs, func(a, b raster.Run) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Top, b.Top)) })
	joined := runs[:0]
	for _, r := range runs {
		if n := len(joined); n > 0 && joined[n-1].X == r.X && joined[n-1].Bottom == r.Top {
			joined[n-1].Bottom = r.Bottom
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// onScreen is the part of the screen that a run of the piece's raster covers: the pixels for which at answers with it.
func (p *piece) onScreen(r raster.Run) image.Rectangle {
	// Pixel x shows ⌊(2x+1)·W/(2·Dx)⌋, so the first to show c is the least x with (2x+1)·W ≥ 2·c·Dx.
	first := func(c, n, size int) int { return -floorDiv(n-2*c*size, 2*n) }
	return image.Rect(
		first(r.X, p.raster.W, p.rect.Dx()), first(r.Top, p.raster.H, p.rect.Dy()),
		first(r.X+1, p.raster.W, p.rect.Dx()), first(r.Bottom, p.raster.H, p.rect.Dy())).Add(p.rect.Min)
}

// visible appends to runs what others do not hide of a rectangle.
func (s *Composition) visible(runs []raster.Run, r image.Rectangle, others []image.Rectangle) []raster.Run {
	r = r.Intersect(image.Rectangle{Max: s.Size})
	for x := r.Min.X; x < r.Max.X; x++ {
		top := r.Min.Y
		for y := top; y < r.Max.Y && len(others) > 0; y++ {
			if slices.ContainsFunc(others, image.Pt(x, y).In) {
				if top < y {
					runs = append(runs, raster.Run{X: x, Top: top, Bottom: y})
				}
				top = y + 1
			}
		}
		if top < r.Max.Y {
			runs = append(runs, raster.Run{X: x, Top: top, Bottom: r.Max.Y})
		}
	}
	return runs
}
