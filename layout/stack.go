package layout

import (
	"cmp"
	"math"
	"slices"

	"strata/snapshot"
)

// slideSteps is how many timesteps the blocks above a freed one take to come down (FORMAT.md, section 9.4).
const slideSteps = 3

// stack orders the allocations, numbers the timesteps and sums the totals.
func (t *Timeline) stack(initial []ID) {
	t.chooseDrawn()
	set := newSlotSet(t.Blocks())
	cp := checkpointer{t: t, set: set, bytes: make([]int64, t.Blocks())}
	ground := t.recordedFrom()
	var total, undrawn int64
	slices.Reverse(initial)
	for _, id := range initial {
		total += t.Size[id]
		if t.Drawn(id) {
			t.Order = append(t.Order, id)
			p := ground - 1 - id
			set.add(p)
			cp.bytes[p/BlockSlots] += t.Size[id]
		} else {
			undrawn += t.Size[id]
		}
	}
	s := len(t.Actions)
	t.Timestep = make([]int32, s+1)
	t.Total = make([]int64, s+1)
	t.Total[0] = total
	if t.undrawn != nil {
		t.Undrawn = make([]int64, s+1)
		t.Undrawn[0] = undrawn
	}
	cp.take(0, len(t.Order))
	top := set.last()
	step := int32(0)
	for a, x := range t.Actions {
		t.Timestep[a] = step
		step++
		id := max(x, ^x)
		size := t.Size[id]
		drawn := t.Drawn(id)
		if x >= 0 {
			total += size
			if drawn {
				t.Order = append(t.Order, id)
				top = ground + id
				set.add(top)
				cp.bytes[top/BlockSlots] += size
			}
		} else {
			total -= size
			size = -size
			if drawn {
				p := t.Slot(id)
				set.remove(p)
				cp.bytes[p/BlockSlots] += size
				if p == top {
					top = set.last()
				} else {
					step += slideSteps
				}
			}
		}
		t.Total[a+1] = total
		if t.Undrawn != nil {
			if !drawn {
				undrawn += size
			}
			t.Undrawn[a+1] = undrawn
		}
		if cp.due(int32(a + 1)) {
			cp.take(int32(a+1), len(t.Order))
		}
	}
	t.Timestep[s] = step
	t.liveBlocks = slices.Clip(t.liveBlocks)
}

// chooseDrawn marks the allocations that get no place of their own: all but the MaxEntries largest, of equal sizes
// those with the higher ID (FORMAT.md, section 9.6).
func (t *Timeline) chooseDrawn() {
	n, keep := len(t.Size), t.Options.MaxEntries
	if keep <= 0 || keep >= n {
		t.Order = make([]ID, 0, n)
		return
	}
	t.Order = make([]ID, 0, keep)
	bySize := make([]ID, n)
	for i := range bySize {
		bySize[i] = ID(i)
	}
	slices.SortStableFunc(bySize, func(a, b ID) int { return cmp.Compare(t.Size[b], t.Size[a]) })
	t.undrawn = make([]bool, n)
	for _, id := range bySize[keep:] {
		t.undrawn[id] = true
	}
}

// below reports whether a drawn allocation lies lower in the stack than another, at any time.
func (t *Timeline) below(a, b ID) bool { return t.Slot(a) < t.Slot(b) }

// times finds the range of the trace's times and sees to it that they never decrease from action to action: the
// list's order is the truth (FORMAT.md, section 3.3), a time before its predecessor's counts as that one's.
func (t *Timeline) times() {
	ev := &t.Device.Events
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, us := range ev.Time {
		if us != snapshot.NoTime {
			first, last = min(first, us), max(last, us)
		}
	}
	if first > last {
		return
	}
	t.timed, t.Start, t.End = true, first, last
	t.actionTimes = make([]int64, len(t.Actions))
	now := int64(0)
	for a := range t.Actions {
		if event := t.eventOf(a); event >= 0 && ev.Time[event] != snapshot.NoTime {
			now = max(now, ev.Time[event]-first)
		}
		t.actionTimes[a] = now
	}
}

// TimeOf is the time of action a in microseconds after Start; it never decreases along the actions. Only on a
// timeline that HasTime.
func (t *Timeline) TimeOf(a int) int64 { return t.actionTimes[a] }
