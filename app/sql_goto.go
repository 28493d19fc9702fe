package app

import (
	"fmt"

	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/query"
	"strata/snapshot"
)

// goTo shows what a row of an answer is about, on its device.
func (w *window) goTo(gtx giolayout.Context, target query.Target) {
	s := w.doc.snap
	switch target.Kind {
	case "":
		return
	case "stack":
		w.searchFor(fmt.Sprintf("stack:%d", target.Number))
		return
	case "frame":
		if target.Number > 0 && target.Number < int64(len(s.Frames.Name)) {
			w.searchFor(frameTerm(s, snapshot.FrameID(target.Number)))
		}
		return
	}
	for i, d := range w.doc.devices {
		if d.Index != target.Device || i == w.doc.stage.device {
			continue
		}
		doc := w.doc
		w.setDevice(i)
		w.asker.then = func(gtx giolayout.Context) {
			if w.doc == doc && doc.stage.device == i {
				w.showTarget(gtx, target)
				w.asker.picked = true
			}
		}
		return
	}
	w.showTarget(gtx, target)
}

// showTarget shows a target of the device on screen.
func (w *window) showTarget(gtx giolayout.Context, target query.Target) {
	t, n := w.timeline(), target.Number
	switch target.Kind {
	case "allocation":
		if n >= 0 && n < int64(len(t.Size)) {
			w.pinAndShow(gtx, layout.ID(n))
		}
	case "step":
		if n >= 0 && n < int64(len(t.Total)) {
			w.goToState(int32(n), gtx)
		}
	case "event":
		w.goToEvent(gtx, n)
	case "annotation":
		w.goToAnnotation(gtx, n)
	case "block":
		if n >= 0 && n < int64(len(t.Device.Blocks.Addr)) {
			w.goToBlock(gtx, t.Device.Blocks.Addr[n])
		}
	case "segment":
		w.goToSegment(gtx, n)
	}
}

func (w *window) pinAndShow(gtx giolayout.Context, id layout.ID) {
	w.pin(id)
	w.showPinned(gtx)
}

// goToEvent pins the allocation that an event made or ended, or else goes to
// where in the run it happened.
func (w *window) goToEvent(gtx giolayout.Context, event int64) {
	t := w.timeline()
	state := int32(0)
	for a, x := range t.Actions {
		id, by := x, int64(0)
		if x < 0 {
			id = ^x
			by = int64(t.Freed[id])
		} else {
			by = int64(t.Origin[id])
		}
		if by == event {
			w.pinAndShow(gtx, id)
			w.goToState(int32(a), gtx)
			return
		}
		if by >= 0 && by < event {
			state = int32(a) + 1
		}
	}
	w.goToState(state, gtx)
}

// goToAnnotation shows the stretch of an annotation.
func (w *window) goToAnnotation(gtx giolayout.Context, n int64) {
	t := w.timeline()
	all := layout.NewPhases(t, nil).All
	if n < 0 || n >= int64(len(all)) {
		w.say("The snapshot has no times: the annotation has no place")
		return
	}
	v := w.view
	v.X0, v.X1 = t.XOfTime(v.Axis, all[n].Start), t.XOfTime(v.Axis, all[n].End)
	margin := max(1, (v.X1-v.X0)*.05)
	v.X0, v.X1 = v.X0-margin, v.X1+margin
	w.look(v.Clamp(t).FitY(t), gtx.Now)
}

// goToBlock pins what is live at an address after the last event.
func (w *window) goToBlock(gtx giolayout.Context, addr uint64) {
	t := w.timeline()
	for _, id := range t.Live(nil, int32(len(t.Actions))) {
		if t.At(id).Addr == addr {
			w.pinAndShow(gtx, id)
			return
		}
	}
	w.say("The block is free: nothing in the timeline shows it")
}

// goToSegment pins the largest allocation in a segment after the last event.
func (w *window) goToSegment(gtx giolayout.Context, n int64) {
	t := w.timeline()
	if n < 0 || n >= int64(len(t.Device.Segments)) {
		return
	}
	seg := &t.Device.Segments[n]
	best := layout.None
	for _, id := range t.Live(nil, int32(len(t.Actions))) {
		if a := t.At(id).Addr; a >= seg.Addr && a-seg.Addr < uint64(seg.Size) && (best == layout.None || t.Size[id] > t.Size[best]) {
			best = id
		}
	}
	if best == layout.None {
		w.say("Nothing is live in the segment: nothing in the timeline shows it")
		return
	}
	w.pinAndShow(gtx, best)
	w.say("The largest allocation in the segment")
}
