package raster

import (
	"encoding/binary"
	"math"
	"math/bits"

	"strata/layout"
)

// A stack is the live set of one step in a sweep over ascending steps. It is held in the blocks of layout's slots, a
// bit for each of a block's slots and the sum of what is live in it, and the blocks in groups of which the sum is
// known as well: what lies between two row centres is stepped over without being looked at, and an alloc or free
// changes two sums, however many are live.
type stack struct {
	t     *layout.Timeline
	step  int32 // -1 before start
	total int64 // bytes live

	// Per block.
	live  []uint64
	bytes []int64
	ends  []int64 // upper edge of the block above the base of its group, where that is measured

	groups []blockGroup
	some   []uint64 // a bit for each group with something live

	tables []table // by block, as many as fit a near cache: some blocks share one

	changes [256]layout.ID // see departures
}

// blockLen is how many blocks a group has.
const blockLen = layout.BlockSlots

type blockGroup struct {
	live     uint64 // a bit for each block with something live
	bytes    int64
	measured bool // ends of its blocks are right
}

// A table says where in a block a byte is. The block's bytes are split into equal parts, so many that most of them
// have no edge within and their first place is the answer; to look at the edges is one step on average. What is dead
// ends where that before it does.
type table struct {
	block int              // it is of, -1 if none
	scale uint64           // byte · scale >> 32 is a byte's part
	ends  [blockLen]uint32 // upper edges, above the block's base
	guide [parts + 8]uint8 // by part, the number of edges in the parts before it
}

const parts = 4 * blockLen

// Blocks of so many live ones have tables, and so many blocks at once.
const worthTable, tableCount = 6, 1 << 10

// newStack is an empty stack before the first step of a timeline.
func newStack(t *layout.Timeline) stack {
	groups := (t.Blocks() + blockLen - 1) / blockLen
	n := groups * blockLen
	return stack{
		t: t, step: -1,
		live: make([]uint64, n), bytes: make([]int64, n), ends: make([]int64, n),
		groups: make([]blockGroup, groups), some: make([]uint64, (groups+63)/64),
		tables: make([]table, tableCount),
	}
}

// set makes live what is live in a block, which has so many bytes more.
func (s *stack) set(b int, live uint64, more int64) {
	s.total += more
	s.live[b] = live
	s.bytes[b] += more
	if e := &s.tables[b%tableCount]; e.block == b {
		e.block = -1
	}
	i := b / blockLen
	g := &s.groups[i]
	g.bytes += more
	g.measured = false
	bit := uint64(1) << (b % blockLen)
	if g.live |= bit; live == 0 {
		g.live &^= bit
	}
	s.some[i>>6] |= 1 << (i & 63)
	if g.live == 0 {
		s.some[i>>6] &^= 1 << (i & 63)
	}
}

// measure finds the edges of a group's blocks.
func (s *stack) measure(i int) {
	at := int64(0)
	bytes, ends := s.bytes[i*blockLen:][:blockLen], s.ends[i*blockLen:][:blockLen]
	for k, n := range bytes {
		at += n
		ends[k] = at
	}
	s.groups[i].measured = true
}

// offset is the byte at which a place lies.
func (s *stack) offset(p int32) int64 {
	b := int(p / blockLen)
	at := int64(0)
	g := b / blockLen
	for i, w := range s.some[:g>>6+1] {
		if i == g>>6 {
			w &= 1<<(g&63) - 1
		}
		for ; w != 0; w &= w - 1 {
			at += s.groups[i<<6|bits.TrailingZeros64(w)].bytes
		}
	}
	for _, n := range s.bytes[b/blockLen*blockLen : b] {
		at += n
	}
	first, next := s.t.InBlock(int32(b))
	for l := s.live[b] & (1<<(p%blockLen) - 1); l != 0; l &= l - 1 {
		at += s.t.Size[first+next*layout.ID(bits.TrailingZeros64(l))]
	}
	return at
}

// fill fills rows from j on, up to to, with the stack's allocations, of which the lowest is drawn at byte base, and
// returns the first row above the last allocation. rows ascend; column is as long.
func (s *stack) fill(column []layout.ID, rows []int64, j, to int, base int64) int {
	if j >= to {
		return j
	}
	y := rows[j]
	for i, w := range s.some {
		for ; w != 0 && j < to; w &= w - 1 {
			k := i<<6 | bits.TrailingZeros64(w)
			g := &s.groups[k]
			end := base + g.bytes
			if y >= end {
				base = end
				continue
			}
			if !g.measured {
				s.measure(k)
			}
			j = s.fillGroup(column, rows, j, to, base, k)
			if j >= to {
				break
			}
			y = rows[j]
			base = end
		}
	}
	return j
}

// fillGroup fills the rows of one group that begins at base and of which the first row lies in it.
func (s *stack) fillGroup(column []layout.ID, rows []int64, j, to int, base int64, g int) int {
	ends := (*[blockLen]int64)(s.ends[g*blockLen:])
	last := base + ends[blockLen-1]
	live := s.groups[g].live
	k := uint(0)
	for j < to && rows[j] < last {
		y := rows[j] - base
		k += uint(bits.TrailingZeros64(live >> (k & 63))) // the next one, as likely as not
		if ends[k&63] <= y {
			k = search(ends, y)
		}
		k &= 63
		b := g*blockLen + int(k)
		begin := base + ends[k] - s.bytes[b]
		if e := s.table(b); e != nil {
			j = s.fillSearched(column, rows, j, to, begin, b, e)
		} else {
			j = s.fillWalked(column, rows, j, to, begin, b)
		}
		k++
	}
	return j
}

// search is the first of ends that is above y, which there must be.
func search(ends *[blockLen]int64, y int64) uint {
	k := notAbove(ends[31], y) << 5
	k += notAbove(ends[(k+15)&63], y) << 4
	k += notAbove(ends[(k+7)&63], y) << 3
	k += notAbove(ends[(k+3)&63], y) << 2
	k += notAbove(ends[(k+1)&63], y) << 1
	return k + notAbove(ends[k&63], y)
}

// notAbove is 1 if end ≤ y, else 0: a branch would be guessed wrongly as often as not.
func notAbove(end, y int64) uint { return uint(uint64(end-y-1) >> 63) }

// table is the table of a block, nil where there is little to search and the first time, which may be the last.
func (s *stack) table(b int) *table {
	e := &s.tables[b%tableCount]
	switch {
	case e.block != b:
		if bits.OnesCount64(s.live[b]) >= worthTable && s.bytes[b] <= math.MaxUint32 {
			e.block, e.scale = b, 0
		}
		return nil
	case e.scale == 0:
		e.scale = parts << 32 / uint64(s.bytes[b])
		e.work(s.t, b, s.live[b])
	}
	return e
}

// work works out the table of a block.
func (e *table) work(t *layout.Timeline, b int, live uint64) {
	e.guide = [parts + 8]uint8{}
	at := int64(0)
	id, next := t.InBlock(int32(b))
	for k := range e.ends {
		if live&1 == 1 {
			at += t.Size[id]
		}
		live >>= 1
		id += next
		e.ends[k] = uint32(at)
		if part := uint64(at) * e.scale >> 32; part < parts {
			e.guide[part+1]++
		}
	}
	// Sums of eight bytes at a time, none of which exceeds blockLen.
	var sum uint64
	for i := 0; i < parts; i += 8 {
		eight := e.guide[i : i+8]
		sum = binary.LittleEndian.Uint64(eight)*0x0101010101010101 + sum>>56*0x0101010101010101
		binary.LittleEndian.PutUint64(eight, sum)
	}
	e.guide[parts] = 255 // of the last part, no answer is sure
}

// fillSearched fills the rows of one block that begins at base and of which the first row lies in it.
func (s *stack) fillSearched(column []layout.ID, rows []int64, j, to int, base int64, b int, e *table) int {
	first, next := s.t.InBlock(int32(b))
	end, scale := base+s.bytes[b], e.scale
	for {
		y := uint32(rows[j] - base)
		k := uint(e.guide[uint64(y)*scale>>32%parts]) & 63
		k += notAbove(int64(e.ends[k]), int64(y))
		for e.ends[k&63] <= y {
			k++
		}
		k &= 63
		id, top := first+next*layout.ID(k), base+int64(e.ends[k])
		for {
			column[j] = id
			if j++; j >= to {
				return j
			}
			if rows[j] >= top {
				break
			}
		}
		if rows[j] >= end {
			return j
		}
	}
}

// fillWalked is fillSearched without a table.
func (s *stack) fillWalked(column []layout.ID, rows []int64, j, to int, base int64, b int) int {
	first, next := s.t.InBlock(int32(b))
	size := s.t.Size
	y := rows[j]
	for l := s.live[b]; l != 0; l &= l - 1 {
		k := bits.TrailingZeros64(l)
		id := first + next*layout.ID(k)
		base += size[id]
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
