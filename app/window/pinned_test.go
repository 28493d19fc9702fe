package window

import (
	"math/rand/v2"
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/layout"
	"strata/widgets/chart"
)

// TestPinnedComesBack: when the pinned allocation has left the view on any
// side, a button stands there; a click on it brings the allocation back, leaves
// it pinned, and the button goes.
func TestPinnedComesBack(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true,
		Offset: 256 << 20})
	rng := rand.New(rand.NewPCG(21, 22))
	seen := map[chart.Side]bool{}
	for range 24 {
		d.press("0", 0)
		d.sharp()
		p, id := d.covered(rng)
		d.click(p)
		if d.tab().Pinned != id {
			t.Fatalf("pinned %d, clicked %d", d.tab().Pinned, id)
		}
		q, _ := d.covered(rng)
		d.Mods = key.ModShortcut // zooms both
		for range 4 {
			d.scroll(q, -60)
		}
		d.Mods = 0
		d.sharp()
		where := d.tab().away()
		if where == chart.InView {
			continue
		}
		seen[where] = true
		plot := d.plot()
		at := plot.Min.Add(plot.Size().Div(2))
		switch where {
		case chart.OffLeft:
			at.X = plot.Min.X + 30
		case chart.OffRight:
			at.X = plot.Max.X - 30
		case chart.OffAbove:
			at.Y = plot.Min.Y + 18
		case chart.OffBelow:
			at.Y = plot.Max.Y - 18
		}
		before := d.tab().View
		d.click(at)
		d.sharp()
		if d.tab().Pinned != id {
			t.Fatalf("the click went to the picture: pinned %d, not %d", d.tab().Pinned, id)
		}
		if d.tab().View == before || (d.tab().away() != chart.InView) {
			t.Fatalf("away on side %d, after a click at %v still: view %+v", where, at, d.tab().View)
		}
		x0, x1 := d.tab().Timeline().Span(id, layout.Events)
		if x1 < d.tab().View.X0 || x0 > d.tab().View.X1 {
			t.Errorf("allocation at %g – %g, view %+v", x0, x1, d.tab().View)
		}
	}
	if len(seen) < 2 {
		t.Errorf("it left on %d sides only", len(seen))
	}
}
