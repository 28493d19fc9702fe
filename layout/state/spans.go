package state

import (
	"cmp"
	"slices"
	"sort"
)

// A span is how long something is at an address: in the states from ≤ k < to.
type span struct {
	addr     uint64
	from, to int32
}

// spans finds those that are there in a state. It keeps a list of them, by address, at marks through the trace.
type spans struct {
	list  []span  // by from
	ends  []int32 // those that end, by to
	marks []mark
	ids   []int32 // of all marks, one after another
}

// A mark is a state whose spans are listed.
type mark struct {
	k          int32
	born       int32 // the first that is not there yet
	first, end int32 // ids[first:end]
}

// Between two marks at least so many spans begin or end, and a part of those that were there at the first: lists take
// a few bytes for each change then, and what comes after a mark is sorted in soon.
const (
	spacing     = 256
	spacingPart = 2
)

// finish prepares for questions. n is the number of kept events.
func (s *spans) finish(n int32) {
	s.list = slices.Clip(s.list)
	s.sortEnds(n)
	m := mark{k: -1, born: int32(s.bornBy(-1, 0, len(s.list)))}
	for id := range m.born {
		s.ids = append(s.ids, id)
	}
	slices.SortStableFunc(s.ids, func(a, b int32) int { return cmp.Compare(s.list[a].addr, s.list[b].addr) })
	m.end = int32(len(s.ids))
	s.marks = []mark{m}
	for born, died := int(m.born), 0; ; {
		k := m.k
		changes := max(spacing, int(m.end-m.first)/spacingPart)
		for ; changes > 0; changes-- {
			switch isBorn := born < len(s.list); {
			case isBorn && (died == len(s.ends) || s.list[born].from <= s.list[s.ends[died]].to):
				k = s.list[born].from
				born++
			case died < len(s.ends):
				k = s.list[s.ends[died]].to
				died++
			default:
				s.ids, s.marks = slices.Clip(s.ids), slices.Clip(s.marks)
				return
			}
		}
		born, died = s.bornBy(k, born, len(s.list)), max(died, s.diedBy(k))
		next := mark{k: k, born: int32(born), first: int32(len(s.ids))}
		s.ids = s.from(s.ids, m, k, born)
		next.end = int32(len(s.ids))
		s.marks = append(s.marks, next)
		m = next
	}
}

// sortEnds lists the spans that end, by when.
func (s *spans) sortEnds(n int32) {
	at := make([]int32, n+1)
	for _, x := range s.list {
		if x.to != Never {
			at[x.to+1]++
		}
	}
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
	s.ends = make([]int32, at[n])
	for id, x := range s.list {
		if x.to != Never {
			s.ends[at[x.to]] = int32(id)
			at[x.to]++
		}
	}
}

// bornBy is how many spans begin by event k; it lies between lo and hi.
func (s *spans) bornBy(k int32, lo, hi int) int {
	return lo + sort.Search(hi-lo, func(i int) bool { return s.list[lo+i].from > k })
}

// diedBy is how many spans end by event k.
func (s *spans) diedBy(k int32) int {
	return sort.Search(len(s.ends), func(i int) bool { return s.list[s.ends[i]].to > k })
}

// at appends the spans that are there in state k, by address.
func (s *spans) at(dst []int32, k int32) []int32 {
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].k > k }) - 1
	hi := len(s.list)
	if i+1 < len(s.marks) {
		hi = int(s.marks[i+1].born)
	}
	return s.from(dst, s.marks[i], k, s.bornBy(k, int(s.marks[i].born), hi))
}

// from appends what is there in state k, by which all up to born have begun, with the help of a mark before it.
func (s *spans) from(dst []int32, m mark, k int32, born int) []int32 {
	type item struct {
		addr uint64
		id   int32
	}
	added := make([]item, 0, 256)
	for id := m.born; int(id) < born; id++ {
		if x := &s.list[id]; x.to > k {
			added = append(added, item{x.addr, id})
		}
	}
	slices.SortFunc(added, func(a, b item) int { return cmp.Or(cmp.Compare(a.addr, b.addr), int(a.id-b.id)) })
	dst = slices.Grow(dst, int(m.end-m.first)+len(added))
	for _, id := range s.ids[m.first:m.end] {
		x := &s.list[id]
		if x.to <= k {
			continue
		}
		for len(added) > 0 && added[0].addr < x.addr {
			dst = append(dst, added[0].id)
			added = added[1:]
		}
		dst = append(dst, id)
	}
	for _, a := range added {
		dst = append(dst, a.id)
	}
	return dst
}

func (s *spans) bytes() int64 {
	return int64(16*cap(s.list) + 4*cap(s.ends) + 16*cap(s.marks) + 4*cap(s.ids))
}
