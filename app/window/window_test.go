package window

import (
	"errors"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/options"
	"strata/app/platform"
	"strata/app/platform/drops"
	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
	"strata/widgets/describe"
)

// TestEverythingSpeaksOfTheAllocationUnderThePointer goes to random places of
// random views; outline, tooltip, bottom bar and stack are those of the
// allocation that layout has there.
func TestEverythingSpeaksOfTheAllocationUnderThePointer(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	tl := d.tab().Timeline()
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
		if d.tab().hovered != id {
			t.Fatalf("at %v hovered is %d, layout says %d", p, d.tab().hovered, id)
		}
		exact := units.ExactBytes(tl.Size[id])
		if d.tab().tip.Exact != exact || d.tab().details.Exact != exact || d.tab().tip.ID != id ||
			d.tab().details.ID != id {
			t.Fatalf("tooltip says %s, bottom bar %s, the allocation has %s", d.tab().tip.Exact,
				d.tab().details.Exact, exact)
		}
		if !d.tab().timeline.ShowsTooltip(d.tab().hovered) {
			t.Fatal("no tooltip")
		}
		if got, want := d.tab().stack.Stack(), tl.At(id).Stack; got != want {
			t.Fatalf("stack %d, want %d", got, want)
		}
		local := p.Sub(d.plot().Min)
		found := false
		for i, r := range d.tab().scene.Outline(id) {
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
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	p, id := d.covered(rng)
	d.click(p)
	for range 5 {
		q, other := d.covered(rng)
		d.scroll(q, -20)
		d.sharp()
		d.move(q)
		if d.tab().Pinned != id || d.tab().details.ID != id {
			t.Fatalf("pinned %d, panels show %d, clicked %d", d.tab().Pinned, d.tab().details.ID, id)
		}
		_ = other
	}
	d.press(key.NameEscape, 0)
	if d.tab().Pinned != layout.None {
		t.Fatal("Esc does not unpin")
	}
}

// TestDoubleClickPinsNothing: it fits the height, and what was pinned before
// the first of its clicks stays pinned.
func TestDoubleClickPinsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	p, id := d.covered(rng)
	q, other := d.covered(rng)
	for other == id {
		q, other = d.covered(rng)
	}
	double := func() {
		d.click(q)
		if d.tab().Pinned != other {
			t.Fatalf("a click pins %d, want %d", d.tab().Pinned, other)
		}
		d.point(pointer.Press, q, pointer.ButtonPrimary)
		d.point(pointer.Release, q, 0)
	}
	if double(); d.tab().Pinned != layout.None {
		t.Errorf("pinned %d", d.tab().Pinned)
	}
	d.press("0", 0)
	d.sharp()
	d.click(p)
	if double(); d.tab().Pinned != id {
		t.Errorf("pinned %d, want %d", d.tab().Pinned, id)
	}
}

func TestViewKeys(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	whole := d.tab().View
	width := func() float64 { return d.tab().View.X1 - d.tab().View.X0 }
	d.press("W", 0)
	if width() >= whole.X1-whole.X0 {
		t.Fatal("W does not zoom in")
	}
	zoomed := d.tab().View
	d.press("D", 0)
	if d.tab().View.X0 <= zoomed.X0 {
		t.Fatal("D does not go right")
	}
	d.press("A", 0)
	if !close(d.tab().View.X0, zoomed.X0) {
		t.Fatal("A does not go back left")
	}
	d.press("F", 0)
	if want := d.tab().View.FitY(d.tab().Timeline()); d.tab().View != want {
		t.Fatal("F does not fit the height")
	}
	d.press("P", 0)
	x := d.tab().Timeline().X(d.tab().View.Axis, d.tab().Timeline().PeakState)
	if x < d.tab().View.X0 || x > d.tab().View.X1 {
		t.Fatal("P does not go to the peak")
	}
	d.press("0", 0)
	if d.tab().View != whole {
		t.Fatalf("0 shows %v, want %v", d.tab().View, whole)
	}
}

func close(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }

func TestCopyStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	for {
		p, id := d.covered(rng)
		if d.tab().Timeline().At(id).Stack == 0 {
			continue
		}
		d.click(p)
		d.press("C", key.ModShortcut)
		_, got, ok := d.Router.WriteClipboard()
		if want := describe.StackText(d.tab().Doc.Snapshot, d.tab().Timeline().At(id).Stack, true); !ok ||
			string(got) != want {
			t.Fatalf("copied %q, want %q", got, want)
		}
		return
	}
}

// TestFailedLoadKeepsWhatIsOpen: it has a tab of its own, with a card that says
// why; Esc dismisses both.
func TestFailedLoadKeepsWhatIsOpen(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	before := d.tab().Doc
	bad := filepath.Join(t.TempDir(), "bad.pickle")
	if err := os.WriteFile(bad, []byte("no snapshot at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{bad, filepath.Join(t.TempDir(), "missing.pickle")} {
		d.sessions.Open(path)
		d.until("the load failed", func() bool { return d.tab().Problem != nil })
		if d.tab().Doc != nil || d.tab().Problem.What == "" ||
			!strings.Contains(d.tab().Problem.Title, filepath.Base(path)) {
			t.Fatalf("open: %v, card: %+v", d.tab().Doc == before, d.tab().Problem)
		}
		d.press(key.NameEscape, 0)
		if d.tab().Problem != nil || d.tab().Doc != before {
			t.Fatal("Esc does not dismiss the card and go back")
		}
	}
}

// TestDrop: held over the window a file draws the curtain, dropped it opens;
// a drop that fails says why and leaves all as it was.
func TestDrop(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	before := d.tab().Doc
	d.FromSystem(platform.Event{Kind: drops.Hover})
	d.draw()
	if !d.drag.over {
		t.Fatal("nothing shows that a file is held over the window")
	}
	d.FromSystem(platform.Event{Kind: drops.Leave})
	d.draw()
	if d.drag.over || d.tab().Doc != before {
		t.Fatal("a file that was taken away again did something")
	}
	d.FromSystem(platform.Event{Kind: drops.Failed, Err: errors.New("the source is gone")})
	d.draw()
	if d.tab().Problem == nil || d.tab().Doc != before {
		t.Fatal("a failed drop says nothing, or closed what was open")
	}
	d.FromSystem(platform.Event{Kind: drops.Drop, Paths: []string{devices}})
	d.until("the dropped file is open", func() bool { return d.tab().Doc != nil && d.tab().Doc.Path == devices })
	if d.drag.over || d.tab().Problem != nil {
		t.Fatal("the curtain or the old card is still there")
	}
}

// TestSample opens the embedded sample, which is no recent file and can be
// read again.
func TestSample(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
	d.sessions.OpenSample()
	d.until("the sample is open", func() bool { return d.tab().Doc != nil })
	if len(d.settings.Recent) != 0 || d.tab().Timeline().PeakBytes == 0 {
		t.Fatalf("recent: %q, peak %d", d.settings.Recent, d.tab().Timeline().PeakBytes)
	}
	first := d.tab().Doc
	d.press("R", key.ModShortcut)
	d.until("it is read again", func() bool { return d.tab().Doc != first || d.tab().Problem != nil })
	if d.tab().Problem != nil {
		t.Fatal(d.tab().Problem.What)
	}
}

func TestCancelLoading(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	before := d.tab().Doc
	d.sessions.Open(devices)
	d.press(key.NameEscape, 0)
	if d.tab().Loading != nil && d.tab().Doc == before {
		t.Fatal("Esc does not cancel")
	}
	for range 20 { // the goroutine's last word arrives in the meantime
		time.Sleep(5 * time.Millisecond)
		d.draw()
	}
	if d.tab().Problem != nil {
		t.Fatalf("cancelling is no problem: %v", d.tab().Problem)
	}
}

// TestDevices: the one asked for is shown, and V goes to the next.
func TestDevices(t *testing.T) {
	d := opened(t, options.Options{Files: []string{devices}, Device: 2})
	if got := d.tab().Doc.Devices[d.tab().Doc.Stage.Device].Index; got != 2 {
		t.Fatalf("device %d is shown, 2 was asked for", got)
	}
	first := d.tab().Doc.Stage.Device
	d.press("V", 0)
	d.until("the next device is shown", func() bool { return d.tab().Doc.Stage.Device != first })
	d.sharp()
	p, id := d.covered(rand.New(rand.NewPCG(1, 1)))
	d.move(p)
	if d.tab().hovered != id {
		t.Fatal("the picture is of another device")
	}
}

// TestDeviceWithFewerAllocations: what was under the pointer on the device before is not looked for on the next.
func TestDeviceWithFewerAllocations(t *testing.T) {
	d := opened(t, options.Options{Files: []string{"../../testdata/generated/torch2.14.pickle"}, Device: 0})
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		p, _ := d.covered(rng)
		if d.move(p); d.tab().hovered > 0 {
			break
		}
	}
	if d.tab().hovered < 1 {
		t.Fatal("only the first allocation was met")
	}
	d.tab().SetDevice(1)
	d.sessions.Background.Wait()
	d.press("X", 0) // in the frame that takes the device over: the command asks what is hovered
	if n, got := len(d.tab().Timeline().Size), d.tab().selection().Hovered; n != 1 || int(got) >= n {
		t.Fatalf("allocation %d of %d is hovered", got, n)
	}
}

// TestColoursAndThemeKeepThePixels: another meaning of the colours or another
// theme rasterizes nothing anew.
func TestColoursAndThemeKeepThePixels(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	view, tl := d.tab().View, d.tab().Timeline()
	for range colour.Modes() {
		old := d.tab().Doc.Stage.Colouring
		d.press("C", 0)
		d.until("the colours are there", func() bool { return d.tab().Doc.Stage.Colouring != old })
		d.sharp()
	}
	d.press("L", 0)
	d.until("the theme is there", func() bool { return d.tab().Doc.Stage.Colouring.Palette.Dark == d.theme.Dark })
	d.sharp()
	if d.tab().View != view || d.tab().Timeline() != tl {
		t.Fatal("the view or the layout changed")
	}
}

// TestAtEverySize draws windows down to the smallest and beyond.
func TestAtEverySize(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	for _, size := range []image.Point{{1440, 900}, {900, 600}, {400, 300}, {200, 100}, {1, 1}, {0, 0}, {3840, 2160}} {
		d.Size = size
		d.move(image.Pt(size.X/2, size.Y/2))
		d.toggleHelp(d.gtx())
		d.draw()
	}
}

// TestEveryFile opens every test snapshot, and the real ones beside the
// project, goes through devices, axes and colours, and points at places.
func TestEveryFile(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/reference/*.pickle", "../../testdata/generated/*.pickle",
		"../../../shared/snapshots/*.pickle"} {
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
	d := drive(t, options.Options{Device: options.AnyDevice, NoCache: true})
	for _, file := range files {
		d.run("close")
		d.sessions.Open(file)
		d.until(file+" is open", func() bool { return d.tab().Doc != nil || d.tab().Problem != nil })
		if d.tab().Problem != nil {
			t.Errorf("%s: %s", file, d.tab().Problem.What)
			continue
		}
		for range d.tab().Doc.Devices {
			stage := d.tab().Doc.Stage.Device
			for range 2 {
				d.press("C", 0)
				d.press("M", 0)
				d.sharp()
				for range 4 {
					p := image.Pt(rng.IntN(d.plot().Dx()), rng.IntN(d.plot().Dy()))
					d.move(p.Add(d.plot().Min))
					if want := d.hit(p); d.tab().hovered != want && !d.marked(p) {
						t.Errorf("%s: hovered %d, layout says %d", file, d.tab().hovered, want)
					}
				}
			}
			d.press("V", 0)
			d.until("the next device", func() bool {
				return len(d.tab().Doc.Devices) == 1 || d.tab().Doc.Stage.Device != stage
			})
		}
	}
}
