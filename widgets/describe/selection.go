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

// Stacked is what a timeline is a stack of, one of it: "allocation" or "segment".
func Stacked(t *layout.Timeline) string {
	if t != nil && t.Options.Mode == layout.Segments {
		return "segment"
	}
	return "allocation"
}

// PointAt says what to do where nothing is pointed at.
func PointAt(t *layout.Timeline) string {
	switch {
	case t != nil && t.Banded():
		return "The file tells of categories alone, not of allocations."
	case Stacked(t) == "segment":
		return "Point at a segment to see which line of code it was made for. Click to pin it."
	}
	return "Point at an allocation to see which line of code asked for it. Click to pin it."
}

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
