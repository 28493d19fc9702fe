package window

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gioapp "gioui.org/app"
	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/app/options"
	"strata/layout"
	"strata/widgets/chart"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

const (
	sample  = "../../testdata/reference/sim-base.pickle"
	devices = "../../testdata/reference/sim-devices.pickle"
)

// A driver runs the whole window but for the system's part: real frames, real events, real goroutines, no display.
type driver struct {
	*Window
	*widgettest.Harness
	t     testing.TB
	wakes chan struct{}
}

func drive(t testing.TB, opt options.Options) *driver {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	d := &driver{t: t, Window: New(opt), Harness: widgettest.New(image.Pt(1440, 900)), wakes: make(chan struct{}, 1)}
	d.Draw = func(gtx giolayout.Context) {
		gtx.Now = time.Now()
		d.frame(gtx)
	}
	t.Cleanup(d.start(new(gioapp.Window), func() {
		select {
		case d.wakes <- struct{}{}:
		default:
		}
	}))
	d.draw()
	return d
}

func (d *driver) draw() { d.Frame() }

// until draws frames, whenever one is asked for, until something is so.
func (d *driver) until(what string, so func() bool) {
	d.t.Helper()
	end := time.After(20 * time.Second)
	for d.draw(); !so(); d.draw() {
		select {
		case <-d.wakes:
		case <-time.After(5 * time.Millisecond):
		case <-end:
			d.t.Fatal("timed out waiting until " + what)
		}
	}
}

// sharp waits for the picture of the view.
func (d *driver) sharp() {
	d.t.Helper()
	d.until("the picture is sharp", func() bool { return d.tab().scene != nil && d.tab().scene.Sharp() })
	d.draw()
}

// opened drives a window with a file open and its picture there.
func opened(t testing.TB, opt options.Options) *driver {
	d := drive(t, opt)
	d.until("the file is open", func() bool { return d.tab().Doc != nil || d.tab().Problem != nil })
	if d.tab().Problem != nil {
		t.Fatal(d.tab().Problem.What)
	}
	d.sharp()
	return d
}

func (d *driver) press(name key.Name, mods key.Modifiers) {
	for _, state := range []key.State{key.Press, key.Release} {
		d.Router.Queue(key.Event{Name: name, Modifiers: mods, State: state})
	}
	d.draw()
	d.draw()
}

// middle is the middle of a pixel.
func middle(p image.Point) f32.Point { return f32.Pt(float32(p.X)+.5, float32(p.Y)+.5) }

func (d *driver) point(kind pointer.Kind, at image.Point, buttons pointer.Buttons) {
	d.Send(pointer.Event{Kind: kind, Position: middle(at), Buttons: buttons})
}

func (d *driver) move(at image.Point) { d.Send(widgettest.Move(middle(at))) }

func (d *driver) click(at image.Point) {
	d.Wait() // never a double click
	d.Click(middle(at))
}

func (d *driver) scroll(at image.Point, y float32) {
	d.move(at)
	d.Send(widgettest.Wheel(middle(at), 0, y))
}

// plot is where the picture lies in the window.
func (d *driver) plot() image.Rectangle {
	p := d.arrange(d.gtx(), d.tab())
	return d.tab().timeline.Plot().Add(p.timeline.Min)
}

// hit is what layout says lies at a pixel of the picture, whose columns and
// rows lie at whole multiples of their widths and heights.
func (d *driver) hit(p image.Point) layout.ID {
	size := d.plot().Size()
	v := d.tab().View
	dx, dy := (v.X1-v.X0)/float64(size.X), (v.Y1-v.Y0)/float64(size.Y)
	column := math.Round(v.X0/dx) + float64(p.X)
	row := math.Round(v.Y0/dy) + float64(size.Y-1-p.Y)
	y := int64(math.Floor((row + .5) * dy))
	return d.tab().Timeline().Hit(d.tab().Timeline().Column(v.Axis, column*dx, (column+1)*dx), y)
}

// covered is a random pixel of the window that shows an allocation.
func (d *driver) covered(rng *rand.Rand) (image.Point, layout.ID) {
	d.t.Helper()
	plot := d.plot()
	for range 20000 {
		p := image.Pt(rng.IntN(plot.Dx()), rng.IntN(plot.Dy()))
		if id := d.hit(p); id >= 0 && !d.marked(p) {
			return p.Add(plot.Min), id
		}
	}
	d.t.Fatal("no allocation is in view")
	return image.Point{}, 0
}

// marked reports whether a mark or its label lies over a pixel of the picture.
func (d *driver) marked(p image.Point) bool {
	tl := &d.tab().timeline
	return tl.MarkAt(p.Add(tl.Plot().Min)).Kind != chart.NoMark
}

// run does a command.
func (d *driver) run(id string) { commandByID(id).do(d.Window, d.gtx()) }

// choose does what the item of a menu with a text does.
func (d *driver) choose(items []kit.MenuItem, text string) {
	d.t.Helper()
	i := slices.IndexFunc(items, func(item kit.MenuItem) bool { return item.Text == text })
	if i < 0 {
		d.t.Fatalf("no item %q", text)
	}
	items[i].Do(d.gtx())
}

// showing reports whether a sheet is open.
func (d *driver) showing(s openSheet) bool { return d.sheet == s }

// asking reports whether the sheet for a path is open.
func (d *driver) asking() bool { return d.pathSheet() != nil }

// pathSheet is the sheet for a path, nil if it is not open.
func (d *driver) pathSheet() *pathSheet {
	s, _ := d.sheet.(*pathSheet)
	return s
}

// optionsSheet is the sheet of options, nil if it is not open.
func (d *driver) optionsSheet() *optionsSheet {
	s, _ := d.sheet.(*optionsSheet)
	return s
}
