package layout

import (
	"cmp"
	"math"
	"slices"
	"strata/snapshot"
)

// slideSteps is how many timesteps the blocks above a freed one take to come
// down (C.4).
const slideSteps = 3

// stack orders the allocations, numbers the timesteps and sums the totals.
func (t *Timeline) stack(initial []ID) {
	t.chooseDrawn()
	slices.Reverse(initial)
	rank := make([]int32, len(t.Size)) // of the drawn ones, in Order
	push := func(id ID) {
		rank[id] = int32(len(t.Order))
		t.Order = append(t.Order, id)
	}
	var total, undrawn int64
	for _, id := range initial {
		total += t.Size[id]
		if t.Drawn(id) {
			push(id)
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
	live := newLiveList(cap(t.Order), len(t.Order))
	cp := checkpointer{t: t, list: live}
	cp.take(0)
	step := int32(0)
	for a, x := range t.Actions {
		t.Timestep[a] = step
		step++
		switch id := max(x, ^x); {
		case x >= 0 && t.Drawn(id):
			total += t.Size[id]
			push(id)
			live.pushTop()
		case x >= 0:
			total += t.Size[id]
			undrawn += t.Size[id]
		case t.Drawn(id):
			total -= t.Size[id]
			if !live.isTop(rank[id]) {
				step += slideSteps
			}
			live.remove(rank[id])
		default:
			total -= t.Size[id]
			undrawn -= t.Size[id]
		}
		t.Total[a+1] = total
		if t.Undrawn != nil {
			t.Undrawn[a+1] = undrawn
		}
		cp.after(int32(a + 1))
	}
	t.Timestep[s] = step
}

// bitset is a set of allocations.
type bitset []uint64

func (b bitset) has(id ID) bool { return b != nil && b[id>>6]>>(id&63)&1 == 1 }
func (b bitset) add(id ID)      { b[id>>6] |= 1 << (id & 63) }

// chooseDrawn marks the allocations that get no place of their own: all but
// the MaxEntries largest, of equal sizes those with the higher ID (C.5).
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

// below reports whether a drawn allocation lies lower in the stack than
// another, at any time: those from before recording lie under all others, the
// last of them lowest, the others in the order they came (C.4). The one a flat
// trace was given as its only action came last.
func (t *Timeline) below(a, b ID) bool {
	if first := t.Birth[a] == 0; first != (t.Birth[b] == 0) {
		return first
	} else if first {
		return a > b
	}
	return a < b
}

// liveList is the live ranks as a doubly linked list, bottom to top: what is
// on top, and taking one out, cost nothing.
type liveList struct {
	prev, next []int32 // by rank + 1; 0 is the end of the list on both sides
	n          int     // live ranks
	born       int32   // ranks given out
}

// newLiveList is a list of ranks 0 to n-1, with room for capacity.
func newLiveList(capacity, n int) *liveList {
	l := &liveList{prev: make([]int32, 1, capacity+1), next: make([]int32, 1, capacity+1)}
	for range n {
		l.pushTop()
	}
	return l
}

// pushTop adds the next rank on top.
func (l *liveList) pushTop() {
	l.born++
	top := l.prev[0]
	l.prev, l.next = append(l.prev, top), append(l.next, 0)
	l.next[top], l.prev[0] = l.born, l.born
	l.n++
}

func (l *liveList) isTop(rank int32) bool { return l.prev[0] == rank+1 }

func (l *liveList) remove(rank int32) {
	p, n := l.prev[rank+1], l.next[rank+1]
	l.next[p], l.prev[n] = n, p
	l.n--
}

// checkpointer takes a checkpoint whenever so many actions have passed that
// all checkpoints together stay within O(N) memory and walking from one to a
// state between stays within a multiple of the live set.
type checkpointer struct {
	t    *Timeline
	list *liveList
	last int32
}

// spacing is the fewest actions between two checkpoints.
const spacing = 2048

func (c *checkpointer) after(state int32) {
	if int(state-c.last) >= max(spacing, 2*c.list.n) {
		c.take(state)
	}
}

func (c *checkpointer) take(state int32) {
	t := c.t
	first := int32(len(t.liveRanks))
	for r := c.list.next[0]; r != 0; r = c.list.next[r] {
		t.liveRanks = append(t.liveRanks, r-1)
	}
	t.checkpoints = append(t.checkpoints, checkpoint{state: state, born: c.list.born, first: first, end: int32(len(t.liveRanks))})
	c.last = state
}

// times finds the range of the trace's times and sees to it that they never
// decrease from action to action: the list's order is the truth (A.5.3), a
// time before its predecessor's counts as that one's.
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
	var event int32
	if x := t.Actions[a]; x >= 0 {
		event = t.Origin[x]
	} else {
		event = t.Freed[^x]
	}
	if event < 0 || t.Device.Events.Time[event] == snapshot.NoTime {
		return 0, false
	}
	return t.Device.Events.Time[event] - t.Start, true
}

// clamp writes down the times of the actions, as they do not ascend by
// themselves.
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

// TimeOf is the time of action a in microseconds after Start; it never
// decreases along the actions. Only on a timeline that HasTime.
func (t *Timeline) TimeOf(a int) int64 {
	if t.clamped != nil {
		return t.clamped[a]
	}
	us, _ := t.recorded(a)
	return us
}
