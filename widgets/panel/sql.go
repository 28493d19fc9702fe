package panel

import (
	"image"
	"regexp"
	"strconv"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/widgets/kit"
)

// A SQL is a drawer with an editor for SQL and a table of what it answers.
type SQL struct {
	kit.Field
	Table kit.Table

	tableAt image.Point // where it lies in the drawer

	run, cancel, examples, history kit.Button
	saved, copy, export, results   kit.Button
	anchors                        [sqlMenus]image.Point
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
	Running bool
	Note    string // how far it is, or what came of it
	Problem string // SQLite's own words, "" if nothing is wrong
	Offset  int    // where, byte of the text; -1: unknown
	Results int    // statements that answered
	Shown   int    // which of them is in the table, from 0
	Sorted  int    // column, -1 none
	Down    bool
	Rows    int
	RunKey  string
}

// SQLEvent is what the user did in the panel.
type SQLEvent struct {
	Run, Cancel  bool
	Menu         SQLMenu
	At           image.Point // the menu's lower left corner, in the panel
	Copy, Export bool
	Table        kit.TableEvent
	Edited       bool
}

// Update reads the panel's events.
func (p *SQL) Update(gtx C) SQLEvent {
	var e SQLEvent
	p.Many = true
	e.Edited, _ = p.Field.Update(gtx)
	for menu, b := range [sqlMenus]*kit.Button{ExamplesMenu: &p.examples, HistoryMenu: &p.history, SavedMenu: &p.saved,
		ResultsMenu: &p.results} {
		if b != nil && b.Clicked(gtx) {
			e.Menu, e.At = SQLMenu(menu), p.anchors[menu]
		}
	}
	e.Run, e.Cancel = p.run.Clicked(gtx), p.cancel.Clicked(gtx)
	e.Copy, e.Export = p.copy.Clicked(gtx), p.export.Clicked(gtx)
	e.Table = p.Table.Update(gtx)
	e.Table.At = e.Table.At.Add(p.tableAt) // now of the drawer
	return e
}

// Layout draws the drawer: editor at the left and table at the right, or one over the other where it is narrow.
func (p *SQL) Layout(gtx C, th *kit.Theme, head *DrawerHead, d *DrawerState, s *SQLState) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	top := gtx.Dp(headDrawer)
	p.head(head.Row(gtx, th, d), th, s)
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
	return D{Size: size}
}

// head adds the page's buttons to the head of the drawer.
func (p *SQL) head(r kit.Row, th *kit.Theme, s *SQLState) {
	button := func(b *kit.Button, look kit.ButtonLook, gap float32) {
		look.Small, look.HintAbove = true, true
		r.Add(b.Look(th, look), gap)
	}
	menu := func(m SQLMenu, b *kit.Button, text, hint string) {
		p.anchors[m] = image.Pt(r.X, 0)
		button(b, kit.ButtonLook{Text: text, Trailing: kit.IconDown, Colour: th.Quiet, Hint: hint}, 2)
	}
	if s.Running {
		button(&p.cancel, kit.ButtonLook{Text: "Cancel", Ground: th.Raised, Hint: "Stop the query", Key: "Esc"}, 8)
	} else {
		button(&p.run, kit.ButtonLook{Text: "Run", Ground: th.Accent, Colour: th.OnAccent,
			Hint: "Run what the editor holds", Key: s.RunKey}, 8)
	}
	menu(ExamplesMenu, &p.examples, "Examples", "Questions to begin with")
	menu(HistoryMenu, &p.history, "History", "What was run before")
	menu(SavedMenu, &p.saved, "Saved", "Keep this query, or take one that was kept")
	if s.Results > 1 {
		menu(ResultsMenu, &p.results, "Answer "+strconv.Itoa(s.Shown+1)+" of "+strconv.Itoa(s.Results),
			"Each statement has an answer of its own")
	}
	if s.Rows > 0 {
		button(&p.copy, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy", Colour: th.Quiet,
			Hint: "Copy the rows, for a spreadsheet"}, 2)
		button(&p.export, kit.ButtonLook{Text: "Export…", Colour: th.Quiet,
			Hint: "Write all rows to a file, CSV or JSON"}, 2)
	}
	p.status(&r, th, s)
}

// status is the note at the end of the row.
func (p *SQL) status(r *kit.Row, th *kit.Theme, s *SQLState) {
	r.X += r.Gtx.Dp(8)
	if room := r.End - r.X; room > r.Gtx.Dp(60) {
		r.Gtx.Constraints.Max.X = room
		r.Add(th.Small(s.Note).Line(th), 0)
	}
}

// writing draws the editor, and below it what SQLite complains of.
func (p *SQL) writing(gtx C, th *kit.Theme, s *SQLState, r image.Rectangle) {
	r = r.Inset(gtx.Dp(8))
	r.Min.Y -= gtx.Dp(8)
	if r.Empty() {
		return
	}
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	size := r.Size()
	gtx.Constraints = giolayout.Constraints{Max: size}
	if s.Problem != "" {
		c, d := kit.Measure(gtx, func(gtx C) D {
			gtx.Constraints.Max.Y = size.Y / 2
			text := kit.Label{Size: kit.SmallSize, Colour: th.Text, Text: s.Problem}.Wrapped(th)
			return giolayout.Inset{Top: 6, Left: 2}.Layout(gtx,
				kit.Noted(th.Picture(kit.IconError, 16, th.Red), 6, text))
		})
		size.Y -= d.Size.Y
		kit.Place(gtx.Ops, image.Pt(0, size.Y), c)
	}
	kit.Box(gtx, th, image.Rectangle{Max: size}, p.Border(gtx, th, false), th.Ground)
	inner := image.Rectangle{Max: size}.Inset(gtx.Dp(8))
	if inner.Empty() {
		return
	}
	defer op.Offset(inner.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: inner.Size()}.Push(gtx.Ops).Pop()
	e := p.Style(th, kit.Mono, "SELECT * FROM allocations ORDER BY size DESC LIMIT 100")
	gtx.Constraints = giolayout.Exact(inner.Size())
	e.Layout(gtx)
	if s.Problem == "" || s.Offset < 0 {
		return
	}
	text := p.Field.Text()
	at, length := runes(text, s.Offset), len(word.FindString(text[min(s.Offset, len(text)):]))
	for _, g := range p.Field.Regions(at, at+max(1, length), nil) {
		b := g.Bounds
		kit.Fill(gtx.Ops, image.Rect(b.Min.X, b.Max.Y-gtx.Dp(1), max(b.Max.X, b.Min.X+gtx.Dp(6)), b.Max.Y+gtx.Dp(1)),
			th.Red)
	}
}

// word is the name or number that SQLite complains of.
var word = regexp.MustCompile(`^[\w.]*`)

// answer draws the table, or what to do to get one.
func (p *SQL) answer(gtx C, th *kit.Theme, s *SQLState, r image.Rectangle) {
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
		text := "Answers appear here. Click a row to go to what it is about, a column's name to sort; right-click to " +
			"copy a row or a cell."
		if s.Running {
			text = ""
		}
		giolayout.Inset{Top: 6, Left: 4}.Layout(gtx, th.Aside(text).Wrapped(th))
		return
	}
	p.Table.Layout(gtx, th, s.Sorted, s.Down)
	kit.Border(gtx.Ops, image.Rectangle{Max: r.Size()}, th.Line)
}
