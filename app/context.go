package app

import (
	"image"

	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/search"
	"strata/widgets/kit"
)

// contextMenu lists what can be done with an allocation.
func (w *window) contextMenu() []kit.MenuItem {
	pin := w.item("show-pinned", "Bring it into view")
	return []kit.MenuItem{
		w.item("copy", "Copy the stack"), w.item("copy-details", "Copy the details"),
		{Rule: true},
		w.item("zoom-to", "Zoom to it"), pin, w.item("same-site", "Find what the same line allocates"),
	}
}

// askContext wants the menu of what is pinned; what is only hovered is pinned
// first, as a menu lies over it.
func (w *window) askContext(giolayout.Context) {
	w.selection.Pinned, w.wantsContext = w.selection.Shown(), true
}

// openContext opens the menu that is wanted at the pointer, else at the button.
func (w *window) openContext(gtx giolayout.Context) {
	w.wantsContext, w.asker.picked = false, false // its copy is the allocation's
	if at, ok := w.panels.timeline.Pointer(); ok {
		origin := w.arrange(gtx).timeline.Min.Add(w.panels.timeline.Plot().Min)
		w.panels.menu.Open("context", at.Add(origin), w.contextMenu())
		return
	}
	w.openContextAtBar(gtx)
}

// openContextAtBar opens it above the bottom bar's button.
func (w *window) openContextAtBar(gtx giolayout.Context) {
	w.asker.picked = false
	bar := w.arrange(gtx).bottom
	w.panels.menu.OpenAbove("context", image.Pt(bar.Max.X, bar.Min.Y), w.contextMenu())
}

// zoomTo shows an allocation from its beginning to its end, as large as it is
// useful.
func (w *window) zoomTo(gtx giolayout.Context) {
	t, id := w.timeline(), w.selection.Shown()
	w.selection.Pinned = id
	x0, x1 := t.Span(id, w.view.Axis)
	margin := max((x1-x0)*.1, 1)
	v := w.view
	v.X0, v.X1 = x0-margin, x1+margin
	last := min(t.Death[id]-1, int32(len(t.Actions)))
	high, ok := t.Offset(id, layout.Moment{Step: t.Birth[id]})
	low, too := t.Offset(id, layout.Moment{Step: last})
	if ok && too { // what is freed under it lets it down, nothing lifts it
		extent := float64(high + t.Size[id] - low)
		// What is under and over it stays to be seen.
		height := max(float64(t.Size[id])*6, extent*1.2, float64(t.PeakBytes)/64)
		middle := float64(low) + extent/2
		v.Y0, v.Y1 = middle-height/2, middle+height/2
		if v.Y0 < -v.Below {
			v.Y0, v.Y1 = -v.Below, height-v.Below
		}
	}
	w.look(v, gtx.Now)
}

// findSameSite searches for what the same line of code allocated.
func (w *window) findSameSite(giolayout.Context) {
	t := w.timeline()
	s := t.Snapshot
	a := t.At(w.selection.Shown())
	w.selection.Pinned = a.ID
	f := s.Stacks.Site[a.Stack]
	if frames := s.Stacks.Of(a.Stack); f == 0 && len(frames) > 0 {
		f = frames[0]
	}
	w.searchFor(search.SiteTerm(s, f))
}

// hasSite reports that an allocation is shown whose stack was recorded.
func (w *window) hasSite() bool {
	if !w.hasShown() {
		return false
	}
	t := w.timeline()
	return len(t.Snapshot.Stacks.Of(t.At(w.selection.Shown()).Stack)) > 0
}
