package layout

import (
	"cmp"
	"slices"
	"sort"

	"strata/layout/units"
	"strata/snapshot"
)

// An OOM is a request that the device had no memory for.
type OOM struct {
	Event int32 // index in Device.Events
	State int32 // the state it happened in
	Asked int64 // bytes
	Free  int64 // bytes the device had free, -1 where the file does not tell
}

// FreeText says what the device had.
func (o *OOM) FreeText() string {
	if o.Free < 0 {
		return "what the device had free is not in the file"
	}
	return "the device had " + units.Bytes(o.Free) + " free"
}

// OOMs lists the out-of-memory events of the trace (FORMAT.md, section 3.2).
func (t *Timeline) OOMs() []OOM {
	var found []OOM
	ev := &t.Device.Events
	for e, action := range ev.Action {
		if action != snapshot.ActionOOM {
			continue
		}
		free := int64(-1)
		if ev.Addr[e] != snapshot.UnknownFree {
			free = int64(min(ev.Addr[e], 1<<62))
		}
		found = append(found, OOM{Event: int32(e), State: t.stateAt(int32(e)), Asked: ev.Size[e], Free: free})
	}
	return found
}

// EventOf is the index of the event that led to a state, -1 if none did, as to the first.
func (t *Timeline) EventOf(state int32) int32 {
	if state <= 0 {
		return -1
	}
	return t.eventOf(int(state) - 1)
}

// StateAfter is the state that an event led to, or left as it was.
func (t *Timeline) StateAfter(event int32) int32 { return t.stateAt(event + 1) }

// eventOf is the index of the event that action a came from, -1 if from none.
func (t *Timeline) eventOf(a int) int32 {
	if t.Banded() {
		return -1
	}
	if id := t.Actions[a]; id < 0 {
		return t.Freed[^id]
	} else if o := t.Origin[id]; o >= 0 {
		return o
	}
	return -1
}

// stateAt is the state in which the trace is when it comes to an event.
func (t *Timeline) stateAt(event int32) int32 {
	return int32(sort.Search(len(t.Actions), func(a int) bool { return t.eventOf(a) >= event }))
}

// XOfOOM is where an out-of-memory event lies on an axis.
func (t *Timeline) XOfOOM(axis Axis, o OOM) float64 { return t.xOfEvent(axis, o.Event, o.State) }

// XOfEvent is where an event of the device lies on an axis.
func (t *Timeline) XOfEvent(axis Axis, event int32) float64 {
	return t.xOfEvent(axis, event, t.stateAt(event))
}

// xOfEvent is where an event lies on an axis that happened in a state.
func (t *Timeline) xOfEvent(axis Axis, event, state int32) float64 {
	if axis == Events {
		return float64(t.Timestep[state])
	}
	if at := t.Device.Events.Time[event]; at != snapshot.NoTime {
		return min(max(0, float64(at-t.Start)), t.Extent(Time))
	}
	return t.X(axis, state)
}

// Waits reports whether any allocation waits to be freed for a while.
func (t *Timeline) Waits() bool { return len(t.waits) > 0 }

// WaitsFrom is from where on an axis an allocation waits to be freed, until its end; false if it does not. One that
// waits after the last event is seen to wait in the last step at least.
func (t *Timeline) WaitsFrom(id ID, axis Axis) (x float64, ok bool) {
	request, ok := t.waits[id]
	if !ok || request < 0 {
		return 0, ok
	}
	x = t.xOfEvent(axis, request, t.stateAt(request))
	if n := len(t.Actions); axis == Events && t.Death[id] == Never && n > 0 {
		x = min(x, float64(t.Timestep[n-1]))
	}
	return x, true
}

// FreeRequest is the event that asked for an allocation to be freed when that is not the one that freed it: memory
// that another stream still uses is freed later. An allocation that is live at the end may have been asked for too.
func (t *Timeline) FreeRequest(a *Allocation) (event int32, ok bool) {
	ev := &t.Device.Events
	last := a.FreeEvent
	if last < 0 {
		if !a.NeverFreed {
			return 0, false
		}
		last = int32(ev.Len())
	} else if ev.Action[last] != snapshot.ActionFreeCompleted {
		return 0, false
	}
	if e := last - 1; e > a.AllocEvent && ev.Addr[e] == a.Addr && ev.Action[e] == snapshot.ActionFreeRequested {
		return e, true
	}
	// The last request at the address before that.
	i, _ := slices.BinarySearchFunc(t.asked, last, func(e, last int32) int {
		return cmp.Or(cmp.Compare(ev.Addr[e], a.Addr), cmp.Compare(e, last))
	})
	if i--; i >= 0 && ev.Addr[t.asked[i]] == a.Addr && t.asked[i] > a.AllocEvent {
		return t.asked[i], true
	}
	return 0, false
}

// findRequests lists the requests to free that are not carried out by the very next event, by address and event.
// Most traces have few, and without the list each look at a block from early in the trace would go through it all.
func (t *Timeline) findRequests() {
	ev := &t.Device.Events
	for e, action := range ev.Action {
		if action != snapshot.ActionFreeRequested {
			continue
		}
		if n := e + 1; n == len(ev.Action) || ev.Action[n] != snapshot.ActionFreeCompleted || ev.Addr[n] != ev.Addr[e] {
			t.asked = append(t.asked, int32(e))
		}
	}
	t.asked = slices.Clip(t.asked)
	slices.SortFunc(t.asked, func(a, b int32) int {
		return cmp.Or(cmp.Compare(ev.Addr[a], ev.Addr[b]), cmp.Compare(a, b))
	})
	t.findWaits()
}

// findWaits finds the allocations that were asked to be freed and then waited for it, and those waiting at the end.
func (t *Timeline) findWaits() {
	t.waits = map[ID]int32{}
	for _, id := range t.pending {
		t.waits[id] = -1
	}
	if len(t.asked) == 0 || t.Options.Mode == Segments {
		return
	}
	addrs := map[uint64]bool{}
	for _, e := range t.asked {
		addrs[t.Device.Events.Addr[e]] = true
	}
	for i := range t.Size {
		id := ID(i)
		if !addrs[t.AddrOf(id)] {
			continue
		}
		a := t.At(id)
		if request, ok := t.FreeRequest(&a); ok && (a.Pending || a.FreeEvent > request+1) {
			t.waits[id] = request
		}
	}
}
