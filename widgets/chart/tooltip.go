package chart

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/layout"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// ShowsTooltip reports whether the hovered allocation's tooltip is to be
// shown: the pointer is on it and it was not sent away.
func (tl *Timeline) ShowsTooltip(hovered layout.ID) bool {
	if tl.shown = hovered + 1; tl.shown != tl.dismissed {
		tl.dismissed = 0
	}
	_, ok := tl.Pointer()
	return ok && hovered != layout.None && hovered+1 != tl.dismissed
}

// DismissTooltip sends the tooltip away, as while one types; it returns with the next allocation.
func (tl *Timeline) DismissTooltip() { tl.dismissed = tl.shown }

// LayoutTooltip draws the tooltip of an allocation beside the pointer. origin is where the timeline lies in the window.
func (tl *Timeline) LayoutTooltip(gtx C, th *kit.Theme, origin image.Point, d *describe.Details) {
	tl.tip(gtx, th, origin, 380, tooltipText(th, d))
}

// LayoutMarkTip draws what a mark under the pointer says, the first line as a title.
func (tl *Timeline) LayoutMarkTip(gtx C, th *kit.Theme, origin image.Point, lines []string) {
	tl.tip(gtx, th, origin, 420, th.Titled(lines))
}

// tipInset is around the text of a tooltip.
var tipInset = giolayout.Inset{Left: 12, Right: 14, Top: 9, Bottom: 9}

// tip draws a tooltip of at most a width beside the pointer: over the timeline and the panels above it, but not over
// those at its right and below.
func (tl *Timeline) tip(gtx C, th *kit.Theme, origin image.Point, most unit.Dp, text giolayout.Widget) {
	window, edge := gtx.Constraints.Max, gtx.Dp(4)
	room := image.Pt(min(window.X, origin.X+tl.size.X), min(window.Y, origin.Y+tl.plot.Max.Y+gtx.Dp(34)))
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(most), room.X-2*edge), window.Y)}
	c, d := kit.Measure(gtx, kit.Padded(tipInset, text))
	at := image.Pt(int(tl.pointer.X), int(tl.pointer.Y)).Add(origin)
	tl.tipAt = kit.FloatBeside(gtx, th, at, room, c, d)
}

// tooltipNotes is how many texts from the file a tooltip shows; the panel has all.
const tooltipNotes = 4

// tooltipText is the lines of the tooltip.
func tooltipText(th *kit.Theme, d *describe.Details) giolayout.Widget {
	line := func(w giolayout.Widget) giolayout.FlexChild {
		return giolayout.Rigid(kit.Padded(giolayout.Inset{Top: 2, Bottom: 1}, w))
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
	children = append(children, line(pair(kit.Label{Face: kit.MonoStrong, Colour: th.Text, Text: d.Size},
		th.Figures(d.Exact))))
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
	for _, n := range d.Notes[:min(len(d.Notes), tooltipNotes)] {
		children = append(children, line(th.Aside(n.Line()).Line(th)))
	}
	if d.Asked != "" {
		children = append(children, line(th.Aside(d.Asked).Line(th)))
	}
	if d.Address != "" && d.Pool != "" {
		children = append(children, line(th.Figures("stream "+d.Stream+" · "+layout.PoolTitle(d.Pool)+" · "+
			d.Address).Line(th)))
	}
	return kit.InColumn(children...)
}
