package colour

import (
	"hash/fnv"
	"image/color"
	"strconv"

	"strata/layout"
	"strata/snapshot"
)

// site is the call site of each allocation.
func (c *Colouring) site(id layout.ID) uint32 {
	return uint32(c.t.Snapshot.Stacks.Site[c.t.StackOf(id)])
}

// siteSlot is the slot of a call site, which follows from its name alone: a line of code has the same colour in every
// file. Where two that lie on one another share a colour, their separators tell them apart.
func (c *Colouring) siteSlot(_ int, site uint32) uint8 {
	if site == 0 {
		return slotUnknown
	}
	h := fnv.New32a()
	h.Write([]byte(c.nameOf(site)))
	return uint8(uint64(h.Sum32()*2654435769) * shadeCount >> 32)
}

// SiteName is the call site of an allocation: "file.py:12 function".
func (c *Colouring) SiteName(id layout.ID) string { return c.nameOf(c.site(id)) }

func (c *Colouring) nameOf(site uint32) string {
	s := c.t.Snapshot
	if site == 0 || int(site) >= len(s.Frames.Name) {
		return "no call site recorded"
	}
	return s.FrameLabel(snapshot.FrameID(site))
}

// bySiteAge colours a call site by the first state in which it had anything live, from the start of the trace to its
// end.
func (c *Colouring) bySiteAge() {
	t := c.t
	first := make([]int32, len(t.Snapshot.Frames.Name)+1)
	for i := range first {
		first[i] = layout.Never
	}
	for id, b := range t.Birth {
		s := c.site(layout.ID(id))
		first[s] = min(first[s], b)
	}
	states := int64(len(t.Actions) + 1)
	for id := range c.index {
		c.index[id] = uint8(int64(first[c.site(layout.ID(id))]) * rampCount / states)
	}
	c.bySteps(func(step uint32) color.RGBA { return c.Palette.Ramp[step] }, func(step uint32) string {
		return strconv.Itoa(int(step)*100/rampCount) + " % of the run and later"
	})
}
