package widgets

import (
	"fmt"
	"image"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"
)

// TestLongMenu: a menu that is longer than the window scrolls, by its bar too,
// and its rows can be chosen up to the bar.
func TestLongMenu(t *testing.T) {
	var m Menu
	h := newHarness(t, image.Pt(400, 300))
	var chosen string
	h.draw = func(gtx giolayout.Context) {
		if id, ok := m.Update(gtx); ok {
			chosen = id
		}
		m.Layout(gtx, h.th)
	}
	var items []MenuItem
	for i := range 40 {
		items = append(items, MenuItem{ID: fmt.Sprint(i), Text: fmt.Sprint("rank ", i)})
	}
	click := func(x, y float32) {
		at := f32.Pt(x, y)
		h.send(pointer.Event{Kind: pointer.Move, Position: at}, pointer.Event{Kind: pointer.Press, Position: at, Buttons: pointer.ButtonPrimary}, pointer.Event{Kind: pointer.Release, Position: at})
	}
	m.Open("files", image.Pt(0, 0), items)
	h.frame()
	width := float32(m.width(giolayout.Context{Ops: &h.ops, Constraints: giolayout.Exact(h.size)}, h.th))
	click(width-3, 250) // far down the bar
	if m.list.Position.First == 0 || !m.Showing() || chosen != "" {
		t.Fatalf("a click into the bar: row %d is first, showing %v, chosen %q", m.list.Position.First, m.Showing(), chosen)
	}
	first := m.list.Position
	click(20, 60)
	if want := fmt.Sprint(first.First + (60-int(Unit)+first.Offset)/28); chosen != want || m.Showing() {
		t.Fatalf("chosen %q, want %q", chosen, want)
	}
}
