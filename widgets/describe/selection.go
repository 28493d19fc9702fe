package describe

import "strata/layout"

// A Selection is what the pointer is on and what was clicked: one struct that every panel reads, so that all of them
// speak of the same allocation. Either may be layout.None; Hovered may be layout.Rest.
type Selection struct {
	Hovered, Pinned layout.ID
	Failed          *layout.OOM // pinned in place of an allocation, nil if none is
}

// NoSelection is nothing hovered, nothing pinned.
var NoSelection = Selection{Hovered: layout.None, Pinned: layout.None}

// Shown is the allocation the panels describe: the pinned one, else the hovered one.
func (s Selection) Shown() layout.ID {
	switch {
	case s.Pinned >= 0:
		return s.Pinned
	case s.Failed != nil:
		return layout.None
	}
	return s.Hovered
}
