package chart

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/snapshot"
	"strata/widgets/widgettest"
)

func near(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(scale) }

// TestScrollKeepsThePointUnderThePointer zooms in at random places; what is under the pointer stays there, in the
// direction that is zoomed and in the one that is not.
func TestScrollKeepsThePointUnderThePointer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		mods         key.Modifiers
		zoomX, zoomY bool
	}{{0, true, false}, {key.ModShift, false, true}, {key.ModShortcut, true, true}} {
		s := newStage(t, widgettest.Sample)
		for range 12 {
			p := image.Pt(rng.IntN(s.tl.plot.Dx()), rng.IntN(s.tl.plot.Dy()))
			w := s.on(p)
			px, py := float64(p.X)+.5, float64(p.Y)+.5
			before := s.view
			size := s.tl.plot.Size()
			x, y := before.XAt(px, size.X), before.YAt(py, size.Y)
			s.Mods = c.mods
			s.Send(widgettest.Wheel(w, 0, -10), widgettest.Wheel(w, 0, -10))
			s.Mods = 0
			after := s.view
			if !near(after.XAt(px, size.X), x, before.X1) || !near(after.YAt(py, size.Y), y, before.Y1) {
				t.Fatalf("mods %v: %v, %v became %v, %v", c.mods, x, y, after.XAt(px, size.X), after.YAt(py, size.Y))
			}
			gotX, gotY := (before.X1-before.X0)/(after.X1-after.X0), (before.Y1-before.Y0)/(after.Y1-after.Y0)
			if wantX, wantY := factor(c.zoomX), factor(c.zoomY); math.Abs(gotX-wantX) > 1e-6 ||
				math.Abs(gotY-wantY) > 1e-6 {
				t.Fatalf("mods %v: one notch zoomed by %v, %v; want %v, %v", c.mods, gotX, gotY, wantX, wantY)
			}
			if rng.IntN(3) == 0 {
				s.view = render.Whole(s.t, layout.Events)
			}
		}
	}
}

func factor(zooms bool) float64 {
	if zooms {
		return zoomPerNotch
	}
	return 1
}

// TestScrollOutEndsAtTheWholeRun: the view cannot be lost.
func TestScrollOutEndsAtTheWholeRun(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	whole := s.view
	p := s.on(image.Pt(100, 100))
	for range 10 {
		s.Send(widgettest.Wheel(p, 0, -20))
	}
	if s.view.X1-s.view.X0 >= whole.X1-whole.X0 {
		t.Fatal("did not zoom in")
	}
	for range 30 {
		s.Send(widgettest.Wheel(p, 0, 20))
	}
	if s.view.X0 != whole.X0 || s.view.X1 != whole.X1 {
		t.Fatalf("zoomed out to %v, want %v", s.view, whole)
	}
}

func TestSidewaysScrollPans(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p := s.on(image.Pt(200, 100))
	s.Send(widgettest.Wheel(p, 0, -60))
	before := s.view
	s.Send(widgettest.Wheel(p, 20, 0))
	if s.view.X0 <= before.X0 || !near(s.view.X1-s.view.X0, before.X1-before.X0, before.X1) {
		t.Fatalf("%v became %v", before, s.view)
	}
}

// TestDragPans: the picture follows the hand, pixel by pixel, and a drag is no click.
func TestDragPans(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p := s.on(image.Pt(250, 150))
	for range 3 {
		s.Send(widgettest.Wheel(p, 0, -20))
	}
	s.Mods = key.ModShift
	s.Send(widgettest.Wheel(p, 0, -20))
	s.Mods = 0
	before, size := s.view, s.tl.plot.Size()
	s.events = nil
	s.Send(widgettest.Move(p), widgettest.Press(p, pointer.ButtonPrimary), widgettest.Drag(p.Add(widgettest.At(-3, 0))))
	if s.view != before {
		t.Fatal("three pixels are no drag")
	}
	s.Send(widgettest.Drag(p.Add(widgettest.At(-20, 5))), widgettest.Drag(p.Add(widgettest.At(-40, 30))),
		widgettest.Release(p.Add(widgettest.At(-40, 30))))
	wantX := before.X0 + 40*(before.X1-before.X0)/float64(size.X)
	wantY := before.Y0 + 30*(before.Y1-before.Y0)/float64(size.Y)
	if !near(s.view.X0, wantX, before.X1) || !near(s.view.Y0, wantY, before.Y1) {
		t.Fatalf("view begins at %v, %v; want %v, %v", s.view.X0, s.view.Y0, wantX, wantY)
	}
	for _, e := range s.events {
		if e.Clicked {
			t.Fatal("a drag was taken for a click")
		}
	}
}

func TestHoverFollowsThePointer(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, id := s.covered()
	s.Send(widgettest.Move(s.on(p)))
	if s.sel.Hovered != id {
		t.Fatalf("hovered %d, want %d", s.sel.Hovered, id)
	}
	s.Send(widgettest.Move(s.on(s.bare())))
	if s.sel.Hovered != layout.None {
		t.Fatalf("hovered %d over nothing", s.sel.Hovered)
	}
	s.Send(widgettest.Move(s.on(p)), widgettest.Move(widgettest.At(2, 390))) // onto the axis
	if s.sel.Hovered != layout.None {
		t.Fatal("hovered beside the picture")
	}
}

func TestClickPinsAndEmptyClickUnpins(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, id := s.covered()
	s.Click(s.on(p))
	if s.sel.Pinned != id {
		t.Fatalf("pinned %d, want %d", s.sel.Pinned, id)
	}
	s.Wait()
	s.Click(s.on(s.bare()))
	if s.sel.Pinned != layout.None {
		t.Fatalf("still pinned: %d", s.sel.Pinned)
	}
}

// TestShakyClickIsAClick: a hand that trembles within 4 dp has clicked.
func TestShakyClickIsAClick(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, id := s.covered()
	w := s.on(p)
	s.Send(widgettest.Move(w), widgettest.Press(w, pointer.ButtonPrimary), widgettest.Drag(w.Add(widgettest.At(2, 2))),
		widgettest.Drag(w), widgettest.Release(w))
	if s.sel.Pinned != id {
		t.Fatalf("pinned %d, want %d", s.sel.Pinned, id)
	}
}

func TestDoubleClickFitsHeight(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, _ := s.covered()
	w := s.on(p)
	for range 6 { // to a place lower than the peak
		s.Send(widgettest.Wheel(s.on(image.Pt(5, 300)), 0, -20))
	}
	want := s.view.FitY(s.t).Clamp(s.t)
	if s.view == want {
		t.Fatal("nothing to fit: choose another place")
	}
	s.Click(w)
	s.Click(w)
	if s.view != want {
		t.Fatalf("view %v, want %v", s.view, want)
	}
	s.Click(w) // the third click of a row is a click of its own
	if s.view != want {
		t.Fatal("the third click did something")
	}
}

func TestSlowClicksAreNoDoubleClick(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	for range 6 {
		s.Send(widgettest.Wheel(s.on(image.Pt(5, 300)), 0, -20))
	}
	before := s.view
	w := s.on(image.Pt(100, 100))
	s.Click(w)
	s.Wait()
	s.Click(w)
	if s.view != before {
		t.Fatal("two slow clicks changed the view")
	}
}

// TestRightClickSendsTheTooltipAway until the next allocation is met; the allocation stays hovered.
func TestRightClickSendsTheTooltipAway(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, id := s.covered()
	w := s.on(p)
	s.Send(widgettest.Move(w))
	if !s.tl.ShowsTooltip(s.sel.Hovered) {
		t.Fatal("no tooltip over an allocation")
	}
	s.Send(widgettest.Press(w, pointer.ButtonSecondary), widgettest.Release(w))
	if s.sel.Hovered != id || s.tl.ShowsTooltip(s.sel.Hovered) || s.sel.Pinned != layout.None {
		t.Fatal("the tooltip stays, the outline goes, or it was taken for a click")
	}
	var other image.Point
	for i, x := range s.scene.r.IDs {
		if x >= 0 && x != id {
			other = image.Pt(i%s.scene.r.W, i/s.scene.r.W)
		}
	}
	s.Send(widgettest.Move(s.on(other)))
	if !s.tl.ShowsTooltip(s.sel.Hovered) {
		t.Fatal("no tooltip at the next allocation")
	}
	s.Send(widgettest.Move(w))
	if !s.tl.ShowsTooltip(s.sel.Hovered) {
		t.Fatal("the tooltip does not come back")
	}
}

// TestLeavingEndsTheHover: Gio says so by Cancel or Leave.
func TestLeavingEndsTheHover(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	p, _ := s.covered()
	s.Send(widgettest.Move(s.on(p)))
	s.Send(pointer.Event{Kind: pointer.Cancel})
	if s.sel.Hovered != layout.None {
		t.Fatal("hovered after the pointer left")
	}
}

// TestRegion: Ctrl+drag marks a part of the axis and shows it; nothing is
// panned meanwhile, and a cancelled one changes nothing.
func TestRegion(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	before, size := s.view, s.tl.plot.Size()
	from, to := s.on(image.Pt(300, 50)), s.on(image.Pt(100, 200))
	s.Mods = key.ModShortcut
	s.Send(widgettest.Move(from), widgettest.Press(from, pointer.ButtonPrimary), widgettest.Drag(to))
	if _, _, ok := s.tl.Region(s.view); !ok || s.view != before {
		t.Fatal("no region is marked, or the view moved")
	}
	// Its length and the totals in it are written on it.
	x0, x1, _ := s.tl.Region(s.view)
	low, high := int64(math.MaxInt64), int64(0)
	for x := math.Floor(x0); x < x1; x++ {
		total := s.t.Height(s.t.Column(layout.Events, x, x+1))
		low, high = min(low, total), max(high, total)
	}
	if want := units.Plural(s.t.StepAt(x1)-s.t.StepAt(x0), "step") + "  ·  " +
		units.BytesRange(low, high); s.tl.marked != want {
		t.Errorf("the region says %q, wanted %q", s.tl.marked, want)
	}
	s.Send(widgettest.Release(to))
	s.Mods = 0
	if !near(s.view.X0, before.XAt(100.5, size.X), before.X1) || !near(s.view.X1, before.XAt(300.5, size.X),
		before.X1) || s.view.Y1 != before.Y1 {
		t.Fatalf("shows %v of %v", s.view, before)
	}
	before = s.view
	s.Mods = key.ModShortcut
	s.Send(widgettest.Move(from), widgettest.Press(from, pointer.ButtonPrimary), widgettest.Drag(to))
	if !s.tl.CancelRegion() {
		t.Fatal("there was nothing to cancel")
	}
	s.Send(widgettest.Release(to))
	if s.view != before {
		t.Fatal("a cancelled region was shown")
	}
}

// TestEmptyTimelineSaysWhy: a trace without a block is no blank page.
func TestEmptyTimelineSaysWhy(t *testing.T) {
	says := func(s *stage) bool {
		for _, n := range s.Router.AppendSemantics(nil) {
			if strings.Contains(n.Desc.Label, "none that allocates") {
				return true
			}
		}
		return false
	}
	s := newStage(t, widgettest.Sample)
	if says(s) {
		t.Error("a full timeline says that it is empty")
	}
	d := &snapshot.Device{Events: snapshot.Events{Action: []snapshot.Action{snapshot.ActionOOM}, Addr: []uint64{1},
		Size: []int64{1}, Stream: []snapshot.StreamID{0}, Stack: []snapshot.StackID{0}}}
	s.t = layout.New(&snapshot.Snapshot{}, d, layout.Options{})
	s.view, s.scene = render.Whole(s.t, layout.Events), rasterScene{}
	s.Frame()
	if s.Frame(); !says(s) {
		t.Errorf("nothing said in %+v", s.Router.AppendSemantics(nil))
	}
}

// TestPinnedAndHovered: both are outlined at once, the pinned one in red, the
// hovered one in white (black in the light theme).
func TestPinnedAndHovered(t *testing.T) {
	for _, dark := range []bool{true, false} {
		s := newStage(t, widgettest.Sample)
		s.th.SetDark(dark)
		p, pinned := s.covered()
		s.Click(s.on(p))
		other := layout.None
		for y := p.Y; y >= 0 && other < 0; y-- {
			if id := s.scene.At(p.X, y); id >= 0 && id != pinned {
				s.Send(widgettest.Move(s.on(image.Pt(p.X, y))))
				other = id
			}
		}
		if s.sel.Pinned != pinned || s.sel.Hovered != other || other < 0 {
			t.Fatalf("pinned %d, hovered %d", s.sel.Pinned, s.sel.Hovered)
		}
		hover, pin := &s.tl.outlines[0], &s.tl.outlines[1]
		if pin.key.id != pinned || pin.key.colour != s.th.Red || len(pin.rects) == 0 || hover.key.id != other ||
			hover.key.colour != s.th.Hover || len(hover.rects) == 0 {
			t.Errorf("dark %v: outlines %+v and %+v", dark, pin.key, hover.key)
		}
		white := color.NRGBA{R: 255, G: 255, B: 255, A: 255}
		if dark && s.th.Hover != white {
			t.Errorf("hovered in %v", s.th.Hover)
		}
	}
}

// TestTooltipKeepsOffThePanels: wherever the pointer is, the tooltip ends where the timeline does.
func TestTooltipKeepsOffThePanels(t *testing.T) {
	s := newStage(t, widgettest.Sample)
	s.Frame()
	draw := s.Draw
	s.Draw = func(gtx giolayout.Context) {
		draw(gtx)
		gtx.Constraints = giolayout.Exact(image.Pt(1000, 400))
		s.tl.LayoutMarkTip(gtx, s.th, image.Point{}, []string{"A title that needs some room", "and a line"})
	}
	for x := 60; x < 600; x += 30 {
		s.Send(widgettest.Move(widgettest.At(float32(x), 200)))
		if r := s.tl.tipAt; r.Empty() || !r.In(image.Rect(0, 0, 600, 400)) {
			t.Errorf("pointer at %d: the tooltip lies at %v", x, r)
		}
	}
}
