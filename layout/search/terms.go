package search

import (
	"context"
	"math/bits"
	"sort"
	"sync"

	"strata/layout"
	"strata/snapshot"
)

// A sieve takes those allocations out of a part of a set that a term does not hold for. The part begins at
// allocation from, a multiple of 64.
type sieve func(words Set, from int)

// A column is what one thing is of each allocation.
type column[T any] struct {
	once   sync.Once
	values []T
}

// of makes the column the first time; it takes some milliseconds a million.
func (c *column[T]) of(n int, value func(id layout.ID) T) []T {
	c.once.Do(func() {
		c.values = make([]T, n)
		// Not to be given up: another search will want it.
		_ = spread(context.Background(), n, func(from, to int) {
			for i := from; i < to; i++ {
				c.values[i] = value(layout.ID(i))
			}
		})
	})
	return c.values
}

// each is a sieve that keeps those for which holds says yes, or no.
func each(not bool, holds func(id layout.ID) bool) sieve {
	return func(words Set, from int) {
		for i, w := range words {
			for rest := w; rest != 0; rest &= rest - 1 {
				k := bits.TrailingZeros64(rest)
				if holds(layout.ID(from+i<<6+k)) == not {
					w &^= 1 << k
				}
			}
			words[i] = w
		}
	}
}

// among is a sieve that keeps those whose value is one of a kind that is held.
func among[T ~uint32](not bool, values []T, held []bool) sieve {
	return sift(not, len(values), func(lo, hi int) (m uint64) {
		for k, v := range values[lo:hi] {
			if held[v] {
				m |= 1 << k
			}
		}
		return m
	})
}

// within is a sieve that keeps those whose value is from least to most.
func within(not bool, values []int64, least, most int64) sieve {
	return sift(not, len(values), func(lo, hi int) (m uint64) {
		for k, v := range values[lo:hi] {
			if v >= least && v <= most {
				m |= 1 << k
			}
		}
		return m
	})
}

// sift is a sieve of what 64 allocations at a time are.
func sift(not bool, n int, word func(lo, hi int) uint64) sieve {
	return func(words Set, from int) {
		for i, w := range words {
			if w == 0 {
				continue
			}
			lo := from + i<<6
			m := word(lo, min(n, lo+64))
			if not {
				m = ^m
			}
			words[i] = w & m
		}
	}
}

// sieve is a term as a condition on allocations.
func (s *Searcher) sieve(ctx context.Context, t *term) (sieve, error) {
	tl, n := s.t, len(s.t.Size)
	switch t.kind {
	case inFrames, inSite, byStack:
		held, err := s.held(ctx, t)
		if err != nil {
			return nil, err
		}
		return among(t.not, s.stacksOf(), held), nil
	case bySize:
		return within(t.not, tl.Size, t.least, t.most), nil
	case byLife:
		if !tl.HasTime() {
			return nil, &Error{"no times were recorded, so no lifetime is known", t.offset, t.length}
		}
		return within(t.not, s.lives(), t.least, t.most), nil
	case byAddr:
		return each(t.not, func(id layout.ID) bool { return t.atAddress(tl.AddrOf(id), tl.Size[id]) }), nil
	case byStream:
		held := make([]bool, len(tl.Snapshot.Streams))
		for i, v := range tl.Snapshot.Streams {
			held[i] = v == t.least
		}
		return among(t.not, s.streamOf.of(n, tl.StreamOf), held), nil
	case byPool:
		held := make([]bool, len(tl.Snapshot.Pools))
		for i, p := range tl.Snapshot.Pools {
			held[i] = i > 0 && p == t.pool
		}
		return among(t.not, s.poolOf.of(n, tl.PoolOf), held), nil
	case byPhase:
		return s.during(t)
	case neverFreed:
		return each(t.not, func(id layout.ID) bool { return tl.Death[id] == layout.Never }), nil
	}
	return each(t.not, func(id layout.ID) bool { return tl.BeforeRecording(id) }), nil
}

// stacksOf is where each allocation was made.
func (s *Searcher) stacksOf() []snapshot.StackID { return s.stackOf.of(len(s.t.Size), s.t.StackOf) }

// lives is how long each allocation lived, nil if no times were recorded.
func (s *Searcher) lives() []int64 {
	if !s.t.HasTime() {
		return nil
	}
	return s.lifeOf.of(len(s.t.Size), func(id layout.ID) int64 { return Lifetime(s.t, id) })
}

// atAddress reports whether an address begins with the digits, or the block holds the byte there.
func (t *term) atAddress(addr uint64, size int64) bool {
	if t.addr-addr < uint64(max(1, size)) {
		return true
	}
	shift := bits.Len64(addr)
	digits := (shift+3)/4 - len(t.text)
	return digits >= 0 && t.text != "" && addr>>(4*digits) == t.addr
}

// during holds for allocations made in a phase of that name.
func (s *Searcher) during(t *term) (sieve, error) {
	tl := s.t
	switch {
	case !tl.HasTime():
		return nil, &Error{"no times were recorded, so no phase is known", t.offset, t.length}
	case len(s.phases().All) == 0:
		return nil, &Error{"the file has no annotations of this device, so there are no phases", t.offset, t.length}
	}
	// Where some phase of the name is in force: times in which they begin and end in turn.
	var edges []int64
	held := map[string]bool{}
	for i := range s.phases().All { // by Start
		p := &s.phases().All[i]
		yes, known := held[p.Name]
		if !known {
			yes = t.holds(p.Name)
			held[p.Name] = yes
		}
		if !yes {
			continue
		}
		if n := len(edges); n > 0 && p.Start <= edges[n-1] {
			edges[n-1] = max(edges[n-1], p.End)
		} else {
			edges = append(edges, p.Start, p.End)
		}
	}
	// The same in states: made in an action a of a phase is born in a+1.
	births := make([]int32, len(edges))
	count := len(tl.Actions)
	for i, at := range edges {
		births[i] = 1 + int32(sort.Search(count, func(a int) bool {
			us := tl.TimeOf(a)
			return us > at || us == at && i%2 == 0
		}))
	}
	return func(words Set, from int) {
		at := 0 // births mostly ascend: the stretch before is nearly always the one again
		each(t.not, func(id layout.ID) bool {
			b := tl.Birth[id]
			if tl.BeforeRecording(id) {
				return false
			}
			if !(at < len(births) && b < births[at] && (at == 0 || b >= births[at-1])) {
				at = sort.Search(len(births), func(i int) bool { return births[i] > b })
			}
			return at%2 == 1
		})(words, from)
	}, nil
}
