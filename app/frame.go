package app

import (
	"image"
	"time"

	"gioui.org/io/event"
	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/app/diag"
	"strata/layout"
	"strata/widgets"
	"strata/widgets/kit"
)

// Sizes the panels may have, dp.
const (
	leastPlot   = 260 // width left for the timeline
	narrow, low = 640, 420
)

// places is where the panels lie in this frame, in pixels of the window.
type places struct {
	toolbar, tabs, minimap, timeline, stack, bottom, line image.Rectangle
	stackEdge, mapEdge                                    image.Rectangle
	matches, matchEdge, sql, sqlEdge                      image.Rectangle
	lane                                                  image.Rectangle
	gutter                                                int
	top                                                   int // where what is under toolbar and tabs begins
}

// frame reads the events, then draws.
func (w *window) frame(gtx giolayout.Context) {
	w.frames.Begin(w.cache.State().Working)
	w.mail.deliver()
	w.loadAhead()
	p := w.arrange(gtx)
	w.update(gtx, &p)
	w.frames.End(diag.Updating)
	w.retitle()
	p = w.arrange(gtx) // what the user did may have moved an edge, opened or closed a file
	w.compose(gtx, &p)
	w.frames.End(diag.Composing)
	w.describe()
	w.draw(gtx, &p)
	w.frames.End(diag.Layout)
	w.cache.Work()
	w.trace.frame(w, &p)
}

// arrange computes where everything lies.
func (w *window) arrange(gtx giolayout.Context) places {
	size := gtx.Constraints.Max
	var p places
	p.toolbar = image.Rect(0, 0, size.X, gtx.Dp(widgets.ToolbarHeight))
	top := p.toolbar.Max.Y
	if w.hasTabs() {
		p.tabs = image.Rect(0, top, size.X, top+gtx.Dp(widgets.TabBarHeight))
		top = p.tabs.Max.Y
	}
	p.top = top
	p.line = image.Rect(0, max(top, size.Y-gtx.Dp(widgets.StatusLineHeight)), size.X, size.Y)
	p.bottom = image.Rect(0, p.line.Min.Y-widgets.BottomBarHeight(gtx, size), size.X, p.line.Min.Y)
	body := image.Rect(0, top, size.X, max(top, p.bottom.Min.Y))
	body.Max.Y = w.arrangeSQL(gtx, &p, body)
	if size.X >= gtx.Dp(narrow) && (!w.settings.StackHidden || w.find.listing()) {
		width := min(gtx.Dp(unitDp(w.settings.StackWidth)), size.X-gtx.Dp(leastPlot))
		p.stack = image.Rect(size.X-width, top, size.X, body.Max.Y)
		body.Max.X = p.stack.Min.X
		grip := gtx.Dp(kit.Grip)
		p.stackEdge = image.Rect(body.Max.X-grip/2, top, body.Max.X-grip/2+grip, body.Max.Y)
		w.arrangeMatches(gtx, &p)
	}
	if t := w.timeline(); t != nil {
		p.gutter = w.panels.timeline.Gutter(gtx, w.theme, w.view, body.Dy())
	}
	p.timeline = body
	if size.Y >= gtx.Dp(low) && body.Dy() >= gtx.Dp(leastBody+60) {
		height := min(gtx.Dp(unitDp(w.settings.MinimapHeight)), body.Dy()/3)
		p.minimap = image.Rect(p.gutter, top+gtx.Dp(8), body.Max.X-gtx.Dp(14), top+gtx.Dp(8)+height)
		grip := gtx.Dp(kit.Grip)
		p.mapEdge = image.Rect(0, p.minimap.Max.Y+gtx.Dp(3), body.Max.X, p.minimap.Max.Y+gtx.Dp(3)+grip)
		p.timeline.Min.Y = p.mapEdge.Max.Y
	}
	w.arrangeLane(gtx, &p)
	return p
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

// compose chooses what the timeline shows, and what of it is hovered.
func (w *window) compose(gtx giolayout.Context, p *places) {
	w.selection.Hovered, w.scene = layout.None, nil
	w.followStage()
	if w.doc == nil {
		return
	}
	w.freshColours()
	size := w.panels.timeline.Prepare(gtx, p.timeline.Size(), p.gutter)
	w.scene = w.cache.Compose(w.doc.stage.timeline, w.colouring(), w.view, size)
	w.selection.Hovered = w.hovered()
	w.composeLane(gtx, p)
}

func (w *window) hovered() layout.ID {
	if w.scene == nil || w.panels.menu.Showing() || w.help || w.findings || w.asking || w.options || w.recording {
		return layout.None
	}
	return w.panels.timeline.Hovered(w.scene)
}

// widgetScene is the scene for the widgets; a nil pointer in an interface
// would not be nil.
func (w *window) widgetScene() widgets.Scene {
	if w.scene == nil {
		return nil
	}
	return w.scene
}

// draw draws the panels, then what lies over them.
func (w *window) draw(gtx giolayout.Context, p *places) {
	th, t := w.theme, w.timeline()
	kit.Backing(gtx, th)
	area := clip.Rect{Max: gtx.Constraints.Max}.Push(gtx.Ops)
	event.Op(gtx.Ops, w)
	area.Pop()
	// First, because Tab goes through the controls in the order they are drawn.
	in(gtx, p.toolbar, func(gtx giolayout.Context) { w.panels.toolbar.Layout(gtx, th, w.toolbarState(p.toolbar.Dx())) })
	w.drawStrip(gtx, p)
	if t == nil {
		r := image.Rectangle{Min: image.Pt(0, p.top), Max: gtx.Constraints.Max}
		in(gtx, r, func(gtx giolayout.Context) {
			kit.Ground(gtx, th, image.Rectangle{Max: gtx.Constraints.Max}, image.Rectangle{})
			if w.starting() {
				w.panels.start.Layout(gtx, th, w.recent(), keyOf("open"), keyOf("recording"))
			}
		})
	} else {
		var picture image.Rectangle // hides what is behind it
		if w.scene != nil {
			picture = w.panels.timeline.Plot().Add(p.timeline.Min)
		}
		kit.Ground(gtx, th, image.Rect(0, p.top, p.timeline.Max.X, p.timeline.Max.Y), picture)
		in(gtx, p.timeline, func(gtx giolayout.Context) {
			w.panels.timeline.Layout(gtx, th, t, w.view, w.widgetScene(), w.selection)
		})
		away := w.pinnedAway()
		in(gtx, p.timeline, func(gtx giolayout.Context) {
			w.panels.back.Layout(gtx, th, w.panels.timeline.Plot(), away, keyOf("show-pinned"))
		})
		w.drawAbove(gtx, p, t)
		w.drawLane(gtx, p)
		in(gtx, p.stack, func(gtx giolayout.Context) { w.panels.stack.Layout(gtx, th, t, w.selection, keyOf("copy")) })
		in(gtx, p.bottom, func(gtx giolayout.Context) {
			w.panels.bottom.Layout(gtx, th, &w.shown, w.selection, away != widgets.InView, hints)
		})
		in(gtx, p.line, func(gtx giolayout.Context) { w.panels.line.Layout(gtx, th, w.statusNow(gtx)) })
		w.drawSearch(gtx, p)
		w.drawSQL(gtx, p)
		in(gtx, p.stackEdge, func(gtx giolayout.Context) { w.panels.stackEdge.Layout(gtx, th) })
	}
	w.cards(gtx, p)
	if t != nil && w.panels.timeline.ShowsTooltip(w.selection.Hovered) {
		w.panels.timeline.LayoutTooltip(gtx, th, p.timeline.Min, &w.tip)
	}
	w.drawLaneTooltip(gtx, p)
	w.sheets(gtx)
	w.panels.menu.Layout(gtx, th)
}

// drawAbove draws the minimap's strip above the timeline.
func (w *window) drawAbove(gtx giolayout.Context, p *places, t *layout.Timeline) {
	if p.minimap.Empty() {
		return
	}
	in(gtx, p.mapEdge, func(gtx giolayout.Context) { w.panels.mapEdge.Layout(gtx, w.theme) })
	w.panels.minimap.Offset = w.panels.timeline.Limits.Offset
	in(gtx, p.minimap, func(gtx giolayout.Context) { w.panels.minimap.Layout(gtx, w.theme, t, w.view) })
}

// cards draws the loading bar and the error card.
func (w *window) cards(gtx giolayout.Context, p *places) {
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(max(0, window.X-gtx.Dp(32)), window.Y)}
	y := p.top + gtx.Dp(16)
	show := func(f func(giolayout.Context) giolayout.Dimensions) {
		m := op.Record(gtx.Ops)
		d := f(gtx)
		c := m.Stop()
		offset := op.Offset(image.Pt((window.X-d.Size.X)/2, y)).Push(gtx.Ops)
		c.Add(gtx.Ops)
		offset.Pop()
		y += d.Size.Y + gtx.Dp(12)
	}
	if l := w.loading; l != nil {
		// Files that open at once need no bar.
		if age := gtx.Now.Sub(l.begun); age > 150*time.Millisecond {
			state := l.progress(gtx.Now)
			show(func(gtx giolayout.Context) giolayout.Dimensions { return w.panels.loading.Layout(gtx, w.theme, &state) })
		}
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(progressEvery)})
	}
	if w.problem != nil {
		show(func(gtx giolayout.Context) giolayout.Dimensions {
			return w.panels.error.Layout(gtx, w.theme, w.problem)
		})
	}
}

// sheets draws the sheet that is open.
func (w *window) sheets(gtx giolayout.Context) {
	switch {
	case w.help:
		w.panels.help.Layout(gtx, w.theme, sheet, keyOf("recording"))
	case w.recording:
		w.panels.recording.Layout(gtx, w.theme)
	case w.findings:
		w.panels.findings.Layout(gtx, w.theme, w.findingsOf())
	case w.options:
		w.panels.options.Layout(gtx, w.theme, w.optionNotes())
		if w.focusOptions {
			w.focusOptions = false
			gtx.Execute(key.FocusCmd{Tag: w.panels.options.Tag(widgets.FieldGPU)})
		}
	case w.asking:
		w.panels.path.Layout(gtx, w.theme, widgets.PathLook{Title: w.pathAsk.title, Verb: w.pathAsk.verb, Note: w.pathAsk.note})
		if w.focusPath {
			w.focusPath = false
			gtx.Execute(key.FocusCmd{Tag: w.panels.path.Field.Tag()})
		}
	}
	if w.held.over {
		widgets.DropOverlay(gtx, w.theme, w.held.text)
	}
}

// Printed from the table once; they do not change.
var (
	sheet = helpSections()
	hints = bottomHints()
)

// keys runs the commands whose keys were pressed.
func (w *window) keys(gtx giolayout.Context) {
	typing := w.panels.start.Path.Focused(gtx) || w.panels.path.Field.Focused(gtx) || w.panels.search.Focused(gtx) || w.panels.sql.Focused(gtx) || w.panels.lane.Filter.Focused(gtx) || w.panels.options.Focused(gtx)
	bound := boundKeys
	if typing {
		bound = boundTyping
	}
	for {
		ev, ok := gtx.Event(bound.filters...)
		if !ok {
			return
		}
		e, ok := ev.(key.Event)
		if !ok || e.State != key.Press {
			continue
		}
		for _, b := range bound.bindings {
			if b.matches(e) && b.command.can(w) {
				b.command.do(w, gtx)
				break
			}
		}
	}
}

// bound is a set of bindings with the filters that ask for them.
type bound struct {
	bindings []bindingFilter
	filters  []event.Filter
}

func bind(typing bool) bound {
	b := bound{bindings: keyFilters(typing)}
	for _, f := range b.bindings {
		b.filters = append(b.filters, f.filter())
	}
	return b
}

var boundKeys, boundTyping = bind(false), bind(true)
