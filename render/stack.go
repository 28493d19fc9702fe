package render

import (
	"math"
	"slices"
	"sort"

	"strata/layout"
)

// A stack is the live set of one step in a sweep over ascending steps. It is
// held in blocks of up to blockLen allocations, bottom to top, of which the
// sums are known, so that what lies between two row centres is stepped over
// without being looked at.
type stack struct {
	t    *layout.Timeline
	next int // index in Order of the next to be born; -1 before start
	live int // allocations in all blocks

	// Per block, in slices of their own so that passes over all blocks stay
	// in few cache lines.
	ids    [][]layout.ID // bottom to top
	total  []int64       // bytes
	doomed []int32       // the first state in which one of it is no longer live
	ends   []*ends       // nil until the block has been looked into twice
	seen   []bool        // looked into once

	// groups holds the least of doomed of blockLen blocks each.
	groups []int32

	// base[i] is the byte at which block i begins, known for i ≤ known.
	base  []int64
	known int

	first []layout.ID // what start found; blocks are slices of it
	arena []layout.ID // unused rest of memory for blocks
	spare []*ends
}

// blockLen is how many allocations a block holds at most, and how many
// blocks a group.
const blockLen = 64

// ends are the upper edges of a block's allocations, above its base.
type ends [blockLen]int64

// reset makes the stack ready for a sweep over t.
func (s *stack) reset(t *layout.Timeline) {
	s.t, s.next, s.live = t, -1, 0
	s.drain()
	s.base, s.known = append(s.base[:0], 0), 0
}

// drain empties the blocks.
func (s *stack) drain() {
	for _, e := range s.ends {
		if e != nil && len(s.spare) < 1024 {
			s.spare = append(s.spare, e)
		}
	}
	clear(s.ids)
	clear(s.ends)
	s.ids, s.total, s.doomed = s.ids[:0], s.total[:0], s.doomed[:0]
	s.ends, s.seen, s.groups = s.ends[:0], s.seen[:0], s.groups[:0]
	s.live = 0
}

// start takes over the live set of the first step.
func (s *stack) start(step int32) {
	t := s.t
	s.first = t.Live(s.first[:0], step)
	// The last block can be filled up in place.
	s.first = slices.Grow(s.first, blockLen)
	for at := 0; at < len(s.first); at += blockLen {
		end := min(at+blockLen, len(s.first))
		s.append(s.first[at : end : at+blockLen])
	}
	s.next = sort.Search(len(t.Order), func(i int) bool { return t.Birth[t.Order[i]] > step })
}

// append adds a block on top.
func (s *stack) append(ids []layout.ID) {
	i := len(s.ids)
	s.ids, s.total, s.doomed = append(s.ids, ids), append(s.total, 0), append(s.doomed, layout.Never)
	s.ends, s.seen = append(s.ends, nil), append(s.seen, false)
	if i%blockLen == 0 {
		s.groups = append(s.groups, layout.Never)
	}
	s.live += len(ids)
	s.measure(i)
}

// measure sums up a block.
func (s *stack) measure(i int) {
	total, doomed := int64(0), layout.Never
	size, death := s.t.Size, s.t.Death
	for _, id := range s.ids[i] {
		total += size[id]
		doomed = min(doomed, death[id])
	}
	s.total[i], s.doomed[i] = total, doomed
	g := i / blockLen
	s.groups[g] = min(s.groups[g], doomed)
}

// push puts an allocation on top.
func (s *stack) push(id layout.ID) {
	i := len(s.ids) - 1
	if i < 0 || len(s.ids[i]) == blockLen {
		if len(s.arena) < blockLen {
			s.arena = make([]layout.ID, 1<<14)
		}
		s.append(s.arena[:0:blockLen])
		s.arena = s.arena[blockLen:]
		i++
	}
	s.ids[i] = append(s.ids[i], id)
	size := s.t.Size[id]
	s.total[i] += size
	if e := s.ends[i]; e != nil {
		e[len(s.ids[i])-1] = s.total[i]
	}
	s.doomed[i] = min(s.doomed[i], s.t.Death[id])
	s.groups[i/blockLen] = min(s.groups[i/blockLen], s.doomed[i])
	s.known = min(s.known, i)
	s.live++
}

// advance brings the stack to a later step and returns the byte below which
// nothing has changed.
func (s *stack) advance(step int32) int64 {
	changed := s.base[s.known]
	for g, doomed := range s.groups {
		if doomed > step {
			continue
		}
		least := layout.Never
		for i := g * blockLen; i < min((g+1)*blockLen, len(s.ids)); i++ {
			if s.doomed[i] <= step {
				lowest := s.drop(i, step)
				if i <= s.known {
					changed = min(changed, s.base[i]+lowest)
					s.known = i
				}
			}
			least = min(least, s.doomed[i])
		}
		s.groups[g] = least
	}
	if len(s.ids)*blockLen > 4*s.live+16*blockLen {
		s.compact()
	}
	t := s.t
	for ; s.next < len(t.Order); s.next++ {
		id := t.Order[s.next]
		if t.Birth[id] > step {
			break
		}
		if t.Death[id] > step {
			s.push(id)
		}
	}
	return changed
}

// drop takes out of a block what is dead at a step and returns how far from
// the block's bottom the lowest of it lay.
func (s *stack) drop(i int, step int32) int64 {
	ids, lowest, at := s.ids[i], int64(-1), int64(0)
	n := 0
	for _, id := range ids {
		if s.t.Death[id] > step {
			ids[n] = id
			n++
			at += s.t.Size[id]
		} else if lowest < 0 {
			lowest = at
		}
	}
	s.live -= len(ids) - n
	s.ids[i] = ids[:n]
	if e := s.ends[i]; e != nil {
		s.spare, s.ends[i] = append(s.spare, e), nil
	}
	s.measure(i)
	return lowest
}

// compact makes full blocks of half-empty ones.
func (s *stack) compact() {
	all := make([]layout.ID, 0, s.live+blockLen)
	for _, ids := range s.ids {
		all = append(all, ids...)
	}
	s.drain()
	s.known = 0
	for at := 0; at < len(all); at += blockLen {
		s.append(all[at : min(at+blockLen, len(all)) : at+blockLen])
	}
}

// find is the byte at which the allocation lies that is the next to end, at
// state death; MaxInt64 if it is not in the stack.
func (s *stack) find(id layout.ID, death int32) int64 {
	for g, doomed := range s.groups {
		if doomed != death {
			continue
		}
		for i := g * blockLen; i < min((g+1)*blockLen, len(s.ids)); i++ {
			if s.doomed[i] == death {
				at := s.baseOf(i)
				for _, x := range s.ids[i] {
					if x == id {
						return at
					}
					at += s.t.Size[x]
				}
			}
		}
	}
	return math.MaxInt64
}

// baseOf is the byte at which block i begins.
func (s *stack) baseOf(i int) int64 {
	for s.known < i {
		s.base = append(s.base[:s.known+1], s.base[s.known]+s.total[s.known])
		s.known++
	}
	return s.base[i]
}

// fill fills rows from j on, up to to, with the allocations that lie shift
// bytes above them, and returns the first row above the last allocation.
// rows ascend; column is as long.
func (s *stack) fill(column []layout.ID, rows []int64, j, to int, shift int64) int {
	if j >= to {
		return j
	}
	y := rows[j] + shift
	i := sort.Search(s.known, func(i int) bool { return s.base[i+1] > y })
	for ; i < len(s.ids); i++ {
		base := s.base[i]
		end := base + s.total[i]
		if i == s.known {
			s.base = append(s.base[:i+1], end)
			s.known = i + 1
		}
		if y >= end {
			continue
		}
		if e := s.endsOf(i); e != nil {
			j = fillSearched(column, rows, j, to, base-shift, s.ids[i], e)
		} else {
			j = s.fillWalked(column, rows, j, to, base-shift, s.ids[i])
		}
		if j >= to {
			return j
		}
		y = rows[j] + shift
	}
	return j
}

// endsOf is the edges in a block, nil the first time: it may be the last.
func (s *stack) endsOf(i int) *ends {
	if e := s.ends[i]; e != nil {
		return e
	}
	if !s.seen[i] {
		s.seen[i] = true
		return nil
	}
	var e *ends
	if n := len(s.spare); n > 0 {
		e, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		e = new(ends)
	}
	at := int64(0)
	for k, id := range s.ids[i] {
		at += s.t.Size[id]
		e[k] = at
	}
	s.ends[i] = e
	return e
}

// fillSearched fills the rows of one block that begins at base and of which
// the first row lies in it.
func fillSearched(column []layout.ID, rows []int64, j, to int, base int64, ids []layout.ID, e *ends) int {
	k, n := 0, len(ids)
	for j < to {
		y := rows[j] - base
		for k+8 <= n && e[k+7] <= y {
			k += 8
		}
		for k < n && e[k] <= y {
			k++
		}
		if k == n {
			break
		}
		id, top := ids[k], base+e[k]
		for j < to && rows[j] < top {
			column[j] = id
			j++
		}
	}
	return j
}

// fillWalked is fillSearched without the edges.
func (s *stack) fillWalked(column []layout.ID, rows []int64, j, to int, base int64, ids []layout.ID) int {
	y := rows[j]
	for _, id := range ids {
		base += s.t.Size[id]
		if y >= base {
			continue
		}
		for rows[j] < base {
			column[j] = id
			if j++; j >= to {
				return j
			}
		}
		y = rows[j]
	}
	return j
}
