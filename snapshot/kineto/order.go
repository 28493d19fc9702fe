package kineto

import (
	"cmp"
	"slices"
)

// A Device is what a trace tells of one device.
type Device struct {
	ID  DeviceID
	PID string // of its process, "" if all events of the device are of one
	// Events are indices of Trace.Memory in the order in which they happened, without those of Mapped and OOMs.
	Events []int32
	Mapped []int32 // events about files mapped into memory, which no total counts (profiler-files.md, rule E)
	OOMs   []int32 // requests that failed
}

// Devices sorts the memory events of a trace by device: GPUs first, then others, the CPU last.
func (t *Trace) Devices() []Device {
	of := map[DeviceID][]int32{}
	for i := range t.Memory {
		of[t.Memory[i].Device] = append(of[t.Memory[i].Device], int32(i))
	}
	var devices []Device
	for id, events := range of {
		devices = append(devices, t.processes(id, events)...)
	}
	rank := func(d *Device) int {
		switch d.ID.Type {
		case 1, 6:
			return 0
		case 0, -1:
			return 2
		}
		return 1
	}
	slices.SortFunc(devices, func(a, b Device) int {
		return cmp.Or(rank(&a)-rank(&b), int(a.ID.Type-b.ID.Type), int(a.ID.Index-b.ID.Index),
			cmp.Compare(a.PID, b.PID))
	})
	return devices
}

// processes makes a device of events, or one for each process, if those of several do not make one sum: files merged
// of several ranks have the same device numbers.
func (t *Trace) processes(id DeviceID, events []int32) []Device {
	whole := t.device(id, "", events)
	by := map[string][]int32{}
	for _, i := range events {
		pid := t.Threads[t.Memory[i].Thread].PID
		by[pid] = append(by[pid], i)
	}
	if len(by) < 2 || t.disagree(whole.Events) == 0 {
		return []Device{whole}
	}
	var parts []Device
	disagree := 0
	for pid, own := range by {
		d := t.device(id, pid, own)
		disagree += t.disagree(d.Events)
		parts = append(parts, d)
	}
	if disagree >= t.disagree(whole.Events) {
		return []Device{whole}
	}
	return parts
}

// disagree counts the events whose total does not follow from the one before.
func (t *Trace) disagree(events []int32) (n int) {
	for k := 1; k < len(events); k++ {
		a, b := &t.Memory[events[k-1]], &t.Memory[events[k]]
		if a.Total != None && b.Total != None && b.Total-a.Total != b.Bytes {
			n++
		}
	}
	return n
}

// device puts the events of a device in order.
func (t *Trace) device(id DeviceID, pid string, events []int32) Device {
	d := Device{ID: id, PID: pid}
	mapped := map[int64]bool{}
	for _, i := range events {
		m := &t.Memory[i]
		if id.Type == 0 && m.Total == 0 && m.Held == m.Bytes && m.Held != 0 && !m.OOM {
			mapped[m.Addr] = true
		}
	}
	for _, i := range events {
		switch m := &t.Memory[i]; {
		case m.OOM:
			d.OOMs = append(d.OOMs, i)
		case m.Total == 0 && mapped[m.Addr]:
			d.Mapped = append(d.Mapped, i)
		default:
			d.Events = append(d.Events, i)
		}
	}
	slices.SortStableFunc(d.Events, func(a, b int32) int { return t.Memory[a].before(&t.Memory[b]) })
	t.chain(d.Events)
	return d
}

func (m *Memory) before(o *Memory) int {
	return cmp.Or(cmp.Compare(m.Time, o.Time), cmp.Compare(m.Order, o.Order))
}

// chain puts events of one moment in the order in which each total follows from the one before (profiler-files.md,
// rule C); where none does, the first is taken.
func (t *Trace) chain(events []int32) {
	total := None
	for first := 0; first < len(events); {
		end := first + 1
		for end < len(events) && t.Memory[events[end]].Time == t.Memory[events[first]].Time {
			end++
		}
		if end-first == 1 {
			total = t.Memory[events[first]].Total
		} else {
			total = t.chainMoment(events[first:end], total)
		}
		first = end
	}
}

// chainMoment puts the events of one moment in order, from a total on, and returns the last total.
func (t *Trace) chainMoment(group []int32, total int64) int64 {
	follows := map[int64][]int{} // by the total that they follow: places in group, ascending
	for k, i := range group {
		if m := &t.Memory[i]; m.Total != None {
			follows[m.Total-m.Bytes] = append(follows[m.Total-m.Bytes], k)
		}
	}
	taken, first := make([]bool, len(group)), 0
	out := make([]int32, 0, len(group))
	for range group {
		pick := -1
		for list := follows[total]; total != None && len(list) > 0 && pick < 0; list = follows[total] {
			if follows[total] = list[1:]; !taken[list[0]] {
				pick = list[0]
			}
		}
		if pick < 0 {
			for taken[first] {
				first++
			}
			pick = first
		}
		taken[pick] = true
		out = append(out, group[pick])
		total = t.Memory[group[pick]].Total
	}
	copy(group, out)
	return total
}
