// Package colour decides what the colour of an allocation means: palettes, colour modes, legends.
package colour

import (
	"cmp"
	"image/color"
	"slices"

	"strata/layout"
	"strata/layout/category"
	"strata/layout/units"
	"strata/snapshot"
)

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

// New colours the allocations of a timeline, in time linear in their number. ByCategory knows no rules but the
// built-in ones.
func New(t *layout.Timeline, mode Mode, p Palette) *Colouring { return NewWith(t, mode, p, nil) }

// NewWith is New with a person's own rules of categories, nil for none.
func NewWith(t *layout.Timeline, mode Mode, p Palette, rules *category.Rules) *Colouring {
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
	case ByOperator:
		c.byText(func(m snapshot.Meta) snapshot.StringID { return m.Op })
	case ByModule:
		c.byText(func(m snapshot.Meta) snapshot.StringID { return m.Module })
	case ByStep:
		c.byText(func(m snapshot.Meta) snapshot.StringID { return m.Step })
	case ByThread:
		c.byText(func(m snapshot.Meta) snapshot.StringID { return m.Thread })
	case ByCategory:
		c.byCategory(category.New(t, layout.AllPhases(t), rules))
	default:
		c.byGroup(c.site, c.nameOf, c.siteSlot)
	}
	for _, colours := range [...]*[toneCount][256]uint32{&c.Fill, &c.Edge} {
		always := &colours[Always]
		always[slotNone] = pack(p.Background)
		for i := range dimmed {
			always[i|dimmed] = pack(Mix(Unpack(always[i]), p.Background, .82))
		}
		for tone := Mean; tone < toneCount; tone++ {
			for slot, v := range always {
				colours[tone][slot] = pack(tone.Under(Unpack(v), p.Background))
			}
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

// Separator is the line in a tone on top of an allocation, below another: a darker shade, or where that is of another
// group that happens to have the same colour, the background's.
func (c *Colouring) Separator(tone Tone, id, above layout.ID) uint32 {
	slot := c.index[id]
	if above >= 0 && c.index[above] == slot && c.group != nil && c.group(id) != c.group(above) {
		return c.Fill[tone][slotNone]
	}
	return c.Edge[tone][slot]
}

// Highlighting is the same colouring with all allocations dimmed but those that keep reports true for.
func (c *Colouring) Highlighting(keep func(layout.ID) bool) *Colouring {
	d := *c
	d.index = slices.Clone(c.index)
	for id, i := range d.index {
		if d.index[id] = i | dimmed; keep(layout.ID(id)) {
			d.index[id] = i &^ dimmed
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
