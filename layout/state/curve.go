package state

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

// String is the name that people write.
func (a Amount) String() string {
	return [amounts]string{"reserved", "allocated", "active", "requested"}[a]
}

// A Curve is how an amount changed along a timeline of the same device: a step line. It is immutable.
type Curve struct {
	Amount Amount
	Series string     // what it is called in place of the amount, "" of an amount
	Number int        // of a series: how many there are before it
	Peak   int64      // bytes, the most there ever was
	PeakAt int32      // index of the event that led to it, -1 for the start
	PeakX  [2]float64 // where that is, by axis

	bytes         []int64      // after each change, first what was before all events
	xs            [2][]float64 // by axis: where each change is, never decreasing; nil without times
	highest, deep layout.Maxima
}

// NewCurve finds how an amount of a history changed along a timeline. What is reserved in a trace, which has no
// segments, is that of its series.
func NewCurve(h *History, t *layout.Timeline, a Amount) *Curve {
	if s := t.Device.SeriesOf(snapshot.SeriesReserved); s != nil && a == Reserved {
		return newSeriesCurve(t, s)
	}
	c := &Curve{Amount: a, PeakAt: -1}
	events := []int32{-1}
	add := func(k int, bytes int64) {
		switch n := len(c.bytes); {
		case n > 0 && c.bytes[n-1] == bytes:
			return
		case k >= 0:
			events = append(events, int32(h.Event(k)))
		}
		if c.bytes = append(c.bytes, bytes); bytes > c.Peak {
			c.Peak, c.PeakAt = bytes, events[len(events)-1]
		}
	}
	if a == Reserved {
		for k, bytes := range h.ReservedChanges {
			add(k, bytes)
		}
	} else {
		for k, at := range h.Between(-1, h.Len()-1) {
			add(k, h.atMost(at, a))
		}
	}
	c.bytes = slices.Clip(c.bytes)
	for axis := range c.xs {
		if layout.Axis(axis) == layout.Time && !t.HasTime() {
			continue
		}
		c.xs[axis] = make([]float64, len(c.bytes))
		x, last := 0., t.Extent(layout.Axis(axis))-1 // what comes after the last action is in the last step
		for i, e := range events[1:] {
			x = max(x, min(t.XOfEvent(layout.Axis(axis), e), last))
			c.xs[axis][i+1] = x
			if e == c.PeakAt {
				c.PeakX[axis] = x
			}
		}
	}
	c.finish()
	return c
}

// atMost is an amount where what some blocks occupy may not be known: it is no more than is reserved or was asked for.
func (h *History) atMost(at Amounts, a Amount) int64 {
	if h.loose {
		return min(at[a], max(at[Reserved], at[Requested]))
	}
	return at[a]
}

// Title is the name that people read.
func (c *Curve) Title() string { return cmp.Or(c.Series, c.Amount.String()) }

// SeriesCurves are those of what a device's file tells over time beside what is reserved: of what was laid over it, and
// if own is set also of its own.
func SeriesCurves(t *layout.Timeline, own bool) (curves []*Curve) {
	for i := range t.Device.Series {
		s := &t.Device.Series[i]
		if len(s.Bytes) == 0 || s.Name == snapshot.SeriesReserved && s.File == "" || s.File == "" && !own {
			continue
		}
		c := newSeriesCurve(t, s)
		c.Series, c.Number = s.Name, len(curves)
		if s.File != "" {
			c.Series = strings.TrimPrefix(s.Name+" of "+s.File, " of ")
		}
		curves = append(curves, c)
	}
	return curves
}

// Unknown is what a Curve has where nothing is known.
const Unknown int64 = math.MinInt64 / 4

// newSeriesCurve places the changes of a series on a timeline.
func newSeriesCurve(t *layout.Timeline, s *snapshot.Series) *Curve {
	c := &Curve{Amount: Reserved, PeakAt: -1, bytes: slices.Clone(s.Bytes)}
	peak := 0
	for i, b := range s.Bytes {
		if b > s.Bytes[peak] {
			peak = i
		}
		if b == snapshot.UnknownBytes {
			c.bytes[i] = Unknown
		}
	}
	c.Peak = s.Bytes[peak]
	for axis := range c.xs {
		c.xs[axis] = make([]float64, len(s.Bytes))
		x := 0.
		for i, at := range s.Time {
			x = max(x, min(t.XOfTime(layout.Axis(axis), at-t.Start), t.Extent(layout.Axis(axis))))
			if c.xs[axis][i] = x; i == 0 {
				c.xs[axis][i] = 0 // it was so before, as far as the file tells
			}
		}
		c.PeakX[axis] = c.xs[axis][peak]
	}
	c.finish()
	return c
}

// finish makes what columns are found by.
func (c *Curve) finish() {
	low := make([]int64, len(c.bytes))
	for i, b := range c.bytes {
		low[i] = -b
	}
	c.highest, c.deep = layout.NewMaxima(c.bytes), layout.NewMaxima(low)
}

// Column returns the least and the most bytes there were in the part [x0, x1) of an axis, and just before it.
func (c *Curve) Column(axis layout.Axis, x0, x1 float64) (low, high int64) {
	xs := c.xs[axis]
	from := max(0, sort.SearchFloat64s(xs, x0)-1)
	to := max(from, sort.SearchFloat64s(xs, x1)-1)
	return c.bytes[c.deep.First(int32(from), int32(to))], c.bytes[c.highest.First(int32(from), int32(to))]
}

// At is the bytes at a place of an axis; false where nothing is known.
func (c *Curve) At(axis layout.Axis, x float64) (bytes int64, known bool) {
	i := max(0, sort.Search(len(c.xs[axis]), func(i int) bool { return c.xs[axis][i] > x })-1)
	return c.bytes[i], c.bytes[i] != Unknown
}

// Memory is the bytes that the Curve itself takes.
func (c *Curve) Memory() int64 { return int64(8 * (2*cap(c.bytes) + cap(c.xs[0]) + cap(c.xs[1]))) }

// A Trade is one or more events in a row by which the allocator took memory from the driver, or gave some back.
type Trade struct {
	First, Last int32 // indexes of the events
	Events      int   // how many of them are of segments
	Bytes       int64 // more than before, negative for less
	// Flush: the cache was given back because a request found no room, which stops all streams. Failed: even so there
	// was none.
	Flush, Failed bool
	X             [2]float64 // where it begins, by axis
}

// Trades lists what the allocator took from the driver of a timeline's device and gave back.
func Trades(t *layout.Timeline) []Trade {
	all := trades(t.Device)
	for i := range all {
		all[i].X[layout.Events] = t.XOfEvent(layout.Events, all[i].First)
		if t.HasTime() {
			all[i].X[layout.Time] = t.XOfEvent(layout.Time, all[i].First)
		}
	}
	return all
}

// trades is Trades without places. Segments given back in a row are one trade, and a flush where the next event takes a
// segment or is out of memory.
func trades(d *snapshot.Device) []Trade {
	var all []Trade
	open := false // the last one is of segments given back, and nothing came since
	for i, action := range d.Events.Action {
		size := d.Events.Size[i]
		switch action {
		case snapshot.ActionSegmentFree, snapshot.ActionSegmentUnmap:
			if !open {
				all = append(all, Trade{First: int32(i)})
			}
			last := &all[len(all)-1]
			last.Last, last.Events, last.Bytes = int32(i), last.Events+1, last.Bytes-size
			open = true
			continue
		case snapshot.ActionSegmentAlloc, snapshot.ActionSegmentMap:
			if open {
				all[len(all)-1].Flush = true
			}
			all = append(all, Trade{First: int32(i), Last: int32(i), Events: 1, Bytes: size})
		case snapshot.ActionOOM:
			if open {
				all[len(all)-1].Flush, all[len(all)-1].Failed = true, true
			}
		}
		open = false
	}
	return all
}
