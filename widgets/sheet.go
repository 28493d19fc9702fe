package widgets

import (
	"image"
	"slices"

	giolayout "gioui.org/layout"
)

// A sheet is many small shapes in one image, which is made anew when one of
// them changes: each shape drawn for itself costs the graphics system as much
// as a large picture. A shape hides what was there of those before it.
type sheet struct {
	shapes, drawn []rounded
	sprite        sprite
}

// begin starts the shapes of a frame.
func (s *sheet) begin() { s.shapes = s.shapes[:0] }

// add adds a shape.
func (s *sheet) add(r rounded) {
	if !r.rect.Empty() {
		s.shapes = append(s.shapes, r)
	}
}

// draw draws them.
func (s *sheet) draw(gtx giolayout.Context, th *Theme) {
	if !slices.Equal(s.shapes, s.drawn) {
		s.drawn = append(s.drawn[:0], s.shapes...)
		s.sprite = s.paint(th)
	}
	s.sprite.add(gtx.Ops, image.Point{})
}

func (s *sheet) paint(th *Theme) sprite {
	var all image.Rectangle
	for i := range s.shapes {
		all = all.Union(s.shapes[i].rect)
	}
	if all.Empty() {
		return sprite{}
	}
	img := image.NewRGBA(image.Rectangle{Max: all.Size()})
	corners := map[int][]uint8{}
	for _, r := range s.shapes {
		r.rect = r.rect.Sub(all.Min)
		r.radius = max(0, min(r.radius, r.rect.Dx()/2, r.rect.Dy()/2))
		if corners[r.radius] == nil {
			corners[r.radius] = corner(r.radius)
		}
		r.fill(img, corners[r.radius], th)
	}
	return newSprite(img, all.Min)
}

// fill paints a rounded rectangle over what is there.
func (r *rounded) fill(img *image.RGBA, corner []uint8, th *Theme) {
	full := pixel(r.colour, 255)
	for y := r.rect.Min.Y; y < r.rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.rect.Min.X, y):][:4*r.rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			copy(row[i:i+4], full[:])
		}
		dy := min(y-r.rect.Min.Y, r.rect.Max.Y-1-y)
		if dy >= r.radius {
			continue
		}
		k := th.scribe.ink(r.colour)
		for dx, v := range corner[dy*r.radius:][:r.radius] {
			copy(row[4*dx:], k[v][:])
			copy(row[len(row)-4-4*dx:], k[v][:])
		}
	}
}
