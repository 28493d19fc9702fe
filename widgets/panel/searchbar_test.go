package panel

import (
	"image"
	"testing"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/layout/search"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// TestSearchBarByHand clicks a term of the help card, the arrows, and clears.
func TestSearchBarByHand(t *testing.T) {
	h, th := widgettest.New(image.Pt(700, 500)), kit.NewTheme(true)
	var b SearchBar
	s := SearchState{CardRoom: 600}
	var last SearchEvent
	h.Draw = func(gtx giolayout.Context) {
		if e := b.Update(gtx); e.Changed || e.Step != 0 || e.Clear || e.Open {
			last = e
		}
		b.Layout(gtx, th, &s)
	}
	h.Frame()
	h.Router.Source().Execute(key.FocusCmd{Tag: b.Tag()})
	h.Frame()
	h.Frame()
	// The card's right edge is the field's, 330 dp from the left.
	h.Click(widgettest.At(300, 36+8+5*20+10))
	if want := search.Help()[5].Term; last.Text != want || !last.Changed || b.Text() != want {
		t.Fatalf("a click on the sixth term gives %q, want %q", last.Text, want)
	}
	s.Found, s.Count = true, 3
	h.Frame()
	h.Click(widgettest.At(290, 15))
	if last.Step != 1 {
		t.Fatalf("the arrow does not walk: %+v", last)
	}
	h.Click(widgettest.At(266, 15))
	if last.Step != -1 {
		t.Fatalf("the arrow back does not walk: %+v", last)
	}
	h.Click(widgettest.At(315, 15))
	if !last.Clear {
		t.Fatal("the cross does not clear")
	}
}
