package kit

import (
	"image"
	"image/color"

	"gioui.org/f32"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"golang.org/x/image/vector"
)

// Fill paints a rectangle.
func Fill(ops *op.Ops, r image.Rectangle, c color.NRGBA) {
	if r.Empty() {
		return
	}
	paint.FillShape(ops, c, clip.Rect(r).Op())
}

// Border draws a one-pixel border inside a rectangle.
func Border(ops *op.Ops, r image.Rectangle, c color.NRGBA) {
	Fill(ops, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), c)
	Fill(ops, image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), c)
	Fill(ops, image.Rect(r.Min.X, r.Min.Y+1, r.Min.X+1, r.Max.Y-1), c)
	Fill(ops, image.Rect(r.Max.X-1, r.Min.Y+1, r.Max.X, r.Max.Y-1), c)
}

// Backing fills the constraints with the ground of panels, which paint none
// themselves: a whole window is cleared with it, which costs nothing.
func Backing(gtx C, th *Theme) {
	th.loadFonts(gtx)
	Fill(gtx.Ops, image.Rectangle{Max: gtx.Constraints.Max}, th.Panel)
}

// Ground fills a rectangle but for a hole in it with the ground of pictures.
func Ground(gtx C, th *Theme, r, hole image.Rectangle) {
	if hole = hole.Intersect(r); hole.Empty() {
		Fill(gtx.Ops, r, th.Ground)
		return
	}
	for _, side := range [...]image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, hole.Min.Y), image.Rect(r.Min.X, hole.Max.Y, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, hole.Min.Y, hole.Min.X, hole.Max.Y), image.Rect(hole.Max.X, hole.Min.Y,
			r.Max.X, hole.Max.Y),
	} {
		Fill(gtx.Ops, side, th.Ground)
	}
}

// WithAlpha returns a colour with another opacity, 0 to 255.
func WithAlpha(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}

// FocusRing shows keyboard focus.
func FocusRing(gtx C, th *Theme, r image.Rectangle) {
	path := clip.UniformRRect(r.Inset(1), gtx.Dp(Radius)-1).Path(gtx.Ops)
	paint.FillShape(gtx.Ops, th.Accent, clip.Stroke{Path: path, Width: 1.5}.Op())
}

// DashedFrame draws a dashed border inside a rectangle.
func DashedFrame(gtx C, th *Theme, r image.Rectangle, c color.NRGBA) {
	w, d := max(1, gtx.Dp(1.5)), Dashes{gtx.Dp(6), gtx.Dp(5), c}
	for _, side := range [...]image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+w), image.Rect(r.Min.X, r.Max.Y-w, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, r.Min.Y, r.Min.X+w, r.Max.Y), image.Rect(r.Max.X-w, r.Min.Y, r.Max.X, r.Max.Y),
	} {
		th.Dashed(gtx, side, d)
	}
}

// maxArea is the largest side of a path that all graphics systems draw: beyond it Vulkan's panics.
const maxArea = 4096

// FillWide paints a path that may be as wide and high as the window, which
// lies in area, by parts where it is too large for one.
func FillWide(ops *op.Ops, area image.Rectangle, path clip.PathSpec, c color.NRGBA) {
	if area.Dx() <= maxArea && area.Dy() <= maxArea {
		paint.FillShape(ops, c, clip.Outline{Path: path}.Op())
		return
	}
	for y := area.Min.Y; y < area.Max.Y; y += maxArea {
		for x := area.Min.X; x < area.Max.X; x += maxArea {
			part := clip.Rect(image.Rect(x, y, x+maxArea, y+maxArea).Intersect(area)).Push(ops)
			paint.FillShape(ops, c, clip.Outline{Path: path}.Op())
			part.Pop()
		}
	}
}

// RectPath adds a rectangle to a path, so that many rectangles cost one paint.
func RectPath(p *clip.Path, r image.Rectangle) {
	p.MoveTo(f32.Pt(float32(r.Min.X), float32(r.Min.Y)))
	p.LineTo(f32.Pt(float32(r.Max.X), float32(r.Min.Y)))
	p.LineTo(f32.Pt(float32(r.Max.X), float32(r.Max.Y)))
	p.LineTo(f32.Pt(float32(r.Min.X), float32(r.Max.Y)))
	p.Close()
}

// Hatch draws slanted lines into a rectangle, w pixels thick, one every gap.
func Hatch(ops *op.Ops, r image.Rectangle, gap, w int, c color.NRGBA) {
	if r.Empty() {
		return
	}
	defer clip.Rect(r).Push(ops).Pop()
	var p clip.Path
	p.Begin(ops)
	height, thick := float32(r.Dy()), float32(w)
	for x := -height; x < float32(r.Dx()); x += float32(max(1, gap)) {
		a := f32.Pt(float32(r.Min.X)+x, float32(r.Max.Y))
		p.MoveTo(a)
		p.LineTo(a.Add(f32.Pt(height, -height)))
		p.LineTo(a.Add(f32.Pt(height+thick, -height)))
		p.LineTo(a.Add(f32.Pt(thick, 0)))
		p.Close()
	}
	FillWide(ops, r, p.End(), c)
}

// triangleKey is what the image of a triangle depends on.
type triangleKey struct {
	w, h   int
	up     bool
	colour color.NRGBA
}

// Triangle paints a small triangle that points down at (or, up, up from) a point.
func Triangle(gtx C, th *Theme, at image.Point, up bool, c color.NRGBA) {
	k := triangleKey{gtx.Dp(5), gtx.Dp(7), up, c}
	s := th.triangles.of(k, func() Sprite { return th.typesetter.triangle(k) })
	s.Add(gtx.Ops, at)
}

func (s *typesetter) triangle(k triangleKey) Sprite {
	tip, base, corner := k.h, 0, image.Pt(-k.w, -k.h)
	if k.up {
		tip, base, corner = 0, k.h, image.Pt(-k.w, 0)
	}
	z := vector.NewRasterizer(2*k.w, k.h)
	z.MoveTo(float32(k.w), float32(tip))
	z.LineTo(0, float32(base))
	z.LineTo(float32(2*k.w), float32(base))
	z.ClosePath()
	cover := image.NewAlpha(image.Rect(0, 0, 2*k.w, k.h))
	z.Draw(cover, cover.Rect, image.Opaque, image.Point{})
	cover.Rect = cover.Rect.Add(corner)
	return s.tint(cover, cover.Rect, k.colour)
}

// Dashes is the look of a dashed line, px.
type Dashes struct {
	On, Off int
	Colour  color.NRGBA
}

type dashesKey struct {
	Dashes
	size image.Point
}

// Dashed draws a dashed line along the longer side of a rectangle.
func (th *Theme) Dashed(gtx C, r image.Rectangle, d Dashes) {
	size := r.Size()
	if r.Empty() || size.X*size.Y > largestShape {
		return
	}
	s := th.dashes.of(dashesKey{d, size}, func() Sprite {
		img, colour := image.NewRGBA(image.Rectangle{Max: size}), Pixel(d.Colour, 255)
		for y := range size.Y {
			for x := range size.X {
				along := x
				if size.Y > size.X {
					along = y
				}
				if along%(d.On+d.Off) < d.On {
					copy(img.Pix[y*img.Stride+4*x:], colour[:])
				}
			}
		}
		return NewSprite(img, image.Point{})
	})
	s.Add(gtx.Ops, r.Min)
}
