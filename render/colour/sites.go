package colour

import (
	"cmp"
	"slices"
	"strconv"

	"strata/layout"
)

// site is the call site of each allocation.
func (c *Colouring) site(id layout.ID) uint32 {
	return uint32(c.t.Snapshot.Stacks.Site[c.t.StackOf(id)])
}

// legendSites is how many call sites a legend names.
const legendSites = 40

func (c *Colouring) bySite() {
	sites := len(c.t.Snapshot.Frames.Name) + 1
	groups := c.groups(sites, c.site)
	slots := c.siteHues(groups, sites)
	c.set(slotUnknown, c.Palette.Unknown)
	for i := range groups {
		g := &groups[i]
		g.slot = slots[g.key]
		if len(c.Legend) < legendSites {
			c.legend(*g, c.nameOf(g.key))
		}
	}
	for id := range c.index {
		c.index[id] = slots[c.site(layout.ID(id))]
	}
}

// siteHues chooses a hue for each call site, largest first: one that is far from those of the sites it lies on, and
// not yet used for many bytes.
func (c *Colouring) siteHues(groups []group, sites int) []uint8 {
	slots := make([]uint8, sites)
	const undecided = 255
	for i := range slots {
		slots[i] = undecided
	}
	slots[0] = slotUnknown
	near := c.touching()
	total := 1.
	for _, g := range groups {
		total += float64(g.bytes)
	}
	var used [hueCount]float64 // parts of all bytes
	for _, g := range groups {
		if g.key == 0 {
			continue
		}
		cost, all := used, 1.
		for _, n := range near[g.key] {
			all += float64(n.bytes)
		}
		for _, n := range near[g.key] {
			if h := slots[n.site]; h < hueCount {
				for i := range cost {
					cost[i] += 2 * float64(n.bytes) / all * likeness(i, int(h))
				}
			}
		}
		best := 0
		for i := range cost {
			if cost[i] < cost[best] {
				best = i
			}
		}
		slots[g.key] = uint8(best)
		used[best] += (float64(g.bytes) + 1) / total
	}
	return slots
}

// likeness is 1 for the same hue, less for hues beside it on the circle.
func likeness(a, b int) float64 {
	d := (a*hueStep + (hueCount-b)*hueStep) % hueCount
	switch min(d, hueCount-d) {
	case 0:
		return 1
	case 1:
		return .3
	case 2:
		return .1
	}
	return 0
}

// A touch says how much lies on another call site.
type touch struct {
	site  uint32
	bytes int64
}

// touching finds out which call sites lie on one another, at the peak and at a few other states: enough for the
// colours, and cheap.
func (c *Colouring) touching() map[uint32][]touch {
	t := c.t
	const states = 4
	sums := make(map[[2]uint32]int64)
	var live []layout.ID
	for i := range states + 1 {
		state := t.PeakState
		if i < states {
			state = int32(int64(len(t.Actions)) * int64(2*i+1) / (2 * states))
		}
		live = t.Live(live[:0], state)
		least := t.Total[state] / 2000 // nobody sees smaller ones
		for k := 1; k < len(live); k++ {
			size := min(t.Size[live[k-1]], t.Size[live[k]])
			if a, b := c.site(live[k-1]), c.site(live[k]); a != b && size > least {
				sums[[2]uint32{min(a, b), max(a, b)}] += size
			}
		}
	}
	near := make(map[uint32][]touch)
	for k, bytes := range sums {
		near[k[0]] = append(near[k[0]], touch{k[1], bytes})
		near[k[1]] = append(near[k[1]], touch{k[0], bytes})
	}
	for _, n := range near { // the same file has the same colours every time
		slices.SortFunc(n, func(a, b touch) int { return cmp.Compare(a.site, b.site) })
	}
	return near
}

// SiteName is the call site of an allocation: "file.py:12 function".
func (c *Colouring) SiteName(id layout.ID) string { return c.nameOf(c.site(id)) }

func (c *Colouring) nameOf(site uint32) string {
	s := c.t.Snapshot
	if site == 0 || int(site) >= len(s.Frames.Name) {
		return "no call site recorded"
	}
	file := s.Strings[s.Frames.File[site]]
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' || file[i] == '\\' {
			file = file[i+1:]
			break
		}
	}
	if line := s.Frames.Line[site]; line > 0 {
		file += ":" + strconv.Itoa(int(line))
	}
	if name := s.Strings[s.Frames.Name[site]]; name != "" {
		if file == "" {
			return name
		}
		file += " " + name
	}
	return file
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
	var groups [rampCount]group
	for id, size := range t.Size {
		slot := uint8(int64(first[c.site(layout.ID(id))]) * rampCount / states)
		c.index[id] = slot
		g := &groups[slot]
		g.slot = slot
		g.count++
		g.bytes += size
	}
	for i := range c.Palette.Ramp {
		c.set(i, c.Palette.Ramp[i])
		if g := groups[i]; g.count > 0 {
			c.legend(g, strconv.Itoa(i*100/rampCount)+" % of the run and later")
		}
	}
}
