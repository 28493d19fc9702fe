package window

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

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/options"
	"strata/app/platform"
	"strata/app/platform/drops"
	"strata/app/session"
	"strata/layout"
	"strata/render/colour"
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
	for _, t := range d.sessions.All {
		name := t.Title()
		if t == d.sessions.Active {
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
		return !slices.ContainsFunc(d.sessions.All, func(s *session.Session) bool {
			return s.Doc == nil && s.Problem == nil
		})
	})
}

// inStrip is the middle of a tab in the strip, or of its closing button.
func (d *driver) inStrip(i int, closer bool) image.Point {
	p := d.arrange(d.gtx(), d.tab())
	width := min(232, p.tabs.Dx()/len(d.sessions.All))
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
	d := drive(t, options.Options{Files: []string{files[10], files[2], files[0]}, Device: options.AnyDevice})
	d.wantTabs("*rank0.pickle", "rank2.pickle", "rank10.pickle")
	d.allReady()
	d.sharp()
	if d.tab().Doc.Path != files[0] {
		t.Fatalf("%s is shown", d.tab().Doc.Path)
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
	if d.title != "rank2.pickle – Strata" {
		t.Fatalf("the window is called %q", d.title)
	}
	p, id := d.covered(rand.New(rand.NewPCG(1, 2)))
	d.move(p)
	if d.tab().hovered != id {
		t.Fatal("the picture is of another file")
	}
}

// TestTabsKeepWhatIsTheirs: view, pin, search, ruler and device are those of a
// file, axis and colours those of the window.
func TestTabsKeepWhatIsTheirs(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, options.Options{Files: files, Device: options.AnyDevice})
	d.allReady()
	rng := rand.New(rand.NewPCG(3, 4))
	p, id := d.covered(rng)
	d.click(p)
	d.scroll(p, -20)
	d.tab().Search("size>=1MiB")
	d.until("the search is done", func() bool { return d.tab().Find.Result != nil })
	view, found := d.tab().View, d.tab().Find.Result

	d.press(key.NameTab, key.ModCtrl)
	d.sharp()
	if d.tab().Pinned != layout.None || (d.tab().Find.Result != nil) || d.tab().search.Text() != "" ||
		d.tab().canBack() {
		t.Fatal("something of the other file is shown")
	}
	d.press("V", 0)
	d.until("the next device is shown", func() bool { return d.tab().Doc.Stage.Device == 1 })
	d.press("M", 0)
	d.press("C", 0)
	d.press("L", 0)
	d.until("the colours are there", func() bool {
		c := d.tab().Doc.Stage.Colouring
		return c.Mode == d.opt.Colour && c.Palette.Dark == d.theme.Dark
	})

	d.press(key.NameTab, key.ModCtrl)
	if d.tab().Pinned != id || d.tab().Find.Result != found || d.tab().search.Text() != "size>=1MiB" {
		t.Fatalf("pinned %d, want %d; search %q", d.tab().Pinned, id, d.tab().search.Text())
	}
	if d.tab().View.Axis != layout.Time || d.opt.Colour == colour.Modes()[0] {
		t.Fatal("the axis or the colours went back")
	}
	d.until("the colours follow", func() bool {
		c := d.tab().Doc.Stage.Colouring
		return c.Mode == d.opt.Colour && c.Palette.Dark == d.theme.Dark
	})
	d.press("M", 0)
	if math.Abs(d.tab().View.X0-view.X0) > 2 || math.Abs(d.tab().View.X1-view.X1) > 2 { // the axes meet at whole steps
		t.Fatalf("the view is %v, was %v", d.tab().View, view)
	}
	d.press(key.NameTab, key.ModCtrl)
	if d.tab().Doc.Stage.Device != 1 || d.tab().View.Axis != layout.Events {
		t.Fatal("the device went back, or the axis stayed")
	}
}

// TestCloseAndReopen: Ctrl+W, the cross and the middle button close; Ctrl+Shift+T
// brings the last one back, with what it showed.
func TestCloseAndReopen(t *testing.T) {
	_, files := ranks(t, 5)
	d := opened(t, options.Options{Files: files, Device: options.AnyDevice})
	d.allReady()
	p, id := d.covered(rand.New(rand.NewPCG(5, 6)))
	d.click(p)
	d.scroll(p, -40)
	d.sharp()
	view := d.tab().View
	d.press("W", key.ModShortcut)
	d.wantTabs("*rank1.pickle", "rank2.pickle", "rank3.pickle", "rank4.pickle")
	at := d.inStrip(2, false)
	d.move(at)
	d.point(pointer.Press, at, pointer.ButtonTertiary)
	d.point(pointer.Release, at, 0)
	d.wantTabs("*rank1.pickle", "rank2.pickle", "rank4.pickle")
	d.click(d.inStrip(0, true))
	d.wantTabs("*rank2.pickle", "rank4.pickle")
	d.press(key.NameTab, key.ModCtrl)
	d.press("W", key.ModShortcut)
	d.wantTabs("*rank2.pickle")
	d.press("W", key.ModShortcut)
	if d.wantTabs("*"); d.tab().Doc != nil || d.title != "Strata" || !d.starting() {
		t.Fatal("something is left after the last file was closed")
	}
	for range 5 {
		d.press("T", key.ModShortcut|key.ModShift)
	}
	d.wantTabs("*rank0.pickle", "rank1.pickle", "rank2.pickle", "rank3.pickle", "rank4.pickle")
	d.press("T", key.ModShortcut|key.ModShift) // there is nothing more
	d.until("the file is there again", func() bool { return d.tab().Doc != nil })
	if d.tab().View != view || d.tab().Pinned != id {
		t.Fatalf("the view is %v, was %v; pinned %d, was %d", d.tab().View, view, d.tab().Pinned, id)
	}
}

// TestDropOfSeveralWhileLoading: what is loading goes on, each file gets its
// tab, and the first of the new ones is shown.
func TestDropOfSeveralWhileLoading(t *testing.T) {
	dir, files := ranks(t, 4)
	d := drive(t, options.Options{Device: options.AnyDevice})
	d.sessions.Open(files[3])
	d.FromSystem(platform.Event{Kind: drops.Drop, Paths: []string{files[2], files[0],
		filepath.Join(dir, "missing.pickle")}})
	d.draw()
	d.wantTabs("rank3.pickle", "*missing.pickle", "rank0.pickle", "rank2.pickle")
	d.until("it is known to be missing", func() bool { return d.tab().Problem != nil })
	d.press(key.NameEscape, 0)
	d.wantTabs("*rank3.pickle", "rank0.pickle", "rank2.pickle")
	d.allReady()
	if d.tab().Problem != nil || d.tab().Doc.Path != files[3] {
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
		d := opened(t, options.Options{Files: files[:1], Device: options.AnyDevice})
		before := d.tab().Doc
		d.sessions.Open(files[1])
		l := d.tab().Loading
		if l == nil {
			t.Fatal("nothing is loading")
		}
		how(d)
		d.wantTabs("*rank0.pickle")
		for range 20 { // the goroutine's last word arrives in the meantime
			time.Sleep(5 * time.Millisecond)
			d.draw()
		}
		if d.tab().Doc != before || d.tab().Problem != nil || d.tab().Loading != nil {
			t.Fatal("something of the closed file came after")
		}
	}
}

// TestClosedIsForgotten: nobody holds the timeline of a closed tab.
func TestClosedIsForgotten(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, options.Options{Files: files, Device: options.AnyDevice})
	d.allReady()
	p, _ := d.covered(rand.New(rand.NewPCG(9, 10)))
	d.click(p)
	d.scroll(p, -40)
	d.tab().Search("size>=1MiB")
	d.until("the search is done", func() bool { return d.tab().Find.Result != nil })
	d.press("Q", 0)
	d.tab().sql.SetText("select * from devices")
	d.runSQL(d.gtx())
	d.until("the query is done", func() bool { return !d.tab().SQL.Running() && len(d.tab().SQL.Answers) > 0 })
	d.sharp()
	timeline, snap := weak.Make(d.tab().Timeline()), weak.Make(d.tab().Doc.Snapshot)
	d.press("W", key.ModShortcut)
	d.until("both are collected", func() bool {
		runtime.GC()
		return timeline.Value() == nil && snap.Value() == nil
	})
	if !d.sessions.CanReopen() {
		t.Fatal("it cannot be opened again")
	}
}

// TestPointerBetweenTabs: what is hovered is under the pointer, not where the
// pointer was when the tab was left.
func TestPointerBetweenTabs(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, options.Options{Files: files, Device: options.AnyDevice})
	d.allReady()
	p, id := d.covered(rand.New(rand.NewPCG(11, 12)))
	d.move(p)
	if d.tab().hovered != id {
		t.Fatal("nothing is hovered")
	}
	d.press(key.NameTab, key.ModCtrl)
	d.sharp()
	d.move(p) // the pointer stays
	if want := d.hit(p.Sub(d.plot().Min)); d.tab().hovered != want {
		t.Fatalf("hovered %d, want %d", d.tab().hovered, want)
	}
	d.move(image.Pt(d.Size.X-20, d.Size.Y/2)) // over the stack panel
	d.press(key.NameTab, key.ModCtrl)
	d.draw()
	if d.tab().hovered != layout.None || d.tab().timeline.ShowsTooltip(d.tab().hovered) {
		t.Fatalf("%d is hovered though the pointer is elsewhere", d.tab().hovered)
	}
}

// copyTo copies a file, making the folders it needs, and returns where to.
func copyTo(t testing.TB, from string, to ...string) string {
	t.Helper()
	path := filepath.Join(to...)
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTabOfFailedFile: a file opened in place of one that could not be opened gives the tab its name.
func TestTabOfFailedFile(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.pickle")
	if err := os.WriteFile(bad, []byte("nothing of the kind"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	d.open(bad)
	d.until("it is refused", func() bool { return d.tab().Problem != nil })
	d.draw()
	d.open(oom)
	d.until("the other is open", func() bool { return d.tab().Doc != nil && d.tab().Path == oom })
	if infos := d.tabInfos(); len(infos) != 2 || infos[1].Name != filepath.Base(oom) {
		t.Errorf("%+v", infos)
	}
}
