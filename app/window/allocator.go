package window

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"strata/app/tables"
	"strata/layout"
	"strata/layout/capacity"
	"strata/layout/query"
	"strata/layout/state"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/allocator"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
)

// allocatorPage is the page of the drawer with the allocator's segments, and what its state was made of.
type allocatorPage struct {
	panel.AllocatorPage
	face   panel.Face
	choice allocator.Choice
	state  *allocator.State
	event  int       // whose state was shown last
	moved  time.Time // when that changed
	pinned layout.ID // what was pinned then

	hovered layout.ID // under the pointer

	listed listed         // what the table was made of
	pools  *tables.Pools  // in the table, of panel.Pools
	events *tables.Events // likewise of panel.Events

	wrong  bool    // what was typed is neither an event nor a size
	asked  int64   // bytes of a request that may fit, 0 for none
	fits   fits    // what came of it
	marked *marked // the ranges of a sentence, nil for none
	lens   lens
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
	s.Note = allocator.EventText(at)
	if s.Face = p.face; p.face != panel.Segments {
		w.faceTable(t, s, at)
		return s
	}
	t.findLens()
	if t.hasLens() {
		w.showLens(t, s)
		return s
	}
	w.light(t, s, at)
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
	case e.Faces:
		w.menu.OpenAbove("face", at, p.faceMenu())
	case e.Kinds:
		w.menu.OpenAbove("kind", at, p.kindMenu())
	case e.Jump:
		w.jump(gtx, t)
	case e.Table.Row >= 0:
		gtx.Execute(key.FocusCmd{})
		w.chooseRow(t, e.Table.Row, gtx.Now)
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
	case e.All:
		p.lens = lens{}
	case e.Look != nil:
		t.Look(*e.Look, gtx.Now)
	case e.Clicked && e.Segment >= 0:
		gtx.Execute(key.FocusCmd{})
		p.lens = lens{of: p.state.At.History, life: p.state.At.Segments[e.Segment].Life}
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

// listed is what the table of a face of the allocator was made of.
type listed struct {
	face    panel.Face
	at      *state.State
	history *state.History
	kind    tables.EventKind
	text    string
	why     *describe.Reasons
	event   int // whose row was brought into sight
}

// faceTable brings the table of the page's face up to date.
func (w *Window) faceTable(t *tab, s *panel.AllocatorState, at *state.State) {
	p := &t.drawer.allocator
	now := listed{face: p.face, history: at.History, kind: p.listed.kind, text: p.listed.text, event: p.listed.event}
	s.Kind = now.kind.String()
	switch p.face {
	case panel.Pools:
		now.at = at
		s.Note = "Click shows the segments of a pool and stream alone"
	case panel.Failure:
		if now.why = t.Why(); now.why == nil {
			s.Empty = whyEmpty(t)
			return
		}
		s.Note = "Click lights the free ranges that a sentence is about"
	case panel.Settings:
		if len(t.Doc.Snapshot.Settings) == 0 {
			s.Empty = "The file does not tell the allocator's settings: PyTorch writes them since 2.2."
			return
		}
		s.Note = "As they were when the file was written. Those that were changed come first"
	}
	if now != p.listed {
		p.listed = now
		switch p.face {
		case panel.Pools:
			p.pools = tables.NewPools(at)
			p.Table.ShowRows(p.pools)
		case panel.Failure:
			why := tables.NewWhy(now.why.Of)
			p.Table.ShowRows(why)
			p.Table.Least = []unit.Dp{820}
			p.Table.Paint = func(_ giolayout.Context, _ *kit.Theme, _ image.Rectangle, row, col int) bool {
				return why.Row(row)[col].Kind == query.Null // there is nothing to say
			}
		case panel.Settings:
			p.Table.ShowRows(tables.Settings(t.Doc.Snapshot.Settings))
			p.Table.Least = []unit.Dp{0, 0, 0, 640}
		case panel.Events:
			p.events = tables.NewEvents(at.History, now.kind, now.text)
			p.Table.ShowRows(p.events)
			p.Table.Lit = func(row int) bool { return p.events.Event(row) == p.event }
			p.listed.event = -2
		}
	}
	if p.face == panel.Events {
		s.Note = units.Plural(int64(p.events.Len()), "event")
		if now.text != "" {
			s.Note += " with " + strconv.Quote(now.text) + " in their line"
		}
		if p.listed.event != p.event {
			p.listed.event = p.event
			p.Table.Reveal(max(0, p.events.RowOf(p.event)))
		}
	}
}

// whyEmpty says why no failed request is explained.
func whyEmpty(t *tab) string {
	switch {
	case t.Failed != nil:
		return "Working it out…"
	case len(t.Doc.Stage.OOMs) > 0:
		return units.Plural(len(t.Doc.Stage.OOMs), "request") + " failed for want of memory: " + keyOf("next-oom") +
			" goes to the next one and explains it here."
	}
	return "No request failed for want of memory in this recording."
}

// chooseRow does what a click on a row of the table is for.
func (w *Window) chooseRow(t *tab, row int, now time.Time) {
	p := &t.drawer.allocator
	switch p.face {
	case panel.Pools:
		if row < len(p.pools.Keys) {
			p.choice.Only, p.choice.Alone, p.face, p.lens = p.pools.Keys[row], true, panel.Segments, lens{}
		}
	case panel.Failure:
		if why := p.listed.why; why != nil && row < len(why.Of.Sentences) {
			w.showRanges(t, why, row, now)
		}
	case panel.Events:
		if row < p.events.Len() {
			k := p.events.Event(row)
			p.listed.event = k // it is in sight
			t.GoToEvent(k, now)
		}
	}
}

// marked are the free ranges of a sentence about a request that failed.
type marked struct {
	event  int
	ranges *allocator.Ranges
	first  uint64
	text   string
	seen   bool // they were brought into sight
}

// showRanges lights the free ranges that a sentence of an explanation is about.
func (w *Window) showRanges(t *tab, why *describe.Reasons, sentence int, now time.Time) {
	x := &why.Of.Sentences[sentence]
	if len(x.Ranges) == 0 {
		t.Say("This is about no free ranges")
		return
	}
	p := &t.drawer.allocator
	t.drawer.page, p.face, p.choice.Alone = panel.AllocatorTab, panel.Segments, false
	p.asked, p.lens = 0, lens{}
	largest := slices.MaxFunc(x.Ranges, func(a, b state.FreeRange) int { return cmp.Compare(a.Size, b.Size) })
	p.marked = &marked{event: why.Of.OOM.State.K, ranges: allocator.NewRanges(x.Ranges), first: largest.Addr,
		text: units.Plural(len(x.Ranges), "free range") + " lit: " + x.Text}
	if t.AllocatorEvent() != p.marked.event {
		t.GoToEvent(p.marked.event, now)
	}
}

// fits is what a request would find in a state.
type fits struct {
	at     *state.State
	choice allocator.Choice
	asked  int64
	ranges *allocator.Ranges
	note   string
}

// light finds the free ranges that stand out.
func (w *Window) light(t *tab, s *panel.AllocatorState, at *state.State) {
	p := &t.drawer.allocator
	s.Wrong = p.wrong
	if m := p.marked; m != nil {
		if at.K == m.event {
			p.state.Lit, s.Note = m.ranges, m.text
			if !m.seen {
				m.seen = true
				p.Strips.RevealByte(p.state, m.first)
			}
			return
		} else if m.seen {
			p.marked = nil
		}
	}
	if p.asked == 0 {
		return
	}
	if f := &p.fits; f.at != at || f.choice != p.choice || f.asked != p.asked {
		found := fits{at: at, choice: p.choice, asked: p.asked}
		key := requestPool(at)
		if p.choice.Alone {
			key = p.choice.Only
		}
		r := at.Fits(p.asked, func(k state.PoolKey) bool { return k == key })
		found.ranges, found.note = allocator.NewRanges(r.Serve), fitsText(&r, poolTitle(t.Doc.Snapshot, key))
		*f = found
	}
	p.state.Lit, s.Note = p.fits.ranges, p.fits.note
}

// requestPool is the pool and stream that a request is taken to be of: of the default pool the stream with most
// reserved, or the one of the request that failed there.
func requestPool(at *state.State) (key state.PoolKey) {
	oom, of := at.OOM(), at.History.Snapshot
	for _, pool := range at.Pools() { // the most reserved first
		if p := of.Pools[pool.Pool]; oom == nil && p == (snapshot.Pool{}) ||
			oom != nil && p == of.Pools[oom.Pool] && pool.Stream == oom.Stream {
			return pool.PoolKey
		}
	}
	return key
}

// fitsText says what a request would find.
func fitsText(f *state.Fits, pool string) string {
	var texts []string
	if n := len(f.Serve); n > 0 {
		texts = append(texts, fmt.Sprintf("%s of %s can serve %s", units.Plural(n, "range"), pool,
			units.Bytes(f.Asked)))
	} else {
		texts = append(texts, fmt.Sprintf("No range of %s fits %s: the driver is asked for %s", pool,
			units.Bytes(f.Asked), units.Bytes(f.Needed)))
	}
	for _, x := range []struct {
		bytes int64
		text  string
	}{{f.Small, "in smaller ranges"}, {f.Kind, "in segments for other sizes"},
		{f.Split, "in ranges that may not be split"}} {
		if x.bytes > 0 {
			texts = append(texts, units.Bytes(x.bytes)+" "+x.text)
		}
	}
	return strings.Join(texts, "; ")
}

// jump goes to the event that was typed, asks what a size would find, or filters the events.
func (w *Window) jump(gtx giolayout.Context, t *tab) {
	p := &t.drawer.allocator
	text := strings.TrimSpace(p.Jump.Text())
	p.wrong, p.asked, p.marked = false, 0, nil
	k, err := strconv.Atoi(strings.NewReplacer(",", "", "\u202f", "", " ", "").Replace(text))
	switch {
	case text == "":
		p.listed.text = ""
	case err == nil:
		t.GoToEvent(k, gtx.Now)
	case p.face == panel.Events:
		p.setFilter(p.listed.kind, text)
	default:
		p.lens = lens{} // what fits is lit among all segments
		if p.asked, err = capacity.Amount(text); err != nil || p.asked <= 0 {
			p.asked, p.wrong = 0, true
		}
	}
}

// setFilter lists other events.
func (p *allocatorPage) setFilter(kind tables.EventKind, text string) {
	p.listed = listed{kind: kind, text: text}
}
