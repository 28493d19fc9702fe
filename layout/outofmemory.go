package layout

import (
	"cmp"
	"slices"
	"sort"

	"strata/snapshot"
)

// An OOM is a request that the device had no memory for.
type OOM struct {
	Event int32 // index in Device.Events
	State int32 // the state it happened in
	Asked int64 // bytes
	Free  int64 // bytes the device had free
}

// OOMs lists the out-of-memory events of the trace (FORMAT.md, section 3.2).
func (t *Timeline) OOMs() []OOM {
	var found []OOM
	ev := &t.Device.Events
	for e, action := range ev.Action {
		if action != snapshot.ActionOOM {
			continue
		}
		found = append(found, OOM{Event: int32(e), State: t.stateAt(int32(e)), Asked: ev.Size[e],
			Free: int64(min(ev.Addr[e], 1<<62))})
	}
	return found
}

// eventOf is the index of the event that action a came from, -1 if from none.
func (t *Timeline) eventOf(a int) int32 {
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
func (t *Timeline) XOfOOM(axis Axis, o OOM) float64 {
	if axis == Events {
		return float64(t.Timestep[o.State])
	}
	if at := t.Device.Events.Time[o.Event]; at != snapshot.NoTime {
		return min(max(0, float64(at-t.Start)), t.Extent(Time))
	}
	return t.X(axis, o.State)
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
}
