package layout

import (
	"math/bits"
	"sort"
)

// Live appends the drawn allocations that are live in state s to dst, bottom to top.
func (t *Timeline) Live(dst []ID, s int32) []ID {
	t.walk(s, func(id ID) bool {
		dst = append(dst, id)
		return true
	})
	return dst
}

// before is the last checkpoint at or before state s.
func (t *Timeline) before(s int32) checkpoint {
	return t.checkpoints[sort.Search(len(t.checkpoints), func(i int) bool { return t.checkpoints[i].state > s })-1]
}

// Checkpoint is a state at or before s with its live set, of the drawn ones, bottom to top: to get to state s from
// it takes a number of actions that does not grow with the trace.
func (t *Timeline) Checkpoint(s int32) (state int32, live []LiveBlock) {
	c := t.before(s)
	return c.state, t.liveBlocks[c.first:c.end]
}

// walk calls f for each drawn allocation live in state s, bottom to top, until it returns false. It costs the live
// set at the checkpoint before s and what was born since.
func (t *Timeline) walk(s int32, f func(ID) bool) {
	c := t.before(s)
	for _, b := range t.liveBlocks[c.first:c.end] {
		first, next := t.InBlock(b.Block)
		for live := b.Live; live != 0; live &= live - 1 {
			id := first + next*ID(bits.TrailingZeros64(live))
			if t.Death[id] > s && !f(id) {
				return
			}
		}
	}
	for _, id := range t.Order[c.born:] {
		if t.Birth[id] > s {
			return
		}
		if t.Death[id] > s && !f(id) {
			return
		}
	}
}

// Hit says what lies y bytes up at a moment: an allocation, Rest, or None.
func (t *Timeline) Hit(m Moment, y int64) ID {
	if m.Step < 0 || y < 0 || y >= t.Height(m) {
		return None
	}
	gone, down := t.Sliding(m)
	hit, base := Rest, int64(0)
	t.walk(m.Step, func(id ID) bool {
		lo, hi := base, base+t.Size[id]
		base = hi
		switch {
		case id == gone: // its place closes: what is left of it is a gap
			base, hi = hi-down, hi-down
			if y < hi {
				hit = None
			}
		case y >= lo && y < hi:
			hit = id
		}
		return y >= hi
	})
	return hit
}

// Offset is the lower edge of an allocation at a moment, bytes; false when it is not drawn or not live then.
func (t *Timeline) Offset(id ID, m Moment) (int64, bool) {
	if m.Step < 0 || !t.Drawn(id) || t.Birth[id] > m.Step || t.Death[id] <= m.Step {
		return 0, false
	}
	gone, down := t.Sliding(m)
	if id == gone {
		return 0, false
	}
	var base int64
	t.walk(m.Step, func(x ID) bool {
		if x == id {
			return false
		}
		base += t.Size[x]
		if x == gone {
			base -= down
		}
		return true
	})
	return base, true
}

// Polygon is the lower edge of an allocation on the Events axis, as corners: between two of them it is a straight
// line. Its upper edge is Size higher. Both are nil for an allocation that is not drawn. Corners are made on
// request, in time proportional to the allocation's life: all polygons together have a corner for every (free,
// block above it) pair.
func (t *Timeline) Polygon(id ID) (timesteps []int32, offsets []int64) {
	if !t.Drawn(id) {
		return nil, nil
	}
	var at int64
	end := t.Timestep[len(t.Actions)]
	last := int32(len(t.Actions)) // actions [Birth, last) happen in its life
	if d := t.Death[id]; d != Never {
		last, end = d-1, t.Timestep[d-1]+1
	}
	first := Moment{Step: t.Birth[id]}
	at, _ = t.Offset(id, first)
	if first.Step > 0 {
		timesteps = append(timesteps, t.Timestep[first.Step-1])
	} else {
		timesteps = append(timesteps, 0)
	}
	offsets = append(offsets, at)
	for a := first.Step; a < last; a++ {
		x := t.Actions[a]
		if x >= 0 || !t.Drawn(^x) || !t.below(^x, id) {
			continue
		}
		begin := t.Timestep[a] + 1
		timesteps = append(timesteps, begin, begin+slideSteps)
		offsets = append(offsets, at, at-t.Size[^x])
		at -= t.Size[^x]
	}
	return append(timesteps, end), append(offsets, at)
}
