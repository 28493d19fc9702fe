package session

import (
	"strings"
	"testing"
	"time"

	"strata/app/options"
	"strata/layout"
)

// TestAllocatorFollowsMoment: the state is that of the moment; steps by event go through all of them, those too that
// leave the timeline as it is, and back.
func TestAllocatorFollowsMoment(t *testing.T) {
	d := opened(t, options.Options{Files: []string{"../../testdata/reference/sim-oom.pickle"}})
	s := d.Active
	d.until("the allocator is known", func() bool { return s.Allocator() != nil })
	h := s.Allocator().History
	now := time.Now()
	s.GoToEvent(-1, now)
	if at, current := s.AllocatorState(); !current || at.K != -1 || s.Moment().State != 0 {
		t.Fatalf("the start is %d, %t", at.K, current)
	}
	for k := range h.Len() {
		s.StepEvent(1, now)
		at, current := s.AllocatorState()
		if s.AllocatorEvent() != k || !current || at.K != k {
			t.Fatalf("step %d: event %d, state %d", k, s.AllocatorEvent(), at.K)
		}
		if got, want := s.Timeline().StateAfter(int32(h.Event(k))), s.Moment().State; got != want {
			t.Fatalf("event %d: the moment is state %d, want %d", k, want, got)
		}
	}
	s.StepEvent(1, now)
	if s.AllocatorEvent() != h.Len()-1 {
		t.Errorf("beyond the end: %d", s.AllocatorEvent())
	}
	s.GoToEvent(-1, now)
	count := 0
	for last := -2; s.AllocatorEvent() != last; count++ {
		last = s.AllocatorEvent()
		s.NextSegmentEvent(1, now)
	}
	if count < 10 {
		t.Errorf("%d segment events", count)
	}
	s.FollowView()
	peak := s.Moment().State
	if at, _ := s.AllocatorState(); s.Timeline().StateAfter(int32(h.Event(at.K))) != peak {
		t.Errorf("state %d is not that of the peak", at.K)
	}
	found := 0
	at, _ := s.AllocatorState()
	for _, id := range at.Blocks {
		if a := s.Allocator().IDs[id]; a != layout.None {
			found++
		}
	}
	if found != len(at.Blocks) {
		t.Errorf("%d of %d blocks are known to the timeline", found, len(at.Blocks))
	}
}

// TestFitHoldsLines: fitting the height keeps the line of what was reserved in view.
func TestFitHoldsLines(t *testing.T) {
	d := opened(t, options.Options{Files: []string{"../../testdata/reference/sim-oom.pickle"}})
	s := d.Active
	d.until("there is a line", func() bool { curves, _ := s.Lines(OfReserved); return len(curves) > 0 })
	curves, _ := s.Lines(OfReserved)
	s.Fit(time.Now())
	if _, high := curves[0].Column(s.View.Axis, s.View.X0, s.View.X1); s.View.Y1 < float64(high) {
		t.Errorf("the line is at %d, the view ends at %.0f", high, s.View.Y1)
	}
}

// TestAllocatorOfSegments: where segments are stacked blocks are no allocations, and the state follows all the same.
func TestAllocatorOfSegments(t *testing.T) {
	d := opened(t, options.Options{Files: []string{"../../testdata/reference/sim-oom.pickle"}})
	s := d.Active
	s.ToggleSegments()
	d.until("segments are stacked", func() bool { return s.Timeline().Options.Mode == layout.Segments })
	d.until("the allocator is known", func() bool { return s.Allocator() != nil })
	at, _ := s.AllocatorState()
	if at.Totals.Reserved != s.Timeline().Total[s.Moment().State] {
		t.Errorf("reserved are %d, the stack has %d", at.Totals.Reserved, s.Timeline().Total[s.Moment().State])
	}
	for _, id := range s.Allocator().IDs {
		if id != layout.None {
			t.Fatalf("a block is allocation %d of segments", id)
		}
	}
}

// TestNoSegments: of a trace no segments are stacked, and it is said why; its allocator is not asked for.
func TestNoSegments(t *testing.T) {
	d := opened(t, options.Options{Files: []string{"../../testdata/profiler/oom.json"}})
	s := d.Active
	const want = "A trace of torch.profiler does not tell of segments"
	if s.ToggleSegments(); s.Segments() || s.Notice != want {
		t.Errorf("segments: %t, notice %q", s.Segments(), s.Notice)
	}
	if why := s.LacksAllocator(); !strings.HasPrefix(why, want) || s.Allocator() != nil {
		t.Errorf("the allocator: %q", why)
	}
}
