package window

import (
	"image/color"

	giolayout "gioui.org/layout"

	"strata/app/session"
	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/render/colour"
	"strata/widgets/flame"
	"strata/widgets/panel"
)

// flamePage is the page of the drawer with the flame graph, and what its state was made of.
type flamePage struct {
	panel.FlamePage
	leavesUp  bool
	state     *flame.State
	stacks    *session.Stacks
	colouring *colour.Colouring
}

// flameState brings the flame graph up to date.
func (w *Window) flameState(t *tab) *panel.FlameState {
	f := &t.drawer.flame
	s := &panel.FlameState{Moment: w.momentText(t), Chosen: t.MomentChosen(), LeavesUp: f.leavesUp,
		Frames: w.settings.ShowFramework, TurnKey: keyOf("turn-flame"), FramesKey: keyOf("framework"), Lit: flame.None}
	stacks := t.Stacks(breakdown.TreeOptions{LeavesUp: f.leavesUp, Frames: s.Frames})
	if stacks == nil {
		s.Empty = "Working it out…"
		return s
	}
	if c := t.Doc.Stage.Colouring; f.stacks != stacks || f.colouring != c {
		f.stacks, f.colouring = stacks, c
		f.state = &flame.State{Tree: stacks.Tree, Held: stacks.Held, Before: stacks.Before, Matched: stacks.Matched,
			Colour: siteColours(stacks, c)}
	}
	s.State = f.state
	all := stacks.Held[0].Bytes
	switch {
	case all == 0:
		s.Empty = "Nothing is held at this moment."
	case stacks.Before != nil:
		s.Note = "As wide as what B holds. Orange grew since A, blue shrank"
	case stacks.Matched != nil:
		found := stacks.Matched[0].Bytes
		s.Note = units.Bytes(found) + " of " + units.Bytes(all) + " matches the search"
	default:
		s.Note = "Click zooms in, Backspace goes back"
	}
	s.Lit = s.CellOf(t.selection().Shown())
	return s
}

// siteColours is the timeline's colours of call sites, where it shows those.
func siteColours(stacks *session.Stacks, c *colour.Colouring) func(int32) color.NRGBA {
	if c.Mode != colour.BySite {
		return nil
	}
	return func(node int32) color.NRGBA {
		if first := stacks.Sites[node]; first >= 0 {
			return color.NRGBA(c.Colour(first))
		}
		return color.NRGBA{}
	}
}

// flameShows reports whether the flame graph shows, and what of it is of the timeline.
func (t *tab) flameShows() bool {
	f := &t.drawer.flame
	return t.Doc != nil && t.drawer.page == panel.FlameTab && f.stacks != nil &&
		f.stacks.Tree.Timeline() == t.Timeline()
}

// updateFlame reads what was done in the flame graph.
func (w *Window) updateFlame(gtx giolayout.Context, t *tab, r *panelRects) {
	f := &t.drawer.flame
	switch e := f.Update(gtx, w.flameState(t)); {
	case e.Moment:
		w.menu.OpenAbove("moment", r.drawer.Min.Add(e.At), w.momentMenu(t))
	case e.Turn:
		t.turnFlame()
	case e.Frames:
		w.toggleFramework(gtx)
	}
}

// updateFlameKeys gives the flame graph its keys, before they are commands.
func (t *tab) updateFlameKeys(gtx giolayout.Context) {
	if f := &t.drawer.flame; t.flameShows() {
		f.Graph.UpdateKeys(gtx, f.state)
	}
}

// turnFlame shows the flame graph the other way round.
func (t *tab) turnFlame() { t.drawer.flame.leavesUp = !t.drawer.flame.leavesUp }

// litStacks is the colours of the picture where the flame graph lights some allocations, else nil.
func (t *tab) litStacks() *colour.Colouring {
	f := &t.drawer.flame
	if !t.flameShows() {
		return nil
	}
	if node := f.Graph.Shown(); node > 0 && int(node) < len(f.stacks.Tree.Nodes) {
		return t.LitStacks(f.stacks.Tree, node)
	}
	return nil
}
