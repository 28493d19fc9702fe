package widgets

import (
	"image"

	giolayout "gioui.org/layout"
)

// DropCurtain dims the window while a file is held over it and says what
// letting go will do.
func DropCurtain(gtx giolayout.Context, th *Theme, text string) {
	size := gtx.Constraints.Max
	dim := rgba(0xffffff, 200)
	if th.Dark {
		dim = rgba(0x05060a, 190)
	}
	fill(gtx.Ops, image.Rectangle{Max: size}, dim)
	r := image.Rectangle{Max: size}.Inset(gtx.Dp(16))
	dashedFrame(gtx, r, th.Accent)
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, r.Dx()-gtx.Dp(16)), size.Y)}
	ic, id := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return th.icon(gtx, IconOpen, 40, th.Link) })
	c, d := measure(gtx, Label{Size: TitleSize, Colour: th.Text, Text: text}.widget(th))
	y := (size.Y - id.Size.Y - d.Size.Y - gtx.Dp(10)) / 2
	place(gtx.Ops, image.Pt((size.X-id.Size.X)/2, y), ic)
	place(gtx.Ops, image.Pt((size.X-d.Size.X)/2, y+id.Size.Y+gtx.Dp(10)), c)
}
