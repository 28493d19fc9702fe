package kit

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/widgets/widgettest"
)

// TestLongMenu: a menu that is longer than the window scrolls, by its bar too,
// and its rows can be chosen up to the bar.
func TestLongMenu(t *testing.T) {
	var m Menu
	h, th := widgettest.New(image.Pt(400, 300)), NewTheme(true)
	var chosen string
	h.Draw = func(gtx giolayout.Context) {
		if do := m.Update(gtx); do != nil {
			do(gtx)
		}
		m.Layout(gtx, th)
	}
	var items []MenuItem
	for i := range 40 {
		items = append(items, MenuItem{Do: func(giolayout.Context) { chosen = fmt.Sprint(i) },
			Text: fmt.Sprint("rank ", i)})
	}
	click := func(x, y float32) {
		at := f32.Pt(x, y)
		h.Send(pointer.Event{Kind: pointer.Move, Position: at}, pointer.Event{Kind: pointer.Press, Position: at,
			Buttons: pointer.ButtonPrimary}, pointer.Event{Kind: pointer.Release, Position: at})
	}
	m.Open("files", image.Pt(0, 0), items)
	h.Frame()
	width := float32(m.width(giolayout.Context{Ops: &h.Ops, Constraints: giolayout.Exact(h.Size)}, th))
	click(width-3, 250) // far down the bar
	if m.list.Position.First == 0 || !m.Showing() || chosen != "" {
		t.Fatalf("a click into the bar: row %d is first, showing %v, chosen %q", m.list.Position.First, m.Showing(),
			chosen)
	}
	first := m.list.Position
	click(20, 60)
	if want := fmt.Sprint(first.First + (60-int(Unit)+first.Offset)/28); chosen != want || m.Showing() {
		t.Fatalf("chosen %q, want %q", chosen, want)
	}
}

func TestMenu(t *testing.T) {
	h, th := widgettest.New(image.Pt(400, 300)), NewTheme(true)
	var m Menu
	var got []string
	h.Draw = func(gtx giolayout.Context) {
		if do := m.Update(gtx); do != nil {
			do(gtx)
		}
		m.Layout(gtx, th)
	}
	choose := func(id string) func(giolayout.Context) { return func(giolayout.Context) { got = append(got, id) } }
	items := []MenuItem{{Heading: true, Text: "Title"}, {Do: choose("a"), Text: "First"},
		{Do: choose("b"), Text: "Second", Disabled: true}, {Do: choose("c"), Text: "Third"}}
	openMenu := func() {
		m.Open("x", image.Pt(350, 10), items) // must stay inside the window
		h.Frame()
		h.Frame()
	}
	openMenu()
	// 4 dp, a heading of 24, then rows of 28.
	h.Click(widgettest.At(300, 10+4+24+14))
	openMenu()
	h.Click(widgettest.At(300, 10+4+24+28+14)) // disabled
	if !m.Showing() {
		t.Fatal("a click on what cannot be chosen closed the menu")
	}
	h.Click(widgettest.At(300, 10+4+24+56+14))
	openMenu()
	h.Click(widgettest.At(20, 250))
	if m.Showing() {
		t.Fatal("a click beside the menu leaves it open")
	}
	if strings.Join(got, " ") != "a c" {
		t.Fatalf("chose %q", got)
	}
}
