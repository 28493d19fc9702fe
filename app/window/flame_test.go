package window

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/app/session"
	"strata/layout"
	"strata/layout/query"
	"strata/render/picture"
	"strata/widgets/chart"
	"strata/widgets/flame"
	"strata/widgets/panel"
)

// withFlame opens the flame graph of the bundled sample.
func withFlame(t *testing.T) *driver {
	d := withGroups(t)
	d.press("K", 0)
	d.until("the tree is made", d.tab().flameShows)
	return d
}

// cellAt is a place in a row of the flame graph, at its left end.
func (d *driver) cellAt(row int) image.Point {
	return d.arrange(d.gtx(), d.tab()).drawer.Min.Add(image.Pt(12, 36+10+20*row))
}

// TestFlameLightsAllocations: pointing at a cell lights what went through it and nothing else, a click zooms into it
// and keeps that, Esc shows all again, and an allocation in the timeline has a cell.
func TestFlameLightsAllocations(t *testing.T) {
	d := withFlame(t)
	tab := d.tab()
	f := &tab.drawer.flame
	d.move(d.cellAt(5))
	node := f.Graph.Shown()
	if node <= 0 {
		t.Fatalf("under the pointer is node %d", node)
	}
	within, plain := f.stacks.Tree.Within(node), tab.Colouring()
	lit := 0
	for id := range layout.ID(len(tab.Timeline().Size)) {
		same := tab.pictureColours().Slot(id) == plain.Slot(id)
		if same != within(id) {
			t.Fatalf("allocation %d: lit %v, below the cell %v", id, same, within(id))
		}
		if same {
			lit++
			if n := f.state.CellOf(id); n < node {
				t.Fatalf("allocation %d has the cell %d, above %d", id, n, node)
			}
		}
	}
	d.click(d.cellAt(5))
	d.move(image.Pt(600, 840))
	if f.Graph.Shown() != node || !f.Graph.Zoomed() || lit == 0 {
		t.Errorf("after a click the node is %d, want %d; %d allocations were lit", f.Graph.Shown(), node, lit)
	}
	d.press(key.NameEscape, 0)
	if f.Graph.Zoomed() || tab.pictureColours() != plain {
		t.Error("Esc does not show all")
	}
}

// TestFlameKeys: with the focus the graph takes the arrows, without it the timeline does; J turns it, H unfolds it and
// K closes it; another moment and a search change what it shows.
func TestFlameKeys(t *testing.T) {
	d := withFlame(t)
	tab := d.tab()
	f := &tab.drawer.flame
	d.press("W", 0)
	d.click(d.cellAt(0))
	view := tab.View
	d.press(key.NameLeftArrow, 0)
	d.press(key.NameDownArrow, 0)
	chosen := f.Graph.Shown()
	if tab.View != view || chosen <= 0 || f.stacks.Tree.Nodes[chosen].Depth != 1 {
		t.Fatalf("the arrows moved the view from %v to %v; chosen is %d", view, tab.View, chosen)
	}
	d.press(key.NameReturn, 0)
	if !f.Graph.Zoomed() {
		t.Error("Return does not zoom in")
	}
	d.press(key.NameDeleteBackward, 0)
	if f.Graph.Zoomed() {
		t.Error("Backspace does not go back")
	}
	d.press("J", 0)
	d.until("it is turned", func() bool { return f.stacks.Tree.LeavesUp })
	folded := len(f.stacks.Tree.Nodes)
	d.press("H", 0)
	d.until("it is unfolded", func() bool { return len(f.stacks.Tree.Nodes) > folded })
	d.press(key.NameEnd, 0)
	tl := tab.Timeline()
	if all := f.stacks.Held[0].Bytes; all != tl.Total[len(tl.Actions)] {
		t.Errorf("at the end it shows %d bytes, %d are held", all, tl.Total[len(tl.Actions)])
	}
	tab.Search("train.py:95")
	d.until("the search is shown", func() bool { return f.stacks.Matched != nil })
	if found := f.stacks.Matched[0].Bytes; found <= 0 || found >= f.stacks.Held[0].Bytes {
		t.Errorf("%d of %d bytes match", found, f.stacks.Held[0].Bytes)
	}
	d.press("K", 0)
	if tab.drawer.page != panel.NoDrawer || f.Graph.Shown() != flame.None && tab.litStacks() != nil {
		t.Error("the key does not close the drawer")
	}
}

// lined presses Shift+L until lines are shown, and waits for them.
func lined(d *driver, want session.Lines) {
	for d.lines() != want {
		d.press("L", key.ModShift)
	}
	curves := max(0, min(int(want), 2))
	d.until("there are lines", func() bool { return len(d.tab().timeline.Allocator.Curves) == curves })
}

// TestLines: Shift+L draws what was reserved, the view of the whole run holds it, the marks answer, saved pictures have
// it, and after the last choice nothing is drawn.
func TestLines(t *testing.T) {
	d := opened(t, options.Options{Files: []string{oom}, Device: options.AnyDevice, NoCache: true})
	tab := d.tab()
	whole := tab.View
	lined(d, session.OfReserved)
	c := tab.timeline.Allocator.Curves[0]
	d.until("the view holds it", func() bool { return tab.View.Y1 >= float64(c.Peak) && tab.View == tab.WholeView() })
	d.move(d.inPicture(c.PeakX[tab.View.Axis], float64(c.Peak), image.Point{}))
	if tip := tab.allocatorTip(); tab.mark.Kind != chart.CurveMark || !strings.HasPrefix(tip[0], "Most reserved: ") {
		t.Errorf("the mark %v says %q", tab.mark, tip)
	}
	trades := tab.timeline.Allocator.Trades
	d.move(d.inPicture(trades[0].X[tab.View.Axis], 0, image.Pt(0, -2)))
	if tip := tab.allocatorTip(); tab.mark.Kind != chart.TradeMark || tip[0] != "Segments come and go" {
		t.Errorf("the mark %v says %q", tab.mark, tip)
	}
	lined(d, session.Shaded)
	if opt := d.pictureOptions(d.gtx(), tab); len(opt.Lines) != 2 || !opt.Shade || len(opt.Trades) != len(trades) {
		t.Errorf("a saved picture has %d lines, %d trades", len(opt.Lines), len(opt.Trades))
	}
	lined(d, session.NoLines)
	if tab.View != whole {
		t.Errorf("the view is %v after it, was %v", tab.View, whole)
	}
}

// TestSegments: Shift+S stacks segments, which add up to what was reserved, can be pointed at and pinned, and have
// lines; a target of SQL brings allocations back.
func TestSegments(t *testing.T) {
	d := opened(t, options.Options{Files: []string{oom}, Device: options.AnyDevice, NoCache: true})
	tab := d.tab()
	before := tab.Timeline()
	d.press("S", key.ModShift)
	d.until("segments are stacked", func() bool { return tab.Timeline().Options.Mode == layout.Segments })
	lined(d, session.OfReserved)
	tl := tab.Timeline()
	if c := tab.timeline.Allocator.Curves[0]; tl.PeakBytes != c.Peak {
		t.Errorf("the stack is %d high, reserved was %d", tl.PeakBytes, c.Peak)
	}
	d.sharp()
	d.click(d.inPicture(tl.X(tab.View.Axis, tl.PeakState)+1, float64(tl.PeakBytes)/4, image.Point{}))
	if !tab.HasPinned() || !strings.Contains(tab.details.Size, "MiB") {
		t.Errorf("a click pins %d, of %q", tab.Pinned, tab.details.Size)
	}
	lined(d, session.NoLines)
	tab.GoTo(query.Target{Kind: "allocation", Number: 3, Device: tab.Doc.Device().Index}, time.Now())
	d.until("allocations are stacked", func() bool { return tab.Timeline().Options.Mode == layout.Allocations })
	if tab.Pinned != 3 || len(tab.Timeline().Size) != len(before.Size) {
		t.Errorf("%d is pinned of %d, want 3 of %d", tab.Pinned, len(tab.Timeline().Size), len(before.Size))
	}
}

// TestBands: Y shows bands in place of allocations; a band lights its group, a click keeps that, bands follow the view,
// and saved pictures have them.
func TestBands(t *testing.T) {
	d := withGroups(t)
	tab := d.tab()
	d.press("Y", 0)
	d.until("there are bands", func() bool { return tab.bands != nil })
	at := d.inPicture(tab.Timeline().X(tab.View.Axis, tab.Timeline().PeakState)-200, 1<<30, image.Point{})
	d.move(at)
	group := tab.litGroup()
	if group != d.groupsState(tab).Groups[0].ID || tab.hovered != layout.None {
		t.Fatalf("under the pointer is group %d, allocation %d", group, tab.hovered)
	}
	tip := tab.bandTip()
	if len(tip) != 3 || tip[0] != tab.Grouping().Label(group) || !strings.Contains(tip[1], " B)") {
		t.Errorf("its tooltip says %q", tip)
	}
	if !slices.ContainsFunc(tab.bands.names, func(n picture.BandName) bool { return n.Text == tip[0] }) {
		t.Errorf("its name is not among %v", tab.bands.names)
	}
	d.click(at)
	d.move(image.Pt(600, 840))
	if tab.lit != group || tab.bands.of.lit != group {
		t.Errorf("a click keeps %d lit, want %d", tab.lit, group)
	}
	d.press("W", 0)
	d.until("bands follow", func() bool { return tab.bands.of.bands.View.X1 == tab.View.X1 })
	if d.pictureOptions(d.gtx(), tab).Bands != tab.Grouping() {
		t.Error("a saved picture has no bands")
	}
	d.press("Y", 0)
	if tab.bands != nil || d.settings.Bands {
		t.Error("the key does not show allocations again")
	}
}
