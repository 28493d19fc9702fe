package tiles

import (
	"context"
	"image"
	"math"

	"strata/layout"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// tilePixels is the side of a tile.
const tilePixels = 256

// A level is one zoom of one axis of one timeline: a plane of pixels that starts at the axis' zero and at no bytes,
// of which tiles are made as they are needed. World columns count from the left, world rows upwards.
type level struct {
	t      *layout.Timeline
	axis   layout.Axis
	dx, dy float64 // axis' unit and bytes per pixel
	tiles  map[tileAt]*tile
	// making holds the tiles that a worker is at.
	making map[tileAt]bool
	used   uint64 // frame in which it was last asked for
}

// A tileAt is a tile's place: its column of tiles from the left and its row of tiles from the bottom.
type tileAt struct{ i, j int }

// A drawing is a part of a timeline as a lookup and as a picture: a tile, or the overview of an axis.
type drawing struct {
	t         *layout.Timeline
	axis      layout.Axis
	raster    *raster.Raster    // of an overview nil until made
	colouring *colour.Colouring // what picture is painted with
	picture   *Picture
	busy      bool // a worker is making it, or painting it anew
}

// A tile is a square of a level.
type tile struct {
	drawing
	level *level
	at    tileAt
	used  uint64 // frame in which it was last shown
}

// tileBytes is what a tile takes: lookup and picture.
const tileBytes = 4*tilePixels*(tilePixels+raster.Margin) + 4*tilePixels*tilePixels + 16*2*tilePixels

// A window is the part of a level that a picture of size pixels shows: its left world column and its bottom world
// row.
type window struct {
	*level
	x, y int
	size image.Point
}

// zoomOf is what a pixel of a view is worth.
func zoomOf(v render.View, size image.Point) (dx, dy float64) {
	return (v.X1 - v.X0) / float64(size.X), (v.Y1 - v.Y0) / float64(size.Y)
}

// over is the window that shows a view: whole pixels of the level, so that tiles are drawn pixel by pixel. It is at
// most half a pixel off.
func (l *level) over(v render.View, size image.Point) window {
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

// strip makes the tiles [from, to) of a level in one sweep, without pictures.
func (l *level) strip(ctx context.Context, from, to tileAt) ([]*tile, error) {
	r, err := raster.Plane(ctx, l.t, raster.Zoom{Axis: l.axis, DX: l.dx, DY: l.dy},
		from.i*tilePixels, from.j*tilePixels, (to.i-from.i)*tilePixels, (to.j-from.j)*tilePixels)
	if err != nil {
		return nil, err
	}
	var tiles []*tile
	for j := from.j; j < to.j; j++ {
		for i := from.i; i < to.i; i++ {
			part := r.Part((i-from.i)*tilePixels, (to.j-1-j)*tilePixels, tilePixels, tilePixels)
			tiles = append(tiles, &tile{drawing: drawing{t: l.t, axis: l.axis, raster: part}, level: l,
				at: tileAt{i, j}})
		}
	}
	return tiles, nil
}

// paintTile makes a picture of a raster.
func paintTile(r *raster.Raster, c *colour.Colouring) *Picture {
	img := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	r.Paint(img, c)
	return NewPicture(img)
}
