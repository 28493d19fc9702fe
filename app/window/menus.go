package window

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"time"

	giolayout "gioui.org/layout"

	"strata/app/session"
	"strata/app/tables"
	"strata/layout"
	"strata/layout/capacity"
	"strata/layout/units"
	"strata/render/colour"
	"strata/snapshot"
	"strata/snapshot/beside"
	"strata/widgets/allocator"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/panel"
)

// fileMenu is the owner of the file menu, which changes while it is open.
const fileMenu = "file"

// item is a menu's line for a command.
func (w *Window) item(id, text string) kit.MenuItem {
	c := commandByID(id)
	return kit.MenuItem{Text: text, Detail: keyOf(id), Disabled: !c.can(w), Do: func(gtx giolayout.Context) {
		if c.can(w) {
			c.do(w, gtx)
		}
	}}
}

// choice is a menu's line for a value.
func choice(text, detail string, ticked bool, do func()) kit.MenuItem {
	return kit.MenuItem{Text: text, Detail: detail, Ticked: ticked, Do: func(giolayout.Context) { do() }}
}

var rule = kit.MenuItem{Rule: true}

func heading(text string) kit.MenuItem { return kit.MenuItem{Heading: true, Text: text} }

func (w *Window) fileMenu() []kit.MenuItem {
	items := []kit.MenuItem{w.item("open", "Open…")}
	if !inPage {
		items = append(items, w.item("open-path", "Open by path…"))
	}
	items = append(items,
		w.item("reload", "Read again"), w.item("lay-over", "Lay a trace or a log over it…"))
	if s := w.sessions.Active; len(s.Over) > 0 {
		items = append(items, choice("Take away what lies over it", "", false, s.LayNothing),
			choice("Clock of the log…", zoneText(w.opt.Zone), false,
				func() { w.menu.Open("zone", w.fileAt, w.zoneMenu()) }))
	}
	items = append(items,
		w.item("compare", "Compare with another open file…"), w.item("wall", "Wall of ranks"),
		w.item("picture", "Save the picture…"), w.item("sql", "Ask in SQL"),
		rule, w.item("close", "Close"), w.item("close-others", "Close all others"),
		w.item("reopen", "Open the last closed again"), w.item("next-tab", "Next file"),
		w.item("previous-tab", "File before"),
		rule, w.item("recording", "How to record a snapshot"))
	recent := w.listRecent()
	if len(recent) > 0 {
		items = append(items, rule, heading("Recent"))
	}
	for _, f := range recent {
		item := choice(f.Name, f.Size, false, func() { w.open(f.Path) })
		item.Note = f.Folder
		if f.Missing {
			item.Detail = "missing"
		}
		items = append(items, item)
	}
	if len(recent) > 0 {
		items = append(items, choice("Forget these files", "", false, w.forgetRecent))
	}
	return items
}

func (t *tab) deviceMenu() []kit.MenuItem {
	doc := t.Doc
	var items []kit.MenuItem
	for i, d := range doc.Devices {
		detail := units.ShortCount(d.Events.Len()) + " events"
		if d.Events.Len() == 0 {
			detail = units.Plural(int64(len(d.Segments)), "segment")
		}
		items = append(items, choice(session.DeviceName(d), detail, i == doc.Stage.Device, func() {
			if t.Doc == doc {
				t.SetDevice(i)
			}
		}))
	}
	return items
}

// legendLimit is how many colours the menu explains.
const legendLimit = 12

func (w *Window) colourMenu(t *tab) []kit.MenuItem {
	items := []kit.MenuItem{heading("Colour means")}
	for _, m := range colour.Modes() {
		if !m.In(t.Doc.Snapshot) {
			continue
		}
		items = append(items, choice(m.String(), "", m == w.opt.Colour, func() { w.setColour(m) }))
	}
	title, legend := legendShown(t.Doc.Stage.Colouring)
	if title == "" {
		return items
	}
	items = append(items, rule, heading(title))
	for _, e := range legend {
		c := color.NRGBA(e.Colour) // opaque: the same
		items = append(items, kit.MenuItem{Text: e.Label, Detail: units.Bytes(e.Bytes), Swatch: &c, Legend: true})
	}
	items = append(items, rule, heading("Where a column shows many steps"))
	for tone, text := range colour.ToneNames {
		p := &t.Colouring().Palette
		c := color.NRGBA(colour.Tone(tone).Under(p.Unknown, p.Background))
		items = append(items, kit.MenuItem{Text: text, Swatch: &c, Legend: true})
	}
	return items
}

// legendShown returns what the menu explains of a legend, and the heading. Of a long legend it is what holds the most
// bytes, in the legend's order: a ramp goes from least to most, and its end is what fills the picture.
func legendShown(c *colour.Colouring) (string, []colour.LegendEntry) {
	legend := c.Legend
	switch {
	case len(legend) == 0 && c.Mode != colour.ByAllocation:
		return "", nil
	case c.Mode == colour.ByAllocation:
		return "Blocks that touch differ; it means nothing else", nil
	case len(legend) <= legendLimit:
		return "Bytes allocated in the whole run", legend
	}
	shown := slices.Clone(legend)
	slices.SortStableFunc(shown, func(a, b colour.LegendEntry) int { return cmp.Compare(b.Bytes, a.Bytes) })
	shown = shown[:legendLimit]
	slices.SortStableFunc(shown, func(a, b colour.LegendEntry) int {
		return cmp.Compare(slices.Index(legend, a), slices.Index(legend, b))
	})
	return "The largest, by bytes allocated in the whole run", shown
}

func (w *Window) settingsMenu(t *tab) []kit.MenuItem {
	theme := func(name, text string) kit.MenuItem {
		return choice(text, "", w.themeName() == name, func() { w.setTheme(name) })
	}
	ticked := func(id, text string, on bool) kit.MenuItem {
		item := w.item(id, text)
		item.Ticked = on
		return item
	}
	gpu := "none"
	if w.opt.GPU.Bytes > 0 {
		gpu = w.opt.GPU.Name
	}
	over := []kit.MenuItem{heading("Over the timeline, of the allocator (" + keyOf("lines") + ")")}
	for l := range session.LinesChoices {
		over = append(over, choice(l.String(), "", w.lines() == l, func() { w.setLines(l) }))
	}
	stack := w.item("segments", "Segments in place of allocations")
	stack.Ticked = t.Segments()
	return slices.Concat(spanItems(t), over, []kit.MenuItem{
		stack,
		rule,
		heading("Theme"), theme("system", "As the desktop"), theme("dark", "Dark"), theme("light", "Light"),
		rule,
		ticked("panel", "Stack panel", !w.settings.StackHidden),
		ticked("bands", "Bands of groups in place of allocations", w.settings.Bands),
		ticked("framework", "Hide framework frames", !w.settings.ShowFramework),
		ticked("all-annotations", "The framework's own annotations", t.Annotations().All),
		choice("Annotations of other GPUs too", "", t.Annotations().Others, func() {
			c := t.Annotations()
			c.Others = !c.Others
			_ = t.SetAnnotations(c) // its filter was accepted before
		}),
		w.item("annotations", "Filter the annotations…"),
		rule,
		choice("Line at the memory of a GPU…", gpu, false,
			func() { w.menu.OpenLeft("gpu", w.settingsAt, w.gpuMenu()) }),
		w.item("options", "Limits, model, own code…"),
		choice("Keep what was read, to open it faster", "", !w.opt.NoCache, func() { w.opt.NoCache = !w.opt.NoCache }),
		rule,
		w.item("help", "Keys and gestures"), w.item("recording", "How to record a snapshot"),
	})
}

// spanItems choose what of a trace stands beside the annotations; there are none without a trace.
func spanItems(t *tab) (items []kit.MenuItem) {
	if t.Doc == nil || len(t.Doc.Snapshot.Spans.Name) == 0 {
		return nil
	}
	items = append(items, heading("The lane shows annotations, and"))
	for c, text := range []string{"nothing else", "modules and outermost operators", "all operators",
		"all calls in Python"} {
		items = append(items, choice(text, "", t.Annotations().Spans == layout.SpanChoice(c), func() {
			chosen := t.Annotations()
			chosen.Spans = layout.SpanChoice(c)
			_ = t.SetAnnotations(chosen) // its filter was accepted before
		}))
	}
	return append(items, rule)
}

func zoneText(z *time.Duration) string {
	if z == nil {
		return "what fits"
	}
	return "UTC" + beside.ZoneName(*z)
}

// zoneMenu lists what the clock of a log can be ahead of UTC.
func (w *Window) zoneMenu() []kit.MenuItem {
	s := w.sessions.Active
	item := func(z *time.Duration) kit.MenuItem {
		now := w.opt.Zone
		return choice(zoneText(z), "", (z == nil) == (now == nil) && (z == nil || *z == *now), func() {
			w.opt.Zone = z
			s.Load()
		})
	}
	items := []kit.MenuItem{item(nil)}
	for half := time.Duration(-24); half <= 28; half++ {
		z := half * 30 * time.Minute
		items = append(items, item(&z))
	}
	return items
}

// gpuMenu lists the GPUs that are known.
func (w *Window) gpuMenu() []kit.MenuItem {
	now := w.opt.GPU
	items := []kit.MenuItem{choice("No line", "", now.Bytes == 0, func() { w.setCapacity(capacity.Capacity{}) })}
	for _, g := range capacity.Known() {
		items = append(items, choice(g.Name, units.Bytes(g.Bytes), now == g, func() { w.setCapacity(g) }))
	}
	return items
}

// tabsMenu lists all tabs.
func (w *Window) tabsMenu() []kit.MenuItem {
	var items []kit.MenuItem
	for i, in := range w.tabInfos() {
		s := w.sessions.All[i]
		item := choice(in.Name, "", s == w.sessions.Active, func() {
			if w.sessions.Holds(s) {
				w.sessions.Activate(s)
			}
		})
		item.Note = in.Folder
		if in.State != describe.Ready {
			item.Detail = in.State.String()
		}
		items = append(items, item)
	}
	return append(items, rule, w.item("close", "Close this file"), w.item("close-others", "Close all others"),
		w.item("reopen", "Open the last closed again"))
}

// contextMenu lists what can be done with an allocation.
func (w *Window) contextMenu() []kit.MenuItem {
	return []kit.MenuItem{
		w.item("copy", "Copy the stack as shown"), w.item("copy-all", "Copy all of the stack"),
		w.item("copy-details", "Copy the details"),
		rule,
		w.item("zoom-to", "Zoom to it"), w.item("show-pinned", "Bring it into view"),
		w.item("same-site", "Find what the same line allocates"),
		w.item("segment-of", "Its segment through the run"),
	}
}

// openContext opens the menu of an allocation at the pointer, else at the button.
func (w *Window) openContext(gtx giolayout.Context, t *tab) {
	at, ok := t.timeline.Pointer()
	if !ok {
		w.openContextAtBar(gtx, t)
		return
	}
	t.SQL.Picked = false // the menu's copy is the allocation's
	origin := w.arrange(gtx, t).timeline.Min.Add(t.timeline.Plot().Min)
	w.menu.Open("context", at.Add(origin), w.contextMenu())
}

// openContextAtBar opens it above the bottom bar's button.
func (w *Window) openContextAtBar(gtx giolayout.Context, t *tab) {
	t.SQL.Picked = false
	bar := w.arrange(gtx, t).bottom
	w.menu.OpenAbove("context", image.Pt(bar.Max.X, bar.Min.Y), w.contextMenu())
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

func (p *allocatorPage) faceMenu() (items []kit.MenuItem) {
	for _, f := range panel.Faces() {
		items = append(items, choice(f.String(), "", p.face == f, func() { p.face, p.wrong = f, false }))
	}
	return items
}

func (p *allocatorPage) kindMenu() (items []kit.MenuItem) {
	for _, k := range tables.EventKinds() {
		items = append(items, choice(k.String(), "", p.listed.kind == k, func() { p.setFilter(k, p.listed.text) }))
	}
	return items
}
