package window

import (
	"context"
	"image"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/options"
	"strata/layout"
	"strata/layout/search"
	"strata/render"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/panel"
)

// enter types a text into what has the focus, a character a frame.
func (d *driver) enter(text string) {
	for _, r := range text {
		name := key.Name(strings.ToUpper(string(r)))
		at := d.Router.EditorState().Selection.Range
		caret := min(at.Start, at.End) + 1
		d.Router.Queue(key.Event{Name: name, State: key.Press}, key.EditEvent{Range: at, Text: string(r)},
			key.SelectionEvent{Start: caret, End: caret}, key.Event{Name: name, State: key.Release})
		d.draw()
	}
	d.draw()
}

// found waits for the search that was typed last.
func (d *driver) found() {
	d.t.Helper()
	d.until("the search is done", func() bool { return d.tab().Find.Wanted() && !d.tab().Find.Running() })
	d.draw()
}

// want searches without the window.
func (d *driver) want(text string) *search.Result {
	d.t.Helper()
	q, err := search.Parse(text)
	if err != nil {
		d.t.Fatal(err)
	}
	r, err := search.Run(context.Background(), d.tab().Timeline(), q, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// finds checks that the window shows what a text finds: the figures, and
// which allocations keep their colour.
func (d *driver) finds(text string) {
	d.t.Helper()
	d.found()
	want, got := d.want(text), d.tab().Find.Result
	if d.tab().search.Text() != text || got == nil || got.Count != want.Count || got.PeakBytes != want.PeakBytes ||
		got.Query.Text != text {
		d.t.Fatalf("the field holds %q, found %+v, want %d matches of %q", d.tab().search.Text(), got, want.Count, text)
	}
	if want.Count == 0 || want.Count == len(d.tab().Timeline().Size) {
		d.t.Fatalf("%q finds all or nothing: it tests nothing", text)
	}
	d.until("the picture is dimmed", func() bool { return d.dimmed() && d.tab().scene.Sharp() })
	for id := range d.tab().Timeline().Size {
		plain := d.tab().Doc.Stage.Colouring.Colour(layout.ID(id)) == d.tab().Colouring().Colour(layout.ID(id))
		if plain != want.Matches.Has(layout.ID(id)) {
			d.t.Fatalf("allocation %d keeps its colour: %v; it matches: %v", id, plain, want.Matches.Has(layout.ID(id)))
		}
	}
}

// dimmed reports whether the colours with all but the matches dimmed are those of now.
func (d *driver) dimmed() bool {
	all, dimmed := d.tab().Doc.Stage.Colouring, d.tab().Colouring()
	return dimmed != all && dimmed.Mode == all.Mode && dimmed.Palette.Dark == all.Palette.Dark
}

// gtx is a frame's context that draws nothing.
func (d *driver) gtx() giolayout.Context {
	return giolayout.Context{Ops: new(op.Ops), Source: d.Router.Source(), Now: time.Now(), Metric: d.Metric,
		Constraints: giolayout.Exact(d.Size)}
}

func searched(t *testing.T, text string) *driver {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.press("F", key.ModShortcut)
	d.enter(text)
	d.finds(text)
	return d
}

func TestSearchByTyping(t *testing.T) {
	const text = "train.py"
	d := searched(t, text)
	if d.tab().View != render.Whole(d.tab().Timeline(), layout.Events) || d.showing(helpSheet{}) ||
		d.tab().Pinned != layout.None {
		t.Fatal("typing ran commands of the window")
	}
	r := d.tab().Find.Result
	// Enter, N and Shift+N walk through all the matches and round.
	d.press(key.NameReturn, 0)
	first := r.Matches.Next(0)
	if d.tab().Pinned != first {
		t.Fatalf("Enter pins %d, the first match is %d", d.tab().Pinned, first)
	}
	d.press("N", 0) // the field has the focus: N is a letter
	if d.tab().Pinned != first {
		t.Fatal("a letter in the field walked")
	}
	d.press(key.NameReturn, key.ModShift)
	if last := r.Matches.Previous(layout.ID(len(d.tab().Timeline().Size) - 1)); d.tab().Pinned != last {
		t.Fatalf("Shift+Enter pins %d, the last match is %d", d.tab().Pinned, last)
	}
	if d.tab().Find.Place(d.tab().Pinned) != r.Count {
		t.Fatalf("the last of %d is number %d", r.Count, d.tab().Find.Place(d.tab().Pinned))
	}
	p, _ := d.covered(rand.New(rand.NewPCG(1, 2)))
	d.click(p)
	if d.tab().search.Focused(d.gtx()) {
		t.Fatal("after a click into the timeline the keys still go to the field")
	}
	d.tab().Pinned = layout.None
	at := layout.ID(-1)
	for i := range min(r.Count, 40) {
		d.press("N", 0)
		at = r.Matches.Next(at + 1)
		if d.tab().Pinned != at || d.tab().Find.Place(at) != i+1 {
			t.Fatalf("N pins %d (number %d), want %d (%d)", d.tab().Pinned, d.tab().Find.Place(at), at, i+1)
		}
		if d.tab().away() != chart.InView {
			t.Fatalf("match %d is not in view", at)
		}
	}
	d.press("N", key.ModShift)
	if want := r.Matches.Previous(at - 1); r.Count > 1 && d.tab().Pinned != want {
		t.Fatalf("Shift+N pins %d, want %d", d.tab().Pinned, want)
	}
	d.press(key.NameEscape, 0)
	if d.tab().Find.Result != nil || d.tab().search.Text() != "" || d.tab().Colouring() != d.tab().Doc.Stage.Colouring {
		t.Fatal("Esc does not clear the search")
	}
	if d.tab().Pinned == layout.None {
		t.Fatal("Esc did two things at once")
	}
	d.press(key.NameEscape, 0)
	if d.tab().Pinned != layout.None {
		t.Fatal("the second Esc does not unpin")
	}
}

// TestWrongSearch: what is wrong is said, what was found before stays.
func TestWrongSearch(t *testing.T) {
	const text = "train.py"
	d := searched(t, text)
	r := d.tab().Find.Result
	d.tab().Search(text + " size>=lots")
	d.draw()
	s := d.tab().searchState(d.gtx(), d.Size.X)
	if s.Problem == "" || d.tab().Find.Result != r {
		t.Fatalf("problem %q; the result stays: %v", s.Problem, d.tab().Find.Result == r)
	}
	if got := d.tab().search.Text()[s.Offset:]; !strings.HasPrefix(got, "size>=lots") &&
		!strings.HasPrefix(got, "lots") {
		t.Fatalf("the problem is at %q", got)
	}
	d.tab().Search(text + " size>=1")
	d.draw()
	d.finds(text + " size>=1")
}

// TestSearchFollows: another theme, another colour mode and another device
// show the search, too.
func TestSearchFollows(t *testing.T) {
	d := opened(t, options.Options{Files: []string{devices}, Device: options.AnyDevice})
	d.press("F", key.ModShortcut)
	d.enter("size>=4096")
	d.finds("size>=4096")
	first := d.tab().Find.Result
	d.setTheme("light")
	d.until("it is light", func() bool {
		return !d.tab().Doc.Stage.Colouring.Palette.Dark && d.dimmed()
	})
	d.finds("size>=4096")
	if d.tab().Find.Result != first {
		t.Fatal("colours searched anew")
	}
	d.run("device")
	old := d.tab().Timeline()
	d.until("the other device is there", func() bool { return d.tab().Timeline() != old })
	d.found()
	want := d.want("size>=4096")
	if d.tab().Find.Result.Timeline != d.tab().Timeline() || d.tab().Find.Result.Count != want.Count {
		t.Fatalf("%d matches, want %d", d.tab().Find.Result.Count, want.Count)
	}
	d.run("close")
	d.draw()
	if d.tab().Find.Result != nil {
		t.Fatal("a closed file has matches")
	}
}

// TestMatchesByClick clicks what the list and the stack panel offer.
func TestMatchesByClick(t *testing.T) {
	d := searched(t, "size>=64KiB")
	sites := d.tab().Find.Result.Sites
	if len(sites) < 2 {
		t.Fatal("one site only: it tests nothing")
	}
	row := func() image.Point {
		p := d.arrange(d.gtx(), d.tab())
		return image.Pt(p.matches.Min.X+40, p.matches.Min.Y+140)
	}
	d.click(row())
	if d.tab().Pinned != sites[0].First {
		t.Fatalf("a click on the first line pins %d, want %d", d.tab().Pinned, sites[0].First)
	}
	term := search.SiteTerm(d.tab().Doc.Snapshot, sites[0].Frame)
	right := d.arrange(d.gtx(), d.tab()).matches.Max.X
	d.click(image.Pt(right-30, row().Y+8)) // hide
	text := "size>=64KiB -" + term
	d.finds(text)
	d.click(image.Pt(right-70, row().Y+8)) // only
	d.finds(search.SiteTerm(d.tab().Doc.Snapshot, d.tab().Find.Result.Sites[0].Frame))
	// The stack panel, which shows the pinned allocation.
	d.press(key.NameEscape, 0)
	p := d.arrange(d.gtx(), d.tab())
	if d.tab().stack.Stack() == 0 {
		t.Fatal("nothing is in the stack panel")
	}
	d.click(image.Pt(p.stack.Max.X-58, p.stack.Min.Y+88))
	d.found()
	if text := d.tab().search.Text(); !strings.HasPrefix(text, `"`) ||
		!d.tab().Find.Result.Matches.Has(d.tab().Pinned) {
		t.Fatalf("searching from the stack panel looks for %q and does not find the pinned allocation", text)
	}
	n := d.tab().Find.Result.Count
	d.click(image.Pt(p.stack.Max.X-30, p.stack.Min.Y+88))
	d.until("it is hidden", func() bool {
		return d.tab().Find.Result != nil && !d.tab().Find.Running() && d.tab().Find.Result.Count != n
	})
	if d.tab().Find.Result.Count != 0 {
		t.Fatalf("a frame with and without itself: %d", d.tab().Find.Result.Count)
	}
}

// TestFieldsKeepTheirKeys: copying in a field copies from the field, not the
// stack of what is pinned.
func TestFieldsKeepTheirKeys(t *testing.T) {
	d := searched(t, "train.py")
	d.press(key.NameReturn, 0)
	copied := func() string {
		d.t.Helper()
		if _, b, ok := d.Router.WriteClipboard(); ok {
			return string(b)
		}
		return ""
	}
	copied()
	d.press("A", key.ModShortcut)
	d.press("C", key.ModShortcut)
	if got := copied(); got != "train.py" {
		t.Fatalf("copied %q from the search field", got)
	}
	d.press("Q", 0) // a letter: the field has the focus
	if d.tab().drawer.page == panel.SQLTab {
		t.Fatal("a letter in the field opened the drawer")
	}
	d.run("sql")
	d.draw()
	d.tab().sql.SetText("select 1 as one")
	d.press("A", key.ModShortcut)
	d.press("C", key.ModShortcut)
	if got := copied(); got != "select 1 as one" {
		t.Fatalf("copied %q from the editor", got)
	}
	d.asked("select 1 as one, null as two")
	d.copyAnswer(d.gtx(), d.tab())
	d.draw()
	if got := copied(); got != "one\ttwo\n1\t\n" {
		t.Fatalf("copied %q from the table", got)
	}
}

// TestCopyAfterSearch: after Return in the field, Ctrl+C copies the match, as its stack is shown; Esc gives the focus
// back first, then ends the search.
func TestCopyAfterSearch(t *testing.T) {
	d := searched(t, "train.py")
	copied := func(mods key.Modifiers) string {
		d.press("C", mods)
		_, text, _ := d.Router.WriteClipboard()
		return string(text)
	}
	d.press(key.NameReturn, 0)
	s, stack := d.tab().Doc.Snapshot, d.tab().Timeline().At(d.tab().Pinned).Stack
	shown, all := describe.StackText(s, stack, true), describe.StackText(s, stack, false)
	if shown == all || shown == "" {
		t.Fatal("the match has no framework frames: it tests nothing")
	}
	if got := copied(key.ModShortcut); got != shown {
		t.Errorf("copied %q, want %q", got, shown)
	}
	if got := copied(key.ModCtrl | key.ModAlt); got == all {
		t.Error("AltGr+C in the field copies")
	}
	d.run("framework")
	d.draw()
	if got := copied(key.ModShortcut); got != all {
		t.Errorf("with framework frames shown: %q, want %q", got, all)
	}
	d.press(key.NameEscape, 0)
	if d.tab().search.Focused(d.gtx()) || d.tab().Find.Result == nil || d.tab().search.Text() != "train.py" {
		t.Fatal("the first Esc does not give the focus back alone")
	}
	d.run("framework")
	d.draw()
	if got := copied(key.ModShortcut | key.ModAlt); got != all {
		t.Errorf("all of it: %q, want %q", got, all)
	}
	d.press(key.NameEscape, 0)
	if d.tab().Find.Result != nil {
		t.Fatal("the second Esc does not end the search")
	}
}
