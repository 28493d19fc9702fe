package window

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/options"
	"strata/layout"
	"strata/widgets/describe"
	"strata/widgets/sheet"
)

const annotated = "../../testdata/sample.pickle.gz"

// TestAnnotationWalk: ] and [ go through the annotations in order, on both
// axes, with the current one in view and its START and END drawn.
func TestAnnotationWalk(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	phases := d.tab().Doc.Stage.Lane.Phases.All
	if len(phases) < 4 {
		t.Fatalf("%d annotations", len(phases))
	}
	for i := range 4 {
		d.press("]", 0)
		if d.tab().Annotation != int32(i) {
			t.Fatalf("step %d is at annotation %d", i, d.tab().Annotation)
		}
		x0, x1 := d.tab().Doc.Stage.Lane.Bars[d.tab().View.Axis].Span(int32(i))
		if x1 < d.tab().View.X0 || x0 > d.tab().View.X1 {
			t.Errorf("annotation %d at %g – %g is out of view %+v", i, x0, x1, d.tab().View)
		}
		strong := 0
		for _, l := range d.tab().timeline.Lines {
			if l.Strong {
				strong++
			}
		}
		if strong == 0 {
			t.Errorf("no line of annotation %d", i)
		}
		if !strings.Contains(d.tab().Notice, phases[i].Name) {
			t.Errorf("notice %q at %s", d.tab().Notice, phases[i].Name)
		}
	}
	d.press("[", 0)
	if d.tab().Annotation != 2 {
		t.Errorf("[ leads to %d", d.tab().Annotation)
	}
	d.press("M", 0)
	d.press("]", 0)
	if d.tab().Annotation != 3 || d.tab().View.Axis != layout.Time {
		t.Errorf("on the time axis at %d", d.tab().Annotation)
	}
	d.press(key.NameEscape, 0)
	if d.tab().Annotation != describe.NoPhase {
		t.Error("Esc leaves the annotation pointed out")
	}
}

// TestAnnotationHere: the annotation in force under the pointer is that of its
// time, in the status line and what the panels say.
func TestAnnotationHere(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	plot := d.plot()
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		if axis == layout.Time {
			d.press("M", 0)
			d.sharp()
		}
		seen := map[string]bool{}
		for x := 5; x < plot.Dx(); x += 37 {
			d.move(plot.Min.Add(image.Pt(x, plot.Dy()/2)))
			us := d.tab().Timeline().TimeAt(axis, d.tab().View.XAt(float64(x)+.5, plot.Dx()))
			want := ""
			for _, p := range d.tab().Doc.Stage.Lane.Phases.All { // by Start: the last one in force began last
				if p.Start <= us && us <= p.End {
					want = p.Name
				}
			}
			if d.tab().status.Here != want {
				t.Fatalf("axis %d, x %d: status says %q, not %q", axis, x, d.tab().status.Here, want)
			}
			if d.tab().hovered >= 0 && d.tab().tip.Here != want {
				t.Errorf("tooltip says %q", d.tab().tip.Here)
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
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	all := len(d.tab().Doc.Stage.Lane.Phases.All)
	d.press("A", key.ModShift)
	d.draw()
	d.draw()
	f := &d.tab().lane.Filter
	if !f.Open {
		t.Fatal("the filter is closed")
	}
	typed := func(s string) {
		d.Router.Queue(key.EditEvent{Range: key.Range{Start: 0, End: len(f.Text())}, Text: s})
		d.draw()
		d.draw()
	}
	typed("BACKWARD")
	d.until("it is filtered", func() bool { return len(d.tab().Doc.Stage.Lane.Phases.All) < all })
	for _, p := range d.tab().Doc.Stage.Lane.Phases.All {
		if !strings.Contains(p.Name, "backward") {
			t.Errorf("%s passes", p.Name)
		}
	}
	typed("/step [12]/")
	d.until("the expression counts", func() bool { return len(d.tab().Doc.Stage.Lane.Phases.All) == 2 })
	typed("/step [1/")
	if f.Err == "" || len(d.tab().Doc.Stage.Lane.Phases.All) != 2 {
		t.Errorf("error %q, %d annotations", f.Err, len(d.tab().Doc.Stage.Lane.Phases.All))
	}
	axis := d.tab().View.Axis
	d.press("M", 0)
	if d.tab().View.Axis != axis {
		t.Error("a letter typed into the field switched the axis")
	}
	d.press(key.NameEscape, 0)
	if f.Open || d.tab().Doc == nil {
		t.Error("Esc did not close the filter")
	}
}

// TestFrameworkAnnotations: the framework's own are hidden, and counted, until I, or the flag. Where there are no
// others they are shown.
func TestFrameworkAnnotations(t *testing.T) {
	d := opened(t, options.Options{Files: []string{"../../testdata/reference/sim-base.pickle"},
		Device: options.AnyDevice})
	shown := func() int { return len(d.tab().Doc.Stage.Lane.Phases.All) }
	if got := d.tab().Doc.Stage.Lane.Hidden(false); shown() != 9 || got != "12 of PyTorch's own are hidden (I)" {
		t.Fatalf("%d shown, %q", shown(), got)
	}
	d.press("I", 0)
	d.until("they are shown", func() bool { return shown() == 15 })
	d.press("I", 0)
	d.until("they are hidden", func() bool { return shown() == 9 })
	file := "../../../shared/snapshots/compiled-forward.pickle"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the shared snapshots are not here")
	}
	d = opened(t, options.Options{Files: []string{file}, Device: options.AnyDevice, NoCache: true})
	if got := d.tab().Doc.Stage.Lane.Hidden(false); shown() != 897 || got != "" {
		t.Errorf("%d shown where there are no others, %q", shown(), got)
	}
	d = opened(t, options.Options{Files: []string{file}, Device: options.AnyDevice, NoCache: true, AllAnnotations: true,
		AnnotationFilter: "autotuner"})
	if n := len(d.tab().Doc.Stage.Lane.Phases.All); n == 0 || n == 897 || !d.tab().lane.Filter.Open {
		t.Errorf("with both flags %d are shown", n)
	}
}

// lane is where the lane lies.
func (d *driver) lane() image.Rectangle {
	p := d.arrange(d.gtx(), d.tab())
	return p.lane
}

// TestLanePointer: a click on a bar zooms to it, a bar under the pointer is
// pointed out, the wheel zooms.
func TestLanePointer(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	lane, plot := d.lane(), d.plot()
	x0, x1 := d.tab().Doc.Stage.Lane.Bars[layout.Events].Span(0)
	at := image.Pt(plot.Min.X+int(d.tab().View.XPixel((x0+x1)/2, plot.Dx())), lane.Min.Y+10)
	d.move(at)
	if got := d.tab().lane.Hovered(); got != 0 {
		t.Fatalf("hovered %d", got)
	}
	d.click(at)
	if d.tab().Annotation != 0 || d.tab().View.X0 > x0 || d.tab().View.X1 < x1 ||
		d.tab().View.X1-d.tab().View.X0 > (x1-x0)*1.2 {
		t.Errorf("clicked %d, the view is %+v", d.tab().Annotation, d.tab().View)
	}
	before := d.tab().View
	d.scroll(at, -20)
	if got, was := d.tab().View.X1-d.tab().View.X0, before.X1-before.X0; got >= was {
		t.Errorf("scrolling in the lane: %g of %g", got, was)
	}
}

// TestCapacityAndOffset: the line is at the GPU's memory and can be reached,
// the offset is in every total and keeps the bottom in view.
func TestCapacityAndOffset(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true,
		Offset: 1 << 30})
	if d.tab().View.Y0 != -(1<<30) || d.tab().View.Below != 1<<30 {
		t.Fatalf("the base is not in view: %+v", d.tab().View)
	}
	l := &d.tab().timeline.Limits
	if len(l.OOMs) == 0 || l.OOMs[0].Asked == 0 {
		t.Errorf("out of memory: %+v", l.OOMs)
	}
	p := image.Pt(d.plot().Min.X+d.plot().Dx()/2, d.plot().Max.Y-d.plot().Dy()/4)
	d.move(p)
	if d.tab().hovered < 0 {
		t.Fatal("nothing is hovered")
	}
	with := d.tab().tip.Totals
	plain := describe.Allocation(d.tab().Timeline(), describe.About{}, d.tab().hovered, d.tab().View.Axis).Totals
	shifted := describe.Allocation(d.tab().Timeline(), describe.About{Offset: 1 << 30}, d.tab().hovered,
		d.tab().View.Axis).Totals
	if with != shifted || with == plain {
		t.Errorf("totals %s, without the offset %s", with, plain)
	}
	d.press("W", 0)
	d.sessions.SetOffset(3 << 30)
	d.press(key.NameLeftArrow, key.ModAlt)
	if d.tab().View.Below != 3<<30 {
		t.Errorf("an earlier view reaches down to %g", -d.tab().View.Below)
	}
	d.choose(d.gpuMenu(), "H100")
	d.draw()
	if l.Capacity.Name != "H100" || d.settings.GPU != "H100" {
		t.Errorf("capacity %+v", l.Capacity)
	}
	v := d.tab().View
	v.Y0, v.Y1 = -1e18, 1e18
	if c := v.Clamp(d.tab().Timeline()); c.Y1 < float64(l.Capacity.Bytes-l.Offset) {
		t.Errorf("the line is out of reach: %+v", c)
	}
	d.choose(d.gpuMenu(), "No line")
	d.draw()
	if l.Capacity.Bytes != 0 {
		t.Error("the line stays")
	}
}

// TestOptionsSheet: what is typed there counts after Enter, all of it or
// nothing; what is wrong is said under its field.
func TestOptionsSheet(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	d.press(",", 0)
	d.draw()
	if d.optionsSheet() == nil {
		t.Fatal("no sheet")
	}
	model := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(model, []byte(
		`{"hidden_size": 4096, "intermediate_size": 11008, "vocab_size": 32000, "num_attention_heads": 32}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	var c sheet.Choices
	c.Text[sheet.FieldGPU], c.Text[sheet.FieldOffset], c.Text[sheet.FieldEntries],
		c.Text[sheet.FieldModel] = "Voodoo 2", "-3", "few", model
	d.options.Open(c)
	d.press(key.NameReturn, 0)
	d.draw()
	wrong := d.optionsSheet().wrong
	if wrong[sheet.FieldGPU] == "" || wrong[sheet.FieldOffset] == "" || wrong[sheet.FieldEntries] == "" ||
		wrong[sheet.FieldModel] != "" {
		t.Fatalf("wrong %q", wrong)
	}
	if d.tab().timeline.Limits.Capacity.Bytes != 0 || d.opt.Model != "" {
		t.Error("half of it was taken")
	}
	c.Text[sheet.FieldGPU], c.Text[sheet.FieldOffset], c.Text[sheet.FieldEntries] = "24GiB", "512", "100"
	d.options.Open(c)
	d.press(key.NameReturn, 0)
	d.until("the model and the device are there", func() bool {
		return d.sessions.Naming.Known.ID != "" && d.tab().Timeline().Options.MaxEntries == 100
	})
	if l := d.tab().timeline.Limits; d.sheet != nil || l.Capacity.Bytes != 24<<30 || l.Offset != 512<<20 {
		t.Errorf("sheet %v, limits %+v", d.sheet, l)
	}
	if got := d.sessions.Naming.Name(2 * 4096 * 11008); !strings.Contains(got, "h x i") &&
		!strings.Contains(got, "i x h") {
		t.Errorf("named %q", got)
	}
	// A model that cannot be had is a card, and nothing else stops; from the start
	// on too.
	lost := drive(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true,
		Model: filepath.Join(t.TempDir(), "lost")})
	lost.until("the file is open and the model is not", func() bool {
		return lost.tab().Doc != nil && lost.tab().Problem != nil
	})
	lost.sharp()
	lost.move(image.Pt(lost.plot().Min.X+lost.plot().Dx()/2, lost.plot().Max.Y-lost.plot().Dy()/4))
	if lost.tab().hovered < 0 || lost.tab().tip.Shape == "" {
		t.Errorf("hovered %d, shape %q", lost.tab().hovered, lost.tab().tip.Shape)
	}
	d.sessions.SetModel(filepath.Join(t.TempDir(), "nowhere"), 0, false)
	d.until("the card says so", func() bool { return d.tab().Problem != nil })
	if d.tab().Doc == nil || !strings.Contains(d.tab().Problem.Title, "nowhere") ||
		d.sessions.Naming.Name(1<<20) == "" {
		t.Errorf("%+v", d.tab().Problem)
	}
}

// TestContext: Shift+F10 pins what is hovered and opens the menu of it, whose
// items do what they say.
func TestContext(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	plot := d.plot()
	d.move(image.Pt(plot.Min.X+plot.Dx()/2, plot.Max.Y-plot.Dy()/4))
	id := d.tab().hovered
	if id < 0 {
		t.Fatal("nothing is hovered")
	}
	d.press(key.NameF10, key.ModShift)
	if d.tab().Pinned != id || !d.menu.Showing() || d.menu.Owner != "context" {
		t.Fatalf("pinned %d, menu %q", d.tab().Pinned, d.menu.Owner)
	}
	for range 4 {
		d.press(key.NameDownArrow, 0)
	}
	d.press(key.NameReturn, 0)
	x0, x1 := d.tab().Timeline().Span(id, d.tab().View.Axis)
	if d.tab().View.X0 > x0 || d.tab().View.X1 < x1 || d.tab().View.X1-d.tab().View.X0 > max(8, (x1-x0)*1.3+2) {
		t.Errorf("zoomed to %+v, it is at %g – %g", d.tab().View, x0, x1)
	}
	d.press("X", 0)
	d.until("the search found it", func() bool { return d.tab().Find.Result != nil })
	if !d.tab().Find.Result.Matches.Has(id) {
		t.Error("the search for the same line does not find the allocation itself")
	}
}

// TestRulers: R+drag and T+drag measure in the data's units, while panning and
// zooming; Esc removes both and nothing else.
func TestRulers(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	plot, v := d.plot(), d.tab().View
	measure := func(name key.Name, from, to image.Point) {
		d.Router.Queue(key.Event{Name: name, State: key.Press})
		d.move(from)
		d.point(pointer.Press, from, pointer.ButtonPrimary)
		d.point(pointer.Move, from.Add(image.Pt(9, 9)), pointer.ButtonPrimary)
		d.point(pointer.Move, to, pointer.ButtonPrimary)
		d.point(pointer.Release, to, 0)
		d.Router.Queue(key.Event{Name: name, State: key.Release})
		d.draw()
	}
	a, b := plot.Min.Add(image.Pt(100, 100)), plot.Min.Add(image.Pt(300, 250))
	measure("R", a, b)
	measure("T", a, b)
	bytes, across, hasBytes, hasAcross := d.tab().timeline.Rulers()
	at := func(p image.Point) (x, y float64) {
		q := p.Sub(plot.Min)
		return v.XAt(float64(q.X)+.5, plot.Dx()), v.YAt(float64(q.Y)+.5, plot.Dy())
	}
	ax, ay := at(a)
	bx, by := at(b)
	if !hasBytes || !hasAcross || bytes != [2]float64{ay, by} || across != [2]float64{ax, bx} {
		t.Fatalf("rulers %v %v of %g,%g to %g,%g", bytes, across, ax, ay, bx, by)
	}
	if d.tab().View != v {
		t.Error("measuring moved the view")
	}
	d.scroll(a, -40)
	if again, _, _, _ := d.tab().timeline.Rulers(); again != bytes || d.tab().View == v {
		t.Error("zooming changed the ruler")
	}
	d.click(b)
	pinned := d.tab().Pinned
	d.press(key.NameEscape, 0)
	if _, _, hb, ha := d.tab().timeline.Rulers(); hb || ha || d.tab().Pinned != pinned {
		t.Error("Esc did not remove the rulers alone")
	}
	// Without the key a drag pans.
	before := d.tab().View
	d.point(pointer.Press, a, pointer.ButtonPrimary)
	d.point(pointer.Move, b, pointer.ButtonPrimary)
	d.point(pointer.Release, b, 0)
	if d.tab().View == before {
		t.Error("a drag no longer pans")
	}
}
