package flame

import (
	"image"
	"image/color"
	"strings"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/op/clip"

	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/render/colour"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// Layout draws the cells in sight. lit is a node whose cell is outlined with those above it, None for none.
func (g *Graph) Layout(gtx C, th *kit.Theme, s *State, lit int32) D {
	g.follow(s)
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &g.tag)
	semantic.LabelOp("Flame graph").Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	if size.X <= 0 || size.Y <= 0 {
		return D{Size: size}
	}
	g.refresh(gtx, th, s, size)
	g.img.Add(gtx.Ops, image.Point{})
	for i := range g.cells {
		if c := &g.cells[i]; c.text != "" {
			g.label(gtx, th, s, c)
		}
	}
	if c := g.under(); c != nil {
		outline(gtx, c.at, th.Hover)
	} else if lit == None {
		lit = g.focus
	}
	for ; lit > 0; lit = s.Tree.Nodes[lit].Parent {
		for i := range g.cells {
			if c := &g.cells[i]; c.node == lit {
				outline(gtx, c.at, th.Hover)
			}
		}
	}
	if g.Focused(gtx) {
		kit.Fill(gtx.Ops, image.Rect(0, size.Y-gtx.Dp(2), size.X, size.Y), th.Accent)
	}
	return D{Size: size}
}

// outline draws a border of two pixels.
func outline(gtx C, r image.Rectangle, c color.NRGBA) {
	kit.Border(gtx.Ops, r, c)
	kit.Border(gtx.Ops, r.Inset(1), c)
}

// refresh makes the cells and their picture anew if what they depend on differs.
func (g *Graph) refresh(gtx C, th *kit.Theme, s *State, size image.Point) {
	high := gtx.Dp(rowHeight)
	now := made{s, size, high, g.root, g.top, th.Dark, size.Y / high}
	if now == g.made {
		return
	}
	g.made = now
	g.arrange(s)
	img := image.NewRGBA(image.Rectangle{Max: size})
	digit := th.Width(gtx, kit.Label{Face: kit.Mono, Size: kit.SmallSize, Text: "0000000000"})
	for i := range g.cells {
		c := &g.cells[i]
		g.paint(img, th, s, c)
		c.text = g.textOf(s, c, (c.at.Dx()-gtx.Dp(8))*10/max(1, digit))
	}
	g.img = kit.NewSprite(img, image.Point{})
}

// label draws a cell's text.
func (g *Graph) label(gtx C, th *kit.Theme, s *State, c *cell) {
	ink := color.NRGBA{R: 0x0b, G: 0x10, B: 0x20, A: 255}
	if ground := g.ground(th, s, c); colour.FromSRGB(ground.G) < .18 {
		ink = color.NRGBA{R: 0xf2, G: 0xf5, B: 0xfc, A: 255}
	}
	text := kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: ink, Text: c.text}
	call, d := kit.Measure(gtx, text.Line(th))
	kit.Place(gtx.Ops, image.Pt(c.at.Min.X+gtx.Dp(4), c.at.Min.Y+(c.at.Dy()-d.Size.Y)/2), call)
}

// paint fills a cell: of a search, only the part that it found.
func (g *Graph) paint(img *image.RGBA, th *kit.Theme, s *State, c *cell) {
	r := c.at.Intersect(img.Rect)
	if r.Dx() > 2 {
		r.Max.X-- // tells neighbours apart
	}
	r.Max.Y--
	kit.FillPixels(img, r, color.RGBA(g.ground(th, s, c)))
	held, _ := s.bytes(c)
	if s.Matched == nil || held <= 0 || c.matched == 0 {
		return
	}
	full := r
	full.Min.Y = r.Max.Y - max(2, r.Dy()/6)
	full.Max.X = r.Min.X + max(1, int(float64(r.Dx())*float64(c.matched)/float64(held)+.5))
	kit.FillPixels(img, full, color.RGBA(th.Accent))
}

// Colours of what grew and what shrank, in both themes.
var (
	grew   = color.RGBA{R: 0xd9, G: 0x9a, B: 0x5b, A: 255}
	shrank = color.RGBA{R: 0x6c, G: 0x9f, B: 0xd8, A: 255}
)

// ground is the colour of a cell.
func (g *Graph) ground(th *kit.Theme, s *State, c *cell) color.NRGBA {
	neutral, plain := color.RGBA(th.Line), c.node <= 0 || s.Tree.Nodes[c.node].Kind == breakdown.Framework
	if plain {
		neutral = color.RGBA(th.Raised)
	}
	col := neutral
	held, before := s.bytes(c)
	switch {
	case s.Before != nil && held != before:
		by, most := held-before, max(held, before)
		col = colour.Mix(neutral, grew, float64(by)/float64(most))
		if by < 0 {
			col = colour.Mix(neutral, shrank, float64(-by)/float64(most))
		}
	case s.Before == nil && !plain && s.Colour != nil:
		if own := s.Colour(c.node); own.A != 0 {
			col = color.RGBA(own)
		}
	}
	if s.Matched != nil && c.matched == 0 {
		col = colour.Mix(color.RGBA(th.Panel), col, .25)
	}
	if above := c.node >= 0 && s.Tree.Nodes[c.node].Depth < s.Tree.Nodes[g.made.root].Depth; above {
		col = colour.Mix(color.RGBA(th.Panel), col, .5)
	}
	return color.NRGBA(col)
}

// textOf is what of a cell's name fits so many letters, with its bytes where there is room.
func (g *Graph) textOf(s *State, c *cell, letters int) string {
	const least = 3
	if letters < least {
		return ""
	}
	name, short := s.name(c)
	held, _ := s.bytes(c)
	long := name + " · " + units.Bytes(held)
	for _, text := range []string{long, name, short} {
		if n := len([]rune(text)); n <= letters {
			return text
		}
	}
	runes := []rune(short) // the end of a name tells more than its middle
	tail := (letters - 1) / 2
	return string(runes[:letters-1-tail]) + "…" + string(runes[len(runes)-tail:])
}

// name is what a cell is called, and a shorter form of that.
func (s *State) name(c *cell) (name, short string) {
	if c.node == None {
		name = units.Plural(c.count, "smaller one")
		return name, name
	}
	n := &s.Tree.Nodes[c.node]
	switch {
	case c.node == 0:
		return "all", "all"
	case n.Kind == breakdown.Framework:
		return "framework", "framework"
	case n.Kind == breakdown.NodeBeforeRecording:
		return breakdown.BeforeRecording, breakdown.BeforeRecording
	case n.Kind == breakdown.NodeNoStack:
		return breakdown.NoStack, breakdown.NoStack
	}
	f := describe.FrameAt(s.Tree.Timeline().Snapshot, n.Frame)
	return strings.TrimSpace(f.Place + " " + f.Function), f.Place
}
