package render

import (
	"context"
	"image"
	"math"
	"slices"
	"sync"

	"strata/layout"
)

// tilePixels is the side of a tile.
const tilePixels = 256

// A level is one zoom of one axis of one timeline: a plane of pixels that
// starts at the axis' zero and at no bytes, of which tiles are made as they
// are needed. World columns count from the left, world rows upwards.
type level struct {
	t      *layout.Timeline
	axis   layout.Axis
	dx, dy float64 // axis' unit and bytes per pixel
	tiles  map[tileAt]*tile
	// making holds the tiles that a worker is at.
	making map[tileAt]bool
	used   uint64 // frame in which it was last asked for
}

// A tileAt is a tile's place: its column of tiles from the left and its row
// of tiles from the bottom.
type tileAt struct{ i, j int }

// A tile is a square of a level.
type tile struct {
	level     *level
	at        tileAt
	raster    *Raster
	colouring *Colouring // what picture is painted with
	picture   *Picture
	painting  bool   // a worker is painting it anew
	used      uint64 // frame in which it was last shown

	outlines [2]tileOutline // of hovered and pinned, kept while panning
}

type tileOutline struct {
	id   layout.ID
	runs []Run
	set  bool
}

// tileBytes is what a tile takes: lookup and picture.
const tileBytes = 4*tilePixels*(before+tilePixels+after) + 4*tilePixels*tilePixels + 16*2*tilePixels

// outline is the tile's part of an allocation's outline, in the tile's
// pixels. Only for the goroutine of the window.
func (t *tile) outline(id layout.ID) []Run {
	for i := range t.outlines {
		if o := &t.outlines[i]; o.set && o.id == id {
			return o.runs
		}
	}
	t.outlines[1] = t.outlines[0]
	t.outlines[0] = tileOutline{id, t.raster.Outline(id), true}
	return t.outlines[0].runs
}

// A window is the part of a level that a picture of size pixels shows: its
// left world column and its bottom world row.
type window struct {
	*level
	x, y int
	size image.Point
}

// over is the window that shows a view: whole pixels of the level, so that
// tiles are drawn pixel by pixel. It is at most half a pixel off.
func (l *level) over(v View, size image.Point) window {
	return window{l, int(math.Round(v.X0 / l.dx)), int(math.Round(v.Y0 / l.dy)), size}
}

// tiles is the range of tiles [from, to) that lie in the window.
func (w *window) tiles() (from, to tileAt) {
	return tileAt{floorDiv(w.x, tilePixels), floorDiv(w.y, tilePixels)},
		tileAt{floorDiv(w.x+w.size.X-1, tilePixels) + 1, floorDiv(w.y+w.size.Y-1, tilePixels) + 1}
}

// place is where in the window a tile lies, pixels.
func (w *window) place(at tileAt) image.Rectangle {
	min := image.Pt(at.i*tilePixels-w.x, w.y+w.size.Y-(at.j+1)*tilePixels)
	return image.Rectangle{Min: min, Max: min.Add(image.Pt(tilePixels, tilePixels))}
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// strips keeps the memory that strips are made in.
var strips = sync.Pool{New: func() any { return new([]layout.ID) }}

// strip makes the tiles [from, to) of a level in one sweep, without pictures.
func (l *level) strip(ctx context.Context, from, to tileAt) ([]*tile, error) {
	w, h := (to.i-from.i)*tilePixels, (to.j-from.j)*tilePixels
	left, bottom := from.i*tilePixels, from.j*tilePixels
	r := &Raster{W: w, H: h, t: l.t, View: View{
		Axis: l.axis, X0: float64(left) * l.dx, X1: float64(left+w) * l.dx,
		Y0: float64(bottom) * l.dy, Y1: float64(bottom+h) * l.dy,
	}}
	// What is to be cut up at once need not be new memory.
	memory := strips.Get().(*[]layout.ID)
	defer strips.Put(memory)
	*memory = slices.Grow((*memory)[:0], w*(before+h+after))
	r.all = (*memory)[:w*(before+h+after)]
	r.measure(func(y int) float64 { return (float64(bottom+h-1-y) + .5) * l.dy })
	r.choose(func(c int) float64 { return float64(left+c) * l.dx }, 0, w)
	if err := r.columns(ctx, 0, w); err != nil {
		return nil, err
	}
	var tiles []*tile
	for j := from.j; j < to.j; j++ {
		for i := from.i; i < to.i; i++ {
			part := r.part((i-from.i)*tilePixels, (to.j-1-j)*tilePixels, tilePixels, tilePixels)
			tiles = append(tiles, &tile{level: l, at: tileAt{i, j}, raster: part})
		}
	}
	return tiles, nil
}

// part copies a rectangle of a raster into one of its own.
func (r *Raster) part(x, y, w, h int) *Raster {
	v := r.View
	p := &Raster{W: w, H: h, t: r.t, View: View{Axis: v.Axis,
		X0: v.XAt(float64(x), r.W), X1: v.XAt(float64(x+w), r.W),
		Y0: v.YAt(float64(y+h), r.H), Y1: v.YAt(float64(y), r.H)}}
	p.moments = append([]layout.Moment(nil), r.moments[x:x+before+w+after]...)
	p.bytes = append([]int64(nil), r.bytes[y:y+before+h+after]...)
	p.all = make([]layout.ID, w*(before+h+after))
	for row := range before + h + after {
		copy(p.all[row*w:][:w], r.all[(y+row)*r.W+x:])
	}
	p.share()
	copy(p.Tops, r.Tops[x:x+w])
	return p
}

// paintTile makes a picture of a raster.
func paintTile(r *Raster, c *Colouring) *Picture {
	img := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	r.Paint(img, c)
	return NewPicture(img)
}
