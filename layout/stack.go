package layout

import (
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
	var total, undrawn int64
	for _, id := range initial {
		total += t.Size[id]
		if t.rank[id] == drawn {
			t.push(id)
		} else {
			undrawn += t.Size[id]
		}
	}
	s := len(t.Actions)
	t.Timestep = make([]int32, s+1)
	t.Total = make([]int64, s+1)
	t.Total[0] = total
	if t.Options.MaxEntries > 0 {
		t.Undrawn = make([]int64, s+1)
		t.Undrawn[0] = undrawn
	}
	live := newLiveList(cap(t.Order), len(t.Order))
	cp := checkpointer{t: t, list: live}
	cp.take(0)
	step := int32(0)
	for a, x := range t.Actions {
		t.Timestep[a] = step
		if x >= 0 {
			total += t.Size[x]
			step++
			if t.rank[x] == drawn {
				t.push(x)
				live.pushTop()
			} else {
				undrawn += t.Size[x]
			}
		} else {
			x = ^x
			total -= t.Size[x]
			step++
			if r := t.rank[x]; r >= 0 {
				if !live.isTop(r) {
					step += slideSteps
				}
				live.remove(r)
			} else {
				undrawn -= t.Size[x]
			}
		}
		t.Total[a+1] = total
		if t.Undrawn != nil {
			t.Undrawn[a+1] = undrawn
		}
		cp.after(int32(a + 1))
	}
	t.Timestep[s] = step
}

// Values of rank before stack has placed an allocation.
const (
	undrawnRank = -1
	drawn       = -2
)

// chooseDrawn marks the allocations that get a place of their own: all, or
// the MaxEntries largest, of equal sizes those with the lower ID (C.5).
func (t *Timeline) chooseDrawn() {
	n := len(t.Size)
	t.rank = make([]int32, n)
	for i := range t.rank {
		t.rank[i] = drawn
	}
	keep := t.Options.MaxEntries
	if keep <= 0 || keep >= n {
		t.Order = make([]ID, 0, n)
		return
	}
	t.Order = make([]ID, 0, keep)
	bySize := make([]ID, n)
	for i := range bySize {
		bySize[i] = ID(i)
	}
	slices.SortStableFunc(bySize, func(a, b ID) int {
		switch {
		case t.Size[a] > t.Size[b]:
			return -1
		case t.Size[a] < t.Size[b]:
			return 1
		}
		return 0
	})
	for _, id := range bySize[keep:] {
		t.rank[id] = undrawnRank
	}
}

// push puts an allocation on top of the order.
func (t *Timeline) push(id ID) {
	t.rank[id] = int32(len(t.Order))
	t.Order = append(t.Order, id)
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
	if int(state-c.last) >= max(spacing, c.list.n) {
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

// times gives each action the time of its event. The list's order is the
// truth (A.5.3): a time before its predecessor's counts as that one's.
func (t *Timeline) times(actionEvent []int32) {
	ev := &t.Device.Events
	if ev.Time == nil {
		return
	}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, us := range ev.Time {
		if us != snapshot.NoTime {
			first, last = min(first, us), max(last, us)
		}
	}
	if first > last {
		return
	}
	t.Start, t.End = first, last
	t.Times = make([]int64, len(t.Actions))
	now := int64(0)
	for a, e := range actionEvent {
		if e >= 0 && ev.Time[e] != snapshot.NoTime {
			now = max(now, ev.Time[e]-first)
		}
		t.Times[a] = now
	}
}
