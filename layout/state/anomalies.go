package state

import (
	"strata/layout/units"
)

// Anomalies counts, over one trace, what a sound one does not have: events that contradict one another or the final
// state. What they say of the state before them is a guess then.
type Anomalies struct {
	LostFrees       int // an alloc at an address that was still in use
	GoneBlocks      int // an alloc whose block is gone without a free
	DoubleFrees     int // a free of a block that is still there
	LostCompletions int // a free request whose completion is missing
	UnknownSegments int // a segment_alloc of a segment that is not there
	UnknownMaps     int // a segment_map outside every segment
}

// Each goes through the kinds that were met, in words, with how often.
func (a *Anomalies) Each(yield func(what string, n int) bool) {
	for _, x := range []struct {
		what string
		n    int
	}{
		{"alloc on a block whose free is missing", a.LostFrees},
		{"alloc whose block is gone without a free", a.GoneBlocks},
		{"free of a block that is still there", a.DoubleFrees},
		{"free request whose completion is missing", a.LostCompletions},
		{"segment_alloc of a segment that is not there", a.UnknownSegments},
		{"segment_map outside every segment", a.UnknownMaps},
	} {
		if x.n > 0 && !yield(x.what, x.n) {
			return
		}
	}
}

// Text says in a sentence what was met, "" for a sound trace.
func (a *Anomalies) Text() string {
	text := ""
	for what, n := range a.Each {
		if text != "" {
			text += ", "
		}
		text += units.Plural(n, "event") + ": " + what
	}
	return text
}
