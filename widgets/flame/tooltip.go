package flame

import (
	"image"
	"strconv"

	giolayout "gioui.org/layout"

	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/widgets/kit"
)

// LayoutTooltip draws what is known of the cell under the pointer beside it. origin is where the Graph lies in the
// window.
func (g *Graph) LayoutTooltip(gtx C, th *kit.Theme, origin image.Point, s *State) {
	c := g.under()
	if c == nil {
		return
	}
	lines := s.tooltip(c)
	children := []giolayout.FlexChild{giolayout.Rigid(th.Strong(lines[0]).Wrapped(th))}
	for _, line := range lines[1:] {
		children = append(children, giolayout.Rigid(th.Aside(line).Wrapped(th)))
	}
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(460), window.X-gtx.Dp(8)), window.Y)}
	inset := giolayout.Inset{Left: 12, Right: 14, Top: 9, Bottom: 9}
	call, d := kit.Measure(gtx, kit.Padded(inset, kit.InColumn(children...)))
	kit.FloatBeside(gtx, th, origin.Add(image.Pt(int(g.pointer.X), int(g.pointer.Y))), window, call, d)
}

// tooltip is the lines of a cell's tooltip.
func (s *State) tooltip(c *cell) []string {
	title, _ := s.name(c)
	held, before := s.bytes(c)
	lines := []string{title}
	if c.node > 0 && s.Tree.Nodes[c.node].Kind == breakdown.Code {
		lines = append(lines, s.Tree.Timeline().Snapshot.FrameText(s.Tree.Nodes[c.node].Frame))
	}
	lines = append(lines, units.BytesInFull(held)+" · "+s.share(held)+" of all")
	if c.node != None {
		w := &s.Held[c.node]
		blocks := units.Plural(int64(w.Blocks), "block")
		if w.Self != 0 && w.Self != w.Bytes {
			blocks += " · " + units.Bytes(w.Self) + " of it without further calls"
		}
		lines = append(lines, blocks)
	}
	if s.Before != nil && c.node != None {
		lines = append(lines, units.BytesInFull(before)+" at A · "+units.SignedBytes(held-before))
	}
	if s.Matched != nil {
		lines = append(lines, units.BytesInFull(c.matched)+" of it matches the search")
	}
	return lines
}

// share is bytes as a part of all that is held.
func (s *State) share(bytes int64) string {
	return strconv.FormatFloat(100*float64(bytes)/float64(max(1, s.Held[0].Bytes)), 'f', 1, 64) + " %"
}
