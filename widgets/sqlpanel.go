package widgets

import (
	"image"
	"strconv"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"strata/layout/units"
)

// A SQLPanel is a drawer with an editor for SQL and a table of what it
// answers.
type SQLPanel struct {
	Table Table

	tableAt image.Point // where it lies in the drawer

	editor                              widget.Editor
	run, cancel, examples, history      Button
	saved, copy, export, close, results Button
	anchors                             [sqlMenus]image.Point
}

// A SQLMenu names a menu that a button of the panel opens.
type SQLMenu uint8

// The panel's menus.
const (
	NoSQLMenu SQLMenu = iota
	ExamplesMenu
	HistoryMenu
	SavedMenu
	ResultsMenu
	sqlMenus
)

// SQLState is what the panel shows.
type SQLState struct {
	Running  bool
	Note     string // how far it is, or what came of it
	Problem  string // SQLite's own words, "" if nothing is wrong
	Offset   int    // where, byte of the text; -1: unknown
	Results  int    // statements that answered
	Shown    int    // which of them is in the table, from 0
	Sorted   int    // column, -1 none
	Down     bool
	Rows     int
	RunKey   string
	CloseKey string
}

// SQLEvent is what the user did in the panel.
type SQLEvent struct {
	Run, Cancel, Close bool
	Menu               SQLMenu
	At                 image.Point // the menu's lower left corner, in the panel
	Copy, Export       bool
	Table              TableEvent
	Edited             bool
}

// Text is the SQL in the editor.
func (p *SQLPanel) Text() string { return p.editor.Text() }

// SetText replaces the SQL.
func (p *SQLPanel) SetText(s string) {
	p.editor.SetText(s)
	p.editor.SetCaret(p.editor.Len(), p.editor.Len())
}

// Focused reports whether the editor takes what is typed.
func (p *SQLPanel) Focused(gtx giolayout.Context) bool { return gtx.Focused(&p.editor) }

// Tag is what a FocusCmd takes to give the editor the focus.
func (p *SQLPanel) Tag() *widget.Editor { return &p.editor }

// Update reads the panel's events.
func (p *SQLPanel) Update(gtx giolayout.Context) SQLEvent {
	var e SQLEvent
	for {
		ev, ok := p.editor.Update(gtx)
		if !ok {
			break
		}
		if _, ok := ev.(widget.ChangeEvent); ok {
			e.Edited = true
		}
	}
	for menu, b := range [sqlMenus]*Button{ExamplesMenu: &p.examples, HistoryMenu: &p.history, SavedMenu: &p.saved, ResultsMenu: &p.results} {
		if b != nil && b.Clicked(gtx) {
			e.Menu, e.At = SQLMenu(menu), p.anchors[menu]
		}
	}
	e.Run, e.Cancel, e.Close = p.run.Clicked(gtx), p.cancel.Clicked(gtx), p.close.Clicked(gtx)
	e.Copy, e.Export = p.copy.Clicked(gtx), p.export.Clicked(gtx)
	e.Table = p.Table.Update(gtx)
	e.Table.At = e.Table.At.Add(p.tableAt) // now of the drawer
	return e
}

// Layout draws the drawer: editor at the left and table at the right, or one
// over the other where it is narrow.
func (p *SQLPanel) Layout(gtx giolayout.Context, th *Theme, s *SQLState) giolayout.Dimensions {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	fill(gtx.Ops, image.Rect(0, 0, size.X, 1), th.Line)
	top := gtx.Dp(36)
	head := gtx
	head.Constraints = giolayout.Constraints{Max: image.Pt(size.X, top)}
	p.head(head, th, s)
	edge := min(size.X*2/5, gtx.Dp(560))
	left, right := image.Rect(0, top, edge, size.Y), image.Rect(edge, top, size.X, size.Y)
	if size.X < gtx.Dp(720) {
		half := top + (size.Y-top)*2/5
		if s.Problem != "" && s.Results == 0 { // it takes nothing from the text it is about
			half = top + (size.Y-top)*3/5
		}
		left, right = image.Rect(0, top, size.X, half), image.Rect(0, half, size.X, size.Y)
	}
	p.writing(gtx, th, s, left)
	p.answer(gtx, th, s, right)
	return giolayout.Dimensions{Size: size}
}

// head is the row of buttons.
func (p *SQLPanel) head(gtx giolayout.Context, th *Theme, s *SQLState) {
	size := gtx.Constraints.Max
	x := size.X - gtx.Dp(8)
	c, d := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return p.close.Layout(gtx, th, ButtonLook{Icon: IconClose, Small: true, Colour: th.Quiet, Hint: "Close the SQL panel", Key: s.CloseKey, HintLeft: true, HintAbove: true})
	})
	x -= d.Size.X
	place(gtx.Ops, image.Pt(x, (size.Y-d.Size.Y)/2), c)
	r := row{gtx: gtx, x: gtx.Dp(12), end: x - gtx.Dp(4), height: size.Y}
	button := func(b *Button, look ButtonLook, gap float32) {
		look.Small, look.HintAbove = true, true
		r.add(func(gtx giolayout.Context) giolayout.Dimensions { return b.Layout(gtx, th, look) }, gap)
	}
	menu := func(m SQLMenu, b *Button, text, hint string) {
		p.anchors[m] = image.Pt(r.x, 0)
		button(b, ButtonLook{Text: text, Trailing: IconDown, Colour: th.Quiet, Hint: hint}, 2)
	}
	r.add(Label{Face: Strong, Colour: th.Text, Text: "SQL"}.widget(th), 12)
	if s.Running {
		button(&p.cancel, ButtonLook{Text: "Cancel", Ground: th.Raised, Hint: "Stop the query", Key: "Esc"}, 8)
	} else {
		button(&p.run, ButtonLook{Text: "Run", Ground: th.Accent, Colour: th.OnAccent, Hint: "Run what the editor holds", Key: s.RunKey}, 8)
	}
	menu(ExamplesMenu, &p.examples, "Examples", "Questions to begin with")
	menu(HistoryMenu, &p.history, "History", "What was run before")
	menu(SavedMenu, &p.saved, "Saved", "Keep this query, or take one that was kept")
	if s.Results > 1 {
		menu(ResultsMenu, &p.results, "Answer "+strconv.Itoa(s.Shown+1)+" of "+strconv.Itoa(s.Results), "Each statement has an answer of its own")
	}
	if s.Rows > 0 {
		button(&p.copy, ButtonLook{Icon: IconCopy, Text: "Copy", Colour: th.Quiet, Hint: "Copy the rows, for a spreadsheet"}, 2)
		button(&p.export, ButtonLook{Text: "Export…", Colour: th.Quiet, Hint: "Write all rows to a file, CSV or JSON"}, 2)
	}
	p.status(&r, th, s)
}

// status is the note at the end of the row.
func (p *SQLPanel) status(r *row, th *Theme, s *SQLState) {
	r.x += r.gtx.Dp(8)
	if room := r.end - r.x; room > r.gtx.Dp(60) {
		r.gtx.Constraints.Max.X = room
		r.add(th.Small(s.Note).widget(th), 0)
	}
}

// writing draws the editor, and below it what SQLite complains of.
func (p *SQLPanel) writing(gtx giolayout.Context, th *Theme, s *SQLState, r image.Rectangle) {
	r = r.Inset(gtx.Dp(8))
	r.Min.Y -= gtx.Dp(8)
	if r.Empty() {
		return
	}
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	size := r.Size()
	gtx.Constraints = giolayout.Constraints{Max: size}
	if s.Problem != "" {
		c, d := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
			gtx.Constraints.Max.Y = size.Y / 2
			return giolayout.Inset{Top: 6, Left: 2}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
				return giolayout.Flex{}.Layout(gtx,
					giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions { return th.icon(gtx, IconError, 16, th.Red) }),
					giolayout.Rigid(giolayout.Spacer{Width: 6}.Layout),
					giolayout.Flexed(1, Label{Size: SmallSize, Colour: th.Text, Text: s.Problem}.paragraph(th)))
			})
		})
		size.Y -= d.Size.Y
		place(gtx.Ops, image.Pt(0, size.Y), c)
	}
	border := th.Line
	if gtx.Focused(&p.editor) {
		border = th.Accent
	}
	roundFrame(gtx, th, image.Rectangle{Max: size}, border, th.Ground)
	inner := image.Rectangle{Max: size}.Inset(gtx.Dp(8))
	if inner.Empty() {
		return
	}
	defer op.Offset(inner.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: inner.Size()}.Push(gtx.Ops).Pop()
	e := material.Editor(th.mat, &p.editor, "SELECT * FROM allocations ORDER BY size DESC LIMIT 100")
	e.Color, e.HintColor, e.SelectionColor = th.Text, th.Quiet, withAlpha(th.Accent, 96)
	e.Font, e.TextSize = fonts[Mono], BodySize
	gtx.Constraints = giolayout.Exact(inner.Size())
	e.Layout(gtx)
	if s.Problem == "" || s.Offset < 0 {
		return
	}
	text := p.editor.Text()
	at := runes(text, s.Offset)
	for _, g := range p.editor.Regions(at, at+max(1, wordLength(text, s.Offset)), nil) {
		b := g.Bounds
		fill(gtx.Ops, image.Rect(b.Min.X, b.Max.Y-gtx.Dp(1), max(b.Max.X, b.Min.X+gtx.Dp(6)), b.Max.Y+gtx.Dp(1)), th.Red)
	}
}

// wordLength is how many characters the word at a byte of a text has.
func wordLength(s string, offset int) int {
	if offset >= len(s) {
		return 0
	}
	n := 0
	for _, r := range s[offset:] {
		if r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			break
		}
		n++
	}
	return n
}

// answer draws the table, or what to do to get one.
func (p *SQLPanel) answer(gtx giolayout.Context, th *Theme, s *SQLState, r image.Rectangle) {
	r.Max.X -= gtx.Dp(8)
	r.Max.Y -= gtx.Dp(8)
	if r.Dx() > 0 && r.Min.X == 0 {
		r.Min.X += gtx.Dp(8)
	}
	if r.Empty() {
		return
	}
	p.tableAt = r.Min
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = giolayout.Exact(r.Size())
	if s.Results == 0 {
		gtx.Constraints.Min = image.Point{}
		text := "Answers appear here. Click a row to go to what it is about, a column's name to sort; right-click to copy a row or a cell."
		if s.Running {
			text = ""
		}
		giolayout.Inset{Top: 6, Left: 4}.Layout(gtx, Label{Colour: th.Quiet, Text: text}.paragraph(th))
		return
	}
	p.Table.Layout(gtx, th, s.Sorted, s.Down)
	frame(gtx.Ops, image.Rectangle{Max: r.Size()}, th.Line)
}

// RowsText is what the panel says of an answer: "1,204 rows".
func RowsText(n int) string {
	if n == 1 {
		return "1 row"
	}
	return units.Count(n) + " rows"
}
