package widgets

import (
	"context"
	"image"
	"math"
	"testing"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/query"
	"strata/layout/search"
	"strata/render"
	"strata/render/raster"
)

func found(t *testing.T, tl *layout.Timeline, text string) *search.Result {
	t.Helper()
	q, err := search.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.New(tl).Run(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCurveIsTheTopOfThePicture: where everything matches the curve runs along
// the top of the stack, at every zoom.
func TestCurveIsTheTopOfThePicture(t *testing.T) {
	tl := open(t, "sim-base.pickle")
	all := found(t, tl, "size>=0")
	h := newHarness(t, image.Pt(500, 300))
	var c Curve
	v := render.Whole(tl, layout.Events)
	h.draw = func(gtx giolayout.Context) { c.Layout(gtx, h.th, all, v) }
	for _, zoom := range []float64{1, 3, 17} {
		v = render.Whole(tl, layout.Events).ZoomX(tl.Extent(layout.Events)*.4, zoom).Clamp(tl)
		h.frame()
		r, err := raster.New(context.Background(), tl, v, 500, 300)
		if err != nil {
			t.Fatal(err)
		}
		for x, y := range c.ys {
			if want := int(math.Round(v.YPixel(float64(r.Tops[x]), 300))); max(-1, min(want-y, 1)) != want-y {
				t.Fatalf("zoom %v, column %d: curve at %d, top of the stack at %d", zoom, x, y, want)
			}
		}
	}
}

// TestSearchBarByHand clicks a term of the help card, the arrows, and clears.
func TestSearchBarByHand(t *testing.T) {
	h := newHarness(t, image.Pt(700, 500))
	var b SearchBar
	s := SearchState{CardRoom: 600}
	var last SearchEvent
	h.draw = func(gtx giolayout.Context) {
		if e := b.Update(gtx); e.Changed || e.Step != 0 || e.Clear || e.Open {
			last = e
		}
		b.Layout(gtx, h.th, &s)
	}
	h.frame()
	h.router.Source().Execute(key.FocusCmd{Tag: b.Tag()})
	h.frame()
	h.frame()
	// The card's right edge is the field's, 330 dp from the left.
	h.click(at(300, 36+8+5*20+10))
	if want := search.Help()[5].Term; last.Text != want || !last.Changed || b.Text() != want {
		t.Fatalf("a click on the sixth term gives %q, want %q", last.Text, want)
	}
	s.Found, s.Count = true, 3
	h.frame()
	h.click(at(290, 15))
	if last.Step != 1 {
		t.Fatalf("the arrow does not walk: %+v", last)
	}
	h.click(at(266, 15))
	if last.Step != -1 {
		t.Fatalf("the arrow back does not walk: %+v", last)
	}
	h.click(at(315, 15))
	if !last.Clear {
		t.Fatal("the cross does not clear")
	}
}

// TestTableDrawsWhatIsInSight: a million rows cost as much as a screenful,
// and every value has its place.
func TestTableDrawsWhatIsInSight(t *testing.T) {
	a := &Answer{Columns: []query.Column{{Name: "n"}, {Name: "text"}}}
	for i := range 1_000_000 {
		a.Rows = append(a.Rows, []query.Value{{Kind: query.Int, Int: int64(i)}, {Kind: query.Text, Text: "a\nb"}})
	}
	h := newHarness(t, image.Pt(300, 260))
	var tb Table
	tb.Show(a)
	e := TableEvent{}
	h.draw = func(gtx giolayout.Context) {
		if ev := tb.Update(gtx); ev.Row >= 0 || ev.Sort >= 0 {
			e = ev
		}
		tb.Layout(gtx, h.th, -1, false)
	}
	h.frame()
	if n := len(tb.rows); n > 20 {
		t.Fatalf("%d rows were laid out", n)
	}
	h.click(at(40, 26+22*3+5))
	if e.Row != 3 || tb.Selected != 3 {
		t.Fatalf("a click on the fourth row says %+v", e)
	}
	h.send(move(at(40, 100)), wheel(at(40, 100), 0, 22*1000))
	h.click(at(40, 26+22*3+5))
	if e.Row < 900 || e.Row > 1100 {
		t.Fatalf("scrolled by 1,000 rows, the row clicked is %d", e.Row)
	}
	if got := oneLine("a\nb\tc"); got != "a b c" {
		t.Fatalf("%q", got)
	}
}

// TestNarrowDrawerKeepsItsText: in a narrow drawer, what is wrong with a query
// is said below its text and not in its place.
func TestNarrowDrawerKeepsItsText(t *testing.T) {
	h := newHarness(t, image.Pt(700, 222))
	var p SQLPanel
	s := SQLState{Sorted: -1, Offset: -1}
	h.draw = func(gtx giolayout.Context) {
		p.Update(gtx)
		p.Layout(gtx, h.th, &s)
	}
	h.frame()
	before := p.tableAt.Y
	s.Problem = "no such table: evnts"
	h.frame()
	if room := p.tableAt.Y - before; room < 24 || p.tableAt.Y > 190 {
		t.Errorf("the answers begin at %d, with a problem at %d", before, p.tableAt.Y)
	}
	s.Results = 1
	h.frame()
	if p.tableAt.Y != before {
		t.Errorf("with answers they begin at %d, want %d", p.tableAt.Y, before)
	}
}
