package session

import (
	"fmt"
	"slices"
	"time"

	"strata/layout"
	"strata/layout/query"
	"strata/snapshot"
)

// GoTo shows what a row of an answer is about, on its device.
func (s *Session) GoTo(target query.Target, now time.Time) {
	switch target.Kind {
	case "":
		return
	case "stack":
		s.Search(fmt.Sprintf("stack:%d", target.Number))
		return
	case "frame":
		if target.Number > 0 && target.Number < int64(len(s.Doc.Snapshot.Frames.Name)) {
			s.Search(s.FrameTerm(snapshot.FrameID(target.Number)))
		}
		return
	}
	doc := s.Doc
	i := slices.IndexFunc(doc.Devices, func(d *snapshot.Device) bool { return d.Index == target.Device })
	switch {
	case i >= 0 && s.segments: // what SQL answers is about allocations
		s.segments = false
		s.restage(i)
	case i < 0 || i == doc.Stage.Device:
		s.showTarget(target, now)
		return
	default:
		s.SetDevice(i)
	}
	s.SQL.then = func() {
		if s.Doc == doc && doc.Stage.Device == i {
			s.showTarget(target, time.Now())
			s.SQL.Picked = true
		}
	}
}

// showTarget shows a target of the device that is shown.
func (s *Session) showTarget(target query.Target, now time.Time) {
	t, n := s.Timeline(), target.Number
	switch target.Kind {
	case "allocation":
		if n >= 0 && n < int64(len(t.Size)) {
			s.PinAndShow(layout.ID(n), now)
		}
	case "step":
		if n >= 0 && n < int64(len(t.Total)) {
			s.GoToState(int32(n), now)
		}
	case "event":
		s.goToEvent(n, now)
	case "annotation":
		s.goToAnnotationEvent(n, now)
	case "block":
		if n >= 0 && n < int64(len(t.Device.Blocks.Addr)) {
			s.goToBlock(t.Device.Blocks.Addr[n], now)
		}
	case "segment":
		s.goToSegment(n, now)
	}
}

// goToEvent pins the allocation that an event made or freed, or else goes to where in the run it happened.
func (s *Session) goToEvent(event int64, now time.Time) {
	t := s.Timeline()
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
			s.PinAndShow(id, now)
			s.GoToState(int32(a), now)
			return
		}
		if by >= 0 && by < event {
			state = int32(a) + 1
		}
	}
	s.GoToState(state, now)
}

// goToAnnotationEvent shows the extent of an annotation, whether or not the lane shows it.
func (s *Session) goToAnnotationEvent(n int64, now time.Time) {
	t := s.Timeline()
	all := layout.AllPhases(t).All
	if n < 0 || n >= int64(len(all)) {
		s.Say("The snapshot has no times: the annotation has no place")
		return
	}
	v := s.View
	v.X0, v.X1 = t.XOfTime(v.Axis, all[n].Start), t.XOfTime(v.Axis, all[n].End)
	margin := max(1, (v.X1-v.X0)*.05)
	v.X0, v.X1 = v.X0-margin, v.X1+margin
	s.fit(v, now)
}

// goToBlock pins what is live at an address after the last event.
func (s *Session) goToBlock(addr uint64, now time.Time) {
	if !s.pinLargest(func(a uint64) bool { return a == addr }, now) {
		s.Say("The block is free: nothing in the timeline shows it")
	}
}

// goToSegment pins the largest allocation in a segment after the last event.
func (s *Session) goToSegment(n int64, now time.Time) {
	t := s.Timeline()
	if n < 0 || n >= int64(len(t.Device.Segments)) {
		return
	}
	seg := &t.Device.Segments[n]
	// Of an address below it, the difference wraps around.
	if s.pinLargest(func(a uint64) bool { return a-seg.Addr < uint64(seg.Size) }, now) {
		s.Say("The largest allocation in the segment")
	} else {
		s.Say("Nothing is live in the segment: nothing in the timeline shows it")
	}
}

// pinLargest pins and shows the largest allocation that is live after the last event and whose address is right; it
// reports whether there is one.
func (s *Session) pinLargest(right func(addr uint64) bool, now time.Time) bool {
	t, best := s.Timeline(), layout.None
	for _, id := range t.Live(nil, int32(len(t.Actions))) {
		if right(t.At(id).Addr) && (best == layout.None || t.Size[id] > t.Size[best]) {
			best = id
		}
	}
	if best != layout.None {
		s.PinAndShow(best, now)
	}
	return best != layout.None
}
