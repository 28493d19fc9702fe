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
					top = set.lastBelow(p)
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

// bitset is a set of allocations.
type bitset []uint64

func (b bitset) has(id ID) bool { return b != nil && b[id>>6]>>(id&63)&1 == 1 }
func (b bitset) add(id ID)      { b[id>>6] |= 1 << (id & 63) }

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
	t.undrawn = make(bitset, n/64+1)
	for _, id := range bySize[keep:] {
		t.undrawn.add(id)
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
	now := int64(0)
	for a := range t.Actions {
		us, ok := t.recorded(a)
		if !ok || us < now {
			t.clamp()
			return
		}
		now = us
	}
}

// recorded is the time of action a as the trace has it, in µs after Start.
func (t *Timeline) recorded(a int) (int64, bool) {
	event := t.eventOf(a)
	if event < 0 || t.Device.Events.Time[event] == snapshot.NoTime {
		return 0, false
	}
	return t.Device.Events.Time[event] - t.Start, true
}

// clamp writes down the times of the actions, as they do not ascend by themselves.
func (t *Timeline) clamp() {
	t.clamped = make([]int64, len(t.Actions))
	now := int64(0)
	for a := range t.Actions {
		if us, ok := t.recorded(a); ok {
			now = max(now, us)
		}
		t.clamped[a] = now
	}
}

// TimeOf is the time of action a in microseconds after Start; it never decreases along the actions. Only on a
// timeline that HasTime.
func (t *Timeline) TimeOf(a int) int64 {
	if t.clamped != nil {
		return t.clamped[a]
	}
	us, _ := t.recorded(a)
	return us
}
