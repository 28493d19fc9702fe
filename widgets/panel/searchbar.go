package panel

import (
	"image"
	"unicode/utf8"

	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/layout/search"
	"strata/layout/units"
	"strata/widgets/kit"
)

// A SearchBar is the field for searches. Under it hangs a card: the terms
// there are while it is empty, what is wrong when something is.
type SearchBar struct {
	kit.Field
	unfold kit.Button // stands for the field where there is no room for it
	clear  kit.Button
	next   kit.Button
	prev   kit.Button
	terms  []gesture.Click // of the card; a Button would take the focus away
	card   int8            // tag: presses on the card go no further
}

// SearchState is what the field shows of the search at hand.
type SearchState struct {
	Problem        string // what is wrong with the text, "" if nothing is
	Offset, Length int    // where, bytes of the text
	Found          bool   // Count holds
	Count          int    // matches
	Place          int    // which of them is pinned, from 1; 0: none
	Busy           bool   // a search is running
	Key            string // that opens the search
	Next, Prev     string // keys that walk
	CardRoom       int    // px that the card may be wide
}

// SearchEvent is what the user did in the search field.
type SearchEvent struct {
	Text    string
	Changed bool // Text differs from the one before
	Step    int  // 1: on to the next match, -1: back to the one before
	Clear   bool
	Open    bool // wants to type
	Copy    bool // with nothing marked in the field: what was found is meant
}

// SelectAll marks the text, so that typing replaces it.
func (b *SearchBar) SelectAll() { b.Field.SetCaret(b.Field.Len(), 0) }

// Update reads the field's events.
func (b *SearchBar) Update(gtx C) SearchEvent {
	var e SearchEvent
	filters := []event.Filter{key.Filter{Focus: &b.Editor, Name: key.NameReturn, Required: key.ModShift},
		key.Filter{Focus: &b.Editor, Name: key.NameEnter, Required: key.ModShift}}
	if b.SelectionLen() == 0 {
		filters = append(filters, key.Filter{Focus: &b.Editor, Name: "C", Required: key.ModShortcut})
	}
	for name := range kit.Pressed(gtx, filters...) { // before the editor: it would take Shift+Enter for a line break
		if e.Copy = name == "C"; !e.Copy {
			e.Step = -1
		}
	}
	changed, entered := b.Field.Update(gtx)
	e.Changed = changed
	if entered {
		e.Step = 1
		b.ClearSelection() // it was marked to be replaced
	}
	for i := range b.terms {
		if kit.Clicked(gtx, &b.terms[i]) {
			b.SetText(search.Help()[i].Term)
			e.Changed = true
		}
	}
	if b.next.Clicked(gtx) {
		e.Step = 1
	}
	if b.prev.Clicked(gtx) {
		e.Step = -1
	}
	e.Clear = b.clear.Clicked(gtx)
	e.Open = b.unfold.Clicked(gtx)
	e.Text = b.Field.Text()
	return e
}

// searchRoom is the least width in which a field is of use; searchWidth is how wide it is where there is room.
const (
	searchRoom  = unit.Dp(150)
	searchWidth = unit.Dp(330)
)

// Layout draws the field as wide as there is room, or where there is little the button that stands for it.
func (b *SearchBar) Layout(gtx C, th *kit.Theme, s *SearchState) D {
	if gtx.Constraints.Max.X < gtx.Dp(searchRoom) {
		return b.unfold.Layout(gtx, th, kit.ButtonLook{Icon: kit.IconSearch, Colour: th.Quiet, HintLeft: true,
			Hint: "Search stacks, sizes, lifetimes …", Key: s.Key})
	}
	size := image.Pt(min(gtx.Constraints.Max.X, gtx.Dp(searchWidth)), gtx.Dp(30))
	gtx.Constraints = giolayout.Constraints{Max: size}
	focused := b.Focused(gtx)
	border := th.Raised
	switch {
	case s.Problem != "":
		border = th.Warning
	case focused:
		border = th.Accent
	}
	kit.Box(gtx, th, image.Rectangle{Max: size}, border, th.Raised)
	kit.Middle(gtx, th.Picture(kit.IconSearch, 16, th.Quiet), gtx.Dp(8), size.Y)
	left := gtx.Dp(30)
	right := b.trailing(gtx, th, s, size)
	b.field(gtx, th, s, image.Rect(left, 0, max(left, right-gtx.Dp(8)), size.Y))
	if focused && (s.Problem != "" || b.Field.Len() == 0) {
		b.hang(gtx, th, s, size)
	}
	return D{Size: size}
}

// trailing draws what stands at the right end of the field and returns where that begins.
func (b *SearchBar) trailing(gtx C, th *kit.Theme, s *SearchState, size image.Point) int {
	x := size.X - gtx.Dp(3)
	add := func(w giolayout.Widget) { x = kit.Before(gtx, w, x, size.Y) }
	if b.Field.Len() == 0 {
		if s.Key != "" && size.X >= gtx.Dp(220) && !b.Focused(gtx) {
			x -= gtx.Dp(4)
			add(func(gtx C) D { return kit.KeyCap(gtx, th, s.Key) })
		}
		return x
	}
	button := func(b *kit.Button, icon kit.Icon, hint, key string, off bool) {
		add(b.Look(th, kit.ButtonLook{Icon: icon, Small: true, Colour: th.Quiet, Hint: hint, Key: key, HintLeft: true,
			Disabled: off}))
	}
	button(&b.clear, kit.IconClose, "Clear the search", "Esc", false)
	if s.Problem != "" || !s.Found {
		return x
	}
	if size.X >= gtx.Dp(220) {
		button(&b.next, kit.IconForward, "Next match", s.Next, s.Count == 0)
		button(&b.prev, kit.IconBack, "Match before", s.Prev, s.Count == 0)
	}
	x -= gtx.Dp(4)
	text := units.Count(s.Count)
	if s.Place > 0 && size.X >= gtx.Dp(260) {
		text = units.Count(s.Place) + " of " + text
	}
	colour := th.Quiet
	if s.Count == 0 {
		text, colour = "nothing", th.Warning
		if !th.Dark {
			colour = th.Text
		}
	}
	if s.Busy {
		text = "…"
	}
	add(kit.Label{Size: kit.SmallSize, Face: kit.Mono, Colour: colour, Text: text}.Line(th))
	return x
}

// field draws the text in r, what is wrong in it underlined.
func (b *SearchBar) field(gtx C, th *kit.Theme, s *SearchState, r image.Rectangle) {
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: r.Size()}.Push(gtx.Ops).Pop()
	e := b.Style(th, kit.Regular, "") // its own hint would be a path in every frame
	gtx.Constraints = giolayout.Constraints{Min: image.Pt(r.Dx(), 0), Max: r.Size()}
	c, d := kit.Measure(gtx, e.Layout)
	top := (r.Dy() - d.Size.Y) / 2
	kit.Place(gtx.Ops, image.Pt(0, top), c)
	if b.Field.Len() == 0 {
		c, _ := kit.Measure(gtx, th.Aside("Search stacks, size>=64MiB …").Line(th))
		kit.Place(gtx.Ops, image.Pt(0, top), c)
	}
	if s.Problem == "" {
		return
	}
	text := b.Field.Text()
	start, end := runes(text, s.Offset), runes(text, s.Offset+max(1, s.Length))
	for _, g := range b.Field.Regions(start, end, nil) {
		at := g.Bounds.Add(image.Pt(0, top))
		kit.Fill(gtx.Ops, image.Rect(at.Min.X, at.Max.Y-gtx.Dp(1), max(at.Max.X, at.Min.X+gtx.Dp(4)),
			at.Max.Y+gtx.Dp(1)), th.Warning)
	}
}

// runes is how many runes of a text come before a byte of it.
func runes(s string, offset int) int { return utf8.RuneCountInString(s[:min(offset, len(s))]) }

// hang draws the card under the field, above everything.
func (b *SearchBar) hang(gtx C, th *kit.Theme, s *SearchState, size image.Point) {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(max(size.X, gtx.Dp(540)), s.CardRoom), gtx.Dp(600))}
	m := op.Record(gtx.Ops)
	c, d := kit.Measure(gtx, func(gtx C) D {
		if s.Problem != "" {
			return giolayout.Inset{Left: 12, Right: 12, Top: 8, Bottom: 8}.Layout(gtx,
				kit.Noted(th.Picture(kit.IconWarning, 16, th.Warning), 8, th.Body(s.Problem).Wrapped(th)))
		}
		return b.help(gtx, th)
	})
	at := image.Pt(size.X-d.Size.X, size.Y+gtx.Dp(6))
	kit.Float(gtx, th, at, c, d, &b.card)
	op.Defer(gtx.Ops, m.Stop())
}

// help lists the terms; a click on one puts it into the field.
func (b *SearchBar) help(gtx C, th *kit.Theme) D {
	lines := search.Help()
	if b.terms == nil {
		b.terms = make([]gesture.Click, len(lines))
	}
	widest := 0
	for _, l := range lines {
		widest = max(widest, th.Width(gtx, kit.Label{Face: kit.Mono, Size: kit.SmallSize, Text: l.Term}))
	}
	width, y := gtx.Constraints.Max.X, gtx.Dp(8)
	put := func(x int, l kit.Label) {
		g := gtx
		g.Constraints = giolayout.Constraints{Max: image.Pt(max(0, width-x-gtx.Dp(12)), gtx.Dp(60))}
		c, d := kit.Measure(g, l.Line(th))
		kit.Place(gtx.Ops, image.Pt(x, y+(gtx.Dp(20)-d.Size.Y)/2), c)
	}
	for i, l := range lines {
		r := image.Rect(0, y, width, y+gtx.Dp(20))
		if b.terms[i].Hovered() {
			kit.Fill(gtx.Ops, r, th.Raised)
		}
		put(gtx.Dp(12), kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Link, Text: l.Term})
		put(gtx.Dp(12)+widest+gtx.Dp(12), th.Small(l.Meaning))
		area := clip.Rect(r).Push(gtx.Ops)
		pointer.CursorPointer.Add(gtx.Ops)
		b.terms[i].Add(gtx.Ops)
		semantic.Button.Add(gtx.Ops)
		semantic.LabelOp(l.Term + ": " + l.Meaning).Add(gtx.Ops)
		area.Pop()
		y = r.Max.Y
	}
	y += gtx.Dp(4)
	put(gtx.Dp(12), th.Small("Terms between blanks must all hold."))
	return D{Size: image.Pt(width, y+gtx.Dp(26))}
}
