package app

import (
	"image"
	"math/rand/v2"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/layout"
	"strata/layout/units"
	"strata/widgets"
)

// pinnedWithStack pins an allocation that has a stack, by a click.
func (d *driver) pinnedWithStack(rng *rand.Rand) layout.ID {
	d.t.Helper()
	for range 200 {
		p, id := d.covered(rng)
		if d.timeline().At(id).Stack != 0 {
			d.click(p)
			if d.selection.Pinned != id {
				d.t.Fatalf("pinned %d, clicked %d", d.selection.Pinned, id)
			}
			return id
		}
	}
	d.t.Fatal("nothing has a stack")
	return layout.None
}

// TestContextMenuItems: each item of an allocation's menu, chosen with the
// keys, does what it says, with a notice where nothing else shows it.
func TestContextMenuItems(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice, NoCache: true})
	rng := rand.New(rand.NewPCG(31, 32))
	id := d.pinnedWithStack(rng)
	choose := func(item int) {
		t.Helper()
		d.press(key.NameF10, key.ModShift)
		if !d.panels.menu.Showing() {
			t.Fatal("no menu")
		}
		for range item {
			d.press(key.NameDownArrow, 0)
		}
		d.press(key.NameReturn, 0)
	}
	var items []string
	for _, item := range d.contextMenu() {
		if !item.Rule {
			items = append(items, item.ID)
		}
	}
	for i, item := range items {
		d.press("0", 0)
		d.sharp()
		d.notice = ""
		choose(i + 1)
		_, copied, _ := d.router.WriteClipboard()
		switch item {
		case "copy":
			if want := widgets.StackText(d.doc.snap, d.timeline().At(id).Stack); string(copied) != want || d.notice == "" {
				t.Errorf("copied %q, wanted %q; notice %q", copied, want, d.notice)
			}
		case "copy-details":
			if want := widgets.AllocationText(d.timeline(), d.about(), id, d.view.Axis); string(copied) != want || d.notice == "" {
				t.Errorf("copied %q, wanted %q; notice %q", copied, want, d.notice)
			}
		case "zoom-to":
			x0, x1 := d.timeline().Span(id, d.view.Axis)
			if d.view.X0 > x0 || d.view.X1 < x1 {
				t.Errorf("zoomed to %+v, it is at %g – %g", d.view, x0, x1)
			}
		case "show-pinned":
			if d.pinnedOffView() {
				t.Error("it is still out of view")
			}
		case "same-site":
			d.until("the search found it", func() bool { return d.find.result != nil && d.find.result.Matches.Has(id) })
		default:
			t.Errorf("nobody tests %s", item)
		}
	}
}

// TestCopyButton: the button in the stack panel copies the same as the key.
func TestCopyButton(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice, NoCache: true})
	id := d.pinnedWithStack(rand.New(rand.NewPCG(33, 34)))
	want := widgets.StackText(d.doc.snap, d.timeline().At(id).Stack)
	stack := d.arrange(d.gtx()).stack
	for y := stack.Min.Y + 24; y < stack.Min.Y+80; y += 6 {
		d.click(image.Pt(stack.Min.X+40, y))
		if _, got, ok := d.router.WriteClipboard(); ok {
			if string(got) != want || d.notice == "" {
				t.Errorf("copied %q, wanted %q; notice %q", got, want, d.notice)
			}
			return
		}
	}
	t.Error("no button copies")
}

// TestCtrlDrag: a drag with Ctrl in the window zooms into the part it marks and
// is one step of the history; Esc on the way changes nothing.
func TestCtrlDrag(t *testing.T) {
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice, NoCache: true})
	plot, before := d.plot(), d.view
	from, to := plot.Min.Add(image.Pt(200, 100)), plot.Min.Add(image.Pt(500, 300))
	drag := func(release bool) {
		d.move(from)
		d.mods = key.ModShortcut
		d.point(pointer.Press, from, pointer.ButtonPrimary, f32.Point{})
		d.point(pointer.Move, from.Add(image.Pt(20, 5)), pointer.ButtonPrimary, f32.Point{})
		d.point(pointer.Move, to, pointer.ButtonPrimary, f32.Point{})
		if release {
			d.point(pointer.Release, to, 0, f32.Point{})
		}
		d.mods = 0
	}
	drag(false)
	if _, _, ok := d.panels.timeline.Region(d.view); !ok {
		t.Fatal("no region is marked")
	}
	d.press(key.NameEscape, 0)
	d.point(pointer.Release, to, 0, f32.Point{})
	if d.view != before {
		t.Fatalf("after Esc the view is %+v", d.view)
	}
	drag(true)
	x0, x1 := before.XAt(200.5, plot.Dx()), before.XAt(500.5, plot.Dx())
	if dx := before.X1 - before.X0; d.view.X0 < x0-dx/500 || d.view.X0 > x0+dx/500 || d.view.X1 < x1-dx/500 || d.view.X1 > x1+dx/500 || d.view.Y1 != before.Y1 {
		t.Fatalf("%+v of %g – %g", d.view, x0, x1)
	}
	d.press(key.NameLeftArrow, key.ModAlt)
	if d.view != before {
		t.Errorf("back at %+v", d.view)
	}
}

// TestRestBand: with a limit of entries the largest are drawn, all others are
// one band, and over it the tooltip and the bottom bar say how many they are.
func TestRestBand(t *testing.T) {
	const drawn = 25
	d := opened(t, Options{Files: []string{sample}, Device: AnyDevice, NoCache: true, MaxEntries: drawn})
	tl, plot := d.timeline(), d.plot()
	for x := 10; x < plot.Dx(); x += 20 {
		for y := 5; y < plot.Dy(); y += 10 {
			p := image.Pt(x, y)
			if d.hit(p) != layout.Rest {
				continue
			}
			d.move(p.Add(plot.Min))
			want := units.Plural(int64(len(tl.Size)-drawn), "smaller allocation")
			if d.selection.Hovered != layout.Rest || !d.tip.Rest || d.tip.Size != want || d.shown.Size != want || d.tip.Note == "" {
				t.Errorf("over the band: hovered %d, tooltip %+v, bottom bar %+v", d.selection.Hovered, d.tip, d.shown)
			}
			if !d.panels.timeline.ShowsTooltip(d.selection.Hovered) {
				t.Error("no tooltip")
			}
			d.chosen(d.gtx(), "entries", "0")
			d.until("all are drawn", func() bool { return d.timeline().Options.MaxEntries == 0 })
			return
		}
	}
	t.Fatal("no band is in view")
}

// TestZoomToShowsAllOfIt: after "zoom to it" every corner of the allocation is
// in view, however far it slid down while it lived.
func TestZoomToShowsAllOfIt(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	tl, slid := d.timeline(), 0
	for id := layout.ID(0); int(id) < len(tl.Size); id += 7 {
		steps, offsets := tl.Polygon(id)
		if len(steps) == 0 {
			continue
		}
		d.selection.Pinned, d.selection.Hovered = id, layout.None
		d.zoomTo(d.gtx())
		v := d.view
		for i, at := range offsets {
			if float64(steps[i]) < v.X0 || float64(steps[i]) > v.X1 || float64(at) < v.Y0 || float64(at+tl.Size[id]) > v.Y1 {
				t.Fatalf("allocation %d has a corner at %d, %d +%d; the view is %+v", id, steps[i], at, tl.Size[id], v)
			}
		}
		if offsets[0]-offsets[len(offsets)-1] > 3*tl.Size[id] {
			slid++
		}
	}
	if slid == 0 {
		t.Error("none of them slid out of what is around its beginning")
	}
}
