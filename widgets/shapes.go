package widgets

import (
	"image"
	"image/color"

	"gioui.org/f32"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"golang.org/x/image/vector"
)

// paintStroke paints a line along a path.
func paintStroke(ops *op.Ops, path clip.PathSpec, width float32, c color.NRGBA) {
	paint.FillShape(ops, c, clip.Stroke{Path: path, Width: width}.Op())
}

// dashedFrame draws a dashed border inside a rectangle.
func dashedFrame(gtx giolayout.Context, r image.Rectangle, c color.NRGBA) {
	on, off, w := gtx.Dp(6), gtx.Dp(5), max(1, gtx.Dp(1.5))
	var p clip.Path
	p.Begin(gtx.Ops)
	for x := r.Min.X; x < r.Max.X; x += on + off {
		x1 := min(x+on, r.Max.X)
		rectPath(&p, image.Rect(x, r.Min.Y, x1, r.Min.Y+w))
		rectPath(&p, image.Rect(x, r.Max.Y-w, x1, r.Max.Y))
	}
	for y := r.Min.Y; y < r.Max.Y; y += on + off {
		y1 := min(y+on, r.Max.Y)
		rectPath(&p, image.Rect(r.Min.X, y, r.Min.X+w, y1))
		rectPath(&p, image.Rect(r.Max.X-w, y, r.Max.X, y1))
	}
	fillWide(gtx.Ops, r, p.End(), c)
}

// maxArea is the largest side of a path that all graphics systems draw: beyond
// it Vulkan's panics.
const maxArea = 4096

// fillWide paints a path that may be as wide and high as the window, which
// lies in area, by parts where it is too large for one.
func fillWide(ops *op.Ops, area image.Rectangle, path clip.PathSpec, c color.NRGBA) {
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

// rectPath adds a rectangle to a path, so that many rectangles cost one paint.
func rectPath(p *clip.Path, r image.Rectangle) {
	p.MoveTo(f32.Pt(float32(r.Min.X), float32(r.Min.Y)))
	p.LineTo(f32.Pt(float32(r.Max.X), float32(r.Min.Y)))
	p.LineTo(f32.Pt(float32(r.Max.X), float32(r.Max.Y)))
	p.LineTo(f32.Pt(float32(r.Min.X), float32(r.Max.Y)))
	p.Close()
}

// triangleKey is what the image of a triangle depends on.
type triangleKey struct {
	w, h   int
	up     bool
	colour color.NRGBA
}

// triangle paints a small triangle that points down at (or, up, up from) a point.
func triangle(gtx giolayout.Context, th *Theme, at image.Point, up bool, c color.NRGBA) {
	k := triangleKey{gtx.Dp(5), gtx.Dp(7), up, c}
	s, ok := th.triangles.get(k)
	if !ok {
		s = th.scribe.triangle(k)
		th.triangles.put(k, s)
	}
	s.add(gtx.Ops, at)
}

func (s *scribe) triangle(k triangleKey) sprite {
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
	img, colours := image.NewRGBA(cover.Rect), s.ink(k.colour)
	for i, v := range cover.Pix {
		copy(img.Pix[4*i:], colours[v][:])
	}
	return newSprite(img, corner)
}
