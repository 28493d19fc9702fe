package widgets

import (
	"context"
	"image"
	"testing"
	"time"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/input"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"strata/layout"
	"strata/render"
	"strata/render/raster"
	"strata/snapshot"
)

// A harness drives a widget with events as a window would, without one.
type harness struct {
	t      *testing.T
	router input.Router
	ops    op.Ops
	size   image.Point
	now    time.Time
	time   time.Duration // of pointer events
	mods   key.Modifiers
	draw   func(giolayout.Context) // updates and lays out
	th     *Theme
}

func newHarness(t *testing.T, size image.Point) *harness {
	return &harness{t: t, size: size, now: time.Unix(1e9, 0), th: NewTheme(true)}
}

// frame draws one frame: what was queued before it arrives in it.
func (h *harness) frame() {
	h.ops.Reset()
	h.now = h.now.Add(16 * time.Millisecond)
	h.draw(giolayout.Context{Ops: &h.ops, Source: h.router.Source(), Now: h.now,
		Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1}, Constraints: giolayout.Exact(h.size)})
	h.router.Frame(&h.ops)
}

// send queues pointer events, each a little later than the one before, and
// draws two frames: areas are those of the frame before.
func (h *harness) send(events ...pointer.Event) {
	for _, e := range events {
		h.time += 10 * time.Millisecond
		e.Time, e.Source, e.Modifiers = h.time, pointer.Mouse, h.mods
		h.router.Queue(event.Event(e))
		h.frame()
	}
	h.frame()
}

func at(x, y float32) f32.Point { return f32.Pt(x, y) }

func move(p f32.Point) pointer.Event { return pointer.Event{Kind: pointer.Move, Position: p} }

func press(p f32.Point, b pointer.Buttons) pointer.Event {
	return pointer.Event{Kind: pointer.Press, Position: p, Buttons: b}
}

func drag(p f32.Point) pointer.Event {
	return pointer.Event{Kind: pointer.Move, Position: p, Buttons: pointer.ButtonPrimary}
}

func release(p f32.Point) pointer.Event { return pointer.Event{Kind: pointer.Release, Position: p} }

func wheel(p f32.Point, dx, dy float32) pointer.Event {
	return pointer.Event{Kind: pointer.Scroll, Position: p, Scroll: f32.Pt(dx, dy)}
}

// click is the events of a click with the primary button.
func (h *harness) click(p f32.Point) {
	h.send(move(p), press(p, pointer.ButtonPrimary), release(p))
}

// wait lets the time of a double click pass.
func (h *harness) wait() { h.time += time.Second }

// open lays out the first device of a test snapshot.
func open(t *testing.T, name string) *layout.Timeline {
	t.Helper()
	s, err := snapshot.Open(context.Background(), "../testdata/reference/"+name, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}

// rasterScene is a Scene of one raster, always sharp.
type rasterScene struct{ r *raster.Raster }

func (s rasterScene) Add(*op.Ops)                       {}
func (s rasterScene) At(x, y int) layout.ID             { return s.r.At(x, y) }
func (s rasterScene) Outline(id layout.ID) []raster.Run { return s.r.Outline(id) }
func (s rasterScene) Version() uint64                   { return 1 }

// A stage hosts a timeline as the window does.
type stage struct {
	*harness
	t      *layout.Timeline
	view   render.View
	scene  rasterScene
	tl     Timeline
	sel    Selection
	events []TimelineEvent // those in which something happened
}

func newStage(t *testing.T, name string) *stage {
	s := &stage{harness: newHarness(t, image.Pt(600, 400)), t: open(t, name), sel: NoSelection}
	s.view = render.Whole(s.t, layout.Events)
	s.draw = func(gtx giolayout.Context) {
		e := s.tl.Update(gtx, s.t, s.view, s.current())
		if e.Changed || e.Clicked || e.Settled {
			s.events = append(s.events, e)
		}
		s.view = e.View
		if e.Clicked {
			s.sel.Pinned = e.At
		}
		size := s.tl.Prepare(gtx, s.size, 60)
		if s.scene.r == nil || s.scene.r.View != s.view {
			r, err := raster.New(context.Background(), s.t, s.view, size.X, size.Y)
			if err != nil {
				t.Fatal(err)
			}
			s.scene.r = r
		}
		s.sel.Hovered = s.tl.Hovered(s.scene)
		s.tl.Layout(gtx, s.th, s.t, s.view, s.scene, s.sel)
	}
	s.frame()
	s.frame()
	return s
}

func (s *stage) current() Scene {
	if s.scene.r == nil {
		return nil
	}
	return s.scene
}

// on is the window position of a pixel of the picture, in its middle.
func (s *stage) on(p image.Point) f32.Point {
	p = p.Add(s.tl.plot.Min)
	return at(float32(p.X)+.5, float32(p.Y)+.5)
}

// covered is a pixel in the middle of the picture that shows an allocation,
// bare one that shows none.
func (s *stage) covered() (image.Point, layout.ID) {
	for y := s.scene.r.H - 1; y >= 0; y-- {
		x := s.scene.r.W / 2
		if id := s.scene.At(x, y); id >= 0 {
			return image.Pt(x, y), id
		}
	}
	s.harness.t.Fatal("nothing is live in the middle of the picture")
	return image.Point{}, 0
}

func (s *stage) bare() image.Point { return image.Pt(s.scene.r.W/2, 0) }
