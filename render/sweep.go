package render

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"

	"strata/layout"
)

// blockLen is how many allocations a block of the stack holds at most.
const blockLen = 64

// A block is a few consecutive live allocations of the stack.
type block struct {
	n      int
	doomed int32               // the least of death
	ids    [blockLen]layout.ID // bottom to top
	death  [blockLen]int32     // first state without it
	end    [blockLen]int64     // bytes from the block's bottom to its upper edge
}

func (b *block) sum() int64 {
	if b.n == 0 {
		return 0
	}
	return b.end[b.n-1]
}

func (b *block) add(id layout.ID, size int64, death int32) {
	b.ids[b.n], b.death[b.n], b.end[b.n] = id, death, b.sum()+size
	b.doomed = min(b.doomed, death)
	b.n++
}

// drop takes out what is dead at a step and returns how far from the block's
// bottom the lowest of it lay.
func (b *block) drop(step int32) int64 {
	n, lowest := 0, int64(math.MaxInt64)
	var at, removed int64 // upper edge of the one below, before and since
	b.doomed = layout.Never
	for i := range b.n {
		end := b.end[i]
		if b.death[i] <= step {
			lowest = min(lowest, at)
			removed += end - at
		} else {
			b.ids[n], b.death[n], b.end[n] = b.ids[i], b.death[i], end-removed
			b.doomed = min(b.doomed, b.death[i])
			n++
		}
		at = end
	}
	b.n = n
	return lowest
}

// A sweep goes through the columns of a raster from left to right and keeps
// the stack of the column it is at: in blocks, so that what lies between two
// row centres is stepped over without being looked at, and with the place up
// to which nothing has changed since the column before, which is copied.
//
// An allocation enters when it is live at a column's step; births never
// decrease along Timeline.Order and steps never along the columns, so one
// pass over the births between the first and the last step finds all of them.
type sweep struct {
	t      *layout.Timeline
	blocks []*block
	spare  []*block // emptied ones, to be used again
	live   int      // allocations in blocks
	next   int      // index in Order of the next to be born

	// base[i] is the byte at which blocks[i] begins, known for i ≤ known.
	base  []int64
	known int
	// gap is where the column before had one, MaxInt64 if nowhere.
	gap int64

	rows []int64 // byte of each row's centre, bottom to top
	scratch
}

// A scratch holds columns until enough of them are done to be written as
// whole cache lines.
type scratch struct {
	columns [][]layout.ID // bottom to top
	ids     []layout.ID   // for Timeline.Live
}

// stripe is how many columns are written together: a cache line of IDs.
const stripe = 16

// sweeps keeps the memory of sweeps that are done.
var sweeps = sync.Pool{New: func() any { return new(sweep) }}

// columns fills the columns [from, to) of r.
func (r *Raster) columns(ctx context.Context, from, to int) error {
	s := sweeps.Get().(*sweep)
	defer func() {
		s.clear()
		sweeps.Put(s)
	}()
	s.prepare(r)
	last := layout.NoMoment
	var previous []layout.ID
	for x := from; x < to; x += stripe {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(stripe, to-x)
		for i, m := range r.Columns[x : x+n] {
			column := s.columns[i]
			switch {
			case m.Step < 0:
				for j := range column {
					column[j] = layout.None
				}
			case m == last && previous != nil:
				copy(column, previous)
			default:
				s.draw(column, previous, m)
				last = m
			}
			if m.Step >= 0 {
				previous = column
			}
		}
		r.write(s.columns[:n], x)
		if previous != nil {
			// The first columns of the next stripe overwrite this one's.
			copy(s.columns[stripe], previous)
			previous = s.columns[stripe]
		}
	}
	return nil
}

// write copies done columns into the raster, at x.
func (r *Raster) write(columns [][]layout.ID, x int) {
	n := r.H + before + after
	for j := range n {
		row := r.all[(n-1-j)*r.W+x:][:len(columns)]
		for i := range row {
			row[i] = columns[i][j]
		}
	}
}

// prepare makes a sweep ready for a raster.
func (s *sweep) prepare(r *Raster) {
	s.t = r.t
	n := r.H + before + after
	s.rows = slices.Grow(s.rows[:0], n)[:n]
	for j := range s.rows {
		s.rows[j] = r.ByteAt(n - 1 - j - before)
	}
	if len(s.columns) == 0 {
		s.columns = make([][]layout.ID, stripe+1)
	}
	for i := range s.columns {
		s.columns[i] = slices.Grow(s.columns[i][:0], n)[:n]
	}
	s.next, s.gap = -1, math.MaxInt64
	s.base = append(s.base[:0], 0)
	s.known = 0
}

// clear lets go of the timeline and keeps the memory.
func (s *sweep) clear() {
	s.t = nil
	s.spare = append(s.spare, s.blocks...)
	s.blocks = s.blocks[:0]
	s.live = 0
	const keep = 1024 // a megabyte of blocks
	if len(s.spare) > keep {
		clear(s.spare[keep:])
		s.spare = s.spare[:keep]
	}
}

// draw fills the column of moment m. What is below the lowest change since
// the column previous, the last one drawn, is copied from there.
func (s *sweep) draw(column, previous []layout.ID, m layout.Moment) {
	changed := int64(0)
	if s.next < 0 {
		s.start(m.Step)
	} else {
		changed = s.advance(m.Step)
	}
	t := s.t
	gone, down := t.Sliding(m)
	gap := int64(math.MaxInt64)
	var size int64
	if gone >= 0 && t.Drawn(gone) {
		gap, size = s.find(gone, m.Step+1), t.Size[gone]
	}
	changed = min(changed, gap, s.gap) // above a gap, now or before, all has moved
	s.gap = gap
	var j int
	if previous == nil {
		j = s.below(0, 0)
		fillColumn(column[:j], layout.None)
	} else {
		j = s.below(changed, 0)
		copy(column[:j], previous)
	}
	if gap < math.MaxInt64 {
		j = s.fill(column, j, s.below(gap, j), 0)
		end := s.below(gap+size-down, j)
		fillColumn(column[j:end], layout.None)
		j = s.fill(column, end, len(column), down)
	} else {
		j = s.fill(column, j, len(column), 0)
	}
	end := s.below(t.Height(m), j)
	fillColumn(column[j:end], layout.Rest)
	fillColumn(column[end:], layout.None)
}

func fillColumn(column []layout.ID, id layout.ID) {
	for i := range column {
		column[i] = id
	}
}

// below is the number of rows whose byte is below y, at least from.
func (s *sweep) below(y int64, from int) int {
	rows := s.rows[from:]
	return from + sort.Search(len(rows), func(i int) bool { return rows[i] >= y })
}

// fill fills rows from j on, up to to, with the allocations that lie shift
// bytes above them, and returns the first row above the last allocation.
func (s *sweep) fill(column []layout.ID, j, to int, shift int64) int {
	if j >= to {
		return j
	}
	// The last block known to begin at or below the row.
	y := s.rows[j] + shift
	i := sort.Search(s.known, func(i int) bool { return s.base[i+1] > y })
	for ; i < len(s.blocks); i++ {
		b := s.blocks[i]
		base := s.base[i]
		end := base + b.sum()
		if i == s.known {
			s.base = append(s.base[:i+1], end)
			s.known = i + 1
		}
		if y >= end {
			continue
		}
		k := 0
		for y < end {
			at := y - base
			for k+8 <= b.n && b.end[k+7] <= at {
				k += 8
			}
			for b.end[k] <= at {
				k++
			}
			id, top := b.ids[k], base+b.end[k]-shift
			for j < to && s.rows[j] < top {
				column[j] = id
				j++
			}
			if j >= to {
				return j
			}
			y = s.rows[j] + shift
		}
	}
	return j
}

// start takes over the stack of the first column.
func (s *sweep) start(step int32) {
	t := s.t
	s.ids = t.Live(s.ids[:0], step)
	for _, id := range s.ids {
		s.push(id, t.Death[id])
	}
	s.next = sort.Search(len(t.Order), func(i int) bool { return t.Birth[t.Order[i]] > step })
}

// push puts an allocation on top.
func (s *sweep) push(id layout.ID, death int32) {
	n := len(s.blocks)
	if n == 0 || s.blocks[n-1].n == blockLen {
		s.blocks = append(s.blocks, s.fresh())
		n++
	}
	s.blocks[n-1].add(id, s.t.Size[id], death)
	s.known = min(s.known, n-1)
	s.live++
}

// fresh is an empty block.
func (s *sweep) fresh() *block {
	n := len(s.spare)
	if n == 0 {
		return &block{doomed: layout.Never}
	}
	b := s.spare[n-1]
	s.spare = s.spare[:n-1]
	b.n, b.doomed = 0, layout.Never
	return b
}

// advance brings the stack to a later step and returns the byte below which
// nothing has changed.
func (s *sweep) advance(step int32) int64 {
	changed := s.base[s.known]
	for i, b := range s.blocks {
		if b.doomed > step {
			continue
		}
		n := b.n
		lowest := b.drop(step)
		s.live -= n - b.n
		if i <= s.known {
			changed = min(changed, s.base[i]+lowest)
			s.known = i
		}
	}
	if len(s.blocks)*blockLen > 4*s.live+16*blockLen {
		s.compact()
	}
	t := s.t
	for ; s.next < len(t.Order); s.next++ {
		id := t.Order[s.next]
		if t.Birth[id] > step {
			break
		}
		if death := t.Death[id]; death > step {
			s.push(id, death)
		}
	}
	return changed
}

// compact makes full blocks of half-empty ones.
func (s *sweep) compact() {
	old := s.blocks
	s.blocks = make([]*block, 0, s.live/blockLen+16)
	s.live, s.known = 0, 0
	for _, b := range old {
		for i := range b.n {
			s.push(b.ids[i], b.death[i])
		}
		s.spare = append(s.spare, b)
	}
}

// find is the byte at which the allocation lies that ends next, at state
// death.
func (s *sweep) find(id layout.ID, death int32) int64 {
	for i, b := range s.blocks {
		if i == s.known {
			s.base = append(s.base[:i+1], s.base[i]+b.sum())
			s.known = i + 1
		}
		if b.doomed != death {
			continue
		}
		at := s.base[i]
		for k := range b.n {
			if b.ids[k] == id {
				return at
			}
			at = s.base[i] + b.end[k]
		}
	}
	return math.MaxInt64
}
