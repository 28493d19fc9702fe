package allocator

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"

	"strata/layout/state"
	"strata/layout/units"
	"strata/render/colour"
	"strata/widgets/kit"
)

// ledger draws the bar of totals and what its parts are.
func (p *Strips) ledger(gtx C, th *kit.Theme, s *State, width int) {
	bytes, reserved := Ledger(s.At), max(1, s.At.Totals.Reserved)
	top, high := gtx.Dp(20), gtx.Dp(14)
	x, edge := 0., gtx.Dp(6)
	p.bars = [parts]image.Rectangle{}
	full := float64(width - 2*edge)
	for part, n := range bytes {
		from := edge + int(x)
		x += full * float64(n) / float64(reserved)
		p.bars[part] = image.Rect(from, top, edge+int(x), top+high)
		kit.Fill(gtx.Ops, p.bars[part], partColour(th, Part(part)))
	}
	kit.Border(gtx.Ops, image.Rect(edge, top, width-edge, top+high), th.Line)
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(width-2*edge, gtx.Dp(18))}
	row := kit.Row{Gtx: gtx, X: edge, End: width - edge, Height: gtx.Dp(20)}
	for part, n := range bytes {
		if n == 0 && Part(part) != Whole {
			continue
		}
		swatch := image.Rect(row.X, gtx.Dp(6), row.X+gtx.Dp(8), gtx.Dp(14))
		label := th.Small(ledgerText(Part(part), n, reserved))
		if !row.Fits(label.Line(th)) {
			break
		}
		kit.Fill(gtx.Ops, swatch, partColour(th, Part(part)))
		kit.Border(gtx.Ops, swatch, th.Line)
		row.X += gtx.Dp(12)
		row.Add(label.Line(th), 14)
	}
	if room := row.End - row.X; room > gtx.Dp(120) {
		g := gtx
		g.Constraints.Max.X = room
		c, d := kit.Measure(g, th.Small(title(s.At)).Line(th))
		kit.Place(gtx.Ops, image.Pt(row.End-d.Size.X, (gtx.Dp(20)-d.Size.Y)/2), c)
	}
}

// partColour is what a part is drawn with.
func partColour(th *kit.Theme, p Part) color.NRGBA {
	switch p {
	case Asked:
		return th.Curve
	case Lost:
		return th.Warning
	case CutOff:
		return th.Quiet
	}
	return th.Raised
}

// mark lights what belongs to a part that is pointed at, and the free ranges that stand out.
func (p *strip) mark(img *image.RGBA, c *stripColours, part Part) {
	if part != CutOff && part != Whole && p.s.Lit == nil {
		return
	}
	for id, free := range p.s.At.Within(p.g) {
		if id >= 0 {
			continue
		}
		lit := p.s.Lit != nil && p.s.Lit.first[free.Addr]
		if whole := free.Size == p.g.Size || p.g.Expandable; part == Whole && whole || part == CutOff && !whole {
			lit = true
		}
		if !lit {
			continue
		}
		from := p.pixel(free.Addr)
		r := image.Rect(from, p.at.Min.Y, max(from+1, p.pixel(free.Addr+uint64(free.Size))), p.at.Max.Y)
		kit.FillPixels(img, r, colour.Mix(c.free, c.lit, .55))
	}
}

// LayoutTooltip draws what is known of what lies under the pointer. origin is where the Strips lie in the window.
func (p *Strips) LayoutTooltip(gtx C, th *kit.Theme, origin image.Point, s *State) {
	lines := s.tooltip(p.under(s))
	if len(lines) == 0 {
		return
	}
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(420), window.X-gtx.Dp(8)), window.Y)}
	inset := giolayout.Inset{Left: 12, Right: 14, Top: 9, Bottom: 9}
	call, d := kit.Measure(gtx, kit.Padded(inset, th.Titled(lines)))
	kit.FloatBeside(gtx, th, origin.Add(image.Pt(int(p.pointer.X), int(p.pointer.Y))), window, call, d)
}

// tooltip is the lines about what lies under the pointer, the first as a title; none for nothing.
func (s *State) tooltip(u under) []string {
	switch {
	case u.part != NoPart:
		bytes := Ledger(s.At)[u.part]
		return []string{partNames[u.part] + ": " + units.BytesInFull(bytes), partTips[u.part]}
	case u.segment < 0:
		return nil
	}
	g := &s.At.Segments[u.segment]
	switch {
	case u.label:
		return append(s.segmentLines(g), "Click shows what lay in it through the run.")
	case u.block != None:
		b := s.At.History.Block(u.block)
		return s.blockLines(u.block, b.Pending(s.At.K))
	}
	return s.freeLines(g, u.addr)
}

// segmentLines describe a segment.
func (s *State) segmentLines(g *state.Segment) []string {
	kind := "for blocks over 1 MiB"
	if !g.Large {
		kind = "for blocks up to 1 MiB"
	}
	if g.Expandable {
		kind = "expandable, " + kind
	}
	since := "there since before the first event"
	if g.Since >= 0 {
		since = "of this size since event " + units.Count(g.Since)
	}
	pool := s.PoolName(state.PoolKey{Pool: g.Pool, Stream: g.Stream})
	lines := []string{"Segment of " + units.BytesInFull(g.Size), pool, kind, since,
		units.Bytes(g.Requested) + " requested in " + units.Plural(g.End-g.First, "block") + ", " +
			units.Bytes(g.Free) + " free, largest range " + units.Bytes(g.Largest),
		"0x" + hex(g.Addr)}
	switch {
	case g.First == g.End:
		lines = append(lines, "No block is in it: torch.cuda.empty_cache() gives it back.")
	case g.End-g.First <= 3 && g.Free > g.Size/2:
		lines = append(lines, "Kept from being returned by "+units.Plural(g.End-g.First, "block")+":")
		for _, id := range s.At.Blocks[g.First:g.End] {
			b := s.At.History.Block(id)
			lines = append(lines, units.Bytes(b.Occupied)+"  "+s.Site(id))
		}
	}
	return lines
}

// blockLines describe a block, which waits for another stream or not.
func (s *State) blockLines(id int32, waits bool) []string {
	b := s.At.History.Block(id)
	lines := []string{units.BytesInFull(b.Requested), s.Site(id)}
	if lost := b.Occupied - b.Requested; lost > 0 {
		lines = append(lines, "takes "+units.BytesInFull(b.Occupied)+", "+units.Bytes(lost)+" more than was asked for")
	}
	if waits {
		lines = append(lines, "freed, but another stream may still use it: it waits")
	}
	age := "there since before the first event"
	if b.Born >= 0 {
		age = "since event " + units.Count(b.Born)
	}
	if b.Died != state.Never {
		age += ", until event " + units.Count(b.Died)
	} else {
		age += ", never freed"
	}
	return append(lines, age, "0x"+hex(b.Addr))
}

// freeLines describe a free range, which holds an address.
func (s *State) freeLines(g *state.Segment, addr uint64) []string {
	for id, free := range s.At.Within(g) {
		if id >= 0 || addr < free.Addr || addr-free.Addr >= uint64(free.Size) {
			continue
		}
		pool := s.PoolName(state.PoolKey{Pool: g.Pool, Stream: g.Stream})
		lines := []string{units.BytesInFull(free.Size) + " free", pool}
		if free.Size == g.Size {
			return append(lines, "The whole segment: torch.cuda.empty_cache() gives it back.")
		}
		return append(lines, "Serves requests of this pool and stream alone; blocks keep the segment.",
			"0x"+hex(free.Addr))
	}
	return nil
}
