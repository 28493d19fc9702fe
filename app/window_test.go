package app

import (
	"errors"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/platform"
	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
	"strata/widgets"
)

// TestEverythingSpeaksOfTheAllocationUnderThePointer goes to random places of
// random views; outline, tooltip, bottom bar and stack are those of the
// allocation that layout has there.
func TestEverythingSpeaksOfTheAllocationUnderThePointer(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	tl := d.timeline()
	for i := range 24 {
		if i%10 == 9 {
			d.press("M", 0)
			d.sharp()
		}
		if i%5 == 4 {
			d.press("0", 0)
		}
		p, _ := d.covered(rng)
		d.scroll(p, -20)
		d.sharp()
		if rng.IntN(3) == 0 {
			d.press("F", 0)
			d.sharp()
		}
		p, id := d.covered(rng)
		d.move(p)
		if d.selection.Hovered != id {
			t.Fatalf("at %v hovered is %d, layout says %d", p, d.selection.Hovered, id)
		}
		exact := units.ExactBytes(tl.Size[id])
		if d.tip.Exact != exact || d.shown.Exact != exact || d.tip.ID != id || d.shown.ID != id {
			t.Fatalf("tooltip says %s, bottom bar %s, the allocation has %s", d.tip.Exact, d.shown.Exact, exact)
		}
		if !d.panels.timeline.ShowsTooltip(d.selection.Hovered) {
			t.Fatal("no tooltip")
		}
		if got, want := d.panels.stack.Stack(), tl.At(id).Stack; got != want {
			t.Fatalf("stack %d, want %d", got, want)
		}
		local := p.Sub(d.plot().Min)
		found := false
		for i, r := range d.scene.Outline(id) {
			found = found || r.X == local.X && local.Y >= r.Top && local.Y < r.Bottom
			if i%17 != 0 {
				continue
			}
			if d.hit(image.Pt(r.X, r.Top)) != id || d.hit(image.Pt(r.X, r.Bottom-1)) != id {
				t.Fatalf("the outline of %d takes in something else at column %d", id, r.X)
			}
		}
		if !found {
			t.Fatal("the outline is not around the pointer")
		}
	}
}

// TestPinStaysWhileMoving: the panels keep to the pinned allocation wherever
// the pointer and the view go, until Esc.
func TestPinStaysWhileMoving(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	p, id := d.covered(rng)
	d.click(p)
	for range 5 {
		q, other := d.covered(rng)
		d.scroll(q, -20)
		d.sharp()
		d.move(q)
		if d.selection.Pinned != id || d.shown.ID != id {
			t.Fatalf("pinned %d, panels show %d, clicked %d", d.selection.Pinned, d.shown.ID, id)
		}
		_ = other
	}
	d.press(key.NameEscape, 0)
	if d.selection.Pinned != layout.None {
		t.Fatal("Esc does not unpin")
	}
}

// TestDoubleClickPinsNothing: it fits the height, and what was pinned before
// the first of its clicks stays pinned.
func TestDoubleClickPinsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	p, id := d.covered(rng)
	q, other := d.covered(rng)
	for other == id {
		q, other = d.covered(rng)
	}
	double := func() {
		d.click(q)
		if d.selection.Pinned != other {
			t.Fatalf("a click pins %d, want %d", d.selection.Pinned, other)
		}
		d.point(pointer.Press, q, pointer.ButtonPrimary, f32.Point{})
		d.point(pointer.Release, q, 0, f32.Point{})
	}
	if double(); d.selection.Pinned != layout.None {
		t.Errorf("pinned %d", d.selection.Pinned)
	}
	d.press("0", 0)
	d.sharp()
	d.click(p)
	if double(); d.selection.Pinned != id {
		t.Errorf("pinned %d, want %d", d.selection.Pinned, id)
	}
}

func TestViewKeys(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	whole := d.view
	width := func() float64 { return d.view.X1 - d.view.X0 }
	d.press("W", 0)
	if width() >= whole.X1-whole.X0 {
		t.Fatal("W does not zoom in")
	}
	zoomed := d.view
	d.press("D", 0)
	if d.view.X0 <= zoomed.X0 {
		t.Fatal("D does not go right")
	}
	d.press("A", 0)
	if !close(d.view.X0, zoomed.X0) {
		t.Fatal("A does not go back left")
	}
	d.press("F", 0)
	if want := d.view.FitY(d.timeline()); d.view != want {
		t.Fatal("F does not fit the height")
	}
	d.press("P", 0)
	x := d.timeline().X(d.view.Axis, d.timeline().PeakState)
	if x < d.view.X0 || x > d.view.X1 {
		t.Fatal("P does not go to the peak")
	}
	d.press("0", 0)
	if d.view != whole {
		t.Fatalf("0 shows %v, want %v", d.view, whole)
	}
}

func close(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }

// TestHistory goes back and forward through views.
func TestHistory(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	views := []render.View{d.view}
	for _, k := range []key.Name{"W", "D", "F"} {
		d.history.last = time.Time{} // as if time had passed
		d.press(k, 0)
		if d.view != views[len(views)-1] {
			views = append(views, d.view)
		}
	}
	for i := len(views) - 2; i >= 0; i-- {
		d.press(key.NameLeftArrow, key.ModAlt)
		if d.view != views[i] {
			t.Fatalf("back to %v, want %v", d.view, views[i])
		}
	}
	d.press(key.NameLeftArrow, key.ModAlt) // no further
	d.press(key.NameRightArrow, key.ModAlt)
	if d.view != views[1] {
		t.Fatalf("forward to %v, want %v", d.view, views[1])
	}
}

// TestAxisKeepsTheMoment: switching the axis there and back shows the same
// part of the run again.
func TestAxisKeepsTheMoment(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	whole := d.view
	d.press("M", 0)
	if d.view.Axis != layout.Time || d.view.X0 != 0 || d.view.X1 != d.timeline().Extent(layout.Time) {
		t.Fatalf("the whole run became %v", d.view)
	}
	d.press("M", 0)
	if d.view != whole {
		t.Fatalf("and back %v", d.view)
	}
	d.press("P", 0)
	d.press("M", 0)
	x := d.timeline().X(layout.Time, d.timeline().PeakState)
	if x < d.view.X0 || x > d.view.X1 {
		t.Fatalf("the peak at %v is not in %v", x, d.view)
	}
}

func TestCopyStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	for {
		p, id := d.covered(rng)
		if d.timeline().At(id).Stack == 0 {
			continue
		}
		d.click(p)
		d.press("C", key.ModShortcut)
		_, got, ok := d.router.WriteClipboard()
		if want := widgets.StackText(d.doc.snap, d.timeline().At(id).Stack); !ok || string(got) != want {
			t.Fatalf("copied %q, want %q", got, want)
		}
		return
	}
}

// TestFailedLoadKeepsWhatIsOpen: it has a tab of its own, with a card that says
// why; Esc dismisses both.
func TestFailedLoadKeepsWhatIsOpen(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	before := d.doc
	bad := filepath.Join(t.TempDir(), "bad.pickle")
	if err := os.WriteFile(bad, []byte("no snapshot at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{bad, filepath.Join(t.TempDir(), "missing.pickle")} {
		d.open(path)
		d.until("the load failed", func() bool { return d.problem != nil })
		if d.doc != nil || d.problem.What == "" || !strings.Contains(d.problem.Title, filepath.Base(path)) {
			t.Fatalf("open: %v, card: %+v", d.doc == before, d.problem)
		}
		d.press(key.NameEscape, 0)
		if d.problem != nil || d.doc != before {
			t.Fatal("Esc does not dismiss the card and go back")
		}
	}
}

// TestNewerLoadWins: what was asked for last is what is shown, whichever
// finishes first.
func TestNewerLoadWins(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
	for range 10 {
		d.open(sample)
		d.open(devices)
		d.until("it is open", func() bool { return d.doc != nil && d.loading == nil })
		if d.doc.path != devices {
			t.Fatalf("%s is open", d.doc.path)
		}
	}
}

// TestDrop: held over the window a file draws the curtain, dropped it opens;
// a drop that fails says why and leaves all as it was.
func TestDrop(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	before := d.doc
	d.fromSystem(platform.Event{Kind: platform.Hover})
	d.draw()
	if !d.held.over {
		t.Fatal("nothing shows that a file is held over the window")
	}
	d.fromSystem(platform.Event{Kind: platform.Leave})
	d.draw()
	if d.held.over || d.doc != before {
		t.Fatal("a file that was taken away again did something")
	}
	d.fromSystem(platform.Event{Kind: platform.Failed, Err: errors.New("the source is gone")})
	d.draw()
	if d.problem == nil || d.doc != before {
		t.Fatal("a failed drop says nothing, or closed what was open")
	}
	d.fromSystem(platform.Event{Kind: platform.Drop, Paths: []string{devices}})
	d.until("the dropped file is open", func() bool { return d.doc != nil && d.doc.path == devices })
	if d.held.over || d.problem != nil {
		t.Fatal("the curtain or the old card is still there")
	}
}

// TestSample opens the embedded sample, which is no recent file and can be
// read again.
func TestSample(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
	d.openSample()
	d.until("the sample is open", func() bool { return d.doc != nil })
	if len(d.settings.Recent) != 0 || d.timeline().PeakBytes == 0 {
		t.Fatalf("recent: %q, peak %d", d.settings.Recent, d.timeline().PeakBytes)
	}
	first := d.doc
	d.press("R", key.ModShortcut)
	d.until("it is read again", func() bool { return d.doc != first || d.problem != nil })
	if d.problem != nil {
		t.Fatal(d.problem.What)
	}
}

func TestCancelLoading(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	before := d.doc
	d.open(devices)
	d.press(key.NameEscape, 0)
	if d.loading != nil && d.doc == before {
		t.Fatal("Esc does not cancel")
	}
	for range 20 { // the goroutine's last word arrives in the meantime
		time.Sleep(5 * time.Millisecond)
		d.draw()
	}
	if d.problem != nil {
		t.Fatalf("cancelling is no problem: %v", d.problem)
	}
}

// TestDevices: the one asked for is shown, and V goes to the next.
func TestDevices(t *testing.T) {
	d := opened(t, Options{Files: []string{devices}, Device: 2})
	if got := d.doc.devices[d.doc.stage.device].Index; got != 2 {
		t.Fatalf("device %d is shown, 2 was asked for", got)
	}
	first := d.doc.stage.device
	d.press("V", 0)
	d.until("the next device is shown", func() bool { return d.doc.stage.device != first })
	d.sharp()
	p, id := d.covered(rand.New(rand.NewPCG(1, 1)))
	d.move(p)
	if d.selection.Hovered != id {
		t.Fatal("the picture is of another device")
	}
}

// TestColoursAndThemeKeepThePixels: another meaning of the colours or another
// theme rasterizes nothing anew.
func TestColoursAndThemeKeepThePixels(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	view, tl := d.view, d.timeline()
	for range colour.Modes() {
		old := d.doc.stage.colouring
		d.press("C", 0)
		d.until("the colours are there", func() bool { return d.doc.stage.colouring != old })
		d.sharp()
	}
	d.press("L", 0)
	d.until("the theme is there", func() bool { return d.doc.stage.colouring.Palette.Dark == d.theme.Dark })
	d.sharp()
	if d.view != view || d.timeline() != tl {
		t.Fatal("the view or the layout changed")
	}
}

// TestAtEverySize draws windows down to the smallest and beyond.
func TestAtEverySize(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice})
	for _, size := range []image.Point{{1440, 900}, {900, 600}, {400, 300}, {200, 100}, {1, 1}, {0, 0}, {3840, 2160}} {
		d.size = size
		d.move(image.Pt(size.X/2, size.Y/2))
		d.help = !d.help
		d.draw()
	}
}

func TestMailbox(t *testing.T) {
	var m mailbox
	m.post(func() {}) // before there is a window
	var wakes sync.WaitGroup
	wakes.Add(100)
	m.setWake(wakes.Done)
	n := 0
	for range 100 {
		go m.post(func() { n++ })
	}
	wakes.Wait()
	m.deliver()
	if n != 100 {
		t.Fatalf("%d of 100 delivered", n)
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{"no such file": "No such file.", "": "", "Done!": "Done!", "é": "É."} {
		if got := sentence(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestEveryFile opens every test snapshot, and the real ones beside the
// project, goes through devices, axes and colours, and points at places.
func TestEveryFile(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../testdata/reference/*.pickle", "../testdata/generated/*.pickle", "../../shared/snapshots/*.pickle"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Logf("%s: no such files, left out", pattern)
		}
		files = append(files, found...)
	}
	rng := rand.New(rand.NewPCG(13, 14))
	d := drive(t, Options{Device: AnyDevice, NoCache: true})
	for _, file := range files {
		d.closeFile(d.gtx())
		d.open(file)
		d.until(file+" is open", func() bool { return d.doc != nil || d.problem != nil })
		if d.problem != nil {
			t.Errorf("%s: %s", file, d.problem.What)
			continue
		}
		for range d.doc.devices {
			stage := d.doc.stage.device
			for range 2 {
				d.press("C", 0)
				d.press("M", 0)
				d.sharp()
				for range 4 {
					p := image.Pt(rng.IntN(d.plot().Dx()), rng.IntN(d.plot().Dy()))
					d.move(p.Add(d.plot().Min))
					if want := d.hit(p); d.selection.Hovered != want {
						t.Errorf("%s: hovered %d, layout says %d", file, d.selection.Hovered, want)
					}
				}
			}
			d.press("V", 0)
			d.until("the next device", func() bool { return len(d.doc.devices) == 1 || d.doc.stage.device != stage })
		}
	}
}
