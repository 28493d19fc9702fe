package session

import (
	"context"
	"time"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/state"
	"strata/layout/units"
)

// An Allocator is the history of a device's allocator, with what ties it to the timeline. It is immutable.
type Allocator struct {
	History *state.History
	IDs     []layout.ID // by block: its allocation, layout.None without
}

// allocator is the session's Allocator, and what was looked at of it.
type allocator struct {
	of   *layout.Timeline
	held *Allocator // nil while it is made
	// event is the one that was gone to, which leads to state; -2 for none. Several events can leave one state.
	event int
	state int32
	// at is the state that was asked for last; wanted is that being made on a goroutine, -2 for none.
	at     *state.State
	wanted int
	// lain is what lay in the segment that was asked for last; making is that being found on a goroutine.
	lain, making occupancy
}

// occupancy is what lay in a segment, with what it was asked for by.
type occupancy struct {
	in   *state.Occupancy
	life int32 // state.Range.Life
	axis layout.Axis
	held *Allocator
}

// Allocator returns the history of the allocator, nil while it is made, which begins when it is first asked for, and
// where the file has nothing to make it of (see LacksAllocator).
func (s *Session) Allocator() *Allocator {
	t := s.Timeline()
	if t == nil || s.LacksAllocator() != "" {
		return nil
	}
	a := &s.allocator
	if a.of == t {
		return a.held
	}
	*a = allocator{of: t, event: -2, wanted: -2}
	s.all.Background.Go(func(context.Context) func() {
		h := state.New(t.Snapshot, t.Device)
		held := &Allocator{h, make([]layout.ID, h.BlockCount())}
		if t.Options.Mode == layout.Allocations {
			held.IDs = h.IDs(t)
		} else {
			for i := range held.IDs {
				held.IDs[i] = layout.None
			}
		}
		return func() {
			if a := &s.allocator; a.of == t {
				a.held = held
			}
		}
	})
	return nil
}

// LacksAllocator says why nothing is known of the allocator, "" where something is.
func (s *Session) LacksAllocator() string {
	switch t := s.Timeline(); {
	case t.Snapshot.LacksAllocator() != "":
		return t.Snapshot.LacksAllocator()
	case len(t.Device.Segments) == 0 && t.Device.Events.Len() == 0:
		return "The file tells nothing of this device."
	}
	return ""
}

// AllocatorEvent returns the event whose state the moment is, as the history counts them; -1 is the start.
func (s *Session) AllocatorEvent() int {
	a, t, m := &s.allocator, s.Timeline(), s.Moment()
	if a.held == nil {
		return -1
	}
	if a.event > -2 && s.MomentChosen() && m.State == a.state {
		return a.event
	}
	if f := s.Failed; f != nil && s.MomentChosen() && m.State == f.State { // what led to it changed no block
		return a.held.History.After(int(f.Event))
	}
	return a.held.History.After(int(t.EventOf(m.State)))
}

// GoToEvent makes the state after an event the moment, and brings it into view.
func (s *Session) GoToEvent(k int, now time.Time) {
	a, t := &s.allocator, s.Timeline()
	if a.held == nil {
		return
	}
	h := a.held.History
	k = min(max(k, -1), h.Len()-1)
	at := int32(0)
	if k >= 0 {
		at = t.StateAfter(int32(h.Event(k)))
	}
	s.GoToMoment(breakdown.After(at, "event "+units.Count(k)), now)
	a.event, a.state = k, at
}

// StepEvent goes so many events on, or back if negative.
func (s *Session) StepEvent(by int, now time.Time) { s.GoToEvent(s.AllocatorEvent()+by, now) }

// NextSegmentEvent goes to the next event that changes segments, or to the one before.
func (s *Session) NextSegmentEvent(by int, now time.Time) {
	if s.allocator.held == nil {
		return
	}
	k, is := s.allocator.held.History.NextSegmentEvent(s.AllocatorEvent(), by)
	if !is {
		s.Say("No more events that change segments")
		return
	}
	s.GoToEvent(k, now)
}

// manyBlocks is how many blocks a state may have to be found at once: it takes some milliseconds then.
const manyBlocks = 50_000

// AllocatorState returns the allocator's state at the moment. Of very many blocks it is made on a goroutine, and the
// one before is returned meanwhile, which is not current. The state is nil while nothing is known.
func (s *Session) AllocatorState() (at *state.State, current bool) {
	held := s.Allocator()
	if held == nil {
		return nil, false
	}
	a, k := &s.allocator, s.AllocatorEvent()
	switch {
	case a.at != nil && a.at.K == k:
		return a.at, true
	case a.at == nil || len(a.at.Blocks) < manyBlocks:
		a.at = held.History.At(k)
		return a.at, true
	case a.wanted == -2:
		a.wanted = k
		s.all.Background.Go(func(context.Context) func() {
			made := held.History.At(k)
			return func() {
				if s.allocator.held == held {
					s.allocator.at, s.allocator.wanted = made, -2
				}
			}
		})
	}
	return a.at, false
}

// Occupancy returns all that ever lay in the segment of a state.Range.Life, on the axis of the view. It is found on a
// goroutine; nil meanwhile.
func (s *Session) Occupancy(life int32) *state.Occupancy {
	held := s.Allocator()
	if held == nil {
		return nil
	}
	a, want := &s.allocator, occupancy{life: life, axis: s.View.Axis, held: held}
	if now := a.lain; now.in != nil && now.held == held && now.life == life && now.axis == want.axis {
		return now.in
	}
	if a.making != want {
		a.making = want
		t := s.Timeline()
		s.all.Background.Go(func(context.Context) func() {
			made := want
			made.in = state.NewOccupancy(held.History, t, held.IDs, want.axis, life)
			return func() {
				if s.allocator.making == want {
					s.allocator.lain, s.allocator.making = made, occupancy{}
				}
			}
		})
	}
	return nil
}
