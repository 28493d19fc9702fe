package app

import (
	"strata/layout/capacity"
	"strata/render"
	"strata/widgets"
)

// wholeView is the view of everything, base, line of the GPU and all.
func (w *window) wholeView() render.View {
	return w.panels.timeline.Limits.Whole(render.Whole(w.timeline(), w.view.Axis))
}

// relimit changes the limits. A view that showed the whole height does so still.
func (w *window) relimit(change func(*widgets.Limits)) {
	full := w.doc != nil && w.view.Y1 == w.wholeView().Y1
	change(&w.panels.timeline.Limits)
	w.extendView()
	if full {
		w.view.Y1 = w.wholeView().Y1
	}
}

// setCapacity draws the line of another GPU, the zero value for none, and
// remembers it.
func (w *window) setCapacity(c capacity.Capacity) {
	w.relimit(func(l *widgets.Limits) { l.Capacity = c })
	w.settings.GPU = c.Name
	w.save()
}

// setOffset changes the memory that is added to every total.
func (w *window) setOffset(bytes int64) {
	low := w.view.Y0 <= -float64(w.panels.timeline.Limits.Offset)
	w.relimit(func(l *widgets.Limits) { l.Offset = bytes })
	if low && w.doc != nil { // the bottom was in view and stays so
		w.view.Y0 = -float64(bytes)
	}
	w.shownOf, w.tipOf = detailsKey{}, detailsKey{}
}

// extendView lets the view reach what the limits show.
func (w *window) extendView() {
	if w.doc != nil {
		w.view = w.panels.timeline.Limits.Extend(w.view).Clamp(w.timeline())
	}
}

// rememberedCapacity is the GPU that was chosen last, the zero value if none.
func (w *window) rememberedCapacity() capacity.Capacity {
	if w.opt.GPU.Bytes > 0 {
		return w.opt.GPU
	}
	c, err := capacity.Find(w.settings.GPU)
	if err != nil {
		return capacity.Capacity{}
	}
	return c
}

// startLimits gives a tab what the command line says of limits and
// annotations.
func (w *window) startLimits(t *tab) {
	l := &t.own.timeline.Limits
	l.Capacity, l.Offset = w.rememberedCapacity(), w.opt.Offset
	t.annotations = annotations{annotationChoice: annotationChoice{w.opt.AllAnnotations, w.opt.AnnotationFilter},
		current: widgets.NoPhase, here: widgets.NoPhase}
	f := &t.own.lane.Filter
	f.All = w.opt.AllAnnotations
	f.SetText(w.opt.AnnotationFilter)
	f.Open = w.opt.AnnotationFilter != ""
}

// about is what there is to say of allocations beside what the timeline knows.
func (w *window) about() widgets.About {
	return widgets.About{Phases: w.doc.stage.phases, Offset: w.panels.timeline.Limits.Offset, Shape: w.shapeOf}
}
