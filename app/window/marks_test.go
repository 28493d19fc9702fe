package window

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/layout"
	"strata/widgets/chart"
	"strata/widgets/describe"
)

// inPicture is a pixel of the window: so many of the timeline's units and bytes, moved by pixels.
func (d *driver) inPicture(x, y float64, by image.Point) image.Point {
	v, plot := d.tab().View, d.plot()
	return plot.Min.Add(image.Pt(int(v.XPixel(x, plot.Dx())), int(v.YPixel(y, plot.Dy())))).Add(by)
}

// TestMarksAnswer: the marks of the peak and of what ran out of memory say what they are; a click goes there, pins what
// was asked for, and its stack is in the panel.
func TestMarksAnswer(t *testing.T) {
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true, Axis: axis,
			AxisGiven: true})
		tl := d.tab().Timeline()
		whole := d.tab().View
		tip := d.inPicture(tl.X(axis, tl.PeakState), float64(tl.PeakBytes), image.Pt(0, -5))
		d.move(tip)
		if d.tab().mark.Kind != chart.PeakMark || d.tab().hovered != layout.None {
			t.Fatalf("at the peak: %+v", d.tab().mark)
		}
		d.click(tip)
		id := describe.PeakAllocation(tl)
		if d.tab().Pinned != id || id < 0 || d.tab().View == whole || d.tab().stack.Stack() != tl.At(id).Stack {
			t.Fatalf("the peak pins %d, want %d; the view is %v", d.tab().Pinned, id, d.tab().View)
		}
		d.press("0", 0)
		d.sharp()

		oom := d.tab().Doc.Stage.OOMs[0]
		stack := tl.Device.Events.Stack[oom.Event]
		at := d.inPicture(tl.XOfOOM(axis, oom), d.tab().View.Y1, image.Pt(0, -4))
		d.move(at)
		if d.tab().mark != (chart.Mark{Kind: chart.OOMMark}) {
			t.Fatalf("at what failed: %+v", d.tab().mark)
		}
		d.click(at)
		if f := d.tab().Failed; f == nil || f.Event != oom.Event || d.tab().Pinned != layout.None {
			t.Fatalf("pinned %+v, %d", f, d.tab().Pinned)
		}
		if x := tl.XOfOOM(axis, oom); d.tab().View == whole || x < d.tab().View.X0 || x > d.tab().View.X1 {
			t.Fatalf("%v is not in %v", x, d.tab().View)
		}
		if d.tab().stack.Stack() != stack || stack == 0 || !d.tab().details.Failed {
			t.Fatalf("the panel shows stack %d, want %d", d.tab().stack.Stack(), stack)
		}
		d.press("C", key.ModShortcut)
		if _, text, _ := d.Router.WriteClipboard(); !strings.Contains(describe.StackText(tl.Snapshot, stack, true),
			string(text)) || len(text) == 0 {
			t.Errorf("copied %q", text)
		}
		d.press("C", key.ModShortcut|key.ModShift)
		if _, text, _ := d.Router.WriteClipboard(); !strings.HasPrefix(string(text), "out of memory: asked for ") {
			t.Errorf("copied %q", text)
		}
		d.press(key.NameEscape, 0)
		if d.tab().Failed != nil {
			t.Error("Esc does not unpin it")
		}
	}
}
