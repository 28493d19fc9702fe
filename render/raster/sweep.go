package raster

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sort"

	"strata/layout"
)

// A sweep goes through the columns of a raster from left to right. It keeps
// the stack of the column it is at, and knows up to which byte nothing has
// changed since the column before: that part is copied.
//
// Steps never decrease along the columns, so one pass over the actions between
// the first and the last finds all that enters and leaves.
type sweep struct {
	stack
	// gap is where the column before had one, MaxInt64 if nowhere.
	gap int64

	rows []int64 // byte of each row's centre, bottom to top
	// columns holds columns, bottom to top, until enough of them are done to
	// be written as whole cache lines, and the last of those before.
	columns [stripe + 1][]layout.ID
	// rungs is which rows of them are not in columns, but yet to be found,
	// and rung that of the column that was drawn last.
	rungs  [stripe]rung
	rung   rung
	spread spread
}

// stripe is how many columns are written together: a cache line of IDs.
const stripe = 16

// sweeps keeps the memory of sweeps that are done, for as many as run at a
// time. A sync.Pool would lose it at every other garbage collection, and with
// a million live allocations making it anew takes longer than a sweep.
var sweeps = make(chan *sweep, 4)

// newSweep is a sweep ready for r.
func newSweep(r *Raster) *sweep {
	var s *sweep
	select {
	case s = <-sweeps:
	default:
		s = new(sweep)
	}
	s.prepare(r)
	return s
}

// done gives the sweep's memory back.
func (s *sweep) done() {
	s.reset(nil)
	select {
	case sweeps <- s:
	default:
	}
}

// columns fills the columns [from, to) of r.
func (r *Raster) columns(ctx context.Context, from, to int) error {
	s := newSweep(r)
	defer s.done()
	last := layout.NoMoment
	var previous []layout.ID
	for x := from; x < to; x += stripe {
		if err := ctx.Err(); err != nil {
			return err
		}
		runtime.Gosched() // workers may hold every core: a frame must not wait for them
		n := min(stripe, to-x)
		for i, m := range r.Columns[x : x+n] {
			column := s.columns[i]
			switch {
			case m.Step < 0:
				fillColumn(column, layout.None)
				s.rungs[i] = none
				continue
			case m == last:
				s.rung.around(column, previous)
			default:
				s.draw(column, previous, m)
			}
			s.rungs[i] = s.rung
			last, previous = m, column
		}
		common := s.common(n)
		r.write(&s.columns, x, n, 0, common.from)
		r.write(&s.columns, x, n, common.to, len(s.rows))
		s.later(r, x, n, common)
		if previous != nil {
			// The first columns of the next stripe overwrite this one's.
			copy(s.columns[stripe], previous)
			previous = s.columns[stripe]
		}
	}
	s.flush(r)
	return nil
}

// common is the rows that all of the first n columns have yet to find. Those
// that only some have, it finds.
func (s *sweep) common(n int) rung {
	c := rung{to: len(s.rows)}
	for _, p := range s.rungs[:n] {
		c.from, c.to = max(c.from, p.from), min(c.to, p.to)
	}
	if c.from >= c.to {
		c.from, c.to = len(s.rows), len(s.rows)
	}
	for i, p := range s.rungs[:n] {
		if p != none {
			low, high := min(c.from, p.to), max(c.to, p.from)
			// Rows are to a column what shifts are to a row.
			s.solid.ladder.find(s.columns[i][p.from:], s.rows[p.from:low], p.shift)
			s.solid.ladder.find(s.columns[i][high:], s.rows[high:max(high, p.to)], p.shift)
		}
	}
	return c
}

// write copies rows [low, high) of n done columns into the raster, at x. It
// turns them over in pieces that stay in the nearest cache.
func (r *Raster) write(columns *[stripe + 1][]layout.ID, x, n, low, high int) {
	const piece = 64
	rows := len(columns[0])
	for from := low; from < high; from += piece {
		end := min(from+piece, high)
		for i := 0; i < n; i += 4 {
			to := (rows-1-from)*r.W + x + i
			if n-i < 4 {
				for k := i; k < n; k++ {
					for j, id := range columns[k][from:end] {
						r.all[to+k-i-j*r.W] = id
					}
				}
				break
			}
			c0, c1, c2, c3 := columns[i][from:end], columns[i+1][from:end], columns[i+2][from:end], columns[i+3][from:end]
			c1, c2, c3 = c1[:len(c0)], c2[:len(c0)], c3[:len(c0)]
			for j, id := range c0 {
				d := r.all[to : to+4 : to+4]
				d[0], d[1], d[2], d[3] = id, c1[j], c2[j], c3[j]
				to -= r.W
			}
		}
	}
}

// prepare makes a sweep ready for a raster.
func (s *sweep) prepare(r *Raster) {
	s.reset(r.Timeline)
	s.gap, s.rung = math.MaxInt64, none
	s.spread.shifts, s.spread.parts = s.spread.shifts[:0], s.spread.parts[:0]
	n := len(r.bytes)
	s.rows = slices.Grow(s.rows[:0], n)[:n]
	for j := range s.rows {
		s.rows[j] = r.bytes[n-1-j]
	}
	s.places, s.tops = slices.Grow(s.places[:0], n)[:n], slices.Grow(s.tops[:0], n)[:n]
	s.known, s.bare = n, n
	for i := range s.columns {
		s.columns[i] = slices.Grow(s.columns[i][:0], n)[:n]
	}
}

// draw fills the column of moment m. What is below the lowest change since
// the column previous, the last one drawn, is copied from there.
func (s *sweep) draw(column, previous []layout.ID, m layout.Moment) {
	changed := s.advance(m.Step)
	t := s.t
	gone, down := t.Sliding(m)
	gap := int64(math.MaxInt64)
	var size int64
	if gone >= 0 && t.Drawn(gone) {
		gap, size = s.offset(t.Slot(gone)), t.Size[gone]
	}
	changed = min(changed, gap, s.gap) // above a gap, now or before, all has moved
	s.gap = gap
	lowest := int32(-1) // what lies above this place has slid alike
	if gap < math.MaxInt64 {
		lowest = t.Slot(gone)
	} else {
		down = 0
	}
	j := s.below(0, 0)
	if previous == nil {
		s.known = len(column)
		fillColumn(column[:j], layout.None)
	} else {
		j = min(s.below(changed, 0), s.rung.from)
	}
	s.rung = s.solidRows(lowest, down)
	if j = min(j, s.rung.from); previous != nil {
		copy(column[:j], previous)
	}
	slid, by := s.slides(lowest, down, j, previous != nil && s.rung == none)
	if gap < math.MaxInt64 {
		j = s.fill(column, j, min(slid, s.below(gap, j)), 0)
		end := min(slid, s.below(gap+size-down, j))
		fillColumn(column[j:end], layout.None)
		s.blank(j, end, lowest)
		j = end
	}
	if j = s.fill(column, j, slid, down); j == slid && j < len(column) {
		j = s.slideRows(column, previous, s.rows, j, by)
		j = s.fill(column, j, len(column), down)
	}
	s.blankAbove(j)
	end := s.below(t.Height(m), j)
	fillColumn(column[j:end], layout.Rest)
	fillColumn(column[end:], layout.None)
}

// fill fills rows from j on, up to to, but for those of the rung, with the
// allocations that lie shift bytes above them, and returns the first row above
// the last allocation.
func (s *sweep) fill(column []layout.ID, j, to int, shift int64) int {
	p := &s.rung
	if j < p.from {
		if j = s.stack.fill(column, s.rows, j, min(to, p.from), 0, -shift); j < p.from {
			return j
		}
	}
	if j < p.to {
		j = min(to, p.to)
	}
	return s.stack.fill(column, s.rows, j, to, p.group, p.base-shift)
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
