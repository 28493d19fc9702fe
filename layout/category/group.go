package category

import (
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/shape"
)

// GroupOptions is what breakdown.New has to know to group a timeline by something. The namer knows shapes, nil for one
// that knows no model.
func GroupOptions(t *layout.Timeline, by breakdown.By, rules *Rules, namer *shape.Namer) (opt breakdown.Options) {
	switch by {
	case breakdown.ByPhase:
		opt.Phases = layout.AllPhases(t)
	case breakdown.ByShape:
		if namer == nil {
			namer = shape.NewNamer(shape.Model{}, false)
		}
		opt.Shape = func(size int64) string { return shape.Join(namer.Name(size), 1) }
	case breakdown.ByCategory:
		New(t, layout.AllPhases(t), rules).Group(&opt)
	}
	return opt
}
