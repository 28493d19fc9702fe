package app

import (
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/widgets"
)

// showPinned moves the view so that the pinned allocation is in it.
func (w *window) showPinned(gtx giolayout.Context) {
	t, id := w.timeline(), w.selection.Pinned
	x0, x1 := t.Span(id, w.view.Axis)
	v := w.view
	width := max(v.X1-v.X0, (x1-x0)*1.2)
	if x1 < v.X0 || x0 > v.X1 || width > v.X1-v.X0 {
		middle := (x0 + x1) / 2
		v.X0, v.X1 = middle-width/2, middle+width/2
	}
	if bottom, top, ok := w.heightOf(id, v.X0, v.X1); ok {
		if height := v.Y1 - v.Y0; top > v.Y1 || bottom < v.Y0 {
			middle := (bottom + top) / 2
			v.Y0, v.Y1 = middle-height/2, middle+height/2
			if v.Y0 < -v.Below {
				v.Y0, v.Y1 = -v.Below, height-v.Below
			}
		}
	}
	w.look(v, gtx.Now)
}

// heightOf is where an allocation lies in the middle of what a part of the axis
// has of its life, bytes.
func (w *window) heightOf(id layout.ID, from, to float64) (bottom, top float64, ok bool) {
	t := w.timeline()
	x0, x1 := t.Span(id, w.view.Axis)
	middle := (max(x0, from) + min(x1, to)) / 2
	at, ok := t.Offset(id, t.Column(w.view.Axis, middle, middle))
	if !ok { // as at the very end of its life
		at, ok = t.Offset(id, layout.Moment{Step: t.Birth[id]})
	}
	return float64(at), float64(at + t.Size[id]), ok
}

// pinnedAway says where the pinned allocation is if it is outside the view.
func (w *window) pinnedAway() widgets.Side {
	if !w.hasPinned() {
		return widgets.InView
	}
	v, id := w.view, w.selection.Pinned
	switch x0, x1 := w.timeline().Span(id, v.Axis); {
	case x1 < v.X0:
		return widgets.OffLeft
	case x0 > v.X1:
		return widgets.OffRight
	}
	if w.panels.timeline.ShowsPinned(id) {
		return widgets.InView
	}
	switch bottom, top, ok := w.heightOf(id, v.X0, v.X1); {
	case ok && top < v.Y0:
		return widgets.OffBelow
	case ok && bottom > v.Y1:
		return widgets.OffAbove
	}
	return widgets.InView // too small to be seen
}

// pinnedOffView reports whether the pinned allocation is outside the view.
func (w *window) pinnedOffView() bool { return w.pinnedAway() != widgets.InView }
