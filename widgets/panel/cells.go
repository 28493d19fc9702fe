package panel

import (
	"image"
	"image/color"

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
	for x := r.Min.X; x < r.Max.X; x++ {
		v := values[(x-r.Min.X)*len(values)/r.Dx()]
		height := int(float64(r.Dy())*float64(v)/float64(most) + .5)
		if v > 0 {
			height = max(1, height)
		}
		kit.Fill(gtx.Ops, image.Rect(x, r.Max.Y-height, x+1, r.Max.Y), th.Curve)
	}
}
