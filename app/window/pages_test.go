package window

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/options"
	"strata/app/pages"
	"strata/app/session"
	"strata/layout/breakdown"
)

// oom is a snapshot of another run of the program that made annotated.
const oom = "../../testdata/generated/oom.pickle"

// paired drives a window with two files side by side.
func paired(t testing.TB, a, b string) (*driver, *pages.Pair) {
	d := opened(t, options.Options{Files: []string{a}, Device: options.AnyDevice, NoCache: true})
	return d, d.pairWith(b)
}

// pairWith opens another file beside the one that is shown, and waits for both.
func (d *driver) pairWith(b string) *pages.Pair {
	d.t.Helper()
	first := d.sessions.Active
	d.sessions.Open(b)
	d.sessions.Activate(first)
	d.press("K", key.ModShortcut)
	p, is := d.tab().Page.(*pages.Pair)
	if !is {
		d.t.Fatal("there is no tab with both")
	}
	d.compared(p)
	return p
}

// compared waits until both are drawn.
func (d *driver) compared(p *pages.Pair) {
	d.t.Helper()
	d.until("both are compared", func() bool { return p.Made() != nil && d.tab().pair.Drawn(p) })
	d.draw()
}

// TestCompareKey: a key opens two files side by side, with the sentence; X swaps them, and the tab closes.
func TestCompareKey(t *testing.T) {
	d, p := paired(t, annotated, oom)
	if s := p.Sentence(); !strings.HasPrefix(s, "B peaks 20.1 GiB lower") || len(d.sessions.All) != 3 {
		t.Errorf("%d tabs, %s", len(d.sessions.All), s)
	}
	d.press("X", 0)
	if s := p.Sentence(); !strings.HasPrefix(s, "B peaks 20.1 GiB higher") {
		t.Error(s)
	}
	d.press("W", key.ModShortcut)
	if len(d.sessions.All) != 2 || d.tab().Page != nil {
		t.Error("the tab of both is still there")
	}
}

// TestPairMoves: both have one view, which keys and the wheel change, and the strips of the axes move the moments of
// both, with Shift of one.
func TestPairMoves(t *testing.T) {
	d, p := paired(t, annotated, oom)
	whole := p.View
	d.press("W", 0)
	if p.View.X1-p.View.X0 >= whole.X1-whole.X0 {
		t.Error("W does not zoom in")
	}
	d.press("0", 0)
	at := image.Pt(700, 300)
	d.scroll(at, -20)
	if p.View.X1-p.View.X0 >= whole.X1-whole.X0 {
		t.Error("the wheel does not zoom in")
	}
	d.press("0", 0)
	if p.View != whole {
		t.Errorf("%v, not %v", p.View, whole)
	}
	before := p.Moment(0)
	strip := d.tab().pair.Strip(0)
	d.click(image.Pt(strip.Min.X+strip.Dx()/3, strip.Min.Y+strip.Dy()/2))
	if !p.Chosen() || p.Moment(0) == before {
		t.Errorf("the moment is still %v", p.Moment(0))
	}
	d.press(key.NameEscape, 0)
	if p.Chosen() {
		t.Error("Esc does not go back to the peaks")
	}
}

// TestPairPages: the table and the flame graph show, tied in each way.
func TestPairPages(t *testing.T) {
	d, p := paired(t, annotated, oom)
	for _, align := range []pages.Align{pages.ByTime, pages.ByAnnotations, pages.BySteps} {
		d.press("M", 0)
		if p.Align() != align {
			t.Errorf("tied by %s, not %s", p.Align(), align)
		}
		d.compared(p)
	}
	d.press("K", 0)
	d.until("there is a flame graph", d.tab().pair.Flamed)
	d.move(image.Pt(500, 800))
	d.press("J", 0)
	d.press("E", 0)
	d.move(image.Pt(500, 800))
	d.press("E", 0) // closes it
	d.draw()
}

// TestPairAfterClose: both stay when their own tabs are closed, and a broken file is told of.
func TestPairAfterClose(t *testing.T) {
	d, p := paired(t, annotated, oom)
	for _, s := range p.Of {
		d.sessions.Close(s, d.sessions.Active)
	}
	d.draw()
	if p.Made() == nil || p.Sentence() == "" || len(d.sessions.All) != 1 {
		t.Errorf("%d tabs", len(d.sessions.All))
	}
	broken := t.TempDir() + "/broken.pickle"
	if err := os.WriteFile(broken, []byte("no"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.sessions.Open(annotated)
	d.until("it is open", func() bool { return d.tab().Doc != nil })
	d.compareFiles(annotated, broken)
	q := d.tab().Page.(*pages.Pair)
	d.until("it says so", func() bool { return strings.Contains(q.Waiting(), "B could not be opened: broken.pickle") })
}

// generated is a folder of many snapshots.
const generated = "../../testdata/generated"

// ranksFolder is a folder of ranks: eight alike, one that ran out of memory, and one that is broken.
func ranksFolder(d *driver) string {
	d.t.Helper()
	dir := d.t.TempDir()
	for i := range 8 {
		copyTo(d.t, sample, dir, fmt.Sprintf("rank%d.pickle", i))
	}
	copyTo(d.t, oom, dir, "rank8.pickle")
	if err := os.WriteFile(filepath.Join(dir, "rank9.pickle"), []byte("\x80\x04"), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return dir
}

// walled opens a folder as a wall and waits until all of it is there.
func (d *driver) walled(folder string) *pages.Wall {
	d.t.Helper()
	d.openWall(folder)
	w := d.tab().Page.(*pages.Wall)
	d.until("the wall is there", func() bool { _, _, reading := w.Reading(); return !reading && w.Complete() })
	d.draw()
	return w
}

// TestWall: a folder of many files is a wall; a click opens a file, two that are selected are compared.
func TestWall(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice, NoCache: true})
	dir := ranksFolder(d)
	d.open(dir)
	var w *pages.Wall
	d.until("the folder is a wall", func() bool { w, _ = d.tab().Page.(*pages.Wall); return w != nil && w.Complete() })
	if n := len(w.Shown().Ranks); n != 10 || len(d.sessions.All) != 1 || w.Title() != "Ranks in "+filepath.Base(dir) {
		t.Fatalf("%d ranks, %d tabs, %s", n, len(d.sessions.All), w.Title())
	}
	d.press("P", 0)
	d.press("M", 0)
	d.press("E", 0)
	if w.Order() != pages.ByPeak {
		t.Errorf("sorted by %s", w.Order())
	}
	d.press("E", 0)
	w.Select(0)
	w.Select(1)
	w.Select(2)
	if w.Selected(0) || !w.Selected(1) || !w.Selected(2) {
		t.Error("not the last two are selected")
	}
	d.press("K", key.ModShortcut)
	p, is := d.tab().Page.(*pages.Pair)
	if !is {
		t.Fatal("the two are not compared")
	}
	d.compared(p)
	if s := p.Sentence(); !strings.HasPrefix(s, "B peaks as high as A") {
		t.Error(s)
	}
	wall := d.sessions.All[0]
	d.sessions.Activate(wall)
	d.draw()
	d.click(image.Pt(60, 200))
	d.until("the file is open", func() bool { return d.tab().Doc != nil })
}

// TestWallReload: a wall is read again with what is new and without what is gone, says why its axis stays, and closes
// where it is the only tab.
func TestWallReload(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice, NoCache: true})
	dir := ranksFolder(d)
	var w *pages.Wall
	d.open(dir)
	d.until("the folder is a wall", func() bool { w, _ = d.tab().Page.(*pages.Wall); return w != nil && w.Complete() })
	before := w.Shown()
	copyTo(t, "../../testdata/generated/no-times.pickle", dir, "rank11.pickle")
	for _, gone := range []string{"rank2.pickle", "rank9.pickle"} {
		if err := os.Remove(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	d.press("R", key.ModShortcut)
	d.until("it is read again", func() bool { return w.Complete() && w.Shown() != before })
	if r := w.Shown().Ranks; len(r) != 9 || r[8].File.Rank != 11 {
		t.Errorf("%d ranks, the last is %d", len(r), r[len(r)-1].File.Rank)
	}
	axis := d.opt.Axis
	d.draw()
	if d.press("M", 0); d.opt.Axis != axis || d.tab().Notice == "" {
		t.Errorf("the axis is %d, notice %q", d.opt.Axis, d.tab().Notice)
	}
	if d.press("W", key.ModShortcut); d.tab().Page != nil {
		t.Error("it does not close")
	}
}

// TestWallRandom: random input while files arrive and disappear does no harm.
func TestWallRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	d := drive(t, options.Options{Device: options.AnyDevice})
	dir := ranksFolder(d)
	d.openWall(dir)
	tab := d.sessions.Active
	for i := range 120 {
		switch rng.IntN(8) {
		case 0:
			os.Remove(filepath.Join(dir, fmt.Sprintf("rank%d.pickle", rng.IntN(10))))
		case 1:
			copyTo(t, sample, dir, fmt.Sprintf("rank%d.pickle", 10+i))
		case 2:
			d.setGroupBy(breakdown.By(rng.IntN(3))) // reads anew
		case 3:
			d.press([]key.Name{"M", "P", "E", key.NameEscape, key.NamePageDown, key.NameHome}[rng.IntN(6)], 0)
		default:
			d.click(image.Pt(rng.IntN(1440), 120+rng.IntN(700)))
		}
		d.menu.Close()
		if d.sessions.Holds(tab) {
			d.sessions.Activate(tab)
		}
		d.draw()
	}
}

// TestPairRandom: random input does no harm, and both keep one view that lies within both runs.
func TestPairRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	d, p := paired(t, annotated, oom)
	tab := d.sessions.Active
	for range 150 {
		at := image.Pt(rng.IntN(1440), 80+rng.IntN(820))
		switch rng.IntN(6) {
		case 0:
			d.press([]key.Name{"M", "P", "E", "K", "J", "X", "W", "S", "A", "D", "F", "0", key.NameEnd, key.NameHome,
				key.NameEscape, key.NameUpArrow}[rng.IntN(16)], 0)
		case 1, 2:
			d.scroll(at, float32(rng.IntN(100)-50))
		case 3:
			d.point(pointer.Press, at, pointer.ButtonPrimary)
			d.point(pointer.Move, image.Pt(rng.IntN(1440), 80+rng.IntN(820)), pointer.ButtonPrimary)
			d.point(pointer.Release, at, 0)
		default:
			d.click(at)
		}
		d.menu.Close()
		d.sheet = nil
		if d.sessions.Active != tab {
			d.sessions.Activate(tab)
		}
		d.draw()
		if v := p.View; !(v.X1 > v.X0) || v.X0 < 0 || v.Y0 < 0 {
			t.Fatalf("the view is %v", v)
		}
	}
}

// TestSavePair: the picture of both is saved as PNG, and under no other name.
func TestSavePair(t *testing.T) {
	d, _ := paired(t, annotated, oom)
	for name, good := range map[string]bool{"both.png": true, "both.svg": false} {
		path := filepath.Join(t.TempDir(), name)
		d.dialogs = &fakeDialogs{paths: []string{path}}
		d.press("E", key.ModShortcut)
		d.until("it is saved, or not", func() bool {
			_, err := os.Stat(path)
			return err == nil || d.tab().Problem != nil
		})
		if _, err := os.Stat(path); (err == nil) != good {
			t.Errorf("%s: %v", name, err)
		}
		d.tab().Problem = nil
	}
}

// TestKeysOnPages presses the keys of every command on a page of each kind: nothing may panic.
func TestKeysOnPages(t *testing.T) {
	d, _ := paired(t, annotated, oom)
	pair := d.sessions.Active
	d.walled(ranksFolder(d))
	for _, tab := range []*session.Session{pair, d.sessions.Active} {
		for i := range commands {
			c := &commands[i]
			if c.id == "open" || strings.HasPrefix(c.id, "close") { // the dialog of the system; a page goes
				continue
			}
			for _, b := range c.keys {
				if !d.sessions.Holds(tab) {
					t.Fatalf("%s closed the page", c.id)
				}
				d.sessions.Activate(tab)
				d.press(b.name, b.mods)
				d.menu.Close()
				d.sheet = nil
			}
		}
	}
}

// TestOpenDevice: a card of a device opens that device of its file, also where the file is open already.
func TestOpenDevice(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice, NoCache: true})
	for _, device := range []int{1, 0, 7} {
		d.openDevice(devices, device)
		d.until("it is open", func() bool { return d.tab().Doc != nil })
		want := min(device, 1) // of no such device nothing changes
		if device == 7 {
			want = 0
		}
		d.until("that device shows", func() bool { return d.tab().Doc.Device().Index == want })
	}
}

// TestPairCopies: all that can be copied of a comparison is what strata compare prints.
func TestPairCopies(t *testing.T) {
	d, p := paired(t, annotated, oom)
	d.press("C", key.ModShortcut)
	if d.tab().Notice != "Sentence copied" {
		t.Errorf("notice %q", d.tab().Notice)
	}
	texts := d.tab().pair.Texts(p)
	for i, want := range []string{"B peaks 20.1 GiB lower", "group\tA\tB", "**B peaks 20.1 GiB lower",
		"strata compare "} {
		if !strings.HasPrefix(texts[i], want) {
			t.Errorf("%.80q, want %s", texts[i], want)
		}
	}
}
