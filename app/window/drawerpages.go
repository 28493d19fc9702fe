package window

import (
	"image/color"
	"time"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render/colour"
	"strata/snapshot"
	"strata/widgets/allocator"
	"strata/widgets/describe"
	"strata/widgets/flame"
	"strata/widgets/kit"
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

// allocatorPage is the page of the drawer with the allocator's segments, and what its state was made of.
type allocatorPage struct {
	panel.AllocatorPage
	choice allocator.Choice
	state  *allocator.State
	event  int       // whose state was shown last
	moved  time.Time // when that changed
	pinned layout.ID // what was pinned then

	hovered layout.ID // under the pointer
}

// settled is how long the moment must stay where it is until the segments are put in order for it.
const settled = 400 * time.Millisecond

// allocatorState brings the allocator's page up to date.
func (w *Window) allocatorState(gtx giolayout.Context, t *tab) *panel.AllocatorState {
	p := &t.drawer.allocator
	s := &panel.AllocatorState{Moment: w.momentText(t), Chosen: t.MomentChosen(), Empty: t.LacksAllocator(),
		BackKey: keyOf("segment-before"), NextKey: keyOf("next-segment")}
	if s.Empty != "" {
		return s
	}
	at, current := t.AllocatorState()
	if at == nil {
		s.Empty = "Working it out…"
		return s
	}
	if k := t.AllocatorEvent(); k != p.event {
		p.event, p.moved = k, gtx.Now
	}
	moving := gtx.Now.Sub(p.moved) < settled
	if moving {
		gtx.Execute(op.InvalidateCmd{At: p.moved.Add(settled)})
	}
	h := at.History
	name := func(k state.PoolKey) string { return poolTitle(t.Doc.Snapshot, k) }
	p.state = &allocator.State{At: at, Current: current, IDs: t.Allocator().IDs, Colours: t.pictureColours(),
		Choice: p.choice, Moving: moving, Hovered: t.blockOf(at, t.selection().Hovered),
		Pinned: t.blockOf(at, t.Pinned), PoolName: name, Site: func(block int32) string {
			stack, _ := h.StackOf(block)
			return describe.SiteText(t.Doc.Snapshot, stack)
		}}
	if p.choice.Alone {
		s.Pool = name(p.choice.Only)
	}
	s.State = p.state
	s.Note = "event " + units.Count(max(0, at.K+1)) + " of " + units.Count(h.Len())
	if action := h.Action(at.K); action != snapshot.ActionOther {
		s.Note += ": " + action.String()
	}
	if len(at.Segments) == 0 && len(at.Blocks) == 0 {
		s.Empty = "The allocator holds nothing at this moment."
	}
	if t.Pinned != p.pinned {
		if p.pinned = t.Pinned; p.state.Pinned != allocator.None {
			p.Strips.Reveal(p.state, p.state.Pinned)
		}
	}
	return s
}

// blockOf is the block of an allocation in a state of the allocator, allocator.None without.
func (t *tab) blockOf(at *state.State, id layout.ID) int32 {
	if id < 0 {
		return allocator.None
	}
	block, is := at.Find(t.Timeline().AddrOf(id))
	if !is || t.Allocator().IDs[block] != id {
		return allocator.None
	}
	return block
}

// poolTitle names a pool and stream.
func poolTitle(s *snapshot.Snapshot, k state.PoolKey) string {
	return layout.PoolTitle(layout.PoolName(s, k.Pool)) + " · stream " + layout.StreamName(s, k.Stream)
}

// allocatorShows reports whether the allocator's page shows.
func (t *tab) allocatorShows() bool {
	return t.Doc != nil && t.drawer.page == panel.AllocatorTab && t.Allocator() != nil
}

// updateAllocator reads what was done in the allocator's page.
func (w *Window) updateAllocator(gtx giolayout.Context, t *tab, r *panelRects) {
	p := &t.drawer.allocator
	e := p.Update(gtx, w.allocatorState(gtx, t))
	p.hovered = e.Hovered
	at := r.drawer.Min.Add(e.At)
	switch {
	case e.Moment:
		w.menu.OpenAbove("moment", at, w.momentMenu(t))
	case e.Order:
		w.menu.OpenAbove("order", at, p.orderMenu())
	case e.Pool:
		w.menu.OpenAbove("pool", at, p.poolMenu(t.Doc.Snapshot))
	case e.Split:
		p.choice.Split = !p.choice.Split
	case e.Fit:
		p.choice.Fit = !p.choice.Fit
	case e.Step != 0:
		t.NextSegmentEvent(e.Step, gtx.Now)
	case e.Clicked:
		gtx.Execute(key.FocusCmd{})
		if e.Pin != layout.None && e.Pin != t.Pinned {
			t.Pin(e.Pin)
			p.pinned = e.Pin // it is in sight
		} else {
			t.Pin(layout.None)
		}
	}
}

// orderMenu lists the orders of segments.
func (p *allocatorPage) orderMenu() (items []kit.MenuItem) {
	for _, o := range allocator.Orders() {
		items = append(items, choice(o.String(), "", p.choice.Order == o, func() { p.choice.Order = o }))
	}
	return items
}

// poolMenu lists the pools and streams of the state that is shown.
func (p *allocatorPage) poolMenu(s *snapshot.Snapshot) []kit.MenuItem {
	items := []kit.MenuItem{choice("all pools", "", !p.choice.Alone, func() { p.choice.Alone = false })}
	if p.state == nil {
		return items
	}
	for _, pool := range p.state.At.Pools() {
		on := p.choice.Alone && p.choice.Only == pool.PoolKey
		detail := units.Bytes(pool.Free) + " free of " + units.Bytes(pool.Reserved)
		items = append(items, choice(poolTitle(s, pool.PoolKey), detail, on, func() {
			p.choice.Only, p.choice.Alone = pool.PoolKey, true
		}))
	}
	return items
}
