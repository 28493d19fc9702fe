package app

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/layout"
	"strata/widgets"
)

const annotated = "../testdata/sample.pickle.gz"

// TestAnnotationWalk: ] and [ go through the annotations in order, on both
// axes, with the current one in view and its START and END drawn.
func TestAnnotationWalk(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	phases := d.doc.stage.phases.All
	if len(phases) < 4 {
		t.Fatalf("%d annotations", len(phases))
	}
	for i := range 4 {
		d.press("]", 0)
		if d.annotations.current != int32(i) {
			t.Fatalf("step %d is at annotation %d", i, d.annotations.current)
		}
		x0, x1 := d.doc.stage.lane.Bars[d.view.Axis].Span(int32(i))
		if x1 < d.view.X0 || x0 > d.view.X1 {
			t.Errorf("annotation %d at %g – %g is out of view %+v", i, x0, x1, d.view)
		}
		strong := 0
		for _, l := range d.panels.timeline.Limits.Lines {
			if l.Strong {
				strong++
			}
		}
		if strong == 0 {
			t.Errorf("no line of annotation %d", i)
		}
		if !strings.Contains(d.notice, phases[i].Name) {
			t.Errorf("notice %q at %s", d.notice, phases[i].Name)
		}
	}
	d.press("[", 0)
	if d.annotations.current != 2 {
		t.Errorf("[ leads to %d", d.annotations.current)
	}
	d.press("M", 0)
	d.press("]", 0)
	if d.annotations.current != 3 || d.view.Axis != layout.Time {
		t.Errorf("on the time axis at %d", d.annotations.current)
	}
	d.press(key.NameEscape, 0)
	if d.annotations.current != widgets.NoPhase {
		t.Error("Esc leaves the annotation pointed out")
	}
}

// TestAnnotationHere: the annotation in force under the pointer is that of its
// time, in the status line and what the panels say.
func TestAnnotationHere(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	plot := d.plot()
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		if axis == layout.Time {
			d.press("M", 0)
			d.sharp()
		}
		seen := map[string]bool{}
		for x := 5; x < plot.Dx(); x += 37 {
			d.move(plot.Min.Add(image.Pt(x, plot.Dy()/2)))
			us := d.timeline().TimeAt(axis, d.view.XAt(float64(x)+.5, plot.Dx()))
			want := ""
			for _, p := range d.doc.stage.phases.All { // by Start: the last one in force began last
				if p.Start <= us && us <= p.End {
					want = p.Name
				}
			}
			if d.status.Here != want {
				t.Fatalf("axis %d, x %d: status says %q, not %q", axis, x, d.status.Here, want)
			}
			if d.selection.Hovered >= 0 && d.tip.Here != want {
				t.Errorf("tooltip says %q", d.tip.Here)
			}
			seen[want] = true
		}
		if len(seen) < 4 {
			t.Errorf("only %d annotations on axis %d", len(seen), axis)
		}
	}
}

// TestAnnotationFilter: typing in the lane's field filters, an expression that
// is none is said to be, the keys typed there are no commands, Esc closes.
func TestAnnotationFilter(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	all := len(d.doc.stage.phases.All)
	d.press("A", key.ModShift)
	d.draw()
	d.draw()
	f := &d.panels.lane.Filter
	if !f.Open {
		t.Fatal("the filter is closed")
	}
	typed := func(s string) {
		d.router.Queue(key.EditEvent{Range: key.Range{Start: 0, End: len(f.Text())}, Text: s})
		d.draw()
		d.draw()
	}
	typed("BACKWARD")
	d.until("it is filtered", func() bool { return len(d.doc.stage.phases.All) < all })
	for _, p := range d.doc.stage.phases.All {
		if !strings.Contains(p.Name, "backward") {
			t.Errorf("%s passes", p.Name)
		}
	}
	typed("/step [12]/")
	d.until("the expression counts", func() bool { return len(d.doc.stage.phases.All) == 2 })
	typed("/step [1/")
	if f.Err == "" || len(d.doc.stage.phases.All) != 2 {
		t.Errorf("error %q, %d annotations", f.Err, len(d.doc.stage.phases.All))
	}
	axis := d.view.Axis
	d.press("M", 0)
	if d.view.Axis != axis {
		t.Error("a letter typed into the field switched the axis")
	}
	d.press(key.NameEscape, 0)
	if f.Open || d.doc == nil {
		t.Error("Esc did not close the filter")
	}
}

// TestFrameworkAnnotations: the framework's own are hidden until I, or the
// flag.
func TestFrameworkAnnotations(t *testing.T) {
	file := "../../shared/snapshots/compiled-forward.pickle"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the shared snapshots are not here")
	}
	d := opened(t, Options{Files: []string{file}, Device: AnyDevice, NoCache: true})
	if n := len(d.doc.stage.phases.All); n != 0 || d.doc.stage.lane.Internal != 1794 {
		t.Fatalf("%d shown, %d of the framework", n, d.doc.stage.lane.Internal)
	}
	d.press("I", 0)
	d.until("they are shown", func() bool { return len(d.doc.stage.phases.All) == 897 })
	d.press("I", 0)
	d.until("they are hidden", func() bool { return len(d.doc.stage.phases.All) == 0 })
	d = opened(t, Options{Files: []string{file}, Device: AnyDevice, NoCache: true, AllAnnotations: true, AnnotationFilter: "autotuner"})
	if n := len(d.doc.stage.phases.All); n == 0 || n == 897 || !d.panels.lane.Filter.Open {
		t.Errorf("with both flags %d are shown", n)
	}
}

// lane is where the lane lies.
func (d *driver) lane() image.Rectangle {
	p := d.arrange(d.gtx())
	return p.lane
}

// TestLanePointer: a click on a bar zooms to it, a bar under the pointer is
// pointed out, the wheel zooms.
func TestLanePointer(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	lane, plot := d.lane(), d.plot()
	x0, x1 := d.doc.stage.lane.Bars[layout.Events].Span(0)
	at := image.Pt(plot.Min.X+int(d.view.XPixel((x0+x1)/2, plot.Dx())), lane.Min.Y+10)
	d.move(at)
	if got := d.panels.lane.Hovered(); got != 0 {
		t.Fatalf("hovered %d", got)
	}
	d.click(at)
	if d.annotations.current != 0 || d.view.X0 > x0 || d.view.X1 < x1 || d.view.X1-d.view.X0 > (x1-x0)*1.2 {
		t.Errorf("clicked %d, the view is %+v", d.annotations.current, d.view)
	}
	before := d.view
	d.scroll(at, -20)
	if got, was := d.view.X1-d.view.X0, before.X1-before.X0; got >= was {
		t.Errorf("scrolling in the lane: %g of %g", got, was)
	}
}

// TestCapacityAndOffset: the line is at the GPU's memory and can be reached,
// the offset is in every total and keeps the bottom in view.
func TestCapacityAndOffset(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true, Offset: 1 << 30})
	if d.view.Y0 != -(1<<30) || d.view.Below != 1<<30 {
		t.Fatalf("the base is not in view: %+v", d.view)
	}
	l := &d.panels.timeline.Limits
	if len(l.OOMs) == 0 || l.OOMs[0].Asked == 0 {
		t.Errorf("out of memory: %+v", l.OOMs)
	}
	p := image.Pt(d.plot().Min.X+d.plot().Dx()/2, d.plot().Max.Y-d.plot().Dy()/4)
	d.move(p)
	if d.selection.Hovered < 0 {
		t.Fatal("nothing is hovered")
	}
	with := d.tip.Totals
	plain := widgets.Allocation(d.timeline(), widgets.About{}, d.selection.Hovered, d.view.Axis).Totals
	shifted := widgets.Allocation(d.timeline(), widgets.About{Offset: 1 << 30}, d.selection.Hovered, d.view.Axis).Totals
	if with != shifted || with == plain {
		t.Errorf("totals %s, without the offset %s", with, plain)
	}
	d.press("W", 0)
	d.setOffset(3 << 30)
	d.press(key.NameLeftArrow, key.ModAlt)
	if d.view.Below != 3<<30 {
		t.Errorf("an earlier view reaches down to %g", -d.view.Below)
	}
	d.chosen(d.gtx(), "gpu", "H100")
	if l.Capacity.Name != "H100" || d.settings.GPU != "H100" {
		t.Errorf("capacity %+v", l.Capacity)
	}
	v := d.view
	v.Y0, v.Y1 = -1e18, 1e18
	if c := v.Clamp(d.timeline()); c.Y1 < float64(l.Capacity.Bytes-l.Offset) {
		t.Errorf("the line is out of reach: %+v", c)
	}
	d.chosen(d.gtx(), "gpu", "none")
	if l.Capacity.Bytes != 0 {
		t.Error("the line stays")
	}
}

// TestOptionsSheet: what is typed there counts after Enter, all of it or
// nothing; what is wrong is said under its field.
func TestOptionsSheet(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	d.press(",", 0)
	d.draw()
	if !d.options {
		t.Fatal("no sheet")
	}
	model := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(model, []byte(`{"hidden_size": 4096, "intermediate_size": 11008, "vocab_size": 32000, "num_attention_heads": 32}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var c widgets.Choices
	c.Text[widgets.FieldGPU], c.Text[widgets.FieldOffset], c.Text[widgets.FieldEntries], c.Text[widgets.FieldModel] = "Voodoo 2", "-3", "few", model
	d.panels.options.Open(c)
	d.press(key.NameReturn, 0)
	d.draw()
	wrong := d.optionsWrong
	if !d.options || wrong[widgets.FieldGPU] == "" || wrong[widgets.FieldOffset] == "" || wrong[widgets.FieldEntries] == "" || wrong[widgets.FieldModel] != "" {
		t.Fatalf("sheet %v, wrong %q", d.options, wrong)
	}
	if d.panels.timeline.Limits.Capacity.Bytes != 0 || d.shapes.model != "" {
		t.Error("half of it was taken")
	}
	c.Text[widgets.FieldGPU], c.Text[widgets.FieldOffset], c.Text[widgets.FieldEntries] = "24GiB", "512", "100"
	d.panels.options.Open(c)
	d.press(key.NameReturn, 0)
	d.until("the model and the device are there", func() bool {
		return d.shapes.known.ID != "" && d.timeline().Options.MaxEntries == 100
	})
	if l := d.panels.timeline.Limits; d.options || l.Capacity.Bytes != 24<<30 || l.Offset != 512<<20 {
		t.Errorf("sheet %v, limits %+v", d.options, l)
	}
	if got := d.shapeOf(2 * 4096 * 11008); !strings.Contains(got, "h x i") && !strings.Contains(got, "i x h") {
		t.Errorf("named %q", got)
	}
	// A model that cannot be had is a card, and nothing else stops; from the start
	// on too.
	lost := drive(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true, Model: filepath.Join(t.TempDir(), "lost")})
	lost.until("the file is open and the model is not", func() bool { return lost.doc != nil && lost.problem != nil })
	lost.sharp()
	lost.move(image.Pt(lost.plot().Min.X+lost.plot().Dx()/2, lost.plot().Max.Y-lost.plot().Dy()/4))
	if lost.selection.Hovered < 0 || lost.tip.Shape == "" {
		t.Errorf("hovered %d, shape %q", lost.selection.Hovered, lost.tip.Shape)
	}
	d.setModel(filepath.Join(t.TempDir(), "nowhere"), 0, false)
	d.until("the card says so", func() bool { return d.problem != nil })
	if d.doc == nil || !strings.Contains(d.problem.Title, "nowhere") || d.shapeOf(1<<20) == "" {
		t.Errorf("%+v", d.problem)
	}
}

// TestContext: Shift+F10 pins what is hovered and opens the menu of it, whose
// items do what they say.
func TestContext(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	plot := d.plot()
	d.move(image.Pt(plot.Min.X+plot.Dx()/2, plot.Max.Y-plot.Dy()/4))
	id := d.selection.Hovered
	if id < 0 {
		t.Fatal("nothing is hovered")
	}
	d.press(key.NameF10, key.ModShift)
	if d.selection.Pinned != id || !d.panels.menu.Showing() || d.panels.menu.Owner != "context" {
		t.Fatalf("pinned %d, menu %q", d.selection.Pinned, d.panels.menu.Owner)
	}
	d.press(key.NameDownArrow, 0)
	d.press(key.NameDownArrow, 0)
	d.press(key.NameDownArrow, 0)
	d.press(key.NameReturn, 0)
	x0, x1 := d.timeline().Span(id, d.view.Axis)
	if d.view.X0 > x0 || d.view.X1 < x1 || d.view.X1-d.view.X0 > max(8, (x1-x0)*1.3+2) {
		t.Errorf("zoomed to %+v, it is at %g – %g", d.view, x0, x1)
	}
	d.press("X", 0)
	d.until("the search found it", func() bool { return d.find.result != nil })
	if !d.find.result.Matches.Has(id) {
		t.Error("the search for the same line does not find the allocation itself")
	}
}

// TestRulers: R+drag and T+drag measure in the data's units, while panning and
// zooming; Esc removes both and nothing else.
func TestRulers(t *testing.T) {
	d := opened(t, Options{Files: []string{annotated}, Device: AnyDevice, NoCache: true})
	plot, v := d.plot(), d.view
	measure := func(name key.Name, from, to image.Point) {
		d.router.Queue(key.Event{Name: name, State: key.Press})
		d.move(from)
		d.point(pointer.Press, from, pointer.ButtonPrimary, f32.Point{})
		d.point(pointer.Move, from.Add(image.Pt(9, 9)), pointer.ButtonPrimary, f32.Point{})
		d.point(pointer.Move, to, pointer.ButtonPrimary, f32.Point{})
		d.point(pointer.Release, to, 0, f32.Point{})
		d.router.Queue(key.Event{Name: name, State: key.Release})
		d.draw()
	}
	a, b := plot.Min.Add(image.Pt(100, 100)), plot.Min.Add(image.Pt(300, 250))
	measure("R", a, b)
	measure("T", a, b)
	bytes, across, hasBytes, hasAcross := d.panels.timeline.Rulers()
	at := func(p image.Point) (x, y float64) {
		q := p.Sub(plot.Min)
		return v.XAt(float64(q.X)+.5, plot.Dx()), v.YAt(float64(q.Y)+.5, plot.Dy())
	}
	ax, ay := at(a)
	bx, by := at(b)
	if !hasBytes || !hasAcross || bytes != [2]float64{ay, by} || across != [2]float64{ax, bx} {
		t.Fatalf("rulers %v %v of %g,%g to %g,%g", bytes, across, ax, ay, bx, by)
	}
	if d.view != v {
		t.Error("measuring moved the view")
	}
	d.scroll(a, -40)
	if again, _, _, _ := d.panels.timeline.Rulers(); again != bytes || d.view == v {
		t.Error("zooming changed the ruler")
	}
	d.click(b)
	pinned := d.selection.Pinned
	d.press(key.NameEscape, 0)
	if _, _, hb, ha := d.panels.timeline.Rulers(); hb || ha || d.selection.Pinned != pinned {
		t.Error("Esc did not remove the rulers alone")
	}
	// Without the key a drag pans.
	before := d.view
	d.point(pointer.Press, a, pointer.ButtonPrimary, f32.Point{})
	d.point(pointer.Move, b, pointer.ButtonPrimary, f32.Point{})
	d.point(pointer.Release, b, 0, f32.Point{})
	if d.view == before {
		t.Error("a drag no longer pans")
	}
}
