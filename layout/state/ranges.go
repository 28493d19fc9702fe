package state

import (
	"cmp"
	"slices"

	"strata/snapshot"
)

// mib is the largest request that small segments serve, and a half of their size.
const mib = 1 << 20

// A segment is a range of the allocator's as it is at one moment of a walk through the trace.
type segment struct {
	addr       uint64
	size       int64
	stream     snapshot.StreamID
	pool       snapshot.PoolID
	stack      snapshot.StackID
	kind       kind
	expandable bool
	to, life   int32 // see rewind
}

// kind is whether a segment serves small requests or large ones.
type kind uint8

const (
	unsaid kind = iota
	small
	large
)

func (g *segment) end() uint64 { return end(g.addr, g.size) }

// large reports whether it serves requests over 1 MiB: as recorded, else as its size tells.
func (g *segment) large(page int64) bool {
	switch {
	case g.kind != unsaid:
		return g.kind == large
	case g.expandable:
		return g.size%page == 0
	}
	return g.size != 2*mib
}

// joins reports whether a range and the one behind it are one.
func (g *segment) joins(next *segment) bool {
	return g.end() == next.addr && g.stream == next.stream && g.expandable && next.expandable &&
		(g.pool == 0 || next.pool == 0 || g.pool == next.pool)
}

// segmentList holds segments by address.
type segmentList struct {
	list  []*segment
	mixed bool // some overlapped, as they do in damaged traces only; the order may be wrong, too
}

// after is the place of the first segment that starts behind an address.
func (l *segmentList) after(addr uint64) int {
	i, _ := slices.BinarySearchFunc(l.list, addr, func(g *segment, addr uint64) int {
		if g.addr <= addr {
			return -1
		}
		return 1
	})
	return i
}

func (l *segmentList) put(i int, g *segment) {
	l.list = slices.Insert(l.list, i, g)
	crosses := func(a, b *segment) bool { return a.end() > b.addr || a.addr == b.addr }
	l.mixed = l.mixed || i > 0 && crosses(l.list[i-1], g) || i+1 < len(l.list) && crosses(g, l.list[i+1])
}

// sort puts those in order that were put in without it.
func (l *segmentList) sort() {
	slices.SortStableFunc(l.list, func(a, b *segment) int { return cmp.Compare(a.addr, b.addr) })
}

func (l *segmentList) drop(i int) { l.list = slices.Delete(l.list, i, i+1) }

// add puts a segment in and, if join is set, makes it one with the neighbours it belongs to, first with the right one.
// gone gets those that are no longer there for it.
func (l *segmentList) add(g *segment, join bool, gone func(g *segment)) {
	i := l.after(g.addr)
	if join && i < len(l.list) && g.joins(l.list[i]) {
		right := l.list[i]
		g.size += right.size
		g.pool = cmp.Or(g.pool, right.pool)
		l.drop(i)
		gone(right)
	}
	if join && i > 0 && l.list[i-1].joins(g) {
		left := l.list[i-1]
		i--
		l.drop(i)
		gone(left)
		merged := *left
		merged.size += g.size
		merged.pool = cmp.Or(left.pool, g.pool)
		merged.to, merged.life = g.to, g.life
		*g = merged
	}
	l.put(i, g)
}

// remove takes the segment away that starts at an address; nil if there is none.
func (l *segmentList) remove(addr uint64) *segment {
	i, found := slices.BinarySearchFunc(l.list, addr, func(g *segment, addr uint64) int {
		return cmp.Compare(g.addr, addr)
	})
	if !found {
		return nil
	}
	g := l.list[i]
	l.drop(i)
	return g
}

// cut takes a range away: from the segment that holds it, else from every expandable one it overlaps. split gets each
// of them with what is left of it at either side, nil for nothing. It returns false if it touches no segment.
func (l *segmentList) cut(addr uint64, size int64, split func(g, left, right *segment)) bool {
	to := end(addr, size)
	from, behind := 0, l.after(addr)
	if !l.mixed {
		from = max(0, behind-1)
	}
	var hit []int
	holds := slices.IndexFunc(l.list[from:max(from, behind)], func(g *segment) bool { return to <= g.end() })
	if holds >= 0 {
		hit = append(hit, from+holds)
	}
	for j := from; holds < 0 && j < len(l.list) && (l.mixed || l.list[j].addr < to); j++ {
		if g := l.list[j]; g.addr < to && addr < g.end() && g.expandable {
			hit = append(hit, j)
		}
	}
	for _, j := range slices.Backward(hit) {
		g := l.list[j]
		var left, right *segment
		l.drop(j)
		if g.end() > to {
			right = new(*g)
			right.addr, right.size = to, int64(g.end()-to)
			l.put(j, right)
		}
		if g.addr < addr {
			left = new(*g)
			left.size = int64(addr - g.addr)
			l.put(j, left)
		}
		split(g, left, right)
	}
	return hit != nil
}

// find is the segment that holds an address, nil if none does.
func (l *segmentList) find(addr uint64) *segment {
	if i := l.after(addr) - 1; i >= 0 && addr < l.list[i].end() {
		return l.list[i]
	}
	return nil
}
