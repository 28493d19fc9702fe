package window

import (
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/options"
	"strata/layout"
	"strata/layout/state"
	"strata/layout/units"
	"strata/widgets/chart"
	"strata/widgets/describe"
)

// pinnedWithStack pins an allocation that has a stack, by a click.
func (d *driver) pinnedWithStack(rng *rand.Rand) layout.ID {
	d.t.Helper()
	for range 200 {
		p, id := d.covered(rng)
		if d.tab().Timeline().At(id).Stack != 0 {
			d.click(p)
			if d.tab().Pinned != id {
				d.t.Fatalf("pinned %d, clicked %d", d.tab().Pinned, id)
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
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	rng := rand.New(rand.NewPCG(31, 32))
	id := d.pinnedWithStack(rng)
	choose := func(item int) {
		t.Helper()
		d.press(key.NameF10, key.ModShift)
		if !d.menu.Showing() {
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
			items = append(items, item.Text)
		}
	}
	for i, item := range items {
		d.press("0", 0)
		d.sharp()
		d.tab().Notice = ""
		choose(i + 1)
		_, copied, _ := d.Router.WriteClipboard()
		switch item {
		case "Copy the stack as shown", "Copy all of the stack":
			hide := item == "Copy the stack as shown"
			want := describe.StackText(d.tab().Doc.Snapshot, d.tab().Timeline().At(id).Stack, hide)
			if string(copied) != want || d.tab().Notice == "" {
				t.Errorf("copied %q, wanted %q; notice %q", copied, want, d.tab().Notice)
			}
		case "Copy the details":
			if want := describe.AllocationText(d.tab().Timeline(), d.about(d.tab()), id,
				d.tab().View.Axis); string(copied) != want || d.tab().Notice == "" {
				t.Errorf("copied %q, wanted %q; notice %q", copied, want, d.tab().Notice)
			}
		case "Zoom to it":
			x0, x1 := d.tab().Timeline().Span(id, d.tab().View.Axis)
			if d.tab().View.X0 > x0 || d.tab().View.X1 < x1 {
				t.Errorf("zoomed to %+v, it is at %g – %g", d.tab().View, x0, x1)
			}
		case "Bring it into view":
			if d.tab().away() != chart.InView {
				t.Error("it is still out of view")
			}
		case "Find what the same line allocates":
			d.until("the search found it", func() bool {
				return d.tab().Find.Result != nil && d.tab().Find.Result.Matches.Has(id)
			})
		case "Its segment through the run":
			var o *state.Occupancy
			d.until("its segment is shown", func() bool {
				o = d.tab().Occupancy(d.tab().drawer.allocator.lens.life)
				return d.tab().hasLens() && o != nil
			})
			if !slices.ContainsFunc(o.Blocks, func(b int32) bool { return d.tab().Allocator().IDs[b] == id }) {
				t.Error("it does not lie in that segment")
			}
		default:
			t.Errorf("nobody tests %s", item)
		}
	}
}

// TestCopyButton: the button in the stack panel copies the same as the key.
func TestCopyButton(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	id := d.pinnedWithStack(rand.New(rand.NewPCG(33, 34)))
	want := describe.StackText(d.tab().Doc.Snapshot, d.tab().Timeline().At(id).Stack, true)
	stack := d.arrange(d.gtx(), d.tab()).stack
	for y := stack.Min.Y + 24; y < stack.Min.Y+80; y += 6 {
		d.click(image.Pt(stack.Min.X+40, y))
		if _, got, ok := d.Router.WriteClipboard(); ok {
			if string(got) != want || d.tab().Notice == "" {
				t.Errorf("copied %q, wanted %q; notice %q", got, want, d.tab().Notice)
			}
			return
		}
	}
	t.Error("no button copies")
}

// TestCtrlDrag: a drag with Ctrl in the window zooms into the part it marks and
// is one step of the history; Esc on the way changes nothing.
func TestCtrlDrag(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	plot, before := d.plot(), d.tab().View
	from, to := plot.Min.Add(image.Pt(200, 100)), plot.Min.Add(image.Pt(500, 300))
	drag := func(release bool) {
		d.move(from)
		d.Mods = key.ModShortcut
		d.point(pointer.Press, from, pointer.ButtonPrimary)
		d.point(pointer.Move, from.Add(image.Pt(20, 5)), pointer.ButtonPrimary)
		d.point(pointer.Move, to, pointer.ButtonPrimary)
		if release {
			d.point(pointer.Release, to, 0)
		}
		d.Mods = 0
	}
	drag(false)
	if _, _, ok := d.tab().timeline.Region(d.tab().View); !ok {
		t.Fatal("no region is marked")
	}
	d.press(key.NameEscape, 0)
	d.point(pointer.Release, to, 0)
	if d.tab().View != before {
		t.Fatalf("after Esc the view is %+v", d.tab().View)
	}
	drag(true)
	x0, x1 := before.XAt(200.5, plot.Dx()), before.XAt(500.5, plot.Dx())
	if dx := before.X1 - before.X0; d.tab().View.X0 < x0-dx/500 || d.tab().View.X0 > x0+dx/500 ||
		d.tab().View.X1 < x1-dx/500 || d.tab().View.X1 > x1+dx/500 || d.tab().View.Y1 != before.Y1 {
		t.Fatalf("%+v of %g – %g", d.tab().View, x0, x1)
	}
	d.press(key.NameLeftArrow, key.ModAlt)
	if d.tab().View != before {
		t.Errorf("back at %+v", d.tab().View)
	}
}

// TestRestBand: with a limit of entries the largest are drawn, all others are
// one band, and over it the tooltip and the bottom bar say how many they are.
func TestRestBand(t *testing.T) {
	const drawn = 25
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true,
		MaxEntries: drawn})
	tl, plot := d.tab().Timeline(), d.plot()
	for x := 10; x < plot.Dx(); x += 20 {
		for y := 5; y < plot.Dy(); y += 10 {
			p := image.Pt(x, y)
			if d.hit(p) != layout.Rest {
				continue
			}
			d.move(p.Add(plot.Min))
			want := units.Plural(int64(len(tl.Size)-drawn), "smaller allocation")
			if d.tab().hovered != layout.Rest || !d.tab().tip.Rest || d.tab().tip.Size != want ||
				d.tab().details.Size != want || d.tab().tip.Note == "" {
				t.Errorf("over the band: hovered %d, tooltip %+v, bottom bar %+v", d.tab().hovered, d.tab().tip,
					d.tab().details)
			}
			if !d.tab().timeline.ShowsTooltip(d.tab().hovered) {
				t.Error("no tooltip")
			}
			d.sessions.SetEntries(0)
			d.until("all are drawn", func() bool { return d.tab().Timeline().Options.MaxEntries == 0 })
			return
		}
	}
	t.Fatal("no band is in view")
}
