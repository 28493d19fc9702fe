package panel

import (
	"image"
	"strings"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"strata/layout/units"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// TabBarHeight is the strip's height.
const TabBarHeight = 30

// Widths of tabs, dp: all are equally wide, as wide as there is room for.
const (
	leastTab = 128
	mostTab  = 232
)

// A TabInfo is what the strip shows of a tab.
type TabInfo struct {
	Name   string  // the file without its folder
	Folder string  // that tells it from others of that name, "" where there are none
	Path   string  // for the tooltip
	Note   string  // a second line of the tooltip: size and state
	Part   float32 // of the loading that is done, 0 to 1
	State  describe.State
}

// A TabBar is the row of open files.
type TabBar struct {
	// Notch is how much one notch of the wheel scrolls on this system; 0 takes what it scrolls for pixels.
	Notch float32

	tabs []tabState
	list kit.Button

	offset int // how far it is scrolled, px
	seen   scrolledFor
	rests  kit.Rest    // on a tab, from 1
	anchor image.Point // where the list belongs
}

// stripTab is the part of a tab that remembers something.
type tabState struct {
	click, close widget.Clickable
	middle       bool // the middle button went down on it
	short        shortName
}

// stripSeen is what the strip was scrolled for, so that the active tab is in sight.
type scrolledFor struct{ active, count, width, room int }

// TabEvent is what the user did in the strip; -1 is no tab.
type TabEvent struct {
	Choose int
	Close  int
	List   bool // wants the list of all tabs
	At     image.Point
}

// Update reads the strip's events.
func (s *TabBar) Update(gtx C) TabEvent {
	e := TabEvent{Choose: -1, Close: -1, List: s.list.Clicked(gtx), At: s.anchor}
	for i := range s.tabs {
		t := &s.tabs[i]
		if t.click.Clicked(gtx) {
			e.Choose = i
		}
		if t.close.Clicked(gtx) || t.middleClicked(gtx) {
			e.Close = i
		}
	}
	wheel := pointer.Filter{Target: s, Kinds: pointer.Scroll, ScrollX: kit.AnyScroll, ScrollY: kit.AnyScroll}
	for p := range kit.Events[pointer.Event](gtx, wheel) {
		by := p.Scroll.X + p.Scroll.Y
		if s.Notch > 0 {
			by *= float32(gtx.Dp(leastTab)) / s.Notch
		}
		s.offset += int(by)
	}
	return e
}

// middleClicked reports a click of the middle button.
func (t *tabState) middleClicked(gtx C) bool {
	clicked := false
	kinds := pointer.Press | pointer.Release | pointer.Cancel
	for e := range kit.Events[pointer.Event](gtx, pointer.Filter{Target: &t.middle, Kinds: kinds}) {
		switch e.Kind {
		case pointer.Press:
			t.middle = e.Buttons == pointer.ButtonTertiary
		case pointer.Release:
			clicked = clicked || t.middle
			t.middle = false
		case pointer.Cancel:
			t.middle = false
		}
	}
	return clicked
}

// Layout draws the strip.
func (s *TabBar) Layout(gtx C, th *kit.Theme, tabs []TabInfo, active int) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(TabBarHeight))
	gtx.Constraints = giolayout.Constraints{Max: size}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, s)
	kit.Fill(gtx.Ops, image.Rect(0, size.Y-1, size.X, size.Y), th.Line)
	for len(s.tabs) < len(tabs) {
		s.tabs = append(s.tabs, tabState{})
	}
	clear(s.tabs[len(tabs):])
	s.tabs = s.tabs[:len(tabs)]

	room := size.X
	width := min(gtx.Dp(mostTab), room/max(1, len(tabs)))
	if width < gtx.Dp(leastTab) {
		room -= s.listButton(gtx, th, size, len(tabs))
		width = max(1, min(gtx.Dp(leastTab), room))
	}
	s.scroll(scrolledFor{active, len(tabs), width, room})
	area := clip.Rect{Max: image.Pt(room, size.Y)}.Push(gtx.Ops)
	under := 0
	for i := range tabs {
		x := i*width - s.offset
		if x+width <= 0 || x >= room {
			continue
		}
		offset := op.Offset(image.Pt(x, 0)).Push(gtx.Ops)
		g := gtx
		g.Constraints = giolayout.Exact(image.Pt(width, size.Y))
		s.tabs[i].layout(g, th, &tabs[i], i == active)
		offset.Pop()
		if s.tabs[i].click.Hovered() || s.tabs[i].close.Hovered() {
			under = i + 1
		}
	}
	area.Pop()
	s.tooltip(gtx, th, tabs, under, under*width-width-s.offset)
	return D{Size: size}
}

// listButton draws the button for the list of all tabs, which is there when they do not fit, and returns its width.
func (s *TabBar) listButton(gtx C, th *kit.Theme, size image.Point, count int) int {
	s.anchor = image.Pt(size.X-gtx.Dp(4), size.Y)
	look := kit.ButtonLook{Text: units.Plural(count, "file"), Trailing: kit.IconDown, Small: true, Colour: th.Quiet,
		Hint: "All open files", HintLeft: true}
	return size.X - kit.Before(gtx, s.list.Look(th, look), s.anchor.X, size.Y) + gtx.Dp(4)
}

// scroll keeps the offset to what there is, and the active tab in sight when it is another one than before.
func (s *TabBar) scroll(now scrolledFor) {
	if now != s.seen {
		s.seen = now
		x := now.active * now.width
		s.offset = max(min(s.offset, x), x+now.width-now.room)
	}
	s.offset = max(0, min(s.offset, now.count*now.width-now.room))
}

// layout draws a tab.
func (t *tabState) layout(gtx C, th *kit.Theme, info *TabInfo, active bool) {
	size := gtx.Constraints.Max
	r := image.Rectangle{Max: size}
	defer clip.Rect(r).Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &t.middle)
	hovered := t.click.Hovered() || t.close.Hovered()
	t.click.Layout(gtx, func(gtx C) D {
		semantic.Button.Add(gtx.Ops)
		semantic.LabelOp(strings.TrimSpace(info.Name + " " + info.Folder)).Add(gtx.Ops)
		semantic.DescriptionOp(info.Path + ", " + info.Note).Add(gtx.Ops)
		semantic.SelectedOp(active).Add(gtx.Ops)
		line := gtx.Dp(2)
		switch {
		case active:
			kit.Fill(gtx.Ops, r, th.Ground)
			kit.Fill(gtx.Ops, image.Rect(0, 0, size.X, line), th.Accent)
		case hovered:
			kit.Fill(gtx.Ops, image.Rect(0, 0, size.X, size.Y-1), th.Raised)
		}
		kit.Fill(gtx.Ops, image.Rect(size.X-1, 0, size.X, size.Y), th.Line)
		if info.State == describe.Reading {
			done := int(max(info.Part, .04) * float32(size.X))
			kit.Fill(gtx.Ops, image.Rect(0, size.Y-line, done, size.Y), th.Accent)
		}
		if gtx.Focused(&t.click) {
			kit.FocusRing(gtx, th, r)
		}
		pointer.CursorPointer.Add(gtx.Ops)
		return D{Size: size}
	})
	right := size.X - gtx.Dp(8)
	if hovered || active || gtx.Focused(&t.click) || gtx.Focused(&t.close) {
		right = t.closer(gtx, th, size, info.Name) - gtx.Dp(2)
	}
	t.label(gtx, th, info, active, right)
}

// closer draws the button that closes the tab and returns where it begins.
func (t *tabState) closer(gtx C, th *kit.Theme, size image.Point, name string) int {
	side := gtx.Dp(20)
	x := size.X - side - gtx.Dp(5)
	defer op.Offset(image.Pt(x, (size.Y-side)/2)).Push(gtx.Ops).Pop()
	r := image.Rectangle{Max: image.Pt(side, side)}
	gtx.Constraints = giolayout.Exact(r.Max)
	t.close.Layout(gtx, func(gtx C) D {
		semantic.Button.Add(gtx.Ops)
		semantic.LabelOp("Close " + name).Add(gtx.Ops)
		if t.close.Hovered() {
			kit.FillRound(gtx, th, r, kit.WithAlpha(th.Text, 28))
		}
		if gtx.Focused(&t.close) {
			kit.FocusRing(gtx, th, r)
		}
		colour := th.Quiet
		if t.close.Hovered() {
			colour = th.Text
		}
		gtx.Constraints = giolayout.Constraints{Max: r.Max}
		c, d := kit.Measure(gtx, th.Picture(kit.IconClose, 14, colour))
		kit.Place(gtx.Ops, image.Pt((side-d.Size.X)/2, (side-d.Size.Y)/2), c)
		pointer.CursorPointer.Add(gtx.Ops)
		return D{Size: r.Max}
	})
	return x
}

// label draws the mark of a failure, the name, and the folder if it tells files apart.
func (t *tabState) label(gtx C, th *kit.Theme, info *TabInfo, active bool, right int) {
	x, height := gtx.Dp(10), gtx.Constraints.Max.Y
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, right-x), height)}
	if info.State == describe.Failed {
		x = kit.Middle(gtx, th.Picture(kit.IconError, 14, th.Red), x, height) + gtx.Dp(5)
	}
	colour := th.Text
	if !active && info.State != describe.Ready {
		colour = th.Quiet
	}
	room := max(0, right-x)
	folder := 0
	if info.Folder != "" {
		folder = min(room/2, th.Width(gtx, th.Small(info.Folder))+gtx.Dp(8))
	}
	gtx.Constraints.Max.X = max(0, room-folder)
	name := kit.Label{Colour: colour, Text: info.Name}
	name.Text = t.short.fit(gtx, th, name, gtx.Constraints.Max.X)
	x = kit.Middle(gtx, name.Line(th), x, height) + gtx.Dp(8)
	if folder > 0 {
		gtx.Constraints.Max.X = max(0, right-x)
		kit.Middle(gtx, th.Small(info.Folder).Line(th), x, height)
	}
}

// tooltip shows where the file lies once the pointer rests on its tab.
func (s *TabBar) tooltip(gtx C, th *kit.Theme, tabs []TabInfo, under, x int) {
	if !s.rests.On(gtx, under) {
		return
	}
	info, window := &tabs[under-1], gtx.Constraints.Max.X
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(1, min(window-gtx.Dp(24), gtx.Dp(544))), gtx.Dp(400))}
	text := []giolayout.FlexChild{
		giolayout.Rigid(kit.Label{Size: kit.SmallSize, Colour: th.Text, Text: info.Path}.Wrapped(th)),
		giolayout.Rigid(th.Small(info.Note).Line(th))}
	kit.Hint(gtx, th, giolayout.Flex{Axis: giolayout.Vertical}, text, func(d image.Point) image.Point {
		return image.Pt(max(0, min(x, window-d.X-gtx.Dp(4))), gtx.Dp(TabBarHeight+kit.Unit))
	})
}
