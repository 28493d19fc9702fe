package breakdown

import "strata/snapshot"

// Site is the frame that a group by code is named by, or lies in: the call site, of a stack too; 0 of other groups.
func (g *Grouping) Site(group int32) snapshot.FrameID {
	if g.By > ByStack || g.keys[group].kind != known {
		return 0
	}
	if g.By == ByCallSite {
		return snapshot.FrameID(g.keys[group].id)
	}
	return g.Timeline.Snapshot.Stacks.Site[g.Timeline.StackOf(g.first[group])]
}
