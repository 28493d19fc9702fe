// Package layout turns the columns of a snapshot into strata: which allocation was live when, in which order they
// lie on one another, and how much memory that was at every step.
//
// Words. An action is an alloc or a free that changes the live set; a trace has S of them. State s, 0 ≤ s ≤ S, is
// the live set after the first s actions, so action a leads from state a to state a+1. A timestep is PyTorch's
// horizontal unit: an alloc lasts one, a free one if the block was the topmost and four otherwise, of which the
// last three are the slide of the blocks above it. Allocations are numbered as the reference viewer numbers its
// elements (FORMAT.md, section 9.2): allocs and unmatched frees in event order, then the blocks that were live
// without an event.
//
// Everything is O(N) memory and O(N log N) time for N allocations, whatever the number of live ones: corners of
// polygons are made only when asked for.
package layout

import (
	"sync"

	"strata/snapshot"
)

// ID numbers an allocation of one Timeline, 0 ≤ ID < len(Size). The negative ones are answers to "what is here"
// that are no allocation.
type ID = int32

// What is at a place that no allocation covers.
const (
	None ID = -1 // nothing: above the stack, in a gap, or outside the data
	Rest ID = -2 // the band that sums up what MaxEntries leaves undrawn
)

// Never is the Death of an allocation that is live at the end.
const Never int32 = 1<<31 - 1

// Mode says what a Timeline stacks.
type Mode uint8

// Allocations stacks blocks (alloc, free_completed), Segments what the allocator holds from the driver
// (segment_alloc, segment_free).
const (
	Allocations Mode = iota
	Segments
)

// Axis is a horizontal axis.
type Axis uint8

// Events counts timesteps, slides included, from 0. Time counts microseconds from the first event of the device's
// trace.
const (
	Events Axis = iota
	Time
)

// Options steer New; the zero value draws every allocation.
type Options struct {
	Mode Mode
	// MaxEntries > 0 draws only that many largest allocations (of equal sizes those with lower ID) and sums up the
	// others in one band on top.
	MaxEntries int
}

// A Timeline is one device's allocations, laid out. It is immutable; the slices must not be changed by readers.
type Timeline struct {
	Snapshot *snapshot.Snapshot
	Device   *snapshot.Device
	Options  Options

	// Per allocation, indexed by ID.
	Size  []int64 // bytes; requested bytes of a block
	Birth []int32 // first state in which it is live; 0 for those from before recording
	Death []int32 // first state in which it is no longer live, or Never
	// Origin is the index of its event in Device.Events, or ^index of its block (segment, in mode Segments) if it has
	// none.
	Origin []int32
	Freed  []int32 // index of the event that freed it, -1 if none

	// Order holds the drawn allocations bottom to top, in the order they joined the stack; Birth never decreases
	// along it.
	Order []ID

	// Actions holds what happened: ID for an alloc, ^ID for a free.
	Actions []ID
	// Timestep[a] is the first timestep of action a; Timestep[S] the end.
	Timestep []int32
	// Total[s] is the bytes live in state s, undrawn ones included.
	Total []int64
	// Undrawn[s] is the bytes of undrawn allocations; nil when all are drawn.
	Undrawn []int64
	// Start is the time of the first event (µs since the epoch) and End of the last, both of all events of the
	// trace; 0 without times.
	Start, End int64

	// StartBytes is what was live before the first event, EndBytes after the last; PeakBytes the most at any step,
	// the start included.
	StartBytes, EndBytes, PeakBytes int64
	// PeakState is the first state with PeakBytes.
	PeakState int32
	// Counts of what was found in the trace.
	Unmatched                   int // frees whose alloc is not in the trace
	Before                      int // blocks live at the end that have no event
	UnmatchedBytes, BeforeBytes int64
	// PendingBytes is what is live at the end and waits to be freed; it is part of EndBytes.
	PendingBytes int64
	Anomalies    Anomalies

	timed       bool     // the trace has times
	actionTimes []int64  // see TimeOf; nil without times
	undrawn     []bool   // by ID; nil when all are drawn
	addrs       []uint64 // by ID, of lives that were given; else nil
	peaks       Maxima
	summaries   [2]func() summary // by axis, made when first asked for
	byAddr      []int32           // Device.Segments by address
	pending     []ID              // live at the end, waiting to be freed; ascending
	asked       []int32           // see findRequests
	waits       map[ID]int32      // the requests to free those that wait for it, -1 where none is in the trace
	checkpoints []checkpoint
	liveBlocks  []LiveBlock // of all checkpoints, one after another
}

// Anomalies counts what a sound trace does not have.
type Anomalies struct {
	DoubleAllocs int // alloc at an address still live: the earlier one was ended there
	Oversized    int // sizes so large that sums would overflow; left out
	LostAllocs   int // of what seems to have been live at the start, what lay at the address of something else of it
	// RequestFrees reports that completions were not recorded at all (skip_actions), so that requests end the
	// allocations.
	RequestFrees bool
}

// HasTime reports whether the Time axis exists.
func (t *Timeline) HasTime() bool { return t.timed }

// Extent is the length of an axis: x runs from 0 to Extent, which is at least 1.
func (t *Timeline) Extent(a Axis) float64 {
	if a == Time {
		return max(1, float64(t.End-t.Start)+1)
	}
	return max(1, float64(t.Timestep[len(t.Timestep)-1]))
}

// PeakStep is the index of the action that reaches the peak (an alloc), or 0 when the start is the peak.
func (t *Timeline) PeakStep() int { return max(0, int(t.PeakState)-1) }

// PeakTime is the time of PeakStep in µs since the epoch; false without times.
func (t *Timeline) PeakTime() (int64, bool) {
	if !t.timed || len(t.Actions) == 0 {
		return 0, false
	}
	return t.Start + t.TimeOf(t.PeakStep()), true
}

// X is where state s begins to show on an axis.
func (t *Timeline) X(a Axis, s int32) float64 {
	if s <= 0 {
		return 0
	}
	if a == Time {
		return float64(t.TimeOf(int(s - 1)))
	}
	if t.Actions[s-1] >= 0 {
		return float64(t.Timestep[s-1])
	}
	return float64(t.Timestep[s])
}

// Span is where an allocation begins and ends on an axis: the ends of its polygon on the Events axis.
func (t *Timeline) Span(id ID, a Axis) (x0, x1 float64) {
	x0 = t.X(a, t.Birth[id])
	switch d := t.Death[id]; {
	case d == Never && a == Time:
		return x0, float64(t.End - t.Start)
	case d == Never:
		return x0, float64(t.Timestep[len(t.Actions)])
	case a == Time:
		return x0, float64(t.TimeOf(int(d - 1)))
	default:
		return x0, float64(t.Timestep[d-1]) + 1
	}
}

// Drawn reports whether the allocation has a place of its own in the stack.
func (t *Timeline) Drawn(id ID) bool { return t.undrawn == nil || !t.undrawn[id] }

// New lays out one device of a snapshot.
func New(s *snapshot.Snapshot, d *snapshot.Device, opt Options) *Timeline {
	return build(s, d, opt, (*builder).collect)
}

// build lays out what collect finds.
func build(s *snapshot.Snapshot, d *snapshot.Device, opt Options, collect func(*builder)) *Timeline {
	t := &Timeline{Snapshot: s, Device: d, Options: opt}
	for axis := range t.summaries {
		t.summaries[axis] = sync.OnceValue(func() summary { return t.summarize(Axis(axis)) })
	}
	t.sortSegments()
	b := builder{t: t}
	if t.Banded() {
		t.layBands()
	} else {
		collect(&b)
		done := make(chan struct{})
		go func() { // looks at other events than stack, and sets other fields
			t.times()
			t.findRequests()
			close(done)
		}()
		t.stack(b.initial)
		<-done
	}
	t.peaks = NewMaxima(t.Total)
	t.PeakState = t.peaks.First(0, int32(len(t.Total)-1))
	t.PeakBytes = t.Total[t.PeakState]
	t.StartBytes, t.EndBytes = t.Total[0], t.Total[len(t.Total)-1]
	if len(t.Actions) == 1 && b.flat {
		t.StartBytes = t.EndBytes
	}
	return t
}

// Bytes is the memory the Timeline itself takes, the snapshot's aside.
func (t *Timeline) Bytes() int64 {
	n := 8*(cap(t.addrs)+cap(t.Size)+cap(t.Total)+cap(t.Undrawn)+cap(t.actionTimes)) + cap(t.undrawn)
	n += 4 * (cap(t.Birth) + cap(t.Death) + cap(t.Origin) + cap(t.Freed) + cap(t.Order))
	n += 4 * (cap(t.asked) + cap(t.Actions) + cap(t.Timestep) + cap(t.byAddr))
	n += 16*cap(t.checkpoints) + 24*cap(t.liveBlocks) + 2*16*len(t.Actions)>>summaryBits
	return int64(n + 4*cap(t.peaks.blocks))
}

// Banded reports whether the timeline is that of categories over time (snapshot.Bands): it has totals, but no
// allocation. Its actions are the changes from one state to the next, an ID of no allocation each, and on the Events
// axis each takes a timestep.
func (t *Timeline) Banded() bool { return t.Device.Bands != nil && t.Options.Mode == Allocations }

// layBands makes a timeline of categories. All of it is undrawn, which shows as one band.
func (t *Timeline) layBands() {
	bands := t.Device.Bands
	n := len(bands.Time)
	t.Total, t.Timestep = make([]int64, n), make([]int32, n)
	t.Actions, t.actionTimes = make([]ID, n-1), make([]int64, n-1)
	for _, b := range bands.All {
		for i, bytes := range b.Bytes {
			t.Total[i] += bytes
		}
	}
	t.timed, t.Start, t.End = true, bands.Time[0], bands.Time[n-1]
	for i := range t.Actions {
		t.Timestep[i+1] = int32(i + 1)
		t.actionTimes[i] = bands.Time[i+1] - t.Start
	}
	t.Undrawn = t.Total
	t.checkpoints = []checkpoint{{}}
}
