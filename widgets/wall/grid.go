// Package wall draws many ranks as a grid of small charts.
package wall

import (
	"image"
	"image/color"
	"strings"

	"gioui.org/gesture"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/unit"
	"gioui.org/widget"

	"strata/widgets/kit"
)

type (
	// C is Gio's, under a short name.
	C = giolayout.Context
	// D is Gio's, under a short name.
	D = giolayout.Dimensions
)

// A Card is a rank.
type Card struct {
	Title    string
	Device   string      // of several in a file
	Note     string      // beside the title, quietly
	Lines    [2]string   // figures
	Reason   string      // why it stands out, "" if it does not
	Error    string      // why it could not be read, "" if it could
	Curve    []int64     // bytes in equal parts of the part of the axis that it has
	Part     float64     // of the axis, 0 to 1
	Ink      color.NRGBA // of its kind
	Selected bool
}

// A State is what a Grid shows.
type State struct {
	Len  int
	Card func(i int) Card // asked for those in sight
	Most int64            // the highest of all curves, which have one scale
}

// An Event is what the user did with a card, -1 for nothing.
type Event struct{ Open, Select int }

// A Grid is the cards, of which only those in sight are drawn. Its zero value is ready.
type Grid struct {
	list    widget.List
	columns int
	cards   map[int]*card // those in sight
	old     map[int]*card
}

// card is what a card remembers.
type card struct {
	click  gesture.Click
	choose kit.Button
}

// The measures of cards.
const (
	leastWidth = unit.Dp(236)
	cardHeight = unit.Dp(184)
	gap        = unit.Dp(8)
)

// Update reads the cards' events: a click opens, with Ctrl or Shift, or on the box, it selects.
func (g *Grid) Update(gtx C) Event {
	e := Event{-1, -1}
	for i, c := range g.cards {
		if c.choose.Clicked(gtx) {
			e.Select = i
		}
		for {
			click, ok := c.click.Update(gtx.Source)
			if !ok {
				break
			}
			switch {
			case click.Kind != gesture.KindClick:
			case click.Modifiers&(key.ModShift|key.ModShortcut) != 0:
				e.Select = i
			default:
				e.Open = i
			}
		}
	}
	return e
}

// Top scrolls to the first card.
func (g *Grid) Top() { g.list.Position = giolayout.Position{BeforeEnd: true} }

// Page scrolls by so many rows.
func (g *Grid) Page(rows int) {
	g.list.Position.First = max(0, g.list.Position.First+rows)
	g.list.Position.BeforeEnd = true
}

// Layout draws the cards in sight.
func (g *Grid) Layout(gtx C, th *kit.Theme, s *State) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	g.columns = max(1, (size.X-gtx.Dp(gap))/gtx.Dp(leastWidth+gap))
	g.old, g.cards = g.cards, map[int]*card{}
	rows := (s.Len + g.columns - 1) / g.columns
	th.OverlayList(&g.list, 6).Layout(gtx, rows, func(gtx C, row int) D {
		return g.row(gtx, th, s, row)
	})
	return D{Size: size}
}

// row draws a row of cards.
func (g *Grid) row(gtx C, th *kit.Theme, s *State, row int) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(cardHeight+gap))
	space := gtx.Dp(gap)
	width := (size.X - space*(g.columns+1)) / g.columns
	for k := range g.columns {
		i := row*g.columns + k
		if i >= s.Len || width <= 0 {
			break
		}
		at := image.Pt(space+k*(width+space), space)
		offset := op.Offset(at).Push(gtx.Ops)
		c := gtx
		c.Constraints = giolayout.Exact(image.Pt(width, gtx.Dp(cardHeight)))
		g.card(c, th, s, i)
		offset.Pop()
	}
	return D{Size: size}
}

// card draws one card.
func (g *Grid) card(gtx C, th *kit.Theme, s *State, i int) {
	what, size := s.Card(i), gtx.Constraints.Max
	c := g.old[i]
	if c == nil {
		c = new(card)
	}
	g.cards[i] = c
	r := image.Rectangle{Max: size}
	border := th.Line
	switch {
	case what.Selected:
		border = th.Accent
	case what.Error != "":
		border = th.Red
	case what.Reason != "":
		border = th.Warning
	}
	ground := th.Card
	if c.click.Hovered() {
		ground = th.Raised
	}
	kit.Box(gtx, th, r, border, ground)
	area := clip.Rect(r).Push(gtx.Ops)
	name := strings.TrimSpace(what.Title + " " + what.Device)
	semantic.DescriptionOp(name + ": " + what.Lines[0] + ", " + what.Lines[1]).Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	c.click.Add(gtx.Ops)
	area.Pop() // the box is beside it, so that a click on one is none on the other
	defer clip.Rect(r).Push(gtx.Ops).Pop()
	gtx.Constraints.Min = image.Point{}
	pad := gtx.Dp(8)
	end := g.choose(gtx, th, c, &what, size, pad)
	g.head(gtx, th, &what, pad, end)
	top := gtx.Dp(28)
	lines := gtx.Dp(18)
	chart := image.Rect(pad, top, size.X-pad, size.Y-4*lines-gtx.Dp(8))
	if what.Error != "" {
		gtx.Constraints.Max = image.Pt(size.X-2*pad, size.Y-top)
		call, _ := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Colour: th.Red, Text: what.Error}.Wrapped(th))
		kit.Place(gtx.Ops, image.Pt(pad, top), call)
		return
	}
	kit.Fill(gtx.Ops, chart, th.Ground)
	curve(gtx, chart, &what, s.Most)
	gtx.Constraints.Max = image.Pt(size.X-2*pad, size.Y)
	y := chart.Max.Y + gtx.Dp(4)
	for _, text := range what.Lines {
		call, _ := kit.Measure(gtx, th.Small(text).Line(th))
		kit.Place(gtx.Ops, image.Pt(pad, y), call)
		y += lines
	}
	if what.Reason != "" { // what does not fit two lines is cut off; the page's sentence has it whole
		defer clip.Rect(image.Rect(0, y, size.X, y+gtx.Dp(27))).Push(gtx.Ops).Pop()
		reason := kit.Label{Size: kit.SmallSize, Colour: th.Warning, Text: what.Reason}
		call, _ := kit.Measure(gtx, reason.Wrapped(th))
		kit.Place(gtx.Ops, image.Pt(pad, y), call)
	}
}

// choose draws the box that selects a card and returns where it begins.
func (g *Grid) choose(gtx C, th *kit.Theme, c *card, what *Card, size image.Point, pad int) int {
	look := kit.ButtonLook{Icon: kit.IconUnchecked, Small: true, Colour: th.Quiet, Hint: "Select two to compare them",
		HintLeft: true}
	if what.Selected {
		look.Icon, look.Colour = kit.IconChecked, th.Link
	}
	call, d := kit.Measure(gtx, c.choose.Look(th, look))
	at := image.Pt(size.X-d.Size.X-gtx.Dp(2), gtx.Dp(2))
	kit.Place(gtx.Ops, at, call)
	return at.X - pad
}

// head draws the title and what stands beside it.
func (g *Grid) head(gtx C, th *kit.Theme, what *Card, x, end int) {
	y := gtx.Dp(6)
	gtx.Constraints.Max.X = max(0, end-x)
	device, of := kit.Measure(gtx, th.Strong(what.Device).Line(th))
	if what.Device != "" { // it is never cut for the sake of a long name
		gtx.Constraints.Max.X = max(0, end-x-of.Size.X-gtx.Dp(8))
	}
	call, d := kit.Measure(gtx, th.Strong(what.Title).Line(th))
	kit.Place(gtx.Ops, image.Pt(x, y), call)
	x += d.Size.X + gtx.Dp(8)
	if what.Device != "" {
		kit.Place(gtx.Ops, image.Pt(x, y), device)
		x += of.Size.X + gtx.Dp(8)
	}
	if gtx.Constraints.Max.X = end - x; gtx.Constraints.Max.X > gtx.Dp(30) {
		call, _ := kit.Measure(gtx, th.Small(what.Note).Line(th))
		kit.Place(gtx.Ops, image.Pt(x, y+gtx.Dp(2)), call)
	}
}

// curve draws a curve as one shape, which costs the graphics card as much as one rectangle.
func curve(gtx C, r image.Rectangle, what *Card, most int64) {
	if most <= 0 || r.Empty() || len(what.Curve) == 0 {
		return
	}
	width := max(1, int(float64(r.Dx())*min(1, what.Part)+.5))
	var path clip.Path
	path.Begin(gtx.Ops)
	from, before := r.Min.X, -1
	add := func(to, height int) {
		if before > 0 && to > from {
			kit.RectPath(&path, image.Rect(from, r.Max.Y-before, to, r.Max.Y))
		}
		from, before = to, height
	}
	for i, v := range what.Curve {
		x := r.Min.X + i*width/len(what.Curve)
		if height := int(float64(r.Dy())*float64(v)/float64(most) + .5); height != before {
			add(x, height)
		}
	}
	add(r.Min.X+width, 0)
	paint.FillShape(gtx.Ops, what.Ink, clip.Outline{Path: path.End()}.Op())
}
