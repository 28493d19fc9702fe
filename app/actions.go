package app

import (
	"runtime"
	"time"

	giolayout "gioui.org/layout"

	"strata/app/platform"
	"strata/app/settings"
	"strata/layout"
	"strata/render"
	"strata/render/colour"
	"strata/widgets"
)

// How far a key zooms and pans.
const (
	keyZoom = 1.5
	keyPan  = .15
)

// wheelNotch is how much Gio scrolls for one notch of the wheel: X11 sends
// two events of ten, Wayland's compositors about a hundred, Windows its raw
// 120. It must be asked after platform.Choose.
func wheelNotch() float32 {
	switch runtime.GOOS {
	case "windows":
		return 120
	case "darwin":
		return 10
	}
	if platform.X11() {
		return 20
	}
	return 100
}

func (w *window) hasDoc() bool     { return w.doc != nil }
func (w *window) hasShown() bool   { return w.doc != nil && w.selection.Shown() >= 0 }
func (w *window) hasPinned() bool  { return w.doc != nil && w.selection.Pinned >= 0 }
func (w *window) hasTime() bool    { return w.doc != nil && w.timeline().HasTime() }
func (w *window) hasDevices() bool { return w.doc != nil && len(w.doc.devices) > 1 }
func (w *window) canBack() bool    { return w.doc != nil && w.history.canBack() }
func (w *window) canForward() bool { return w.doc != nil && w.history.canForward() }

// look changes the view and remembers it.
func (w *window) look(v render.View, now time.Time) {
	w.view = v.Clamp(w.timeline())
	w.history.add(w.view, now)
}

// escape closes or cancels the topmost thing there is.
func (w *window) escape(gtx giolayout.Context) {
	switch {
	case w.help || w.findings || w.asking || w.recording:
		w.help, w.findings, w.asking, w.recording = false, false, false, false
	case w.options:
		w.closeOptions(gtx)
	case w.panels.timeline.CancelRegion():
	case w.panels.timeline.RemoveRulers():
	case w.problem != nil:
		w.dismiss()
	case w.loading != nil:
		w.cancelLoading()
	case w.escapeSQL(gtx):
	case w.clearSearch(gtx):
	case w.closeFilter(gtx):
	case w.annotations.current != widgets.NoPhase:
		w.annotations.current = widgets.NoPhase
	default:
		w.selection.Pinned = layout.None
	}
}

// hasCopy reports whether copyShown has something to copy.
func (w *window) hasCopy() bool { return w.hasShown() || w.pickedRow() != nil }

// copyShown copies what was clicked last: a row of the SQL drawer, or an
// allocation's stack.
func (w *window) copyShown(gtx giolayout.Context) {
	if row := w.pickedRow(); row != nil && w.panels.stack.SelectedText(gtx) == "" {
		w.toClipboard(gtx, oneRow(row), "Row copied")
		return
	}
	w.copyStack(gtx)
}

func (w *window) copyStack(gtx giolayout.Context) {
	if text := w.panels.stack.SelectedText(gtx); text != "" {
		w.toClipboard(gtx, text, "Copied") // the key did not reach the text's own widget
		return
	}
	stack := w.panels.stack.Stack()
	text := widgets.StackText(w.doc.snap, stack)
	if text == "" {
		w.say("No stack was recorded for this allocation")
		return
	}
	w.toClipboard(gtx, text, "Stack copied")
}

func (w *window) copyDetails(gtx giolayout.Context) {
	w.toClipboard(gtx, widgets.AllocationText(w.timeline(), w.about(), w.selection.Shown(), w.view.Axis), "Details copied")
}

// goToPeak brings the highest point to the middle, as high as it fits.
func (w *window) goToPeak(gtx giolayout.Context) {
	t, v := w.timeline(), w.view
	x := t.X(v.Axis, t.PeakState)
	half := (v.X1 - v.X0) / 2
	if whole := render.Whole(t, v.Axis); half*2 >= whole.X1-whole.X0 {
		half /= 8 // at the whole run there is nowhere to go: go closer
	}
	v.X0, v.X1 = x-half, x+half
	w.look(v.Clamp(t).FitY(t), gtx.Now)
}

func (w *window) whole(gtx giolayout.Context) {
	w.look(w.wholeView(), gtx.Now)
}

func (w *window) fitY(gtx giolayout.Context) { w.look(w.view.FitY(w.timeline()), gtx.Now) }

// zoomBy zooms X at the pointer, or in the middle where it is elsewhere.
func zoomBy(factor float64) func(*window, giolayout.Context) {
	return func(w *window, gtx giolayout.Context) {
		at := (w.view.X0 + w.view.X1) / 2
		if p, ok := w.panels.timeline.Pointer(); ok && w.scene != nil {
			at = w.view.XAt(float64(p.X)+.5, w.scene.Size.X)
		}
		w.look(w.view.ZoomX(at, factor), gtx.Now)
	}
}

// panBy pans by parts of the view.
func panBy(x, y float64) func(*window, giolayout.Context) {
	return func(w *window, gtx giolayout.Context) {
		v := w.view
		w.look(v.Pan(x*(v.X1-v.X0), y*(v.Y1-v.Y0)), gtx.Now)
	}
}

// goBy goes through the history of views.
func goBy(steps int) func(*window, giolayout.Context) {
	return func(w *window, _ giolayout.Context) {
		w.view = w.panels.timeline.Limits.Extend(w.history.move(steps)).Clamp(w.timeline())
	}
}

// switchAxis changes the axis and keeps the same part of the run in view.
func (w *window) switchAxis(gtx giolayout.Context) {
	axis := layout.Time
	if w.view.Axis == layout.Time {
		axis = layout.Events
	}
	w.setAxis(axis, gtx.Now)
}

// setAxis chooses the axis, of this file and of all others that have it.
func (w *window) setAxis(axis layout.Axis, now time.Time) {
	if w.showAxis(axis, now) {
		w.axis = axis
		w.opt.AxisGiven, w.settings.Axis = false, settings.AxisName(axis)
		w.save()
	}
}

// showAxis shows the same part of the run on an axis; it reports whether that
// is another one than before.
func (w *window) showAxis(axis layout.Axis, now time.Time) bool {
	t, v := w.timeline(), w.view
	if t == nil || v.Axis == axis || axis == layout.Time && !t.HasTime() {
		return false
	}
	if whole := render.Whole(t, v.Axis); v.X0 <= whole.X0 && v.X1 >= whole.X1 {
		v.X0, v.X1 = 0, t.Extent(axis)
	} else {
		v.X0 = t.XOfTime(axis, t.TimeAt(v.Axis, v.X0))
		v.X1 = t.XOfTime(axis, t.TimeAt(v.Axis, v.X1))
	}
	v.Axis = axis
	if !(v.X1 > v.X0) { // all of it happened in one microsecond
		v.X1 = v.X0 + 1
	}
	w.look(v, now)
	return true
}

func (w *window) nextColour(giolayout.Context) {
	modes := colour.Modes()
	w.setColour(modes[(int(w.mode)+1)%len(modes)])
}

func (w *window) setColour(m colour.Mode) {
	w.mode = m
	w.settings.Colour = m.String()
	w.save()
	w.recolour()
}

// recolour makes the colours anew; nothing is laid out or rasterized again.
func (w *window) recolour() {
	doc, mode, dark := w.doc, w.mode, w.theme.Dark
	if doc == nil {
		return
	}
	t, st := w.tab, doc.stage
	doc.painting = paint{st.timeline, mode, dark}
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		c := colour.New(st.timeline, mode, palette(dark))
		w.post(t, func() {
			if w.doc == doc && doc.stage.timeline == st.timeline && w.mode == mode && w.theme.Dark == dark {
				fresh := *doc.stage
				fresh.colouring = c
				doc.stage = &fresh
			}
		})
	}()
}

// paint is what a colouring is made for.
type paint struct {
	timeline *layout.Timeline
	mode     colour.Mode
	dark     bool
}

// freshColours sees to it that what is shown has the colours of now: they may
// have changed while it was loaded, or while it was not looked at.
func (w *window) freshColours() {
	st := w.doc.stage
	want, have := paint{st.timeline, w.mode, w.theme.Dark}, paint{st.timeline, st.colouring.Mode, st.colouring.Palette.Dark}
	if want != have && want != w.doc.painting {
		w.recolour()
	}
}

func (w *window) nextDevice(giolayout.Context) {
	w.setDevice((w.doc.stage.device + 1) % len(w.doc.devices))
}

func (w *window) setDevice(i int) {
	if i != w.doc.stage.device {
		w.wantDevice = w.doc.devices[i].Index
		w.restage(i)
	}
}

func (w *window) toggleFramework(giolayout.Context) {
	w.panels.stack.HideFramework = !w.panels.stack.HideFramework
	w.settings.ShowFramework = !w.panels.stack.HideFramework
	w.save()
}

func (w *window) togglePanel(giolayout.Context) {
	w.settings.StackHidden = !w.settings.StackHidden
	w.save()
}

func (w *window) toggleHelp(giolayout.Context) {
	w.help = !w.help
	w.findings, w.asking, w.recording = false, false, false
}

// showRecording opens the page on how to record a snapshot, or closes it.
func (w *window) showRecording(giolayout.Context) {
	w.recording = !w.recording
	w.help, w.findings, w.asking = false, false, false
}

// pin pins an allocation, or unpins where there is none.
func (w *window) pin(id layout.ID) {
	w.selection.Pinned, w.asker.picked = layout.None, false
	if id >= 0 {
		w.selection.Pinned = id
	}
}
