package raster

import (
	"math"
	"math/bits"
	"slices"

	"strata/layout"
)

// A solid is the solid part of a sweep's stack that it makes use of: blocks
// [first, end), none of which came before recording.
//
// Stacks from which something goes here and there have none. A ladder of what
// is live at one column, with what goes in the next ones as gaps, was tried
// for those: with 20,000 live it took a fifth less where twelve of them went a
// column, no less where one did, and more elsewhere.
type solid struct {
	ladder *ladder
	ground int // the first block of those that came during recording
	first  int
	end    int
	rest   int // columns for which not to look for another
	fails  int // how often that came to nothing, one time after the other
}

const (
	// worthLadder is how many blocks make a solid part worth it, if they hold
	// half of what is live.
	worthLadder = 5
	// crowded is how many edges there may be on average for a guide's entry.
	crowded = 4
)

// begin makes ready for another timeline.
func (d *solid) begin(t *layout.Timeline) {
	*d = solid{}
	if t != nil {
		id, _ := t.InBlock(0)
		d.ground = int(id+1) / blockLen
	}
}

// cut takes a block out that is no longer full, and what is on one side.
func (d *solid) cut(b int) {
	if b-d.first < d.end-b {
		d.first = b + 1
	} else {
		d.end = b
	}
}

// drop gives the solid part up for some columns, for more of them each time:
// to look for another means to go through all that is live.
func (d *solid) drop() {
	d.first, d.end, d.rest = 0, 0, restFor<<d.fails
	d.fails = min(d.fails+1, 4)
}

// isFull reports whether a block that came during recording is full.
func (s *stack) isFull(b int) bool {
	full := s.solid.ladder.full[b-s.solid.ground]
	return s.live[b] == full && full != 0 && s.bytes[b] < tooLarge
}

// solidify extends the solid part, or looks for one if there is none.
func (s *stack) solidify() {
	d := &s.solid
	if d.rest > 0 {
		d.rest--
		return
	}
	if s.count < worthLadder*blockLen {
		d.first, d.end = 0, 0
		return
	}
	if d.ladder == nil {
		d.ladder = ladderOf(s.t)
	}
	if d.end-d.first < worthLadder || s.jumped {
		d.first, d.end = 0, 0
		first, end := 0, -1
		for i, w := range s.some {
			for ; w != 0; w &= w - 1 {
				g := i<<6 | bits.TrailingZeros64(w)
				for l := s.groups[g].live; l != 0; l &= l - 1 {
					b := g*blockLen | bits.TrailingZeros64(l)
					if b < d.ground || !s.isFull(b) {
						continue
					}
					if b != end {
						first = b
					}
					if end = b + 1; end-first > d.end-d.first {
						d.first, d.end = first, end
					}
				}
			}
		}
	} else {
		for d.end < len(d.ladder.full)+d.ground && s.isFull(d.end) {
			d.end++
		}
	}
	if n := d.end - d.first; n < worthLadder || 2*n*blockLen < s.count {
		d.drop()
	}
}

// A rung is the rows of a column that show the solid part: a row [from, to)
// shows what is at its byte plus shift on the ladder.
type rung struct {
	from, to int
	shift    int64
	// The group in which the solid part ends, and where that begins in the stack.
	group int
	base  int64
}

// none is no rows.
var none = rung{from: math.MaxInt, to: math.MaxInt}

// around copies the other rows of the column before.
func (p rung) around(column, previous []layout.ID) {
	if p == none {
		copy(column, previous)
		return
	}
	copy(column[:p.from], previous)
	copy(column[p.to:], previous[p.to:])
}

// solidRows is the rung of a column in which the place that is closing its
// gap, if not negative, has lowered by so much what is above it.
func (s *sweep) solidRows(gap int32, down int64) rung {
	s.solidify()
	d := &s.solid
	first, end := d.first, d.end
	if gap >= 0 {
		switch b := int(gap / blockLen); {
		case b >= end:
			down = 0
		case b < first:
		case b-first < end-b:
			first = b + 1
		default:
			end, down = b, 0
		}
	}
	if end-first < worthLadder {
		return none
	}
	l := d.ladder
	l.edges.Do(func() { l.measure(s.t) })
	low, high := l.at[first-d.ground], l.at[end-d.ground]
	if l.guide == nil || (high-low)>>l.shift*crowded < int64(end-first)*blockLen {
		d.drop()
		return none
	}
	base := s.offset(int32(first * blockLen))
	from := s.below(base-down, 0)
	p := rung{from: from, to: s.below(base-down+high-low, from), shift: low - base + down, group: (end - 1) / blockLen, base: base + high - low}
	for _, n := range s.bytes[p.group*blockLen : end] {
		p.base -= n
	}
	if p.to-p.from < len(s.rows)/4 {
		d.drop()
		return none
	}
	d.fails = 0
	return p
}

// A spread is the rows that neighbouring columns have yet to find, a few of
// the columns at a time.
type spread struct {
	shifts []int64 // by column; most programs make them ascend
	x      int     // of the first
	parts  []part
	done   []int32 // by row, columns

	// Of a part with few different shifts: these, as often as each is in a
	// row, and what a row shows of them.
	few  []int64
	many []int32
	ids  []layout.ID
}

// A part is some columns of a spread, from the one numbered first on, and
// rows that all of them show.
type part struct{ first, n, from, to int }

// later has common rows of the n columns at x found and written later.
func (s *sweep) later(r *Raster, x, n int, rows rung) {
	d := &s.spread
	if rows.from == rows.to {
		s.flush(r)
		return
	}
	if len(d.shifts) == 0 {
		d.x = x
	}
	d.parts = append(d.parts, part{len(d.shifts), n, rows.from, rows.to})
	for _, p := range s.rungs[:n] {
		d.shifts = append(d.shifts, p.shift)
	}
}

// flush finds what is to be found later.
func (s *sweep) flush(r *Raster) {
	s.spreadParts(r, s.spread.parts)
	s.spread.shifts, s.spread.parts = s.spread.shifts[:0], s.spread.parts[:0]
}

// spreadParts finds the rows of parts that are neighbours, those first that
// all have.
func (s *sweep) spreadParts(r *Raster, parts []part) {
	if len(parts) == 0 {
		return
	}
	all, some := parts[0], false
	all.n = 0
	for _, p := range parts {
		all.n += p.n
		all.from, all.to = max(all.from, p.from), min(all.to, p.to)
		some = some || p.from < p.to
	}
	switch {
	case !some:
	case all.from < all.to:
		s.spreadPart(r, all)
		rest := slices.Clone(parts)
		for i := range rest {
			rest[i].from = all.to
		}
		s.spreadParts(r, rest)
		for i, p := range parts {
			rest[i] = part{p.first, p.n, p.from, all.from}
		}
		s.spreadParts(r, rest)
	default:
		middle := len(parts) / 2
		s.spreadParts(r, parts[:middle])
		s.spreadParts(r, parts[middle:])
	}
}

// stretch is how many entries of a guide, with the edges that they lead to,
// are in a near cache at a time.
const stretch = 1 << 14

// spreadPart finds rows of some columns and writes them where they go. Of a
// ladder that is too large for a near cache it finds all that lies on one
// stretch before it goes on to the next.
func (s *sweep) spreadPart(r *Raster, p part) {
	l, shifts := s.solid.ladder, s.spread.shifts[p.first:][:p.n]
	if s.spread.fewShifts(shifts) {
		s.spreadFew(r, p)
		return
	}
	done := slices.Grow(s.spread.done[:0], len(s.rows))[:len(s.rows)]
	s.spread.done = done
	clear(done)
	first, far := p.from, int64(stretch)<<l.shift
	for limit := s.rows[first] + shifts[0] + far; first < p.to; limit += far {
		end := len(shifts)
		for j := first; j < p.to; j++ {
			y := s.rows[j]
			for end > 0 && y+shifts[end-1] >= limit {
				end--
			}
			if end == 0 {
				break
			}
			if end == len(shifts) {
				first = j + 1
			}
			if n := int(done[j]); n < end {
				l.find(r.all[(len(s.rows)-1-j)*r.W+s.spread.x+p.first+n:], shifts[n:end], y)
				done[j] = int32(end)
			}
		}
	}
}

// fewShifts lists the shifts that are not the one before and reports whether
// they are few.
func (d *spread) fewShifts(shifts []int64) bool {
	d.few, d.many = d.few[:0], d.many[:0]
	for i, shift := range shifts {
		if i > 0 && shift == shifts[i-1] {
			d.many[len(d.many)-1]++
			continue
		}
		if len(d.few) == len(shifts)/4 {
			return false
		}
		d.few, d.many = append(d.few, shift), append(d.many, 1)
	}
	return true
}

// spreadFew is spreadPart for a part with few different shifts.
func (s *sweep) spreadFew(r *Raster, p part) {
	d := &s.spread
	d.ids = slices.Grow(d.ids[:0], len(d.few))[:len(d.few)]
	for j := p.from; j < p.to; j++ {
		s.solid.ladder.find(d.ids, d.few, s.rows[j])
		row := r.all[(len(s.rows)-1-j)*r.W+d.x+p.first:][:p.n]
		for i, id := range d.ids {
			n := d.many[i]
			fillColumn(row[:n], id)
			row = row[n:]
		}
	}
}
