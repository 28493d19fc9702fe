package sheet

import (
	"image"

	giolayout "gioui.org/layout"

	"strata/widgets/kit"
)

// DropOverlay dims the window while a file is held over it and says what letting go will do.
func DropOverlay(gtx C, th *kit.Theme, text string) {
	size := gtx.Constraints.Max
	dim := kit.RGBA(0xffffff, 200)
	if th.Dark {
		dim = kit.RGBA(0x05060a, 190)
	}
	kit.Fill(gtx.Ops, image.Rectangle{Max: size}, dim)
	r := image.Rectangle{Max: size}.Inset(gtx.Dp(16))
	kit.DashedFrame(gtx, th, r, th.Accent)
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, r.Dx()-gtx.Dp(16)), size.Y)}
	ic, id := kit.Measure(gtx, th.Picture(kit.IconOpen, 40, th.Link))
	c, d := kit.Measure(gtx, kit.Label{Size: kit.TitleSize, Colour: th.Text, Text: text}.Line(th))
	y := (size.Y - id.Size.Y - d.Size.Y - gtx.Dp(10)) / 2
	kit.Place(gtx.Ops, image.Pt((size.X-id.Size.X)/2, y), ic)
	kit.Place(gtx.Ops, image.Pt((size.X-d.Size.X)/2, y+id.Size.Y+gtx.Dp(10)), c)
}
