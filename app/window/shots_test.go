package window

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gioui.org/gpu/headless"
	"gioui.org/io/key"
	"gioui.org/unit"

	"strata/app/options"
	"strata/app/pages"
	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/capacity"
	"strata/widgets/panel"
)

// A shot is a state of the window to look at.
type shot struct {
	name  string
	file  string
	size  image.Point
	scale float32
	opt   options.Options
	do    func(*driver)
}

// capacityOf is the memory of a GPU that is known.
func capacityOf(name string) capacity.Capacity {
	c, err := capacity.Find(name)
	if err != nil {
		panic(err)
	}
	return c
}

// pressing presses keys, each with its modifiers.
func pressing(pairs ...any) func(*driver) {
	return func(d *driver) {
		for i := 0; i < len(pairs); i += 2 {
			d.press(key.Name(pairs[i].(string)), key.Modifiers(pairs[i+1].(int)))
		}
	}
}

// segmented stacks segments and points at one.
func segmented(d *driver) {
	d.press("S", key.ModShift)
	d.until("segments are stacked", func() bool { return d.tab().Timeline().Options.Mode == layout.Segments })
	d.sharp()
	tl := d.tab().Timeline()
	d.move(d.inPicture(tl.X(d.tab().View.Axis, tl.PeakState), float64(tl.PeakBytes)/4, image.Pt(-3, 0)))
}

const (
	withCtrl, withShift = int(key.ModShortcut), int(key.ModShift)
	shared              = "../../../shared/snapshots/"
	timelines           = "../../../shared/profiler/samples/made/"
	compiled            = shared + "compiled-forward.pickle"
)

var (
	pinned               = image.Pt(500, 700)
	large, medium, small = image.Pt(1440, 900), image.Pt(900, 600), image.Pt(400, 300)
	light                = options.Options{Theme: "light"}
)

var shots = []shot{
	{"start", "", large, 1, options.Options{}, nil},
	{"problem", "", large, 1, options.Options{}, func(d *driver) {
		d.sessions.Open("/nowhere/x.pickle")
		d.until("it fails", func() bool { return d.tab().Problem != nil })
	}},
	{"open", annotated, large, 1, options.Options{}, nil},
	{"light-time", annotated, large, 1, light, pressing("M", 0)},
	{"medium", annotated, medium, 1, options.Options{}, nil},
	{"small", annotated, small, 1, light, nil},
	{"scale2", annotated, image.Pt(2880, 1800), 2, options.Options{}, nil},
	{"scale3", annotated, image.Pt(2400, 1800), 3, light, nil},
	{"help", annotated, large, 1, options.Options{}, pressing("?", 0)},
	{"help-medium", annotated, medium, 1, options.Options{}, pressing("?", 0)},
	{"recording", annotated, large, 1, options.Options{}, pressing("F2", 0)},
	{"options", annotated, large, 1, options.Options{GPU: capacityOf("T4")}, pressing(",", 0)},
	{"path", annotated, large, 1, options.Options{}, pressing("O", withCtrl|withShift)},
	{"findings", annotated, large, 1, options.Options{}, func(d *driver) { d.click(image.Pt(1300, 890)) }},
	{"search", annotated, large, 1, options.Options{}, func(d *driver) {
		d.press("F", key.ModShortcut)
		d.enter("size>=1MiB")
		d.found()
		d.press(key.NameReturn, 0)
	}},
	{"search-wrong", annotated, large, 1, options.Options{}, func(d *driver) {
		d.press("F", key.ModShortcut)
		d.enter("size>=lots")
	}},
	{"sql", annotated, large, 1, options.Options{}, func(d *driver) {
		d.asked("select id, size, phase from allocations order by size desc limit 7")
		d.click(d.cell(1, 20))
	}},
	{"sql-wrong", annotated, large, 1, options.Options{},
		func(d *driver) { d.asked("select nope from allocations") }},
	{"pin", annotated, large, 1, options.Options{}, func(d *driver) { d.move(pinned); d.click(pinned) }},
	{"context", annotated, large, 1, options.Options{}, func(d *driver) {
		d.click(pinned)
		d.press(key.NameF10, key.ModShift)
	}},
	{"zoomed", annotated, large, 1, options.Options{}, func(d *driver) { d.click(pinned); d.press("Z", 0) }},
	{"away", annotated, large, 1, options.Options{}, func(d *driver) {
		d.click(pinned)
		pressing("W", 0, "W", 0, "D", 0, "D", 0, "D", 0, "D", 0)(d)
	}},
	{"phase", annotated, large, 1, options.Options{}, pressing("]", 0, "]", 0)},
	{"filter", annotated, large, 1, options.Options{}, pressing("A", withShift)},
	{"no-stack", annotated, large, 1, options.Options{}, pressing("B", 0)},
	{"framework", annotated, large, 1, options.Options{}, func(d *driver) { d.click(pinned); d.press("H", 0) }},
	{"peak", annotated, large, 1, options.Options{}, pressing("P", 0)},
	{"held", annotated, large, 1, light, func(d *driver) {
		d.press(key.NameEnd, 0)
		d.move(d.group(0))
	}},
	{"changed", annotated, large, 1, options.Options{}, func(d *driver) {
		tl := d.tab().Timeline()
		d.tab().Compare(breakdown.AtStep(tl, 3000), breakdown.AtStep(tl, 8000))
	}},
	{"breakdown", annotated, large, 1, light, pressing("E", 0)},
	{"breakdown-medium", annotated, medium, 1, options.Options{}, pressing("E", 0)},
	{"bands", annotated, large, 1, options.Options{}, func(d *driver) {
		d.press("Y", 0)
		d.until("there are bands", func() bool { return d.tab().bands != nil })
	}},
	{"lines", oom, large, 1, options.Options{}, func(d *driver) {
		lined(d, session.Shaded)
		c := d.tab().timeline.Allocator.Curves[0]
		d.move(d.inPicture(c.PeakX[d.tab().View.Axis], float64(c.Peak), image.Point{}))
	}},
	{"segments", shared + "alloc-expandable.pickle", large, 1, options.Options{}, segmented},
	{"segments-light", shared + "training-cpp-frames.pickle", image.Pt(640, 400), 1, light, segmented},
	{"lines-light", shared + "alloc-oom.pickle", large, 1, light, func(d *driver) {
		lined(d, session.OfAllocated)
		for _, x := range d.tab().timeline.Allocator.Trades {
			if x.Failed {
				d.move(d.inPicture(x.X[d.tab().View.Axis], d.tab().View.Y0, image.Pt(0, -3)))
				return
			}
		}
	}},
	{"lines-small", shared + "alloc-expandable.pickle", image.Pt(640, 400), 1, options.Options{}, func(d *driver) {
		lined(d, session.Shaded)
	}},
	{"allocator", oom, large, 1, options.Options{}, func(d *driver) {
		d.press(".", 0)
		d.until("the allocator is known", d.tab().allocatorShows)
		d.press(key.NameUpArrow, 0)
	}},
	{"allocator-lens", oom, large, 1, options.Options{}, lensed(0)},
	{"allocator-lens-light", shared + "alloc-expandable.pickle", large, 1, light, lensed(0)},
	{"allocator-lens-small", shared + "alloc-oom.pickle", image.Pt(640, 400), 1, options.Options{},
		lensed(1)},
	{"allocator-pools", oom, small, 1, light, func(d *driver) {
		d.press(".", 0)
		d.until("the allocator is known", d.tab().allocatorShows)
		d.tab().drawer.allocator.choice.Split = true
	}},
	{"allocator-ranges", shared + "alloc-oom.pickle", large, 1, options.Options{}, func(d *driver) {
		d.press("O", 0)
		d.until("the request is explained", func() bool { return d.tab().Why() != nil })
		d.press(".", 0)
		d.until("the allocator is known", d.tab().allocatorShows)
		d.showRanges(d.tab(), d.tab().Why(), 1, d.gtx().Now)
		d.draw()
	}},
	{"allocator-events", oom, small, 1, options.Options{}, func(d *driver) {
		d.press("O", 0)
		d.press(".", 0)
		d.until("the allocator is known", d.tab().allocatorShows)
		face(d, panel.Events)
	}},
	{"allocator-why", oom, large, 1, light, func(d *driver) {
		d.press("O", 0)
		d.press(".", 0)
		d.until("the request is explained", func() bool { return d.tab().Why() != nil })
		face(d, panel.Failure)
	}},
	{"allocator-settings", oom, large, 1, light, func(d *driver) {
		d.press(".", 0)
		d.until("the allocator is known", d.tab().allocatorShows)
		face(d, panel.Settings)
	}},
	{"flame", annotated, large, 1, options.Options{}, func(d *driver) {
		d.press("K", 0)
		d.until("the tree is made", d.tab().flameShows)
		d.move(image.Pt(300, 700))
	}},
	{"flame-up", annotated, large, 1, light, func(d *driver) {
		d.press("K", 0)
		d.until("the tree is made", d.tab().flameShows)
		d.press("J", 0)
		d.until("the tree is turned", func() bool { return d.tab().drawer.flame.stacks.Tree.LeavesUp })
	}},
	{"flame-changed", annotated, medium, 1, options.Options{}, func(d *driver) {
		tl := d.tab().Timeline()
		d.tab().Compare(breakdown.AtStep(tl, 3000), breakdown.AtStep(tl, 8000))
		d.press("K", 0)
		d.until("the tree is made", d.tab().flameShows)
	}},
	{"flame-search", annotated, small, 1, light, func(d *driver) {
		d.tab().Search("model.py")
		d.press("K", 0)
		d.until("the tree is made", func() bool { return d.tab().flameShows() && d.tab().Matches() != nil })
	}},
	{"growth", annotated, large, 1, options.Options{}, pressing("U", 0)},
	{"peak-mark", annotated, large, 1, options.Options{}, func(d *driver) {
		tl := d.tab().Timeline()
		d.move(d.inPicture(tl.X(layout.Events, tl.PeakState), float64(tl.PeakBytes), image.Pt(0, -5)))
	}},
	{"oom-mark", annotated, large, 1, light, func(d *driver) {
		tl := d.tab().Timeline()
		at := d.inPicture(tl.XOfOOM(layout.Events, d.tab().Doc.Stage.OOMs[0]), d.tab().View.Y1, image.Pt(0, -4))
		d.click(at)
		d.sharp()
		d.move(d.inPicture(tl.XOfOOM(layout.Events, d.tab().Doc.Stage.OOMs[0]), d.tab().View.Y1, image.Pt(0, -4)))
	}},
	{"chips", "", medium, 1, options.Options{MaxEntries: 1000}, func(d *driver) {
		path := copyTo(d.t, annotated, d.t.TempDir(), "run.pickle.gz")
		d.sessions.Open(path)
		d.until("it is open", func() bool { return d.tab().Doc != nil })
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			d.t.Fatal(err)
		}
		d.until("it has changed", d.tab().Changed)
	}},
	{"file-menu", annotated, large, 1, options.Options{}, func(d *driver) { d.tabTo(1) }},
	{"colour-menu", devices, large, 1, options.Options{}, func(d *driver) { d.tabTo(5) }},
	{"device-menu", devices, large, 1, options.Options{}, func(d *driver) { d.tabTo(2) }},
	{"settings-menu", annotated, large, 1, options.Options{}, func(d *driver) { d.click(image.Pt(1416, 22)) }},
	{"tabs", annotated, large, 1, options.Options{}, func(d *driver) {
		d.sessions.Open(sample, devices)
		d.allReady()
	}},
	{"pair", annotated, large, 1, options.Options{}, func(d *driver) { d.pairWith(oom) }},
	{"pair-light", annotated, large, 1, light, func(d *driver) {
		p := d.pairWith(annotatedToo(d))
		d.press("K", 0)
		d.until("there is a flame graph", d.tab().pair.Flamed)
		d.press("M", 0)
		d.compared(p)
	}},
	{"pair-small", annotated, image.Pt(640, 400), 1, options.Options{}, func(d *driver) { d.pairWith(oom) }},
	{"wall", "", large, 1, options.Options{}, func(d *driver) { d.walled(generated) }},
	{"wall-light", "", large, 1, light, func(d *driver) {
		w := d.walled(ranksFolder(d))
		w.SetOrder(pages.ByDistance)
		w.Select(0)
		w.Select(3)
	}},
	{"wall-small", "", image.Pt(640, 400), 1, options.Options{}, func(d *driver) { d.walled(ranksFolder(d)) }},
	{"colours", annotated, large, 1, options.Options{}, pressing("C", 0, "C", 0)},
	{"capacity", annotated, large, 1, options.Options{GPU: capacityOf("T4")}, nil},
	{"offset", annotated, large, 1, options.Options{Theme: "light", GPU: capacityOf("20GiB"), Offset: 1 << 30},
		pressing("M", 0)},
	{"offset-medium", annotated, medium, 1, options.Options{GPU: capacityOf("H100"), Offset: 600 << 20},
		pressing("A", withShift, "]", 0)},
	{"compiled", compiled, large, 1, options.Options{}, nil},
	{"compiled-all", compiled, large, 1, options.Options{AllAnnotations: true}, nil},
	{"compiled-all-time", compiled, medium, 1, options.Options{AllAnnotations: true, Theme: "light"},
		pressing("M", 0, "A", withShift)},
	{"memory-timeline", timelines + "memory_timeline.json.gz", large, 1, options.Options{}, pressing("M", 0)},
	{"memory-timeline-light", timelines + "memory_timeline.json.gz", medium, 1, light, pressing("K", 0)},
	{"memory-timeline-small", timelines + "memory_timeline.json.gz", image.Pt(640, 400), 1, options.Options{}, nil},
	{"memory-timeline-page", "", large, 1, options.Options{}, pageProblem},
	{"memory-timeline-page-small", "", image.Pt(640, 400), 1, light, pageProblem},
	{"tiny", shared + "tiny-annotated.pickle", large, 1, options.Options{}, nil},
}

// pageProblem opens the HTML form of a memory timeline.
func pageProblem(d *driver) {
	if _, err := os.Stat(timelines + "memory_timeline.html"); err != nil {
		d.t.Skip(err)
	}
	d.sessions.Open(timelines + "memory_timeline.html")
	d.until("it is told", func() bool { return d.tab().Problem != nil })
}

// TestShots writes a picture of each state of the window into the folder that STRATA_SHOTS names, for people to look
// at and to compare before and after a change.
func TestShots(t *testing.T) {
	dir := os.Getenv("STRATA_SHOTS")
	if dir == "" {
		t.Skip("STRATA_SHOTS names no folder")
	}
	t.Setenv("EGL_PLATFORM", "surfaceless")
	for _, s := range shots {
		t.Run(s.name, func(t *testing.T) { s.take(t, dir) })
	}
}

// take brings the window into the state and draws it into a file.
func (s *shot) take(t *testing.T, dir string) {
	opt := s.opt
	opt.Device, opt.NoCache = options.AnyDevice, true
	if opt.Theme == "" {
		opt.Theme = "dark"
	}
	if s.file != "" {
		if _, err := os.Stat(s.file); err != nil {
			t.Skip(err)
		}
		opt.Files = []string{s.file}
	}
	d := drive(t, opt)
	d.Size, d.Metric = s.size, unit.Metric{PxPerDp: s.scale, PxPerSp: s.scale}
	settle := func() {
		if d.tab().Path != "" && d.tab().Problem == nil {
			d.until("it is open", func() bool { return d.tab().Doc != nil })
			d.sharp()
		}
	}
	settle()
	if s.do != nil {
		s.do(d)
	}
	settle()
	d.tab().Notice = ""
	d.draw()
	d.shoot(filepath.Join(dir, s.name+".png"))
}

// annotatedToo is a copy of annotated.
func annotatedToo(d *driver) string { return copyTo(d.t, annotated, d.t.TempDir(), "other.pickle.gz") }

// tabTo presses the control to which so many presses of Tab lead.
func (d *driver) tabTo(n int) {
	for range n {
		d.Router.MoveFocus(key.FocusForward)
		d.draw()
	}
	d.press(key.NameReturn, 0)
}

// shoot writes a picture of the last frame.
func (d *driver) shoot(path string) {
	d.t.Helper()
	w, err := headless.NewWindow(d.Size.X, d.Size.Y)
	if err != nil {
		d.t.Skipf("no graphics: %v", err)
	}
	defer w.Release()
	img := image.NewRGBA(image.Rectangle{Max: d.Size})
	if err = w.Frame(&d.Ops); err == nil {
		err = w.Screenshot(img)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	f, err := os.Create(path)
	if err == nil {
		err = png.Encode(f, img)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		d.t.Fatal(err)
	}
}
