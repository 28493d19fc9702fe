package panel

import (
	"image"
	"image/color"

	"gioui.org/op/clip"
	"gioui.org/op/paint"

	"strata/widgets/kit"
)

// NameCell draws a group's name with its colour in the timeline, if it has one.
func NameCell(gtx C, th *kit.Theme, cell image.Rectangle, c color.NRGBA, name string, open bool) {
	y := cell.Min.Y + cell.Dy()/2
	sign := image.Pt(cell.Min.X+gtx.Dp(10), y+gtx.Dp(3))
	if open {
		kit.Triangle(gtx, th, sign, false, th.Link)
	}
	x := cell.Min.X + gtx.Dp(18)
	if c.A != 0 {
		kit.FillRound(gtx, th, image.Rect(x, y-gtx.Dp(4), x+gtx.Dp(9), y+gtx.Dp(5)), c)
	}
	gtx.Constraints.Min = image.Point{}
	gtx.Constraints.Max = image.Pt(max(0, cell.Max.X-x-gtx.Dp(20)), cell.Dy())
	label, d := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Colour: th.Text, Text: name}.Line(th))
	kit.Place(gtx.Ops, image.Pt(x+gtx.Dp(14), y-d.Size.Y/2), label)
}

// BarCell draws a bar behind a number: part of the cell's width, from its right edge, of another colour below 0.
func BarCell(gtx C, th *kit.Theme, cell image.Rectangle, part float64) {
	c := kit.WithAlpha(th.Curve, 130)
	if part < 0 {
		c, part = kit.WithAlpha(th.Shape, 90), -part
	}
	gap := gtx.Dp(3)
	width := int(float64(cell.Dx()-2*gap)*min(1, part) + .5)
	kit.Fill(gtx.Ops, image.Rect(cell.Max.X-gap-width, cell.Min.Y+gap, cell.Max.X-gap, cell.Max.Y-gap), c)
}

// CurveCell draws a little curve of values from 0 to most.
func CurveCell(gtx C, th *kit.Theme, cell image.Rectangle, values []int64, most int64) {
	r := cell.Inset(gtx.Dp(3))
	if most <= 0 || r.Empty() || len(values) == 0 {
		return
	}
	var path clip.Path // one for all values: each shape that is filled costs the graphics card as much as a path
	path.Begin(gtx.Ops)
	for i, v := range values {
		if v <= 0 {
			continue
		}
		from, to := r.Min.X+i*r.Dx()/len(values), r.Min.X+(i+1)*r.Dx()/len(values)
		height := max(1, int(float64(r.Dy())*float64(v)/float64(most)+.5))
		kit.RectPath(&path, image.Rect(from, r.Max.Y-height, to, r.Max.Y))
	}
	paint.FillShape(gtx.Ops, th.Curve, clip.Outline{Path: path.End()}.Op())
}
