package sheet

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/widgets/kit"
)

// cardWidth is the most that a card takes.
const cardWidth unit.Dp = 560

// card draws content in a box with a coloured left edge.
func card(gtx C, th *kit.Theme, edge color.NRGBA, width unit.Dp, content giolayout.Widget) D {
	gtx.Constraints.Min = image.Point{}
	gtx.Constraints.Max.X = min(gtx.Constraints.Max.X, gtx.Dp(width))
	c, d := kit.Measure(gtx, kit.Padded(giolayout.Inset{Left: 20, Right: 16, Top: 14, Bottom: 14}, content))
	r := image.Rectangle{Max: image.Pt(max(d.Size.X, gtx.Constraints.Max.X), d.Size.Y)}
	kit.Shadow(gtx, th, r)
	kit.Box(gtx, th, r, th.Line, th.Card)
	kit.Fill(gtx.Ops, image.Rect(1, gtx.Dp(4), 1+gtx.Dp(3), r.Max.Y-gtx.Dp(4)), edge)
	c.Add(gtx.Ops)
	return D{Size: r.Max}
}
