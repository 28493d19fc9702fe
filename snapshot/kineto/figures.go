package kineto

import (
	"cmp"
	"slices"
)

// Figures are what a device's events add up to, under the names of the reference
// (shared/profiler/expected-samples.json). Sizes are bytes, times nanoseconds.
type Figures struct {
	Name   string `json:"name"` // of the device, such as "cuda:0"
	Events int    `json:"events"`
	Mapped int    `json:"mapped_file_events"`
	OOMs   int    `json:"oom_events"`
	// Tables are of the tables of torch_npu's profiler: by table and device, and by column.
	Tables map[string]map[string]int64 `json:"tables,omitempty"`
	*Counts
}

// Counts are the figures of a device that has events.
type Counts struct {
	Allocs       int    `json:"allocs"`
	Frees        int    `json:"frees"`
	First        int64  `json:"first_ns"`
	Last         int64  `json:"last_ns"`
	Baseline     *int64 `json:"baseline"` // live before the first event; nil where no event has a total
	PeakReplay   int64  `json:"peak_replay"`
	PeakReplayNS int64  `json:"peak_replay_ns"`
	*Totals
	InNoOp          int  `json:"in_no_op"`
	WithPythonFrame int  `json:"with_python_frame"`
	Addresses       bool `json:"addresses"`
	*Pairs
}

// Totals are the figures of a device whose events have totals.
type Totals struct {
	Peak         int64 `json:"peak_allocated"`
	PeakNS       int64 `json:"peak_ns"`
	Reserved     int64 `json:"peak_reserved"`
	End          int64 `json:"end_allocated"`
	Disagreeing  int   `json:"steps_that_disagree"`
	NotInEvents  int64 `json:"bytes_not_in_events"`
	peakAt, last int   // of Device.Events
}

// Pairs are the figures of a device whose events have addresses.
type Pairs struct {
	UnmatchedFrees int       `json:"unmatched_frees"`
	UnmatchedBytes int64     `json:"unmatched_free_bytes"`
	OnLive         int       `json:"alloc_on_live_address"`
	OtherSize      int       `json:"free_of_other_size"`
	LiveAtEnd      int       `json:"live_at_end"`
	LiveBytes      int64     `json:"live_at_end_bytes"`
	AtPeak         int64     `json:"of_recording_at_peak"`
	NeverFreed     *int64    `json:"baseline_never_freed"`
	Ops            []OpBytes `json:"top_ops_at_peak"`
	Innermost      []OpBytes `json:"top_innermost_ops_at_peak"`
}

// OpBytes is what an operator's allocations have: its name, and bytes.
type OpBytes [2]any

// Figures adds up a device's events.
func (s *Stacks) Figures(d *Device) Figures {
	f := Figures{Name: d.ID.String(), Events: len(d.Events), Mapped: len(d.Mapped), OOMs: len(d.OOMs)}
	if len(d.Events) == 0 {
		return f
	}
	t := s.t
	m := func(k int) *Memory { return &t.Memory[d.Events[k]] }
	c := &Counts{First: m(0).Time, Last: m(len(d.Events) - 1).Time, Addresses: true}
	f.Counts = c
	known, before := -1, int64(0) // the first event with a total, and the bytes up to it
	for k := range d.Events {
		if before += m(k).Bytes; m(k).Total != None {
			base := m(k).Total - before
			known, c.Baseline = k, &base
			break
		}
	}
	run := int64(0)
	if c.Baseline != nil {
		run = *c.Baseline
	}
	top := -1
	for k, i := range d.Events {
		e := m(k)
		if e.Bytes > 0 {
			c.Allocs++
		} else if e.Bytes < 0 {
			c.Frees++
		}
		if run += e.Bytes; top < 0 || run > c.PeakReplay {
			top, c.PeakReplay, c.PeakReplayNS = k, run, e.Time
		}
		if s.op[i] < 0 {
			c.InNoOp++
		}
		if s.frame[i] >= 0 {
			c.WithPythonFrame++
		}
		c.Addresses = c.Addresses && e.Addr != None
	}
	if known >= 0 {
		c.Totals = t.totals(d, known)
		top = c.Totals.peakAt
		replay := *c.Baseline
		for k := range c.Totals.last + 1 {
			replay += m(k).Bytes
		}
		c.NotInEvents = c.Totals.End - replay
	}
	if c.Addresses {
		c.Pairs = s.pairs(d, top, c.Baseline)
	}
	return f
}

// totals looks at what the events say that the device held; known is the first that says so.
func (t *Trace) totals(d *Device, known int) *Totals {
	r := &Totals{peakAt: known, Disagreeing: t.disagree(d.Events)}
	for k, i := range d.Events {
		m := &t.Memory[i]
		if m.Held != None {
			r.Reserved = max(r.Reserved, m.Held)
		}
		if m.Total == None {
			continue
		}
		if m.Total > t.Memory[d.Events[r.peakAt]].Total {
			r.peakAt = k
		}
		r.last = k
	}
	peak := &t.Memory[d.Events[r.peakAt]]
	r.Peak, r.PeakNS, r.End = peak.Total, peak.Time, t.Memory[d.Events[r.last]].Total
	return r
}

// pairs pairs allocs with frees; top is the event after which most was held.
func (s *Stacks) pairs(d *Device, top int, baseline *int64) *Pairs {
	p, t := &Pairs{}, s.t
	live := map[int64]int32{}
	var at []int32
	for k, i := range d.Events {
		m := &t.Memory[i]
		was, is := live[m.Addr]
		switch {
		case m.Bytes > 0:
			if is {
				p.OnLive++
			}
			live[m.Addr] = i
		case is:
			delete(live, m.Addr)
			if t.Memory[was].Bytes != -m.Bytes {
				p.OtherSize++
			}
		default:
			p.UnmatchedFrees++
			p.UnmatchedBytes -= m.Bytes
		}
		if k == top {
			for _, i := range live {
				at = append(at, i)
			}
		}
	}
	p.LiveAtEnd = len(live)
	for _, i := range live {
		p.LiveBytes += t.Memory[i].Bytes
	}
	if baseline != nil {
		never := *baseline - p.UnmatchedBytes
		p.NeverFreed = &never
	}
	outer, inner := map[string]int64{}, map[string]int64{}
	for _, i := range at {
		p.AtPeak += t.Memory[i].Bytes
		outer[s.opName(s.ops.outermost(s.op[i]))] += t.Memory[i].Bytes
		inner[s.opName(s.op[i])] += t.Memory[i].Bytes
	}
	p.Ops, p.Innermost = largest(outer), largest(inner)
	return p
}

func (s *Stacks) opName(span int32) string {
	if span < 0 {
		return "(no op)"
	}
	return s.t.Text(s.t.Spans[span].Text)
}

// largest lists the five largest, of equal ones the first by name.
func largest(bytes map[string]int64) []OpBytes {
	names := make([]string, 0, len(bytes))
	for name := range bytes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(bytes[b], bytes[a]), cmp.Compare(a, b))
	})
	list := []OpBytes{}
	for _, name := range names[:min(5, len(names))] {
		list = append(list, OpBytes{name, bytes[name]})
	}
	return list
}
