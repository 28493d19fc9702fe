// Package colour decides what the colour of an allocation means: palettes, colour modes, legends.
package colour

import (
	"cmp"
	"image/color"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
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
	modeCount
)

var modeNames = [modeCount]string{"call site", "allocation", "size", "lifetime", "stream", "pool", "age of call site"}

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

// A LegendEntry says what one colour stands for.
type LegendEntry struct {
	Colour color.RGBA
	Label  string
	Count  int   // allocations
	Bytes  int64 // of all of them together, whenever they were live
}

// A Colouring gives each allocation of a timeline a colour. It is immutable.
type Colouring struct {
	Mode    Mode
	Palette Palette
	// Legend names the colours, most bytes (ramps: least value) first. Call sites share hues when there are more of
	// them than hues; the legend then holds the largest.
	Legend []LegendEntry

	t     *layout.Timeline
	index []uint8 // per allocation, into Fill and Edge
	// group is what an allocation shares its colour's meaning with, and label its name; nil where colours mean nothing.
	group func(layout.ID) uint32
	label func(group uint32) string
	// Fill and Edge are the colours of a slot in each tone, packed as a pixel of image.RGBA in memory (Unpack); Edge, a
	// darker shade, is for separators.
	Fill, Edge [toneCount][256]uint32
}

// A Tone says for how much of a column's part of the axis what it shows is held.
type Tone uint8

// The tones, from full colour to faint: what lies below the stack's lowest height in the column's part of the axis,
// what lies above that and below its mean, and the rest, which only the column's highest moment has.
const (
	Always Tone = iota
	Mean
	Peak
	toneCount
)

// ToneNames say what the tones mean.
var ToneNames = [toneCount]string{"held all the time", "on average", "at most"}

// Veil is how much of the background lies over a tone, in 255ths.
var Veil = [toneCount]uint8{0, 85, 148}

// Slots of Colouring.Fill. Hues or ramp steps come first; slots from dimmed on are faint copies of those below.
const (
	slotUnknown = 64
	slotRest    = 65
	slotNone    = 66
	dimmed      = 128
)

// New colours the allocations of a timeline, in time linear in their number.
func New(t *layout.Timeline, mode Mode, p Palette) *Colouring {
	c := &Colouring{Mode: mode, Palette: p, t: t, index: make([]uint8, len(t.Size))}
	for i, h := range p.Hues {
		c.set(i, h)
	}
	c.set(slotUnknown, p.Unknown)
	c.set(slotRest, p.Rest)
	switch mode {
	case ByAllocation:
		c.byAllocation()
	case BySize:
		c.byRamp(func(id layout.ID) int64 { return t.Size[id] }, units.Bytes)
	case ByLifetime:
		c.byLifetime()
	case ByStream:
		c.byGroup(c.stream, c.streamName, nextHue)
	case ByPool:
		c.byGroup(c.pool, c.poolName, nextHue)
	case BySiteAge:
		c.bySiteAge()
	default:
		c.byGroup(c.site, c.nameOf, c.siteSlot)
	}
	for i := range dimmed {
		c.setDimmed(i)
	}
	for _, slot := range [...]int{slotNone, slotNone | dimmed} {
		c.Fill[Always][slot], c.Edge[Always][slot] = pack(p.Background), pack(p.Background)
	}
	for tone := Mean; tone < toneCount; tone++ {
		for slot := range 256 {
			c.Fill[tone][slot] = pack(tone.Under(Unpack(c.Fill[Always][slot]), p.Background))
			c.Edge[tone][slot] = pack(tone.Under(Unpack(c.Edge[Always][slot]), p.Background))
		}
	}
	return c
}

// pack is a colour as four bytes of an image, in the machine's order.
func pack(c color.RGBA) uint32 {
	return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
}

// Unpack is the colour of a pixel of Fill or Edge.
func Unpack(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v), G: uint8(v >> 8), B: uint8(v >> 16), A: uint8(v >> 24)}
}

// Under is an opaque colour under the veil of a tone of another.
func (t Tone) Under(c, veil color.RGBA) color.RGBA {
	a := int(Veil[t])
	over := func(from, to uint8) uint8 { return uint8((int(from)*(255-a) + int(to)*a + 127) / 255) }
	return color.RGBA{R: over(c.R, veil.R), G: over(c.G, veil.G), B: over(c.B, veil.B), A: 255}
}

// separation is how much of the way to black a separator goes.
const separation = .38

func (c *Colouring) set(slot int, to color.RGBA) {
	c.Fill[Always][slot] = pack(to)
	c.Edge[Always][slot] = pack(Mix(to, color.RGBA{A: 255}, separation))
}

// setDimmed makes the faint copy of a slot.
func (c *Colouring) setDimmed(slot int) {
	c.Fill[Always][slot|dimmed] = pack(Mix(Unpack(c.Fill[Always][slot]), c.Palette.Background, .82))
	c.Edge[Always][slot|dimmed] = pack(Mix(Unpack(c.Edge[Always][slot]), c.Palette.Background, .82))
}

// Colour is what an allocation, Rest or None is painted with.
func (c *Colouring) Colour(id layout.ID) color.RGBA { return Unpack(c.Fill[Always][c.Slot(id)]) }

// Slot is the index into Fill and Edge of an allocation, Rest or None.
func (c *Colouring) Slot(id layout.ID) uint8 {
	switch {
	case id >= 0:
		return c.index[id]
	case id == layout.Rest:
		return slotRest
	}
	return slotNone
}

// Highlighting is the same colouring with all allocations dimmed but those that keep reports true for.
func (c *Colouring) Highlighting(keep func(layout.ID) bool) *Colouring {
	d := *c
	d.index = slices.Clone(c.index)
	for id, i := range d.index {
		if keep(layout.ID(id)) {
			d.index[id] = i &^ dimmed
		} else {
			d.index[id] = i | dimmed
		}
	}
	return &d
}

// group is a set of allocations that share a meaning.
type group struct {
	key   uint32
	count int
	bytes int64
	slot  uint8
}

// groups sums up the allocations by a key below n, most bytes first.
func (c *Colouring) groups(n int, key func(layout.ID) uint32) []group {
	all := make([]group, n)
	for id, size := range c.t.Size {
		g := &all[key(layout.ID(id))]
		g.count++
		g.bytes += size
	}
	for i := range all {
		all[i].key = uint32(i)
	}
	all = slices.DeleteFunc(all, func(g group) bool { return g.count == 0 })
	slices.SortStableFunc(all, func(a, b group) int { return cmp.Compare(b.bytes, a.bytes) })
	return all
}

// Held is the legend of one state: what each group has live in it, most bytes first.
func (c *Colouring) Held(state int32) []LegendEntry {
	if c.group == nil {
		return nil
	}
	at := map[uint32]int{}
	var held []LegendEntry
	for _, id := range c.t.Live(nil, state) {
		g := c.group(id)
		i, ok := at[g]
		if !ok {
			i = len(held)
			at[g] = i
			fill := Unpack(c.Fill[Always][c.index[id]&^dimmed])
			held = append(held, LegendEntry{Colour: fill, Label: c.label(g)})
		}
		held[i].Count++
		held[i].Bytes += c.t.Size[id]
	}
	slices.SortStableFunc(held, func(a, b LegendEntry) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return held
}

// legend adds an entry for a group.
func (c *Colouring) legend(g group, label string) {
	c.Legend = append(c.Legend, LegendEntry{Unpack(c.Fill[Always][g.slot]), label, g.count, g.bytes})
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

func (c *Colouring) stream(id layout.ID) uint32 {
	return uint32(c.t.StreamOf(id))
}

func (c *Colouring) streamName(k uint32) string {
	if v := c.t.Snapshot.Streams[k]; v != 0 {
		return "stream " + strconv.FormatInt(v, 10)
	}
	return "default stream"
}

func (c *Colouring) pool(id layout.ID) uint32 { return uint32(c.t.At(id).Pool) }

func (c *Colouring) poolName(k uint32) string {
	return PoolTitle(PoolName(c.t.Snapshot, snapshot.PoolID(k)))
}

// PoolName names a pool the way PyTorch's users know it: "default", "MemPool 7", "CUDA graph 3"; or "not recorded".
func PoolName(s *snapshot.Snapshot, id snapshot.PoolID) string {
	switch p := s.Pools[id]; {
	case id == 0:
		return "not recorded"
	case p.A == 0 && p.B == 0:
		return "default"
	case p.A == 0:
		return "MemPool " + strconv.FormatInt(p.B, 10)
	case p.B == 0:
		return "CUDA graph " + strconv.FormatInt(p.A, 10)
	default:
		return "(" + strconv.FormatInt(p.A, 10) + ", " + strconv.FormatInt(p.B, 10) + ")"
	}
}

// PoolTitle is such a name where nothing beside it says that it is a pool's.
func PoolTitle(name string) string {
	switch {
	case name == "not recorded":
		return "pool not recorded"
	case name == "default":
		return "default pool"
	case strings.HasPrefix(name, "("):
		return "pool " + name
	}
	return name
}
