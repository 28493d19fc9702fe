package kit

import (
	"image"
	"image/color"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"
)

// A MenuItem is a line of a menu.
type MenuItem struct {
	Do       func(C) // what Update returns when the item is chosen
	Text     string
	Detail   string // quiet, at the right: a key, a count
	Note     string // a quiet second line
	Swatch   *color.NRGBA
	Ticked   bool
	Disabled bool
	Heading  bool // a quiet title, not to be chosen
	Rule     bool // a thin line, nothing else
	Legend   bool // explains a colour, not to be chosen
}

// A Menu is a list that pops up over the window.
type Menu struct {
	// Owner is what opened it, for the owner to know; set by Open.
	Owner string

	open   bool
	anchor image.Point // in window coordinates
	right  bool        // the anchor is its right edge
	above  bool        // the anchor is its lower edge
	items  []MenuItem
	rows   []widget.Clickable
	list   widget.List
	active int // row chosen with the arrow keys, -1 none
	ticks  bool
	catch  int8 // tag of the area around
	body   int8 // tag of the menu itself, so that clicks on it do not close it
}

// Open shows the menu at a point of the window.
func (m *Menu) Open(owner string, at image.Point, items []MenuItem) {
	m.Owner, m.anchor, m.items, m.open, m.right, m.above, m.active = owner, at, items, true, false, false, -1
	m.rows = make([]widget.Clickable, len(items))
	m.list = widget.List{List: giolayout.List{Axis: giolayout.Vertical}}
	m.ticks = false
	for _, it := range items {
		m.ticks = m.ticks || it.Ticked
	}
}

// OpenLeft is Open with at as the upper right corner.
func (m *Menu) OpenLeft(owner string, at image.Point, items []MenuItem) {
	m.Open(owner, at, items)
	m.right = true
}

// OpenAbove is Open with at as the lower left corner.
func (m *Menu) OpenAbove(owner string, at image.Point, items []MenuItem) {
	m.Open(owner, at, items)
	m.above = true
}

// Reveal scrolls a long menu to an item, with some of those before it.
func (m *Menu) Reveal(i int) {
	m.list.Position = giolayout.Position{BeforeEnd: true, First: max(0, i-4)}
}

// Showing reports whether the menu is open.
func (m *Menu) Showing() bool { return m.open }

// Change shows other items in an open menu that has as many.
func (m *Menu) Change(items []MenuItem) {
	if m.open && len(items) == len(m.items) {
		m.items = items
	}
}

// Close hides the menu.
func (m *Menu) Close() { m.open = false }

// Update returns what to do for the item that was chosen, nil if none was.
func (m *Menu) Update(gtx C) (do func(C)) {
	if !m.open {
		return nil
	}
	for i := range m.rows {
		if m.rows[i].Clicked(gtx) && m.choosable(i) {
			m.open = false
			return m.items[i].Do
		}
	}
	if do := m.keys(gtx); do != nil {
		return do
	}
	kinds := pointer.Press | pointer.Scroll
	around := pointer.Filter{Target: &m.catch, Kinds: kinds, ScrollX: AnyScroll, ScrollY: AnyScroll}
	for e := range Events[pointer.Event](gtx, around) {
		m.open = m.open && e.Kind != pointer.Press
	}
	return nil
}

// keys moves and chooses with the keyboard.
func (m *Menu) keys(gtx C) (do func(C)) {
	for name := range Pressed(gtx, key.Filter{Name: key.NameUpArrow}, key.Filter{Name: key.NameDownArrow},
		key.Filter{Name: key.NameReturn}, key.Filter{Name: key.NameEscape}) {
		switch name {
		case key.NameEscape:
			m.open = false
		case key.NameDownArrow:
			m.move(1)
		case key.NameUpArrow:
			m.move(-1)
		case key.NameReturn:
			if m.active >= 0 && m.choosable(m.active) {
				m.open = false
				return m.items[m.active].Do
			}
		}
	}
	return nil
}

// move makes the next choosable row in a direction the active one.
func (m *Menu) move(by int) {
	for i := m.active + by; i >= 0 && i < len(m.items); i += by {
		if m.choosable(i) {
			m.active = i
			return
		}
	}
}

func (m *Menu) choosable(i int) bool {
	it := &m.items[i]
	return !it.Disabled && !it.Heading && !it.Rule && !it.Legend
}

// Layout draws the menu over the whole window, inside which it stays.
func (m *Menu) Layout(gtx C, th *Theme) {
	if !m.open {
		return
	}
	window := gtx.Constraints.Max
	area := clip.Rect{Max: window}.Push(gtx.Ops)
	event.Op(gtx.Ops, &m.catch)
	semantic.LabelOp("Close the menu").Add(gtx.Ops)
	area.Pop()

	width := m.width(gtx, th)
	gtx.Constraints = giolayout.Constraints{Min: image.Pt(width, 0), Max: image.Pt(width, max(0, window.Y-gtx.Dp(16)))}
	c, d := Measure(gtx, Padded(giolayout.Inset{Top: Unit, Bottom: Unit}, func(gtx C) D {
		return th.OverlayList(&m.list, 4).Layout(gtx, len(m.items), func(gtx C, i int) D { return m.row(gtx, th, i) })
	}))
	at := m.anchor
	if m.right {
		at.X -= d.Size.X
	}
	if m.above {
		at.Y -= d.Size.Y
	}
	at.X = max(0, min(at.X, window.X-d.Size.X-gtx.Dp(Unit)))
	at.Y = max(0, min(at.Y, window.Y-d.Size.Y-gtx.Dp(Unit)))
	Float(gtx, th, at, c, d, &m.body)
}

// width is what the widest row needs.
func (m *Menu) width(gtx C, th *Theme) int {
	widest := gtx.Dp(160)
	for i := range m.items {
		it := &m.items[i]
		w := th.Width(gtx, Label{Text: it.Text}) + gtx.Dp(44)
		if it.Detail != "" {
			w += th.Width(gtx, Label{Size: SmallSize, Face: Mono, Text: it.Detail}) + gtx.Dp(20)
		}
		if it.Swatch != nil {
			w += gtx.Dp(22)
		}
		if it.Note != "" {
			w = max(w, th.Width(gtx, Label{Size: SmallSize, Text: it.Note})+gtx.Dp(44))
		}
		widest = max(widest, w)
	}
	return min(widest, gtx.Dp(460), gtx.Constraints.Max.X-gtx.Dp(8))
}

func (m *Menu) row(gtx C, th *Theme, i int) D {
	it := &m.items[i]
	width := gtx.Constraints.Max.X
	if it.Rule {
		h := gtx.Dp(9)
		Fill(gtx.Ops, image.Rect(0, h/2, width, h/2+1), th.Line)
		return D{Size: image.Pt(width, h)}
	}
	if !m.choosable(i) {
		return m.rowContent(gtx, th, it)
	}
	return m.rows[i].Layout(gtx, func(gtx C) D {
		semantic.Button.Add(gtx.Ops)
		semantic.SelectedOp(it.Ticked).Add(gtx.Ops)
		c, d := Measure(gtx, func(gtx C) D { return m.rowContent(gtx, th, it) })
		if m.rows[i].Hovered() || m.active == i {
			Fill(gtx.Ops, image.Rectangle{Max: d.Size}, th.Raised)
		}
		pointer.CursorPointer.Add(gtx.Ops)
		c.Add(gtx.Ops)
		return d
	})
}

func (m *Menu) rowContent(gtx C, th *Theme, it *MenuItem) D {
	width, height := gtx.Constraints.Max.X, gtx.Dp(28)
	label := th.Body(it.Text)
	switch {
	case it.Heading:
		label, height = th.Small(it.Text), gtx.Dp(24)
	case it.Disabled:
		label.Colour = WithAlpha(th.Quiet, 150)
	}
	if it.Note != "" {
		height = gtx.Dp(42)
	}
	x, right := gtx.Dp(12), width-gtx.Dp(12)
	if m.ticks {
		if it.Ticked {
			Middle(gtx, th.Picture(IconTick, 16, th.Link), gtx.Dp(8), height)
		}
		if !it.Heading {
			x = gtx.Dp(30)
		}
	}
	if it.Swatch != nil {
		s := gtx.Dp(12)
		FillRound(gtx, th, image.Rect(x, (height-s)/2, x+s, (height-s)/2+s), *it.Swatch)
		x += gtx.Dp(20)
	}
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, right-x), height)}
	if it.Detail != "" {
		right = Before(gtx, th.Figures(it.Detail).Line(th), right, height)
		gtx.Constraints.Max.X = max(0, right-x-gtx.Dp(12))
	}
	lines := []giolayout.FlexChild{giolayout.Rigid(label.Line(th))}
	if it.Note != "" {
		lines = append(lines, giolayout.Rigid(th.Small(it.Note).Line(th)))
	}
	Middle(gtx, InColumn(lines...), x, height)
	return D{Size: image.Pt(width, height)}
}
