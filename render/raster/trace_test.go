package raster

import (
	"strata/layout"
	"strata/layout/traces"
)

// laidOut is the timeline of a trace.
func laidOut(t *traces.Trace, opt layout.Options) *layout.Timeline {
	s, d := t.Snapshot()
	return layout.New(s, d, opt)
}
