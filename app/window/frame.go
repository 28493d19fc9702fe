package window

import (
	"image"
	"slices"
	"time"

	"gioui.org/io/event"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/app/diag"
	"strata/app/session"
	"strata/layout"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
	"strata/widgets/sheet"
)

// What the panels leave to others, dp.
const (
	leastPlotWidth  = 260 // for the timeline, by the stack panel
	leastPlotHeight = 140 // for the timeline, by the annotations
	leastBody       = 150 // for the timeline, by the drawer
	leastStack      = 120 // height of the stack above the matches

	narrow, low = 640, 420 // windows without stack panel or minimap
	roomy       = 900      // narrower windows have a stack panel only where there is a stack that stays
)

// progressEvery is how often a frame shows the progress of what runs on a goroutine. A frame that is drawn
// in software takes a core from that work.
const progressEvery = 250 * time.Millisecond

// progressAfter is how long a file may take to open before its progress is shown.
const progressAfter = 150 * time.Millisecond

// panelRects is where the panels lie in a frame, in pixels of the window. Those that do not show are empty.
type panelRects struct {
	toolbar, tabs, minimap, timeline, stack, bottom, line, matches, drawer, lane image.Rectangle

	stackEdge, minimapEdge, matchesEdge, drawerEdge image.Rectangle

	gutter int // left of the picture
	top    int // where what is under toolbar and tabs begins
}

// frame reads the events, then draws.
func (w *Window) frame(gtx giolayout.Context) {
	w.frames.Begin(w.cache.State().Working)
	w.background().Deliver()
	w.sessions.LoadAhead()
	w.followSessions()
	r := w.arrange(gtx, w.tab())
	w.update(gtx, &r)
	w.followSessions()
	w.frames.End(diag.Updating)
	w.retitle()
	t := w.tab()
	r = w.arrange(gtx, t) // what the user did may have moved an edge, opened or closed a file
	w.compose(gtx, t, &r)
	w.frames.End(diag.Composing)
	w.describe(t)
	w.draw(gtx, t, &r)
	w.frames.End(diag.Layout)
	w.cache.Work()
	if w.onFrame != nil {
		w.onFrame(&r)
	}
}

// arrange computes where everything lies.
func (w *Window) arrange(gtx giolayout.Context, t *tab) panelRects {
	size := gtx.Constraints.Max
	grip := gtx.Dp(kit.Grip)
	var r panelRects
	r.toolbar = image.Rect(0, 0, size.X, gtx.Dp(panel.ToolbarHeight))
	r.top = r.toolbar.Max.Y
	if w.hasTabs() {
		r.tabs = image.Rect(0, r.top, size.X, r.top+gtx.Dp(panel.TabBarHeight))
		r.top = r.tabs.Max.Y
	}
	r.line = image.Rect(0, max(r.top, size.Y-gtx.Dp(panel.StatusLineHeight)), size.X, size.Y)
	r.bottom = image.Rect(0, r.line.Min.Y-panel.BottomBarHeight(gtx, size), size.X, r.line.Min.Y)
	body := image.Rect(0, r.top, size.X, max(r.top, r.bottom.Min.Y))
	if t.drawer.page != panel.NoDrawer && t.Doc != nil {
		height := min(px(gtx, w.settings.DrawerHeight), max(body.Dy()-gtx.Dp(leastBody), body.Dy()*3/5))
		body.Max.Y -= height
		r.drawer = image.Rect(0, body.Max.Y, size.X, body.Max.Y+height)
		r.drawerEdge = image.Rect(0, r.drawer.Min.Y-grip/2, size.X, r.drawer.Min.Y-grip/2+grip)
	}
	listing := t.Find.Result != nil
	stack := !w.settings.StackHidden && (size.X >= gtx.Dp(roomy) || t.Pinned != layout.None || t.Failed != nil)
	if size.X >= gtx.Dp(narrow) && (stack || listing) {
		width := min(px(gtx, w.settings.StackWidth), size.X-gtx.Dp(leastPlotWidth))
		r.stack = image.Rect(size.X-width, r.top, size.X, body.Max.Y)
		body.Max.X = r.stack.Min.X
		r.stackEdge = image.Rect(body.Max.X-grip/2, r.top, body.Max.X-grip/2+grip, body.Max.Y)
		if listing {
			w.arrangeMatches(gtx, &r, stack)
		}
	}
	t.timeline.Limits.Capacity, t.timeline.Limits.Offset = w.opt.Capacity(t.Timeline()), w.opt.Offset
	if t.Doc != nil {
		r.gutter = t.timeline.Gutter(gtx, w.theme, t.View, body.Dy())
	}
	r.timeline = body
	if size.Y >= gtx.Dp(low) && body.Dy() >= gtx.Dp(leastBody+60) {
		height := min(px(gtx, w.settings.MinimapHeight), body.Dy()/3)
		r.minimap = image.Rect(r.gutter, r.top+gtx.Dp(8), body.Max.X-gtx.Dp(14), r.top+gtx.Dp(8)+height)
		below := r.minimap.Max.Y + gtx.Dp(3)
		r.minimapEdge = image.Rect(0, below, body.Max.X, below+grip)
		r.timeline.Min.Y = r.minimapEdge.Max.Y
	}
	if t.Doc != nil {
		t.arrangeLane(gtx, &r)
	}
	return r
}

// arrangeMatches gives the list of matches its part of the column at the right, or all of it without a stack.
func (w *Window) arrangeMatches(gtx giolayout.Context, r *panelRects, stack bool) {
	r.matches = r.stack
	if !stack {
		r.stack = image.Rectangle{}
		return
	}
	most := r.stack.Dy() - gtx.Dp(leastStack)
	height := max(min(px(gtx, w.settings.MatchesHeight), most), r.stack.Dy()/3)
	y, grip := r.stack.Max.Y-height, gtx.Dp(kit.Grip)
	r.matches.Min.Y, r.stack.Max.Y = y, y
	r.matchesEdge = image.Rect(r.stack.Min.X, y-grip/2, r.stack.Max.X, y-grip/2+grip)
}

// arrangeLane gives the annotations the upper part of the timeline.
func (t *tab) arrangeLane(gtx giolayout.Context, r *panelRects) {
	height := t.lane.Height(gtx, t.Doc.Stage.Lane)
	if height == 0 || r.timeline.Dy()-height < gtx.Dp(leastPlotHeight) {
		return
	}
	top := r.timeline.Min.Y
	if !r.minimapEdge.Empty() {
		top -= gtx.Dp(2)
	}
	r.lane = image.Rect(0, top, r.timeline.Max.X, top+height)
	r.timeline.Min.Y = r.lane.Max.Y
}

// in lays a widget out in a rectangle of the window.
func in(gtx giolayout.Context, r image.Rectangle, f func(giolayout.Context)) {
	if r.Empty() {
		return
	}
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = giolayout.Exact(r.Size())
	f(gtx)
}

// compose chooses what the timeline shows, and finds what of it is under the pointer.
func (w *Window) compose(gtx giolayout.Context, t *tab, r *panelRects) {
	t.under, t.hovered, t.mark, t.scene = nil, layout.None, chart.Mark{}, nil
	t.Refresh()
	if t.Doc == nil {
		return
	}
	t.loaded = true
	st := t.Doc.Stage
	t.under = st
	size := t.timeline.Prepare(gtx, r.timeline.Size(), r.gutter)
	t.scene = w.cache.Compose(st.Timeline, t.pictureColours(), t.View, size)
	w.composeBands(gtx, t, size)
	t.timeline.Playhead = t.playhead()
	a := &t.timeline.Allocator
	a.Curves, a.Trades = t.Lines(w.lines())
	a.Shade = w.lines() == session.Shaded
	if !w.menu.Showing() && w.sheet == nil {
		t.hovered, t.mark = t.timeline.Hovered(t.widgetScene()), t.timeline.Mark()
		if t.hovered == layout.None && t.allocatorShows() {
			t.hovered = t.drawer.allocator.hovered
		}
	}
	t.timeline.Limits.OOMs = st.OOMs
	t.composeLane(gtx, w.theme, r)
}

// composeLane finds what the lane and the timeline show of annotations.
func (t *tab) composeLane(gtx giolayout.Context, th *kit.Theme, r *panelRects) {
	tl, lane := t.Timeline(), t.Doc.Stage.Lane
	t.lane.Prepare(gtx, lane, t.View, r.gutter, t.timeline.Plot().Dx())
	t.here = describe.NoPhase
	if at, ok := t.timeline.Pointer(); ok && tl.HasTime() {
		x := t.View.XAt(float64(at.X)+.5, t.timeline.Plot().Dx())
		t.here = lane.Phases.IndexAt(tl.TimeAt(t.View.Axis, x))
	}
	t.lines = t.lines[:0]
	if !r.lane.Empty() {
		t.lines = t.lane.Lines(gtx, t.lines, th, lane, t.View, t.Annotation, t.lane.Hovered())
	}
	t.timeline.Lines = t.lines
}

// draw draws the panels, then what lies over them.
func (w *Window) draw(gtx giolayout.Context, t *tab, r *panelRects) {
	kit.Backing(gtx, w.theme)
	area := clip.Rect{Max: gtx.Constraints.Max}.Push(gtx.Ops)
	event.Op(gtx.Ops, w)
	area.Pop()
	// The toolbar first, because Tab goes through the controls in the order they are drawn.
	in(gtx, r.toolbar, func(gtx giolayout.Context) {
		w.toolbar.Layout(gtx, w.theme, w.toolbarState(t, r.toolbar.Dx()))
	})
	w.drawTabs(gtx, r)
	switch {
	case t.Page != nil:
		w.drawPage(gtx, t, r)
	case t.Doc == nil:
		w.drawEmpty(gtx, t, r)
	default:
		w.drawDocument(gtx, t, r)
	}
	w.drawCards(gtx, t, r)
	if t.Doc != nil {
		w.drawTooltips(gtx, t, r)
	}
	if w.sheet != nil {
		w.sheet.draw(w, gtx)
	}
	if w.drag.over {
		sheet.DropOverlay(gtx, w.theme, w.drag.text)
	}
	w.menu.Layout(gtx, w.theme)
}

// drawEmpty draws a tab without document.
func (w *Window) drawEmpty(gtx giolayout.Context, t *tab, r *panelRects) {
	below := image.Rectangle{Min: image.Pt(0, r.top), Max: gtx.Constraints.Max}
	in(gtx, below, func(gtx giolayout.Context) {
		kit.Ground(gtx, w.theme, image.Rectangle{Max: gtx.Constraints.Max}, image.Rectangle{})
		if w.starting() {
			look := sheet.StartLook{Recent: w.listRecent(), OpenKey: keyOf("open"), RecordKey: keyOf("recording")}
			if inPage {
				look.Note = privacy
			}
			w.startPage.Layout(gtx, w.theme, look)
		}
	})
}

// starting reports whether the start page shows: not where a file is about to be, nor beside other files.
func (w *Window) starting() bool {
	s := w.sessions.Active
	return s.Empty() && (s.Path == "" || len(w.sessions.All) == 1)
}

// drawDocument draws the panels of a tab with a document.
func (w *Window) drawDocument(gtx giolayout.Context, t *tab, r *panelRects) {
	th, tl := w.theme, t.Timeline()
	var picture image.Rectangle // hides what is behind it
	if t.scene != nil {
		picture = t.timeline.Plot().Add(r.timeline.Min)
	}
	kit.Ground(gtx, th, image.Rect(0, r.top, r.timeline.Max.X, r.timeline.Max.Y), picture)
	t.timeline.Matches = t.Find.Result
	in(gtx, r.timeline, func(gtx giolayout.Context) {
		t.timeline.Layout(gtx, th, tl, t.View, t.widgetScene(), t.selection())
		w.drawBandNames(gtx, t)
	})
	away := t.away()
	in(gtx, r.timeline, func(gtx giolayout.Context) {
		t.back.Layout(gtx, th, t.timeline.Plot(), away, keyOf("show-pinned"))
	})
	if !r.minimap.Empty() {
		in(gtx, r.minimapEdge, func(gtx giolayout.Context) { w.edges.minimap.Layout(gtx, th) })
		t.minimap.Offset = w.opt.Offset
		in(gtx, r.minimap, func(gtx giolayout.Context) { t.minimap.Layout(gtx, th, tl, t.View) })
	}
	in(gtx, r.lane, func(gtx giolayout.Context) { t.lane.Layout(gtx, th, t.Doc.Stage.Lane, t.Annotation, t.here) })
	t.stack.HideFramework = !w.settings.ShowFramework
	in(gtx, r.stack, func(gtx giolayout.Context) {
		if t.groupsShow() {
			t.groupList.Layout(gtx, th, w.groupsState(t))
			return
		}
		t.stack.Why = t.Why()
		t.stack.Layout(gtx, th, tl, t.selection(), keyOf("copy"))
	})
	in(gtx, r.bottom, func(gtx giolayout.Context) {
		t.bottom.Layout(gtx, th, &t.details, t.selection(), away != chart.InView, hints)
	})
	in(gtx, r.line, func(gtx giolayout.Context) { t.line.Layout(gtx, th, w.statusNow(gtx, t)) })
	if t.Find.Result != nil {
		in(gtx, r.matches, func(gtx giolayout.Context) { t.matches.Layout(gtx, th, t.matchesState()) })
		in(gtx, r.matchesEdge, func(gtx giolayout.Context) { w.edges.matches.Layout(gtx, th) })
	}
	in(gtx, r.drawer, func(gtx giolayout.Context) { w.drawDrawer(gtx, t) })
	in(gtx, r.drawerEdge, func(gtx giolayout.Context) { w.edges.drawer.Layout(gtx, th) })
	in(gtx, r.stackEdge, func(gtx giolayout.Context) { w.edges.stack.Layout(gtx, th) })
}

// drawTooltips draws the tooltips of the timeline and of the annotations.
func (w *Window) drawTooltips(gtx giolayout.Context, t *tab, r *panelRects) {
	switch tl, axis := t.Timeline(), t.View.Axis; {
	case t.mark.Kind == chart.PeakMark:
		t.timeline.LayoutMarkTip(gtx, w.theme, r.timeline.Min, describe.PeakTip(tl, w.about(t), axis))
	case t.mark.Kind == chart.OOMMark && t.mark.Index < len(t.Doc.Stage.OOMs):
		lines := describe.RequestTip(tl, w.about(t), &t.Doc.Stage.OOMs[t.mark.Index], axis)
		t.timeline.LayoutMarkTip(gtx, w.theme, r.timeline.Min, lines)
	case t.mark.Kind == chart.CurveMark || t.mark.Kind == chart.TradeMark:
		t.timeline.LayoutMarkTip(gtx, w.theme, r.timeline.Min, t.allocatorTip())
	case t.bands != nil && !w.menu.Showing() && w.sheet == nil:
		if tip := t.bandTip(); tip != nil {
			t.timeline.LayoutMarkTip(gtx, w.theme, r.timeline.Min, tip)
		}
	case t.timeline.ShowsTooltip(t.hovered):
		t.timeline.LayoutTooltip(gtx, w.theme, r.timeline.Min, &t.tip)
	}
	if t.allocatorShows() && !w.menu.Showing() {
		t.drawer.allocator.LayoutTooltip(gtx, w.theme, r.drawer, w.allocatorState(gtx, t))
	}
	if t.flameShows() && !w.menu.Showing() {
		t.drawer.flame.LayoutTooltip(gtx, w.theme, r.drawer, w.flameState(t))
	}
	if !r.lane.Empty() && !w.menu.Showing() {
		t.lane.LayoutTooltip(gtx, w.theme, r.lane.Min, t.Timeline(), t.Doc.Stage.Lane, t.View.Axis)
	}
}

// drawCards draws the progress of loading and the problem.
func (w *Window) drawCards(gtx giolayout.Context, t *tab, r *panelRects) {
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, window.X-gtx.Dp(32)), window.Y)}
	y := r.top + gtx.Dp(16)
	show := func(f func(giolayout.Context) giolayout.Dimensions) {
		m := op.Record(gtx.Ops)
		d := f(gtx)
		c := m.Stop()
		offset := op.Offset(image.Pt((window.X-d.Size.X)/2, y)).Push(gtx.Ops)
		c.Add(gtx.Ops)
		offset.Pop()
		y += d.Size.Y + gtx.Dp(12)
	}
	if l := t.Loading; l != nil {
		due := l.Begun.Add(progressAfter)
		if !gtx.Now.Before(due) {
			state := l.Progress(gtx.Now)
			show(func(gtx giolayout.Context) giolayout.Dimensions { return w.progress.Layout(gtx, w.theme, &state) })
			due = gtx.Now.Add(progressEvery)
		}
		gtx.Execute(op.InvalidateCmd{At: due})
	}
	if p := t.Problem; p != nil {
		show(func(gtx giolayout.Context) giolayout.Dimensions {
			return w.problem.Layout(gtx, w.theme, p)
		})
	}
}

// drawTabs draws the row of tabs.
func (w *Window) drawTabs(gtx giolayout.Context, r *panelRects) {
	if r.tabs.Empty() {
		return
	}
	infos := w.tabInfos()
	if slices.ContainsFunc(infos, func(i panel.TabInfo) bool { return i.State == describe.Reading }) {
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(progressEvery)})
	}
	in(gtx, r.tabs, func(gtx giolayout.Context) {
		w.tabBar.Layout(gtx, w.theme, infos, slices.Index(w.sessions.All, w.sessions.Active))
	})
}
