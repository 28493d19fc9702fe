// Package widgettest drives widgets in tests: frames and events go through Gio's input.Router, as in a window.
package widgettest

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
	"strata/snapshot"
)

// Sample is the test snapshot that most tests open.
const Sample = "sim-base.pickle"

// A Harness draws frames and sends events to what they laid out.
type Harness struct {
	Router input.Router
	Ops    op.Ops
	Size   image.Point
	Metric unit.Metric
	Mods   key.Modifiers           // held during pointer events
	Draw   func(giolayout.Context) // updates and lays out what is tested
	Now    time.Time               // of the last frame
	Clock  time.Duration           // of the last pointer event
}

// New makes a harness whose window has a size in pixels, at a scale of 1.
func New(size image.Point) *Harness {
	return &Harness{Size: size, Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1}, Now: time.Unix(1e9, 0)}
}

// Frame draws a frame 16 ms after the one before. It gets the events that were queued.
func (h *Harness) Frame() {
	h.Ops.Reset()
	h.Now = h.Now.Add(16 * time.Millisecond)
	h.Draw(giolayout.Context{Ops: &h.Ops, Source: h.Router.Source(), Now: h.Now, Metric: h.Metric,
		Constraints: giolayout.Exact(h.Size)})
	h.Router.Frame(&h.Ops)
}

// Queue leaves a pointer event for the next frame, 10 ms after the one before.
func (h *Harness) Queue(e pointer.Event) {
	h.Clock += 10 * time.Millisecond
	e.Time, e.Source, e.Modifiers = h.Clock, pointer.Mouse, h.Mods
	h.Router.Queue(event.Event(e))
}

// Send draws a frame for each event, and one more: a widget's area is that of the frame before.
func (h *Harness) Send(events ...pointer.Event) {
	for _, e := range events {
		h.Queue(e)
		h.Frame()
	}
	h.Frame()
}

// Click moves the pointer to a point and clicks with the primary button.
func (h *Harness) Click(p f32.Point) {
	h.Send(Move(p), Press(p, pointer.ButtonPrimary), Release(p))
}

// Wait lets the time of a double click pass.
func (h *Harness) Wait() { h.Clock += time.Second }

// At is a point in pixels.
func At(x, y float32) f32.Point { return f32.Pt(x, y) }

// Move is a pointer that moves with no button held.
func Move(p f32.Point) pointer.Event { return pointer.Event{Kind: pointer.Move, Position: p} }

// Press is a button that goes down.
func Press(p f32.Point, b pointer.Buttons) pointer.Event {
	return pointer.Event{Kind: pointer.Press, Position: p, Buttons: b}
}

// Drag is a pointer that moves with the primary button held.
func Drag(p f32.Point) pointer.Event {
	return pointer.Event{Kind: pointer.Move, Position: p, Buttons: pointer.ButtonPrimary}
}

// Release is the button that goes up.
func Release(p f32.Point) pointer.Event { return pointer.Event{Kind: pointer.Release, Position: p} }

// Wheel is a wheel that scrolls by pixels.
func Wheel(p f32.Point, dx, dy float32) pointer.Event {
	return pointer.Event{Kind: pointer.Scroll, Position: p, Scroll: f32.Pt(dx, dy)}
}

// Open lays out the first device of a test snapshot.
func Open(t testing.TB, name string) *layout.Timeline {
	t.Helper()
	s, err := snapshot.Open(context.Background(), "../../testdata/reference/"+name, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}
