package window

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/app/tables"
	"strata/layout/state"
	"strata/widgets/panel"
)

// face shows a face of the allocator's page.
func face(d *driver, f panel.Face) {
	p := &d.tab().drawer.allocator
	d.choose(p.faceMenu(), f.String())
	d.draw()
}

// atFailure opens a file with the allocator's page at the request that failed.
func atFailure(t *testing.T) (*driver, *allocatorPage) {
	d := opened(t, options.Options{Files: []string{oom}, Device: options.AnyDevice, NoCache: true})
	d.press("O", 0)
	d.press(".", 0)
	d.until("the allocator is known", d.tab().allocatorShows)
	d.until("the request is explained", func() bool { return d.tab().Why() != nil })
	return d, &d.tab().drawer.allocator
}

// TestFaces: each face shows what it is for, and a row of it leads on.
func TestFaces(t *testing.T) {
	d, p := atFailure(t)
	tab := d.tab()
	at, _ := tab.AllocatorState()
	if at.OOM() == nil {
		t.Fatalf("the state is that of event %d, where no request failed", at.K)
	}
	face(d, panel.Events)
	if p.events.Len() != at.History.Len() || !p.Table.Lit(at.K) {
		t.Errorf("%d events listed, event %d is not lit", p.events.Len(), at.K)
	}
	d.chooseRow(tab, 100, d.gtx().Now)
	d.draw()
	if k := tab.AllocatorEvent(); k != 100 || !p.Table.Lit(100) {
		t.Errorf("went to event %d", k)
	}
	d.choose(p.kindMenu(), tables.SegmentEvents.String())
	d.draw()
	d.chooseRow(tab, 1, d.gtx().Now)
	d.draw()
	if k := tab.AllocatorEvent(); k != p.events.Event(1) || k == 1 {
		t.Errorf("went to event %d", k)
	}
	face(d, panel.Pools)
	d.chooseRow(tab, 0, d.gtx().Now)
	d.draw()
	if p.face != panel.Segments || !p.choice.Alone || p.choice.Only != p.pools.Keys[0] {
		t.Errorf("%v, %+v", p.face, p.choice)
	}
	face(d, panel.Settings)
	if s := d.allocatorState(d.gtx(), tab); s.Empty != "" && p.Table.Lit != nil {
		t.Errorf("%+v", s)
	}
	face(d, panel.Failure)
	if s := d.allocatorState(d.gtx(), tab); s.Empty != "" {
		t.Errorf("nothing is explained: %s", s.Empty)
	}
}

// TestRangesOfSentence: a sentence of the card, or of the page, leads to the segments with its free ranges lit, until
// another moment is looked at.
func TestRangesOfSentence(t *testing.T) {
	d, p := atFailure(t)
	tab, why := d.tab(), d.tab().Why()
	sentence := -1
	for i, n := range why.Notes {
		if n.Link > 0 {
			sentence = i
		}
	}
	if sentence < 0 {
		t.Fatal("no sentence has ranges")
	}
	d.press(".", 0)
	d.showRanges(tab, why, why.Notes[sentence].Link-1, d.gtx().Now)
	d.until("they are lit", func() bool {
		return tab.drawer.page == panel.AllocatorTab && p.state != nil && p.state.Lit != nil && p.state.At.OOM() != nil
	})
	d.press("P", 0)
	d.draw()
	d.draw()
	if p.state.Lit != nil {
		t.Error("they are lit in another state")
	}
}

// TestFits: a size that is typed lights the ranges that serve it, and says what would be asked of the driver; a number
// is an event.
func TestFits(t *testing.T) {
	d, p := atFailure(t)
	tab := d.tab()
	typed := func(text string) *panel.AllocatorState {
		p.Jump.SetText(text)
		d.jump(d.gtx(), tab)
		d.draw()
		return d.allocatorState(d.gtx(), tab)
	}
	s := typed("1 TiB")
	if !strings.Contains(s.Note, "No range of default pool") || !strings.Contains(s.Note, "asked for 1.00 TiB") {
		t.Errorf("%q", s.Note)
	}
	s = typed("2MiB")
	found := s.State.At.Fits(2<<20, func(k state.PoolKey) bool { return k == requestPool(s.State.At) })
	if len(found.Serve) == 0 || s.State.Lit == nil || !strings.Contains(s.Note, "can serve 2.00 MiB") {
		t.Errorf("%q, %d ranges", s.Note, len(found.Serve))
	}
	if typed("12,3"); tab.AllocatorEvent() != 123 {
		t.Errorf("went to event %d", tab.AllocatorEvent())
	}
	if s = typed("much"); !s.Wrong {
		t.Error("nonsense is taken")
	}
	if s = typed(""); s.Wrong || s.State.Lit != nil {
		t.Error("it stays lit")
	}
}

// lensed shows the segment of a row of the allocator's page through the run, with the pointer in its middle.
func lensed(row int) func(*driver) {
	return func(d *driver) {
		d.press("P", 0)
		if !d.tab().allocatorShows() {
			d.press(".", 0)
		}
		d.until("the allocator is known", d.tab().allocatorShows)
		d.draw()
		p := &d.tab().drawer.allocator
		page := d.arrange(d.gtx(), d.tab()).drawer
		d.click(page.Min.Add(image.Pt(40, 34+46+22*row+10)))
		d.until("one segment is shown", func() bool { return d.allocatorState(d.gtx(), d.tab()).Lens != nil })
		if p.lens.of == nil {
			d.t.Error("no segment is chosen")
		}
		d.draw()
		d.move(page.Min.Add(image.Pt(d.tab().timeline.Plot().Max.X/2, page.Dy()*2/3)))
		d.draw()
	}
}

// TestLens: a click on a label shows what lay in the segment, Backspace and Esc lead back to all segments; scrolling
// zooms the timeline too; what is pointed at is hovered, and a click pins it.
func TestLens(t *testing.T) {
	d := opened(t, options.Options{Files: []string{oom}, Device: options.AnyDevice, NoCache: true})
	lensed(0)(d)
	tab := d.tab()
	before := tab.View
	page := d.arrange(d.gtx(), tab).drawer
	d.scroll(page.Min.Add(image.Pt(300, page.Dy()/2)), -40)
	if tab.View.X1-tab.View.X0 >= before.X1-before.X0 || tab.View.Y1 != before.Y1 {
		t.Errorf("the view is %+v, was %+v", tab.View, before)
	}
	d.press(key.NameDeleteBackward, 0)
	if tab.hasLens() {
		t.Error("Backspace leaves it")
	}
	lensed(1)(d)
	d.press(key.NameEscape, 0)
	if tab.hasLens() {
		t.Error("Esc leaves it")
	}
	lensed(1)(d)
	tab.drawer.allocator.Jump.SetText("2 MiB")
	d.jump(d.gtx(), tab)
	if d.draw(); tab.hasLens() || tab.drawer.allocator.state.Lit == nil {
		t.Error("what fits is not lit")
	}
}

// TestJumpTakesLetters: what is typed into the page's field is no command, and Esc leaves the field.
func TestJumpTakesLetters(t *testing.T) {
	d, p := atFailure(t)
	d.Router.Source().Execute(key.FocusCmd{Tag: p.Jump.Tag()})
	d.draw()
	d.press("B", 0)
	if d.settings.StackHidden {
		t.Error("B hid the stack panel")
	}
	if d.press(key.NameEscape, 0); p.Jump.Focused(d.gtx()) {
		t.Error("Esc leaves the field focused")
	}
}
