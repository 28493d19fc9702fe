package state

import (
	"sort"

	"strata/snapshot"
)

// kept counts the events of a trace that are not part of the one before.
type kept struct {
	ev     *snapshot.Events
	n      int
	before []int32 // of every 64th event: how many kept ones come before it
}

func keep(ev *snapshot.Events) kept {
	e := kept{ev: ev, before: make([]int32, 0, ev.Len()/64+1)}
	for i := range ev.Action {
		if i%64 == 0 {
			e.before = append(e.before, int32(e.n))
		}
		if !e.folded(i) {
			e.n++
		}
	}
	return e
}

// folded reports whether event i is the completion of the request before it.
func (e *kept) folded(i int) bool {
	return i > 0 && e.ev.Action[i] == snapshot.ActionFreeCompleted && e.asksFor(i-1, i)
}

func (e *kept) asksFor(request, i int) bool {
	return e.ev.Action[request] == snapshot.ActionFreeRequested && e.ev.Addr[request] == e.ev.Addr[i]
}

// rank is how many of the first i events are kept ones.
func (e *kept) rank(i int) int {
	if i = min(i, e.ev.Len()); i <= 0 {
		return 0
	}
	block := (i - 1) / 64
	n := int(e.before[block])
	for j := block * 64; j < i; j++ {
		if !e.folded(j) {
			n++
		}
	}
	return n
}

// first is the index of the first event that kept event k stands for.
func (e *kept) first(k int) int {
	block := sort.Search(len(e.before), func(b int) bool { return int(e.before[b]) > k }) - 1
	i, n := block*64, int(e.before[block])
	for ; ; i++ {
		if e.folded(i) {
			continue
		}
		if n == k {
			return i
		}
		n++
	}
}

// action is what event i, which is kept, does together with what is folded into it.
func (e *kept) action(i int) snapshot.Action {
	if i+1 < e.ev.Len() && e.folded(i+1) {
		return snapshot.ActionFree
	}
	return e.ev.Action[i]
}
