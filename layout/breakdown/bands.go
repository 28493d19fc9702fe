package breakdown

import "strata/layout"

// byBand makes a group of each category of a banded timeline. They have bytes, but no blocks.
func (g *Grouping) byBand() {
	opt := &Options{}
	for i, b := range g.Timeline.Device.Bands.All {
		g.keys = append(g.keys, key{id: int64(i)})
		g.first = append(g.first, layout.None)
		opt.Categories = append(opt.Categories, b.Name)
	}
	g.By, g.names.by, g.names.opt = ByCategory, ByCategory, opt
}

// changeBands takes the changes of a banded timeline between two states.
func (g *Grouping) changeBands(changes []Change, from, to int32) {
	for i, b := range g.Timeline.Device.Bands.All {
		c := &changes[i]
		for s := from; s < to; s++ {
			by := b.Bytes[s+1] - b.Bytes[s]
			c.Allocated, c.Freed = c.Allocated+max(0, by), c.Freed+max(0, -by)
		}
		c.B = b.Bytes[to]
	}
}
