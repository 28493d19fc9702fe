package raster

import (
	"math"
	"math/bits"

	"strata/layout"
)

// A slide finds a column from the one before where all that is between is
// that the upper part of the stack has sunk: blocks below it were freed, or
// one of them is just closing its gap. A row then shows what it showed before
// or one of the next few above that, which is found without a search, however
// many blocks are live. Programs that free about first what came first are of
// that kind, and they move every pixel; where they do so exactly, see solid.
type slide struct {
	// Of the column before, by row: the place of what it shows, and the upper
	// edge of that as it is drawn. Right from row known on, and only kept up
	// while tracks.
	places []int32
	tops   []int64
	known  int
	tracks bool
	bare   int // from this row on all places are those of bare rows
	rest   int // columns for which it is not worth trying

	// What has changed since the column before.
	freed  int32 // highest place of what has gone, -1 if nothing has
	added  int32 // lowest place of what has come, MaxInt32 if nothing has
	drop   int64 // bytes that have gone
	jumped bool  // none of this is known
	low    int32 // place of the gap in the column before, -1 if there was none
	down   int64 // by how much what lies above it was lower there

	count int   // live allocations in the stack
	total int64 // and their bytes
}

const (
	// farthest is how many places a row may move on average and yet be found in
	// that way faster than by searching. Where it mostly does move, how far
	// cannot be guessed: going up without a branch was tried, and is no faster
	// than the tables.
	farthest = 0.5
	// restFor is for how many columns not to try again after it was not worth
	// the effort.
	restFor = 32
)

// begin makes ready for another timeline.
func (s *slide) begin() {
	s.known, s.tracks, s.rest = 0, false, 0
	s.low, s.down, s.jumped = -1, 0, true
	s.count, s.total = 0, 0
}

// forgetChanges makes ready to note what changes from here on.
func (s *slide) forgetChanges() { s.freed, s.added, s.drop, s.jumped = -1, math.MaxInt32, 0, false }

// slides decides how the rows from j on are found. Those from the returned
// row on, if there are any, have sunk by so many bytes and are for slideRows.
// lowest is the place of this column's gap, -1 if it has none, and down by how
// much what lies above it is lower.
func (s *stack) slides(lowest int32, down int64, j int, previous bool) (slid int, by int64) {
	none := len(s.places)
	by = s.drop + down - s.down
	low := max(lowest, s.low, s.freed)
	s.low, s.down = lowest, down
	was := s.tracks
	s.tracks = false
	if s.rest > 0 || !previous || s.jumped || by < 0 || float64(by)*float64(s.count) > farthest*float64(s.total) {
		s.rest = max(0, s.rest-1)
		s.known = none
		return none, 0
	}
	s.tracks = true
	if !was || s.known > j {
		s.known = j
		return none, 0
	}
	// Places ascend with the rows.
	slid, end := j, none
	for slid < end {
		if m := int(uint(slid+end) / 2); s.places[m] > low {
			end = m
		} else {
			slid = m + 1
		}
	}
	if slid-j > (none-j)/2 {
		s.rest = restFor
	}
	return slid, by
}

// blank notes that rows show none; they count as being at a place.
func (s *slide) blank(from, to int, place int32) {
	if !s.tracks {
		s.bare = len(s.places)
		return
	}
	for j := from; j < to; j++ {
		s.places[j] = place
	}
}

// blankAbove is blank for all rows above the stack, most of which have been
// noted for the column before.
func (s *slide) blankAbove(from int) {
	s.blank(from, s.bare, math.MaxInt32)
	if s.tracks {
		s.bare = from
	}
}

// slideRows fills rows from j on, of which all has sunk by so many bytes, and
// returns the first that it cannot.
func (s *stack) slideRows(column, previous []layout.ID, rows []int64, j int, by int64) int {
	n := len(column)
	places, tops, rows, previous := s.places[:n], s.tops[:n], rows[:n], previous[:n]
	for ; j < n; j++ {
		p := places[j]
		if p >= s.added {
			break
		}
		top := tops[j] - by
		if top > rows[j] {
			tops[j], column[j] = top, previous[j]
			continue
		}
		id := layout.None
		if p, id, top = s.climb(p, top, rows[j]); id < 0 {
			break
		}
		places[j], tops[j], column[j] = p, top, id
	}
	return j
}

// climb goes up from a place with an upper edge to what covers byte y: its
// place, ID and upper edge. The ID is None if y is above the stack.
func (s *stack) climb(p int32, top, y int64) (int32, layout.ID, int64) {
	b := int(p / blockLen)
	live := s.live[b] &^ (2<<(p%blockLen) - 1)
	for {
		first, next := s.t.InBlock(int32(b))
		for ; live != 0; live &= live - 1 {
			k := bits.TrailingZeros64(live)
			id := first + next*layout.ID(k)
			if top += s.t.Size[id]; top > y {
				return int32(b*blockLen + k), id, top
			}
		}
		if b = s.above(b); b < 0 {
			return 0, layout.None, 0
		}
		live = s.live[b]
	}
}

// above is the next block with something live, -1 if there is none.
func (s *stack) above(b int) int {
	i := b / blockLen
	if l := s.groups[i].live &^ (2<<(b%blockLen) - 1); l != 0 {
		return i*blockLen | bits.TrailingZeros64(l)
	}
	w := s.some[i>>6] &^ (2<<(i&63) - 1)
	for k := i >> 6; ; w = s.some[k] {
		if w != 0 {
			i = k<<6 | bits.TrailingZeros64(w)
			return i*blockLen | bits.TrailingZeros64(s.groups[i].live)
		}
		if k++; k >= len(s.some) {
			return -1
		}
	}
}
