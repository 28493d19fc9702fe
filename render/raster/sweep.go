package raster

import (
	"context"
	"math"
	"runtime"
	"sort"

	"strata/layout"
)

// A sweep goes through the columns of a raster from left to right. It keeps the stack of the column it is at, and
// knows up to which byte nothing has changed since the column before: that part is copied.
//
// Steps never decrease along the columns, so one pass over the actions between the first and the last finds all that
// enters and leaves.
type sweep struct {
	stack
	// gap is where the column before had one, MaxInt64 if nowhere.
	gap int64

	rows []int64 // byte of each row's centre, bottom to top
	// columns holds columns, bottom to top, until enough of them are done to be written as whole cache lines, and the
	// last of those before.
	columns [stripe + 1][]layout.ID
}

// stripe is how many columns are written together: a cache line of IDs.
const stripe = 16

// newSweep is a sweep at the first column of r.
func newSweep(r *Raster) *sweep {
	n := len(r.bytes)
	s := &sweep{stack: newStack(r.Timeline), gap: math.MaxInt64, rows: make([]int64, n)}
	for j := range s.rows {
		s.rows[j] = r.bytes[n-1-j]
	}
	for i := range s.columns {
		s.columns[i] = make([]layout.ID, n)
	}
	return s
}

// columns fills the columns [from, to) of r.
func (r *Raster) columns(ctx context.Context, from, to int) error {
	s := newSweep(r)
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
				continue
			case m == last:
				copy(column, previous)
			default:
				s.draw(column, previous, m)
			}
			last, previous = m, column
		}
		r.write(&s.columns, x, n)
		if previous != nil {
			// The first columns of the next stripe overwrite this one's.
			copy(s.columns[stripe], previous)
			previous = s.columns[stripe]
		}
	}
	return nil
}

// write copies n columns into the raster, at x, in pieces that stay in the nearest cache.
func (r *Raster) write(columns *[stripe + 1][]layout.ID, x, n int) {
	const piece = 64
	rows := len(columns[0])
	for from := 0; from < rows; from += piece {
		end := min(from+piece, rows)
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
			c0 := columns[i][from:end]
			c1, c2, c3 := columns[i+1][from:][:len(c0)], columns[i+2][from:][:len(c0)], columns[i+3][from:][:len(c0)]
			for j, id := range c0 {
				d := r.all[to : to+4 : to+4]
				d[0], d[1], d[2], d[3] = id, c1[j], c2[j], c3[j]
				to -= r.W
			}
		}
	}
}

// draw fills the column of moment m. What is below the lowest change since the column previous, the last one drawn,
// is copied from there.
func (s *sweep) draw(column, previous []layout.ID, m layout.Moment) {
	changed := s.advance(m.Step)
	t := s.t
	gone, down := t.Sliding(m)
	gap := int64(math.MaxInt64)
	var size int64
	if gone >= 0 && t.Drawn(gone) {
		gap, size = s.offset(t.Slot(gone)), t.Size[gone]
	} else {
		down = 0
	}
	changed = min(changed, gap, s.gap) // above a gap, now or before, all has moved
	s.gap = gap
	j := s.below(0, 0)
	if previous == nil {
		fillColumn(column[:j], layout.None)
	} else {
		j = s.below(changed, 0)
		copy(column[:j], previous)
	}
	if gap < math.MaxInt64 {
		j = s.fill(column, s.rows, j, s.below(gap, j), 0)
		end := s.below(gap+size-down, j)
		fillColumn(column[j:end], layout.None)
		j = end
	}
	j = s.fill(column, s.rows, j, len(column), -down)
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
