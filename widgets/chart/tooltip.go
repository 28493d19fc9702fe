package chart

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/layout"
	"strata/render/colour"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// ShowsTooltip reports whether the hovered allocation's tooltip is to be
// shown: the pointer is on it and it was not sent away.
func (tl *Timeline) ShowsTooltip(hovered layout.ID) bool {
	if hovered+1 != tl.dismissed {
		tl.dismissed = 0
	}
	_, ok := tl.Pointer()
	return ok && hovered != layout.None && hovered+1 != tl.dismissed
}

// LayoutTooltip draws the tooltip beside the pointer, inside the window.
// origin is where the timeline lies in the window.
func (tl *Timeline) LayoutTooltip(gtx C, th *kit.Theme, origin image.Point, d *describe.Details) {
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(380), window.X), window.Y)}
	c, dims := kit.Measure(gtx, func(gtx C) D {
		return giolayout.Inset{Left: 12, Right: 14, Top: 9, Bottom: 10}.Layout(gtx, func(gtx C) D {
			return tooltipText(gtx, th, d)
		})
	})
	tl.beside(gtx, th, origin, window, c, dims)
}

// LayoutMarkTip draws what a mark under the pointer says, the first line as a title.
func (tl *Timeline) LayoutMarkTip(gtx C, th *kit.Theme, origin image.Point, lines []string) {
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(420), window.X), window.Y)}
	c, dims := kit.Measure(gtx, func(gtx C) D {
		return giolayout.Inset{Left: 12, Right: 14, Top: 8, Bottom: 9}.Layout(gtx, func(gtx C) D {
			children := make([]giolayout.FlexChild, 0, 6)
			for i, line := range lines {
				label := kit.Label{Colour: th.Quiet, Text: line}
				if i == 0 {
					label = kit.Label{Face: kit.Strong, Colour: th.Text, Text: line}
				}
				children = append(children, giolayout.Rigid(label.Wrapped(th)))
			}
			return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx, children...)
		})
	})
	tl.beside(gtx, th, origin, window, c, dims)
}

// beside draws a tooltip beside the pointer, inside the window.
func (tl *Timeline) beside(gtx C, th *kit.Theme, origin, window image.Point, c op.CallOp,
	dims D,
) {
	away := gtx.Dp(16)
	at := image.Pt(int(tl.pointer.X), int(tl.pointer.Y)).Add(origin)
	box := at.Add(image.Pt(away, away))
	if box.X+dims.Size.X > window.X-gtx.Dp(4) {
		box.X = at.X - away - dims.Size.X
	}
	below := min(window.Y-gtx.Dp(4), origin.Y+tl.plot.Max.Y+gtx.Dp(30)) // it is not to hide the bottom bar
	if box.Y+dims.Size.Y > below {
		box.Y = at.Y - away - dims.Size.Y
	}
	box.X, box.Y = max(gtx.Dp(4), box.X), max(gtx.Dp(4), box.Y)
	kit.Float(gtx, th, box, c, dims, nil)
}

// tooltipText is the lines of the tooltip.
func tooltipText(gtx C, th *kit.Theme, d *describe.Details) D {
	line := func(w giolayout.Widget) giolayout.FlexChild {
		return giolayout.Rigid(func(gtx C) D { return giolayout.Inset{Top: 2, Bottom: 1}.Layout(gtx, w) })
	}
	pair := func(a, b kit.Label) giolayout.Widget {
		return func(gtx C) D {
			return giolayout.Flex{Alignment: giolayout.Baseline}.Layout(gtx,
				giolayout.Rigid(a.Line(th)),
				kit.Gap(8),
				giolayout.Rigid(b.Line(th)))
		}
	}
	children := make([]giolayout.FlexChild, 0, 8)
	children = append(children, line(pair(kit.Label{Face: kit.MonoStrong, Colour: th.Text, Text: d.Size}, th.Figures(d.Exact))))
	if !d.Rest {
		children = append(children,
			line(pair(th.MonoText(d.Alive), th.Figures(d.Lasted))),
			line(pair(th.Aside("total"), th.MonoText(d.Totals))),
			line(th.Body(d.Site).Line(th)))
	}
	if d.Shape != "" {
		children = append(children, line(kit.Label{Face: kit.Mono, Colour: th.Shape, Text: d.Shape}.Wrapped(th)))
	}
	if d.Phase != "" {
		children = append(children, line(th.Aside(d.Phase).Line(th)))
	}
	if d.Here != "" && d.Here != d.Phase {
		children = append(children, line(pair(th.Aside("here in"), th.Aside(d.Here))))
	}
	if d.Note != "" {
		children = append(children, line(th.Aside(d.Note).Wrapped(th)))
	}
	if d.Address != "" {
		children = append(children, line(th.Figures("stream "+d.Stream+" · "+colour.PoolTitle(d.Pool)+" · "+d.Address).Line(th)))
	}
	return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx, children...)
}
