package app

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/platform"
	"strata/layout"
	"strata/render/colour"
	"strata/widgets"
)

// ranks makes a folder of so many snapshots, rank0.pickle and on.
func ranks(t *testing.T, n int) (dir string, files []string) {
	dir = t.TempDir()
	for i := range n {
		from := sample
		if i%2 == 1 {
			from = devices
		}
		files = append(files, copyTo(t, from, dir, fmt.Sprintf("rank%d.pickle", i)))
	}
	return dir, files
}

// names are the tabs as they are called, the active one marked.
func (d *driver) names() (names []string) {
	for _, t := range d.tabs {
		name := t.title()
		if t == d.active {
			name = "*" + name
		}
		names = append(names, name)
	}
	return names
}

func (d *driver) wantTabs(want ...string) {
	d.t.Helper()
	if got := d.names(); !slices.Equal(got, want) {
		d.t.Fatalf("the tabs are %q, want %q", got, want)
	}
}

// allReady waits until every tab has its file or a card.
func (d *driver) allReady() {
	d.t.Helper()
	d.until("all files are loaded", func() bool {
		return !slices.ContainsFunc(d.tabs, func(t *tab) bool { return t.doc == nil && t.problem == nil })
	})
}

// inStrip is the middle of a tab in the strip, or of its closing button.
func (d *driver) inStrip(i int, closer bool) image.Point {
	p := d.arrange(d.gtx())
	width := min(232, p.tabs.Dx()/len(d.tabs))
	at := p.tabs.Min.Add(image.Pt(i*width+40, 15))
	if closer {
		at.X = p.tabs.Min.X + (i+1)*width - 15
	}
	return at
}

// TestSeveralFiles: each has a tab, in natural order; the first is shown, the
// others load behind it, Ctrl+Tab and clicks go to them.
func TestSeveralFiles(t *testing.T) {
	_, files := ranks(t, 11)
	d := drive(t, Options{Files: []string{files[10], files[2], files[0]}, Device: AnyDevice})
	d.wantTabs("*rank0.pickle", "rank2.pickle", "rank10.pickle")
	d.allReady()
	d.sharp()
	if d.doc.path != files[0] {
		t.Fatalf("%s is shown", d.doc.path)
	}
	d.press(key.NameTab, key.ModCtrl)
	d.wantTabs("rank0.pickle", "*rank2.pickle", "rank10.pickle")
	d.press(key.NameTab, key.ModCtrl|key.ModShift)
	d.press(key.NameTab, key.ModCtrl|key.ModShift)
	d.wantTabs("rank0.pickle", "rank2.pickle", "*rank10.pickle")
	d.press(key.NamePageDown, key.ModCtrl)
	d.wantTabs("*rank0.pickle", "rank2.pickle", "rank10.pickle")
	d.click(d.inStrip(1, false))
	d.wantTabs("rank0.pickle", "*rank2.pickle", "rank10.pickle")
	d.sharp()
	if d.titled != "rank2.pickle – Strata" {
		t.Fatalf("the window is called %q", d.titled)
	}
	p, id := d.covered(rand.New(rand.NewPCG(1, 2)))
	d.move(p)
	if d.selection.Hovered != id {
		t.Fatal("the picture is of another file")
	}
}

// TestTabsKeepWhatIsTheirs: view, pin, search, ruler and device are those of a
// file, axis and colours those of the window.
func TestTabsKeepWhatIsTheirs(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, Options{Files: files, Device: AnyDevice})
	d.allReady()
	rng := rand.New(rand.NewPCG(3, 4))
	p, id := d.covered(rng)
	d.click(p)
	d.scroll(p, -20)
	d.searchFor("size>=1MiB")
	d.until("the search is done", func() bool { return d.find.result != nil })
	view, found := d.view, d.find.result

	d.press(key.NameTab, key.ModCtrl)
	d.sharp()
	if d.selection.Pinned != layout.None || d.find.listing() || d.panels.search.Text() != "" || d.history.canBack() {
		t.Fatal("something of the other file is shown")
	}
	d.press("V", 0)
	d.until("the next device is shown", func() bool { return d.doc.stage.device == 1 })
	d.press("M", 0)
	d.press("C", 0)
	d.press("L", 0)
	d.until("the colours are there", func() bool {
		c := d.doc.stage.colouring
		return c.Mode == d.mode && c.Palette.Dark == d.theme.Dark
	})

	d.press(key.NameTab, key.ModCtrl)
	if d.selection.Pinned != id || d.find.result != found || d.panels.search.Text() != "size>=1MiB" {
		t.Fatalf("pinned %d, want %d; search %q", d.selection.Pinned, id, d.panels.search.Text())
	}
	if d.view.Axis != layout.Time || d.mode == colour.Modes()[0] {
		t.Fatal("the axis or the colours went back")
	}
	d.until("the colours follow", func() bool {
		c := d.doc.stage.colouring
		return c.Mode == d.mode && c.Palette.Dark == d.theme.Dark
	})
	d.press("M", 0)
	if math.Abs(d.view.X0-view.X0) > 2 || math.Abs(d.view.X1-view.X1) > 2 { // the axes meet at whole steps
		t.Fatalf("the view is %v, was %v", d.view, view)
	}
	d.press(key.NameTab, key.ModCtrl)
	if d.doc.stage.device != 1 || d.view.Axis != layout.Events {
		t.Fatal("the device went back, or the axis stayed")
	}
}

// TestCloseAndReopen: Ctrl+W, the cross and the middle button close; Ctrl+Shift+T
// brings the last one back, with what it showed.
func TestCloseAndReopen(t *testing.T) {
	_, files := ranks(t, 5)
	d := opened(t, Options{Files: files, Device: AnyDevice})
	d.allReady()
	p, id := d.covered(rand.New(rand.NewPCG(5, 6)))
	d.click(p)
	d.scroll(p, -40)
	d.sharp()
	view := d.view
	d.press("W", key.ModShortcut)
	d.wantTabs("*rank1.pickle", "rank2.pickle", "rank3.pickle", "rank4.pickle")
	at := d.inStrip(2, false)
	d.move(at)
	d.point(pointer.Press, at, pointer.ButtonTertiary, f32.Point{})
	d.point(pointer.Release, at, 0, f32.Point{})
	d.wantTabs("*rank1.pickle", "rank2.pickle", "rank4.pickle")
	d.click(d.inStrip(0, true))
	d.wantTabs("*rank2.pickle", "rank4.pickle")
	d.press(key.NameTab, key.ModCtrl)
	d.press("W", key.ModShortcut)
	d.wantTabs("*rank2.pickle")
	d.press("W", key.ModShortcut)
	if d.wantTabs("*"); d.doc != nil || d.titled != "Strata" || !d.starting() {
		t.Fatal("something is left after the last file was closed")
	}
	for range 5 {
		d.press("T", key.ModShortcut|key.ModShift)
	}
	d.wantTabs("*rank0.pickle", "rank1.pickle", "rank2.pickle", "rank3.pickle", "rank4.pickle")
	d.press("T", key.ModShortcut|key.ModShift) // there is nothing more
	d.until("the file is there again", func() bool { return d.doc != nil })
	if d.view != view || d.selection.Pinned != id {
		t.Fatalf("the view is %v, was %v; pinned %d, was %d", d.view, view, d.selection.Pinned, id)
	}
}

// TestOpenedOnce: a file that is open is gone to, not opened again; read again
// only if it was changed.
func TestOpenedOnce(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, Options{Files: files[:1], Device: AnyDevice})
	first := d.doc
	d.open(files[1])
	d.until("the second is open", func() bool { return d.doc != nil && d.doc.path == files[1] })
	d.wantTabs("rank0.pickle", "*rank1.pickle")
	d.open(filepath.Join(filepath.Dir(files[0]), ".", "rank0.pickle"))
	d.wantTabs("*rank0.pickle", "rank1.pickle")
	for range 20 {
		time.Sleep(2 * time.Millisecond)
		d.draw()
	}
	if d.doc != first || d.loading != nil {
		t.Fatal("an unchanged file was read again")
	}
	copyTo(t, devices, files[0])
	d.open(files[0])
	d.until("it is read again", func() bool { return d.doc != first && d.loading == nil })
	if d.wantTabs("*rank0.pickle", "rank1.pickle"); len(d.doc.devices) != 3 && len(d.doc.devices) < 2 {
		t.Fatal("the old file is shown")
	}
}

// TestLinkIsTheSameFile: a file that is open is not opened again by another
// path to it, not even when several are opened together.
func TestLinkIsTheSameFile(t *testing.T) {
	dir, files := ranks(t, 2)
	link := filepath.Join(t.TempDir(), "latest.pickle")
	if err := os.Symlink(files[1], link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	d := opened(t, Options{Files: []string{dir, link}, Device: AnyDevice})
	settled := func() bool {
		return len(d.tabs) == 2 && d.tabs[0].doc != nil && d.tabs[1].doc != nil
	}
	d.until("the link has no tab beside that of its file", settled)
	for range 3 {
		d.press("W", key.ModShortcut)
	}
	d.open(files[0])
	d.open(files[1])
	d.until("both are open", settled)
	d.open(files[0])
	doc := d.tabs[1].doc
	d.open(link)
	d.until("it goes to the tab of the file", func() bool { return settled() && d.active == d.tabs[1] })
	if d.doc != doc || len(d.closedTabs) > 2 {
		t.Error("the file was read again, or the link is among what was closed")
	}

	// A changed file is read again, whichever path it is opened by.
	copyTo(t, sample, filepath.Dir(files[1]), filepath.Base(files[1]))
	d.open(link)
	d.until("it is read again", func() bool { return len(d.tabs) == 2 && d.doc != nil && d.doc != doc && d.loading == nil })

	// A second name in the folder is no link.
	if second := filepath.Join(dir, "rank9.pickle"); os.Link(files[1], second) == nil {
		d.open(second)
		d.until("it has a tab", func() bool { return len(d.tabs) == 3 && d.doc != nil && d.path == second })
		d.press("W", key.ModShortcut)
	}

	// The link may come to lead elsewhere.
	other := copyTo(t, sample, t.TempDir(), "other.pickle")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	d.open(link)
	d.until("it has a tab", func() bool { return len(d.tabs) == 3 && d.doc != nil && d.path == link })
}

// TestDropOfSeveralWhileLoading: what is loading goes on, each file gets its
// tab, and the first of the new ones is shown.
func TestDropOfSeveralWhileLoading(t *testing.T) {
	dir, files := ranks(t, 4)
	d := drive(t, Options{Device: AnyDevice})
	d.open(files[3])
	d.fromSystem(platform.Event{Kind: platform.Drop, Paths: []string{files[2], files[0], filepath.Join(dir, "missing.pickle")}})
	d.draw()
	d.wantTabs("rank3.pickle", "*missing.pickle", "rank0.pickle", "rank2.pickle")
	d.until("it is known to be missing", func() bool { return d.problem != nil })
	d.press(key.NameEscape, 0)
	d.wantTabs("*rank3.pickle", "rank0.pickle", "rank2.pickle")
	d.allReady()
	if d.problem != nil || d.doc.path != files[3] {
		t.Fatal("the first file was given up")
	}
}

// TestCloseWhileLoading: the tab is gone, its loading too, and what is behind it
// is shown; cancelling does the same.
func TestCloseWhileLoading(t *testing.T) {
	_, files := ranks(t, 2)
	for _, how := range []func(*driver){
		func(d *driver) { d.press("W", key.ModShortcut) },
		func(d *driver) { d.press(key.NameEscape, 0) },
	} {
		d := opened(t, Options{Files: files[:1], Device: AnyDevice})
		before := d.doc
		d.open(files[1])
		l := d.loading
		if l == nil {
			t.Fatal("nothing is loading")
		}
		how(d)
		d.wantTabs("*rank0.pickle")
		for range 20 { // the goroutine's last word arrives in the meantime
			time.Sleep(5 * time.Millisecond)
			d.draw()
		}
		if d.doc != before || d.problem != nil || d.loading != nil {
			t.Fatal("something of the closed file came after")
		}
	}
}

// TestErrorInBackground: the tab has a mark, the card is shown when one looks.
func TestErrorInBackground(t *testing.T) {
	dir, files := ranks(t, 2)
	bad := filepath.Join(dir, "rank9.pickle")
	if err := os.WriteFile(bad, []byte("segments, but no pickle"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := opened(t, Options{Files: append(files, bad), Device: AnyDevice})
	d.allReady()
	if d.problem != nil || d.tabs[2].state() != widgets.TabFailed {
		t.Fatalf("card: %v, state: %v", d.problem, d.tabs[2].state())
	}
	d.click(d.inStrip(2, false))
	if d.problem == nil || d.problem.Path != bad {
		t.Fatalf("card: %+v", d.problem)
	}
	copyTo(t, sample, bad)
	d.open(bad) // asked for again: tried again
	d.until("it is open now", func() bool { return d.doc != nil })
	d.wantTabs("rank0.pickle", "rank1.pickle", "*rank9.pickle")
}

// TestFolder: all snapshots in it, in the place of the folder; one without any
// says so.
func TestFolder(t *testing.T) {
	dir, files := ranks(t, 3)
	empty := filepath.Join(dir, "logs")
	copyTo(t, "tabs_test.go", empty, "notes.txt")
	d := drive(t, Options{Files: []string{dir}, Device: AnyDevice})
	d.until("the first file is open", func() bool { return d.doc != nil })
	d.wantTabs("*rank0.pickle", "rank1.pickle", "rank2.pickle")
	d.allReady()
	d.open(empty)
	d.until("there is a card", func() bool { return d.problem != nil })
	if d.problem.What != "No file in this folder is a snapshot." {
		t.Fatal(d.problem.What)
	}
	d.press(key.NameEscape, 0)
	d.wantTabs("*rank0.pickle", "rank1.pickle", "rank2.pickle")
	d.press(key.NameTab, key.ModCtrl)
	d.press("W", key.ModShortcut)
	d.open(dir) // what is open already is not opened twice
	d.until("the closed one is back", func() bool { return len(d.tabs) == 3 && d.loading == nil })
	d.wantTabs("*rank0.pickle", "rank2.pickle", "rank1.pickle")
	other, inOther := ranks(t, 2) // a folder after a file is looked into though nobody looks at it
	d.openFiles([]string{other, files[0]})
	d.until("the folder is unfolded", func() bool { return len(d.tabs) == 5 })
	d.allReady()
	if d.tabs[3].doc == nil || d.tabs[3].doc.path != inOther[0] || d.tabs[4].doc == nil || d.tabs[4].doc.path != inOther[1] {
		t.Fatalf("%q", d.names())
	}
}

// TestFolderWithTooMany says that it opened some of them only.
func TestFolderWithTooMany(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
	_, files := ranks(t, 2)
	d.open("/somewhere/run")
	d.budget = 0 // nothing is loaded ahead
	d.unfold(&folder{path: "/somewhere/run", files: files, more: true})
	d.until("the first is open", func() bool { return d.doc != nil })
	if d.wantTabs("*rank0.pickle", "rank1.pickle"); d.notice != "The first 2 snapshots of run are open; there are more in it" {
		t.Fatalf("the window says %q", d.notice)
	}
}

// TestUnloadAndReload: what does not fit the budget is unloaded, that which was
// looked at longest ago first, and comes back as it was.
func TestUnloadAndReload(t *testing.T) {
	_, files := ranks(t, 4)
	d := opened(t, Options{Files: files[:1], Device: AnyDevice})
	p, id := d.covered(rand.New(rand.NewPCG(7, 8)))
	d.click(p)
	d.scroll(p, -40)
	d.scroll(p, -40)
	d.sharp()
	view, back := d.view, d.history
	d.budget = d.taken() * 5 / 2 // room for two
	d.openFiles(files[1:3])
	d.until("the second is open", func() bool { return d.doc != nil })
	for range 50 {
		time.Sleep(2 * time.Millisecond)
		d.draw()
	}
	if s := d.tabs[2].state(); s != widgets.TabWaiting {
		t.Fatalf("the third is %v though there is no room", s)
	}
	d.click(d.inStrip(2, false))
	d.until("the third is open", func() bool { return d.doc != nil })
	if d.tabs[0].doc != nil || d.tabs[1].doc == nil || d.tabs[0].state() != widgets.TabWaiting || d.taken() > d.budget {
		t.Fatal("it is not the first that was unloaded")
	}
	for range 20 {
		time.Sleep(2 * time.Millisecond)
		d.draw()
	}
	if d.tabs[0].loading != nil || d.tabs[0].doc != nil {
		t.Fatal("what was unloaded is loaded though nobody looks at it")
	}
	d.click(d.inStrip(0, false))
	d.until("the first is back", func() bool { return d.doc != nil })
	if d.view != view || d.selection.Pinned != id || len(d.history.views) != len(back.views) {
		t.Fatalf("the view is %v, was %v; pinned %d, was %d", d.view, view, d.selection.Pinned, id)
	}
	d.sharp()
	copyTo(t, devices, files[0]) // another file comes back as a new one
	d.tabs[0].evicted = true
	d.click(d.inStrip(1, false))
	d.unload(d.tabs[0])
	d.click(d.inStrip(0, false))
	d.until("the new file is there", func() bool { return d.doc != nil })
	if d.selection.Pinned != layout.None || d.view == view {
		t.Fatal("the view and the pin of another file are shown")
	}
}

// TestClosedIsForgotten: nobody holds the timeline of a closed tab.
func TestClosedIsForgotten(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, Options{Files: files, Device: AnyDevice})
	d.allReady()
	p, _ := d.covered(rand.New(rand.NewPCG(9, 10)))
	d.click(p)
	d.scroll(p, -40)
	d.searchFor("size>=1MiB")
	d.until("the search is done", func() bool { return d.find.result != nil })
	d.press("Q", 0)
	d.panels.sql.SetText("select * from devices")
	d.runSQL(d.gtx())
	d.until("the query is done", func() bool { return d.asker.run == nil && len(d.asker.answers) > 0 })
	d.sharp()
	timeline, snap := weak.Make(d.timeline()), weak.Make(d.doc.snap)
	d.press("W", key.ModShortcut)
	d.until("both are collected", func() bool {
		runtime.GC()
		return timeline.Value() == nil && snap.Value() == nil
	})
	if d.closedTabs[0].path != files[0] {
		t.Fatal("it cannot be opened again")
	}
}

// TestDistinguish: files of one name are told apart by their folders.
func TestDistinguish(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{[]string{"/a/x", "/a/y"}, []string{"", ""}},
		{[]string{"/run/rank0/s", "/run/rank1/s", "/run/t"}, []string{"rank0", "rank1", ""}},
		{[]string{"/r1/rank0/s", "/r2/rank0/s"}, []string{"r1", "r2"}},
		{[]string{"/r1/a/s", "/r1/b/s", "/r2/a/s"}, []string{"/r1/a", "/r1/b", "/r2/a"}},
		{[]string{"/s", "/a/s"}, []string{"/", "/a"}},
		{[]string{"", ""}, []string{"", ""}},
	} {
		if got := distinguish(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}

// TestPointerBetweenTabs: what is hovered is under the pointer, not where the
// pointer was when the tab was left.
func TestPointerBetweenTabs(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, Options{Files: files, Device: AnyDevice})
	d.allReady()
	p, id := d.covered(rand.New(rand.NewPCG(11, 12)))
	d.move(p)
	if d.selection.Hovered != id {
		t.Fatal("nothing is hovered")
	}
	d.press(key.NameTab, key.ModCtrl)
	d.sharp()
	d.move(p) // the pointer stays
	if want := d.hit(p.Sub(d.plot().Min)); d.selection.Hovered != want {
		t.Fatalf("hovered %d, want %d", d.selection.Hovered, want)
	}
	d.move(image.Pt(d.size.X-20, d.size.Y/2)) // over the stack panel
	d.press(key.NameTab, key.ModCtrl)
	d.draw()
	if d.selection.Hovered != layout.None || d.panels.timeline.ShowsTooltip(d.selection.Hovered) {
		t.Fatalf("%d is hovered though the pointer is elsewhere", d.selection.Hovered)
	}
}
