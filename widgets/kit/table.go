package kit

import (
	"image"
	"unicode/utf8"

	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"strata/layout/query"
	"strata/layout/units"
)

// TableRows is what a Table shows.
type TableRows interface {
	Heads() []query.Column
	Len() int                 // it may grow
	Row(i int) []query.Value  // good until the next call
	Leads(i int) query.Target // what a row is about; Kind is "" for nothing
}

// answerRows is a query.Answer as a Table shows it.
type answerRows struct{ *query.Answer }

func (a answerRows) Heads() []query.Column   { return a.Columns }
func (a answerRows) Len() int                { return len(a.Rows) }
func (a answerRows) Row(i int) []query.Value { return a.Rows[i] }
func (a answerRows) Leads(i int) (to query.Target) {
	if i < len(a.Targets) {
		to = a.Targets[i]
	}
	return to
}

// A Table shows rows, as of a query.Answer: only those in sight are drawn. A click on a column's name sorts, its right
// edge can be dragged, and a click on a row goes to what it is about. Bytes are shown as people read them, those of
// the row under the pointer exactly.
type Table struct {
	// Order is the rows in the order they are shown; nil: as they came.
	Order    []int32
	Selected int // row of the answer, -1 none
	// Lit reports whether a row stands out, in place of the selected one. It may be nil.
	Lit func(row int) bool
	// Paint draws a cell in place of its text; it reports whether it did. It may be nil.
	Paint func(gtx C, th *Theme, cell image.Rectangle, row, col int) bool
	// Least is how wide the first columns are at least.
	Least []unit.Dp

	of      TableRows
	list    widget.List
	bar     widget.Scrollbar
	x       int    // how far it is scrolled sideways, px
	widths  []int  // px of each column
	numbers []bool // whether it holds numbers
	sized   int    // how many rows the widths were made for
	heads   []gesture.Click
	edges   []edge
	rows    map[int]*gesture.Click // of the rows in sight
	old     map[int]*gesture.Click // of those in the frame before
	area    int8
}

// An edge is the right end of a column, which can be dragged.
type edge struct {
	drag gesture.Drag
	from float32 // where it was gripped, relative to the edge
}

// TableEvent is what the user did with a table.
type TableEvent struct {
	Sort int // column whose name was clicked, -1 none
	Row  int // row of the answer that was clicked, -1 none

	// Asked: a menu is wanted of a cell, at a place of the table.
	Asked            bool
	MenuRow, MenuCol int
	At               image.Point
}

// Update reads the table's events.
func (tb *Table) Update(gtx C) TableEvent {
	e := TableEvent{Sort: -1, Row: -1}
	for i := range tb.heads {
		if Clicked(gtx, &tb.heads[i]) {
			e.Sort = i
		}
	}
	for i := range tb.edges {
		g := &tb.edges[i]
		for {
			d, ok := g.drag.Update(gtx.Metric, gtx.Source, gesture.Horizontal)
			if !ok {
				break
			}
			switch d.Kind {
			case pointer.Press:
				g.from = d.Position.X
			case pointer.Drag:
				// Positions are relative to the edge as drawn in the frame before, which has moved with the width.
				tb.widths[i] = max(gtx.Dp(32), tb.widths[i]+int(d.Position.X-g.from))
			}
		}
	}
	for row, click := range tb.rows {
		if Clicked(gtx, click) {
			e.Row, tb.Selected = row, row
		}
	}
	area := pointer.Filter{Target: &tb.area, Kinds: pointer.Scroll | pointer.Press, ScrollX: AnyScroll}
	for p := range Events[pointer.Event](gtx, area) {
		switch {
		case p.Kind == pointer.Scroll:
			tb.x += int(p.Scroll.X)
		case p.Buttons.Contain(pointer.ButtonSecondary):
			at := p.Position.Round()
			if row, col, is := tb.cell(gtx, at); is {
				e.Asked, e.MenuRow, e.MenuCol, e.At = true, row, col, at
				tb.Selected = row
			}
		}
	}
	return e
}

// cell is the row of the answer and the column at a place of the table.
func (tb *Table) cell(gtx C, at image.Point) (row, col int, ok bool) {
	y := at.Y - gtx.Dp(headHeight)
	if tb.of == nil || y < 0 {
		return 0, 0, false
	}
	i := tb.list.Position.First + (y+tb.list.Position.Offset)/max(1, gtx.Dp(rowHeight))
	x := at.X + tb.x
	for col = 0; col < len(tb.widths)-1 && x >= tb.widths[col]; col++ {
		x -= tb.widths[col]
	}
	if i >= tb.of.Len() || len(tb.widths) == 0 {
		return 0, 0, false
	}
	return tb.row(i), col, true
}

// Reveal scrolls to a row, as a place of the list.
func (tb *Table) Reveal(i int) { Reveal(&tb.list, i) }

// Widths is how wide the columns are, px.
func (tb *Table) Widths() []int { return tb.widths }

// InSight says which rows are, as places of the list.
func (tb *Table) InSight() (first, count int) { return tb.list.Position.First, tb.list.Position.Count }

// Hovered is the row under the pointer, -1 for none.
func (tb *Table) Hovered() int {
	for row, click := range tb.rows {
		if click.Hovered() {
			return row
		}
	}
	return -1
}

// row is the answer's row at a place of the list.
func (tb *Table) row(i int) int {
	if i < len(tb.Order) {
		return int(tb.Order[i])
	}
	return i
}

// headHeight and rowHeight are those of the names and of a row.
const (
	headHeight = unit.Dp(26)
	rowHeight  = unit.Dp(22)
)

// Show puts an answer into the table, in the order it came; nil is none.
func (tb *Table) Show(a *query.Answer) {
	if a == nil {
		tb.ShowRows(nil)
		return
	}
	tb.ShowRows(answerRows{a})
}

// ShowRows puts rows into the table, in the order they came; nil is none.
func (tb *Table) ShowRows(rows TableRows) {
	*tb = Table{of: rows, Selected: -1, rows: map[int]*gesture.Click{}, old: map[int]*gesture.Click{}}
	if rows != nil {
		tb.heads, tb.edges = make([]gesture.Click, len(rows.Heads())), make([]edge, len(rows.Heads()))
	}
}

// Layout draws the table; sorted is the column it is sorted by, -1 none.
func (tb *Table) Layout(gtx C, th *Theme, sorted int, down bool) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	if tb.of == nil || len(tb.of.Heads()) == 0 {
		return D{Size: size}
	}
	tb.measure(gtx, th)
	total := 0
	for _, w := range tb.widths {
		total += w
	}
	tb.x = max(0, min(tb.x, total-size.X))
	event.Op(gtx.Ops, &tb.area)
	semantic.LabelOp("Table").Add(gtx.Ops)
	tb.old, tb.rows = tb.rows, tb.old
	clear(tb.rows)

	head := gtx.Dp(headHeight)
	body := gtx
	body.Constraints = giolayout.Exact(image.Pt(size.X, max(0, size.Y-head)))
	offset := op.Offset(image.Pt(0, head)).Push(gtx.Ops)
	style := th.OverlayList(&tb.list, 6)
	style.Layout(body, tb.of.Len(), func(gtx C, i int) D {
		return tb.layoutRow(gtx, th, tb.row(i))
	})
	offset.Pop()
	tb.names(gtx, th, sorted, down)
	tb.sideways(gtx, th, total)
	return D{Size: size}
}

// measure makes the columns as wide as their first rows need, once there are some; what the user made of them stays.
func (tb *Table) measure(gtx C, th *Theme) {
	const looked, most = 200, 60
	heads := tb.of.Heads()
	n := min(tb.of.Len(), looked)
	if tb.widths != nil && (tb.sized > 0 || n == 0) {
		return
	}
	char := th.Width(gtx, Label{Face: Mono, Size: SmallSize, Text: "0000000000"})
	tb.widths, tb.numbers, tb.sized = make([]int, len(heads)), make([]bool, len(heads)), n
	for c := range heads {
		tb.numbers[c] = tb.number(c)
		chars := len([]rune(heads[c].Name)) + 2
		for i := range n {
			chars = max(chars, utf8.RuneCountInString(tb.cellText(c, &tb.of.Row(i)[c], true)))
		}
		tb.widths[c] = (min(chars, most)+1)*char/10 + gtx.Dp(16)
		if c < len(tb.Least) {
			tb.widths[c] = max(tb.widths[c], gtx.Dp(tb.Least[c]))
		}
	}
}

// names draws the columns' names and takes their edges.
func (tb *Table) names(gtx C, th *Theme, sorted int, down bool) {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(headHeight))
	Fill(gtx.Ops, image.Rectangle{Max: size}, th.Raised)
	x := -tb.x
	for c, head := range tb.of.Heads() {
		w := tb.widths[c]
		cell := image.Rect(x, 0, x+w, size.Y)
		x += w
		if cell.Max.X <= 0 || cell.Min.X >= size.X {
			continue
		}
		area := clip.Rect(cell).Push(gtx.Ops)
		pointer.CursorPointer.Add(gtx.Ops)
		tb.heads[c].Add(gtx.Ops)
		colour := th.Quiet
		if tb.heads[c].Hovered() || c == sorted {
			colour = th.Text
		}
		right := tb.numbers[c]
		gap := gtx.Dp(8)
		if c == sorted { // the sign stands at the end away from the text
			tip := image.Pt(cell.Max.X-gap-gtx.Dp(2), size.Y/2)
			if right {
				tip.X = cell.Min.X + gap + gtx.Dp(2)
			}
			if tip.Y -= gtx.Dp(3); down {
				tip.Y += 2 * gtx.Dp(3)
			}
			Triangle(gtx, th, tip, !down, th.Link)
		}
		tb.text(gtx, th, cell, Label{Face: MonoStrong, Size: SmallSize, Colour: colour, Text: head.Name}, right)
		area.Pop()
		Fill(gtx.Ops, image.Rect(cell.Max.X-1, gtx.Dp(5), cell.Max.X, size.Y-gtx.Dp(5)), th.Line)
	}
	x = -tb.x
	for c := range tb.edges { // over the names, of which two meet at each edge
		x += tb.widths[c]
		at := op.Offset(image.Pt(x, 0)).Push(gtx.Ops)
		grip := clip.Rect(image.Rect(-gtx.Dp(4), 0, gtx.Dp(4), size.Y)).Push(gtx.Ops)
		pointer.CursorColResize.Add(gtx.Ops)
		tb.edges[c].drag.Add(gtx.Ops)
		grip.Pop()
		at.Pop()
	}
}

// cellText is a value as the table shows it.
func (tb *Table) cellText(c int, v *query.Value, exact bool) string {
	switch {
	case v.Kind != query.Int && v.Kind != query.Float || !tb.of.Heads()[c].Bytes():
		return oneLine(v.String())
	case v.Kind == query.Float && exact:
		return v.String()
	case v.Kind == query.Float:
		return units.Bytes(int64(v.Float))
	case exact:
		return units.Count(v.Int)
	}
	return units.Bytes(v.Int)
}

// number reports whether a column holds numbers: its first value says so.
func (tb *Table) number(c int) bool {
	for i := range min(tb.of.Len(), 50) {
		switch tb.of.Row(i)[c].Kind {
		case query.Int, query.Float:
			return true
		case query.Text, query.Blob:
			return false
		}
	}
	return false
}

// text draws a label in a cell.
func (tb *Table) text(gtx C, th *Theme, cell image.Rectangle, l Label, right bool) {
	gap := gtx.Dp(8)
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, cell.Dx()-2*gap), cell.Dy())}
	c, d := Measure(gtx, l.Line(th))
	x := cell.Min.X + gap
	if right {
		x = cell.Max.X - gap - d.Size.X
	}
	Place(gtx.Ops, image.Pt(x, cell.Min.Y+(cell.Dy()-d.Size.Y)/2), c)
}

func (tb *Table) layoutRow(gtx C, th *Theme, row int) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(rowHeight))
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	click := tb.old[row]
	if click == nil {
		click = new(gesture.Click)
	}
	tb.rows[row] = click
	click.Add(gtx.Ops)
	to := tb.of.Leads(row)
	leads := to.Kind != ""
	if leads {
		pointer.CursorPointer.Add(gtx.Ops)
	}
	switch {
	case tb.Lit == nil && row == tb.Selected || tb.Lit != nil && tb.Lit(row):
		Fill(gtx.Ops, image.Rectangle{Max: size}, th.Selected)
	case click.Hovered():
		Fill(gtx.Ops, image.Rectangle{Max: size}, th.Raised)
	}
	x := -tb.x
	for c, v := range tb.of.Row(row) {
		cell := image.Rect(x, 0, x+tb.widths[c], size.Y)
		x = cell.Max.X
		if cell.Max.X <= 0 || cell.Min.X >= size.X {
			continue
		}
		if tb.Paint != nil && tb.Paint(gtx, th, cell, row, c) {
			continue
		}
		l := Label{Face: Mono, Size: SmallSize, Colour: th.Text, Text: tb.cellText(c, &v, click.Hovered())}
		if v.Kind == query.Null {
			l.Colour = th.Quiet
		} else if leads && v.Kind == query.Int && v.Int == to.Number && tb.of.Heads()[c].Name != "device" {
			l.Colour = th.Link
		}
		tb.text(gtx, th, cell, l, v.Kind == query.Int || v.Kind == query.Float || v.Kind == query.Null && tb.numbers[c])
	}
	Fill(gtx.Ops, image.Rect(0, size.Y-1, size.X, size.Y), WithAlpha(th.Line, 110))
	return D{Size: size}
}

// sideways is the scroll bar below, where the columns need more than there is.
func (tb *Table) sideways(gtx C, th *Theme, total int) {
	size := gtx.Constraints.Max
	if total <= size.X {
		return
	}
	style := material.Scrollbar(th.mat, &tb.bar)
	style.Indicator.Color, style.Indicator.HoverColor = WithAlpha(th.Quiet, 120), WithAlpha(th.Quiet, 200)
	style.Indicator.MinorWidth, style.Track.MinorPadding = 6, 1
	gtx.Constraints = giolayout.Constraints{Min: image.Pt(size.X, 0), Max: size}
	start := float32(tb.x) / float32(total)
	c, d := Measure(gtx, func(gtx C) D {
		return style.Layout(gtx, giolayout.Horizontal, start, start+float32(size.X)/float32(total))
	})
	Place(gtx.Ops, image.Pt(0, size.Y-d.Size.Y), c)
	tb.x += int(tb.bar.ScrollDistance() * float32(total))
}
