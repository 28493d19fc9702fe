package layout

import (
	"cmp"
	"slices"

	"strata/snapshot"
)

// A Life is a segment, or a part of one that came and went as a whole.
type Life struct {
	Addr     uint64
	Size     int64 // bytes
	From, To int32 // indexes of the events that made and ended it, -1 for none
}

// NewSegments lays out the segments of a device as lives say, in mode Segments. Unlike New, which has the reference's
// rules, it shows segments that grow and shrink.
func NewSegments(s *snapshot.Snapshot, d *snapshot.Device, lives []Life) *Timeline {
	return build(s, d, Options{Mode: Segments}, func(b *builder) { b.collectLives(lives) })
}

// collectLives takes lives in the order of New: by the first event they have, then those without one as in the file.
func (b *builder) collectLives(lives []Life) {
	t := b.t
	lives = slices.Clone(lives)
	b.limit = sizeLimit(2 * len(lives))
	first := func(l *Life) int32 {
		switch {
		case l.From >= 0:
			return l.From
		case l.To >= 0:
			return l.To
		}
		return int32(t.Device.Events.Len() + t.segmentOf(l.Addr))
	}
	slices.SortStableFunc(lives, func(a, b Life) int {
		return cmp.Or(cmp.Compare(first(&a), first(&b)), cmp.Compare(a.Addr, b.Addr))
	})
	type change struct {
		event int32
		id    ID // ^ID for an end
	}
	var changes []change
	for _, l := range lives {
		if l.Size > b.limit {
			t.Anomalies.Oversized++
			continue
		}
		origin := first(&l)
		if l.From < 0 && l.To < 0 {
			origin = ^(origin - int32(t.Device.Events.Len()))
		}
		id := b.add(l.Size, 0, origin)
		t.addrs = append(t.addrs, l.Addr)
		switch {
		case l.From >= 0:
			changes = append(changes, change{l.From, id})
		case l.To >= 0:
			t.Unmatched, t.UnmatchedBytes = t.Unmatched+1, t.UnmatchedBytes+l.Size
		default:
			t.Before, t.BeforeBytes = t.Before+1, t.BeforeBytes+l.Size
		}
		if l.From < 0 {
			b.initial = append(b.initial, id)
		}
		if l.To >= 0 {
			changes = append(changes, change{l.To, ^id})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(min(a.id, 0), min(b.id, 0)))
	})
	for _, c := range changes {
		if c.id < 0 {
			b.end(^c.id, c.event)
			continue
		}
		t.Birth[c.id] = int32(len(t.Actions) + 1)
		b.act(c.id)
	}
	if len(t.Actions) == 0 && len(b.initial) > 0 {
		b.flatten()
	}
}

// segmentOf is the index of the last segment of the final state that begins at or below an address, 0 if none does.
func (t *Timeline) segmentOf(addr uint64) int {
	segs := t.Device.Segments
	i, found := slices.BinarySearchFunc(t.byAddr, addr, func(i int32, addr uint64) int {
		return cmp.Compare(segs[i].Addr, addr)
	})
	if !found {
		i = max(0, i-1)
	}
	if len(t.byAddr) == 0 {
		return 0
	}
	return int(t.byAddr[i])
}
