package window

import (
	"image"
	"testing"

	"gioui.org/io/key"
	"gioui.org/unit"

	"strata/app/options"
	"strata/layout"
)

// TestEmptyStackPanelYields: in a small window the stack panel is there only while it has a stack that stays.
func TestEmptyStackPanelYields(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.Size, d.Metric = image.Pt(1440, 900), unit.Metric{PxPerDp: 2, PxPerSp: 2}
	d.draw()
	whole := d.plot()
	if whole.Dx() < 1200 {
		t.Errorf("the picture is %d px wide beside an empty panel", whole.Dx())
	}
	d.tab().Pin(0)
	d.draw()
	if d.plot().Dx() > whole.Dx()-200 {
		t.Error("the stack of what is pinned has no room")
	}
	d.tab().Pin(layout.None)
	d.draw()
	if d.plot() != whole {
		t.Errorf("the picture is %v, was %v", d.plot(), whole)
	}
}

// TestTooltipGoesWhileTyping: what is typed into the search field sends the tooltip away, until the pointer comes to
// another allocation.
func TestTooltipGoesWhileTyping(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.sharp()
	plot := d.plot()
	at := plot.Min.Add(image.Pt(plot.Dx()/2, plot.Dy()-40))
	d.move(at)
	shows := func() bool { return d.tab().timeline.ShowsTooltip(d.tab().hovered) }
	if !shows() {
		t.Fatal("no tooltip")
	}
	d.run("search")
	d.draw()
	d.Router.Queue(key.EditEvent{Text: "s"})
	d.draw()
	d.draw()
	if d.tab().search.Text() != "s" || shows() {
		t.Error("the tooltip stays while one types")
	}
	before := d.tab().hovered
	for y := 10; d.tab().hovered == before && y < plot.Dy()-50; y += 10 {
		d.move(at.Sub(image.Pt(0, y)))
	}
	if d.tab().hovered != layout.None && !shows() {
		t.Error("the next allocation has no tooltip")
	}
}
