package panel

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"

	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// TestNarrowDrawerKeepsItsText: in a narrow drawer, what is wrong with a query
// is said below its text and not in its place.
func TestNarrowDrawerKeepsItsText(t *testing.T) {
	h, th := widgettest.New(image.Pt(700, 222)), kit.NewTheme(true)
	var p SQL
	var head DrawerHead
	s := SQLState{Sorted: -1, Offset: -1}
	h.Draw = func(gtx giolayout.Context) {
		p.Update(gtx)
		p.Layout(gtx, th, &head, &DrawerState{Tab: SQLTab}, &s)
	}
	h.Frame()
	before := p.tableAt.Y
	s.Problem = "no such table: evnts"
	h.Frame()
	if room := p.tableAt.Y - before; room < 24 || p.tableAt.Y > 190 {
		t.Errorf("the answers begin at %d, with a problem at %d", before, p.tableAt.Y)
	}
	s.Results = 1
	h.Frame()
	if p.tableAt.Y != before {
		t.Errorf("with answers they begin at %d, want %d", p.tableAt.Y, before)
	}
}
