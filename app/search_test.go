package app

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

	"strata/layout"
	"strata/layout/search"
	"strata/render"
)

// enter types a text into what has the focus, a character a frame.
func (d *driver) enter(text string) {
	for _, r := range text {
		name := key.Name(strings.ToUpper(string(r)))
		at := d.router.EditorState().Selection.Range
		caret := min(at.Start, at.End) + 1
		d.router.Queue(key.Event{Name: name, State: key.Press}, key.EditEvent{Range: at, Text: string(r)},
			key.SelectionEvent{Start: caret, End: caret}, key.Event{Name: name, State: key.Release})
		d.draw()
	}
	d.draw()
}

// found waits for the search that was typed last.
func (d *driver) found() {
	d.t.Helper()
	d.until("the search is done", func() bool { return d.find.query != nil && d.find.stop == nil })
	d.draw()
}

// want searches without the window.
func (d *driver) want(text string) *search.Result {
	d.t.Helper()
	q, err := search.Parse(text)
	if err != nil {
		d.t.Fatal(err)
	}
	r, err := search.New(d.timeline()).Run(context.Background(), q)
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
	want, got := d.want(text), d.find.result
	if d.panels.search.Text() != text || got == nil || got.Count != want.Count || got.PeakBytes != want.PeakBytes || got.Query.Text != text {
		d.t.Fatalf("the field holds %q, found %+v, want %d matches of %q", d.panels.search.Text(), got, want.Count, text)
	}
	if want.Count == 0 || want.Count == len(d.timeline().Size) {
		d.t.Fatalf("%q finds all or nothing: it tests nothing", text)
	}
	d.until("the picture is dimmed", func() bool { return d.find.litOf == d.doc.stage.colouring && d.scene.Sharp() })
	for id := range d.timeline().Size {
		plain := d.doc.stage.colouring.Colour(layout.ID(id)) == d.colouring().Colour(layout.ID(id))
		if plain != want.Matches.Has(layout.ID(id)) {
			d.t.Fatalf("allocation %d keeps its colour: %v; it matches: %v", id, plain, want.Matches.Has(layout.ID(id)))
		}
	}
}

// gtx is a frame's context that draws nothing.
func (d *driver) gtx() giolayout.Context {
	return giolayout.Context{Ops: new(op.Ops), Source: d.router.Source(), Now: time.Now(), Metric: d.metric, Constraints: giolayout.Exact(d.size)}
}

func searched(t *testing.T, text string) *driver {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	d.press("F", key.ModShortcut)
	d.enter(text)
	d.finds(text)
	return d
}

func TestSearchByTyping(t *testing.T) {
	const text = "train.py"
	d := searched(t, text)
	if d.view != render.Whole(d.timeline(), layout.Events) || d.help || d.selection.Pinned != layout.None {
		t.Fatal("typing ran commands of the window")
	}
	r := d.find.result
	// Enter, N and Shift+N walk through all the matches and round.
	d.press(key.NameReturn, 0)
	first := r.Matches.Next(0)
	if d.selection.Pinned != first {
		t.Fatalf("Enter pins %d, the first match is %d", d.selection.Pinned, first)
	}
	d.press("N", 0) // the field has the focus: N is a letter
	if d.selection.Pinned != first {
		t.Fatal("a letter in the field walked")
	}
	d.press(key.NameReturn, key.ModShift)
	if last := r.Matches.Previous(layout.ID(len(d.timeline().Size) - 1)); d.selection.Pinned != last {
		t.Fatalf("Shift+Enter pins %d, the last match is %d", d.selection.Pinned, last)
	}
	if d.find.placeOf(d.selection.Pinned) != r.Count {
		t.Fatalf("the last of %d is number %d", r.Count, d.find.placeOf(d.selection.Pinned))
	}
	p, _ := d.covered(rand.New(rand.NewPCG(1, 2)))
	d.click(p)
	if d.panels.search.Focused(d.gtx()) {
		t.Fatal("after a click into the timeline the keys still go to the field")
	}
	d.selection.Pinned = layout.None
	at := layout.ID(-1)
	for i := range min(r.Count, 40) {
		d.press("N", 0)
		at = r.Matches.Next(at + 1)
		if d.selection.Pinned != at || d.find.placeOf(at) != i+1 {
			t.Fatalf("N pins %d (number %d), want %d (%d)", d.selection.Pinned, d.find.placeOf(at), at, i+1)
		}
		if d.pinnedOffView() {
			t.Fatalf("match %d is not in view", at)
		}
	}
	d.press("N", key.ModShift)
	if want := r.Matches.Previous(at - 1); r.Count > 1 && d.selection.Pinned != want {
		t.Fatalf("Shift+N pins %d, want %d", d.selection.Pinned, want)
	}
	d.press(key.NameEscape, 0)
	if d.find.result != nil || d.panels.search.Text() != "" || d.colouring() != d.doc.stage.colouring {
		t.Fatal("Esc does not clear the search")
	}
	if d.selection.Pinned == layout.None {
		t.Fatal("Esc did two things at once")
	}
	d.press(key.NameEscape, 0)
	if d.selection.Pinned != layout.None {
		t.Fatal("the second Esc does not unpin")
	}
}

// TestWrongSearch: what is wrong is said, what was found before stays.
func TestWrongSearch(t *testing.T) {
	const text = "train.py"
	d := searched(t, text)
	r := d.find.result
	d.searchFor(text + " size>=lots")
	d.draw()
	s := d.searchState(d.gtx(), d.size.X)
	if s.Problem == "" || d.find.result != r {
		t.Fatalf("problem %q; the result stays: %v", s.Problem, d.find.result == r)
	}
	if got := d.panels.search.Text()[s.Offset:]; !strings.HasPrefix(got, "size>=lots") && !strings.HasPrefix(got, "lots") {
		t.Fatalf("the problem is at %q", got)
	}
	d.searchFor(text + " size>=1")
	d.draw()
	d.finds(text + " size>=1")
}

// TestSearchFollows: another theme, another colour mode and another device
// show the search, too.
func TestSearchFollows(t *testing.T) {
	d := opened(t, Options{Files: []string{devices}, Device: AnyDevice})
	d.press("F", key.ModShortcut)
	d.enter("size>=4096")
	d.finds("size>=4096")
	first := d.find.result
	d.setTheme("light")
	d.until("it is light", func() bool { return !d.doc.stage.colouring.Palette.Dark && d.find.litOf == d.doc.stage.colouring })
	d.finds("size>=4096")
	if d.find.result != first {
		t.Fatal("colours searched anew")
	}
	d.nextDevice(d.gtx())
	old := d.timeline()
	d.until("the other device is there", func() bool { return d.timeline() != old })
	d.found()
	want := d.want("size>=4096")
	if d.find.result.Timeline != d.timeline() || d.find.result.Count != want.Count {
		t.Fatalf("%d matches, want %d", d.find.result.Count, want.Count)
	}
	d.closeFile(d.gtx())
	d.draw()
	if d.find.result != nil {
		t.Fatal("a closed file has matches")
	}
}

// TestLatestSearchWins: of many searches in one frame only the last counts.
func TestLatestSearchWins(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	for _, text := range []string{"size>=1", "before-recording", "never-freed", "/./", "size>=100KiB"} {
		d.searchFor(text)
	}
	d.finds("size>=100KiB")
	d.searchFor("size>=1")
	d.clearSearch(d.gtx())
	time.Sleep(50 * time.Millisecond)
	d.draw()
	if d.find.result != nil || d.find.query != nil {
		t.Fatal("a search that was cleared came back")
	}
}

// TestMatchesByClick clicks what the list and the stack panel offer.
func TestMatchesByClick(t *testing.T) {
	d := searched(t, "size>=64KiB")
	sites := d.find.result.Sites
	if len(sites) < 2 {
		t.Fatal("one site only: it tests nothing")
	}
	row := func() image.Point {
		p := d.arrange(d.gtx())
		return image.Pt(p.matches.Min.X+40, p.matches.Min.Y+140)
	}
	d.click(row())
	if d.selection.Pinned != sites[0].First {
		t.Fatalf("a click on the first line pins %d, want %d", d.selection.Pinned, sites[0].First)
	}
	term := search.SiteTerm(d.doc.snap, sites[0].Frame)
	right := d.arrange(d.gtx()).matches.Max.X
	d.click(image.Pt(right-30, row().Y+8)) // hide
	text := "size>=64KiB -" + term
	d.finds(text)
	d.click(image.Pt(right-70, row().Y+8)) // only
	d.finds(search.SiteTerm(d.doc.snap, d.find.result.Sites[0].Frame))
	// The stack panel, which shows the pinned allocation.
	d.press(key.NameEscape, 0)
	p := d.arrange(d.gtx())
	if d.panels.stack.Stack() == 0 {
		t.Fatal("nothing is in the stack panel")
	}
	d.click(image.Pt(p.stack.Max.X-58, p.stack.Min.Y+88))
	d.found()
	if text := d.panels.search.Text(); !strings.HasPrefix(text, `"`) || !d.find.result.Matches.Has(d.selection.Pinned) {
		t.Fatalf("searching from the stack panel looks for %q and does not find the pinned allocation", text)
	}
	n := d.find.result.Count
	d.click(image.Pt(p.stack.Max.X-30, p.stack.Min.Y+88))
	d.until("it is hidden", func() bool { return d.find.result != nil && d.find.stop == nil && d.find.result.Count != n })
	if d.find.result.Count != 0 {
		t.Fatalf("a frame with and without itself: %d", d.find.result.Count)
	}
}

// TestFieldsKeepTheirKeys: copying in a field copies from the field, not the
// stack of what is pinned.
func TestFieldsKeepTheirKeys(t *testing.T) {
	d := searched(t, "train.py")
	d.press(key.NameReturn, 0)
	copied := func() string {
		d.t.Helper()
		if _, b, ok := d.router.WriteClipboard(); ok {
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
	if d.asker.open {
		t.Fatal("a letter in the field opened the drawer")
	}
	d.toggleSQL(d.gtx())
	d.draw()
	d.panels.sql.SetText("select 1 as one")
	d.press("A", key.ModShortcut)
	d.press("C", key.ModShortcut)
	if got := copied(); got != "select 1 as one" {
		t.Fatalf("copied %q from the editor", got)
	}
	d.asked("select 1 as one, null as two")
	d.copyAnswer(d.gtx())
	d.draw()
	if got := copied(); got != "one\ttwo\n1\t\n" {
		t.Fatalf("copied %q from the table", got)
	}
}

// TestSearchIsPrepared: from Ctrl+F on, what the first letter will need is
// made; the letters use it.
func TestSearchIsPrepared(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	if d.find.searcher != nil {
		t.Fatal("a search that nobody asked for is prepared")
	}
	d.press("F", key.ModShortcut)
	ready := d.find.searcher
	if ready == nil || d.find.timeline != d.timeline() {
		t.Fatal("nothing is prepared")
	}
	d.work.Wait()
	d.enter("train.py")
	d.until("it is found", func() bool { return d.find.result != nil })
	if d.find.searcher != ready || d.find.result.Count == 0 {
		t.Fatal("the letters are looked for anew, or nothing is found")
	}
	d.press(key.NameEscape, 0)
	d.press("F", key.ModShortcut)
	if d.find.searcher != ready {
		t.Fatal("the same is prepared again")
	}
}
