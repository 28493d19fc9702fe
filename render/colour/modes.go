package colour

import (
	"cmp"
	"image/color"
	"math/bits"
	"slices"

	"strata/layout"
	"strata/layout/category"
	"strata/layout/units"
	"strata/snapshot"
)

// A Mode says what an allocation's colour means.
type Mode uint8

// The colour modes. BySite, the zero value, gives all allocations of one line of code the same colour; BySiteAge
// colours by when that line was first seen.
const (
	BySite Mode = iota
	ByAllocation
	BySize
	ByLifetime
	ByStream
	ByPool
	BySiteAge
	ByCategory
	// Those that only traces of torch.profiler tell of: the outermost operator, the innermost torch.nn.Module, the
	// profiler's step, and the thread.
	ByOperator
	ByModule
	ByStep
	ByThread
	modeCount
)

var modeNames = [modeCount]string{"call site", "allocation", "size", "lifetime", "stream", "pool", "age of call site",
	"category", "operator", "module", "step", "thread"}

// In reports whether a snapshot tells of what a mode colours by.
func (m Mode) In(s *snapshot.Snapshot) bool {
	if s.Source.Reader == snapshot.ReaderTimeline {
		return m == ByCategory
	}
	switch m {
	case ByStream, ByPool:
		return !s.IsTrace()
	case ByOperator, ByModule, ByStep, ByThread:
		return s.IsTrace()
	}
	return true
}

// String is the mode as the menu names it.
func (m Mode) String() string {
	if m < modeCount {
		return modeNames[m]
	}
	return "unknown"
}

// Modes lists all modes in the order of the menu.
func Modes() []Mode {
	all := make([]Mode, modeCount)
	for i := range all {
		all[i] = Mode(i)
	}
	return all
}

// byAllocation gives no two allocations that ever lie on one another the same hue.
func (c *Colouring) byAllocation() {
	c.index = apart(len(c.index), contacts(c.t))
	c.Legend = nil // a hue stands for nothing
}

// byRamp colours by the binary logarithm of a value.
func (c *Colouring) byRamp(value func(layout.ID) int64, name func(int64) string) {
	low, high := rampSteps, 0
	for id := range c.index {
		step := min(bits.Len64(uint64(max(0, value(layout.ID(id))))), rampSteps-1)
		low, high = min(low, step), max(high, step)
		c.index[id] = uint8(step)
	}
	c.bySteps(func(step uint32) color.RGBA {
		if low == high {
			return c.Palette.Ramp[rampCount/2]
		}
		return c.Palette.Ramp[(int(step)-low)*(rampCount-1)/(high-low)]
	}, func(step uint32) string {
		if step == 0 {
			return "0"
		}
		return name(1<<(step-1)) + " and up"
	})
}

// rampSteps is how many steps of a ramp there may be: slots below slotUnknown.
const rampSteps = 64

// bySteps colours by what index holds, the steps of a ramp.
func (c *Colouring) bySteps(of func(step uint32) color.RGBA, label func(step uint32) string) {
	c.group, c.label = func(id layout.ID) uint32 { return uint32(c.index[id] &^ dimmed) }, label
	groups := c.groups(rampSteps, c.group)
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.key, b.key) })
	for _, g := range groups {
		g.slot = uint8(g.key)
		c.set(int(g.slot), of(g.key))
		c.legend(g, label(g.key))
	}
}

// byLifetime colours by how long an allocation was live, in microseconds where times are known and else in actions;
// those live at the end count as freed there.
func (c *Colouring) byLifetime() {
	t := c.t
	if !t.HasTime() {
		c.byRamp(func(id layout.ID) int64 {
			return int64(min(t.Death[id], int32(len(t.Actions)+1)) - t.Birth[id])
		}, func(n int64) string {
			if n == 1 {
				return "1 step"
			}
			return units.Count(n) + " steps"
		})
		return
	}
	c.byRamp(func(id layout.ID) int64 {
		x0, x1 := t.Span(id, layout.Time)
		return int64(x1 - x0)
	}, func(n int64) string { return units.Duration(float64(n)) })
}

// byGroup gives each group, of the most bytes first, the slot that slot chooses.
func (c *Colouring) byGroup(of func(layout.ID) uint32, label func(uint32) string, slot func(rank int, g uint32) uint8) {
	c.group, c.label = of, label
	keys := make([]uint32, len(c.index))
	top := uint32(0)
	for id := range keys {
		keys[id] = of(layout.ID(id))
		top = max(top, keys[id])
	}
	groups := c.groups(int(top)+1, func(id layout.ID) uint32 { return keys[id] })
	slots := make([]uint8, top+1)
	for i, g := range groups {
		g.slot = slot(i, g.key)
		slots[g.key] = g.slot
		if len(c.Legend) < legendLimit {
			c.legend(g, label(g.key))
		}
	}
	for id, k := range keys {
		c.index[id] = slots[k]
	}
}

// legendLimit is how many groups a legend names.
const legendLimit = 40

// nextHue gives the largest groups the hues that are farthest apart.
func nextHue(rank int, _ uint32) uint8 { return uint8(rank % hueCount) }

// byCategory gives each category the same hue in every run, and what is unknown none.
func (c *Colouring) byCategory(of *category.Categories) {
	c.byGroup(func(id layout.ID) uint32 { return uint32(of.Of(id)) },
		func(k uint32) string { return of.Title(int32(k)) },
		func(_ int, k uint32) uint8 {
			if k == category.Unknown {
				return slotUnknown
			}
			return uint8(k % hueCount)
		})
}

// byText colours by a text that events have, and what has none as unknown.
func (c *Colouring) byText(text func(snapshot.Meta) snapshot.StringID) {
	c.byGroup(func(id layout.ID) uint32 { return uint32(text(c.t.MetaOf(id))) }, func(k uint32) string {
		if k == 0 {
			return "not told"
		}
		return c.t.Snapshot.Strings[k]
	}, func(rank int, k uint32) uint8 {
		if k == 0 {
			return slotUnknown
		}
		return nextHue(rank, k)
	})
}

func (c *Colouring) stream(id layout.ID) uint32 {
	return uint32(c.t.StreamOf(id))
}

func (c *Colouring) streamName(k uint32) string {
	return layout.StreamName(c.t.Snapshot, snapshot.StreamID(k))
}

func (c *Colouring) pool(id layout.ID) uint32 { return uint32(c.t.At(id).Pool) }

func (c *Colouring) poolName(k uint32) string {
	return layout.PoolTitle(layout.PoolName(c.t.Snapshot, snapshot.PoolID(k)))
}
