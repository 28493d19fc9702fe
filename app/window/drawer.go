package window

import (
	"cmp"
	"image"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/app/export"
	"strata/app/platform/dialog"
	"strata/app/tables"
	"strata/layout"
	"strata/layout/query"
	"strata/layout/units"
	"strata/widgets/kit"
	"strata/widgets/panel"
)

// A drawer is the pages below the chart, beside that of SQL.
type drawer struct {
	page   panel.DrawerTab // that is open
	head   panel.DrawerHead
	groups panel.GroupTable
	growth panel.GroupTable
	flame  flamePage

	allocator allocatorPage

	breakdown *tables.Breakdown // in groups
	shown     groupsKey         // that it was made of
	grown     *tables.Growth    // in growth
}

// groupColumns is how wide the names and the courses of groups are at least.
var groupColumns = []unit.Dp{280, 260}

// toggleDrawer opens a page of the drawer, or closes the drawer if that page is open.
func (t *tab) toggleDrawer(gtx giolayout.Context, page panel.DrawerTab) {
	if t.drawer.page == page {
		page = panel.NoDrawer
	}
	t.drawer.page = page
	focus := key.FocusCmd{}
	if page == panel.SQLTab {
		focus.Tag = t.sql.Tag()
	}
	gtx.Execute(focus)
}

// toggling makes opening a page a command.
func toggling(page panel.DrawerTab) func(*Window, giolayout.Context) {
	return on(func(t *tab, gtx giolayout.Context) { t.toggleDrawer(gtx, page) })
}

// drawerState is which page shows.
func (t *tab) drawerState() *panel.DrawerState {
	s := &panel.DrawerState{Tab: t.drawer.page}
	for page, id := range map[panel.DrawerTab]string{panel.BreakdownTab: "breakdown", panel.FlameTab: "flame",
		panel.GrowthTab: "growth", panel.AllocatorTab: "allocator", panel.SQLTab: "sql"} {
		s.Keys[page] = keyOf(id)
	}
	return s
}

// updateDrawer reads what the user did in the drawer.
func (w *Window) updateDrawer(gtx giolayout.Context, t *tab, r *panelRects) {
	page := t.drawer.page
	if chosen, is := t.drawer.head.Update(gtx); is && page != panel.NoDrawer && chosen != page {
		t.toggleDrawer(gtx, cmp.Or(chosen, page))
		return
	}
	switch page {
	case panel.BreakdownTab:
		w.updateGroupTable(gtx, t, r)
	case panel.FlameTab:
		w.updateFlame(gtx, t, r)
	case panel.GrowthTab:
		w.updateGrowth(gtx, t, r)
	case panel.AllocatorTab:
		w.updateAllocator(gtx, t, r)
	case panel.SQLTab:
		w.updateSQL(gtx, t, r)
	}
}

// drawDrawer draws the page that is open.
func (w *Window) drawDrawer(gtx giolayout.Context, t *tab) {
	d, state := &t.drawer, t.drawerState()
	switch d.page {
	case panel.BreakdownTab:
		d.groups.Layout(gtx, w.theme, &d.head, state, w.groupTableState(t))
	case panel.FlameTab:
		d.flame.Layout(gtx, w.theme, &d.head, state, w.flameState(t))
	case panel.GrowthTab:
		d.growth.Layout(gtx, w.theme, &d.head, state, w.growthState(t))
	case panel.AllocatorTab:
		d.allocator.Layout(gtx, w.theme, &d.head, state, w.allocatorState(gtx, t))
	case panel.SQLTab:
		t.sql.Layout(gtx, w.theme, &d.head, state, t.sqlState(gtx))
	}
}

// groupTableState brings the table of groups up to date.
func (w *Window) groupTableState(t *tab) *panel.GroupTableState {
	d := &t.drawer
	s := &panel.GroupTableState{Moment: w.momentText(t), Chosen: t.MomentChosen(), By: w.opt.GroupBy.String(),
		Save: true, Sorted: -1}
	_, two := t.Against()
	if d.breakdown == nil || d.breakdown.Two() != two {
		d.breakdown, d.shown = tables.NewBreakdown(two), groupsKey{}
		d.groups.Table.ShowRows(d.breakdown)
		d.groups.Table.Least = groupColumns
		d.groups.Table.Lit = func(row int) bool {
			return t.lightsRow(d.breakdown.Group(row), d.breakdown.Allocation(row))
		}
		d.groups.Table.Paint = func(gtx giolayout.Context, th *kit.Theme, cell image.Rectangle, row, col int) bool {
			return w.paintGroup(gtx, th, t, cell, row, col)
		}
	}
	key := w.groupsKey(t)
	if !key.known {
		s.Empty = "Working it out…"
		return s
	}
	if key != d.shown {
		d.shown = key
		if two {
			changes, _ := t.Changes()
			d.breakdown.ShowChanges(key.grouping, key.from, key.state, changes)
		} else {
			rows, _ := t.Rows()
			d.breakdown.ShowMoment(key.grouping, key.state, rows)
		}
	}
	s.Sorted, s.Down = d.breakdown.Sorted, d.breakdown.Down
	s.Note = units.Plural(d.breakdown.Groups(), "group") + ". Click lights a row's allocations, a second click opens it"
	if t.Matches() != nil {
		s.Note = "Of the matches alone: " + units.Plural(d.breakdown.Groups(), "group")
	}
	if d.breakdown.Groups() == 0 {
		s.Empty = "Nothing is held at this moment."
	}
	return s
}

// paintGroup draws the cells of the table of groups that are more than text.
func (w *Window) paintGroup(gtx giolayout.Context, th *kit.Theme, t *tab, cell image.Rectangle, row, col int) bool {
	b := t.drawer.breakdown
	group, isGroup := b.Group(row), b.Allocation(row) == layout.None
	switch {
	case !isGroup:
		return b.Row(row)[col].Kind == query.Null // there is nothing to say
	case col == 0:
		panel.NameCell(gtx, th, cell, w.groupColour(t, t.Grouping(), group), b.Row(row)[0].Text, b.Opened(row))
		return true
	case col == 1:
		curves := t.curvesInSight()
		panel.CurveCell(gtx, th, cell, curves[group], highest(curves))
		return true
	case col == 2 && !b.Two() || col == 4 && b.Two():
		panel.BarCell(gtx, th, cell, b.Part(row))
	}
	return false
}

// curvesInSight are the courses of the groups that the table shows.
func (t *tab) curvesInSight() map[int32][]int64 {
	b := t.drawer.breakdown
	first, count := t.drawer.groups.Table.InSight()
	var groups []int32
	for i := first; i < min(first+count+1, b.Len()); i++ {
		if b.Allocation(i) == layout.None && b.Group(i) != panel.NoGroup {
			groups = append(groups, b.Group(i))
		}
	}
	return t.Curves(groups)
}

// highest is the highest value of all curves, which are drawn to one scale.
func highest(curves map[int32][]int64) (most int64) {
	for _, curve := range curves {
		for _, v := range curve {
			most = max(most, v)
		}
	}
	return most
}

// updateGroupTable reads what was done in the table of groups.
func (w *Window) updateGroupTable(gtx giolayout.Context, t *tab, r *panelRects) {
	d := &t.drawer
	e := d.groups.Update(gtx)
	if d.breakdown == nil || d.breakdown.Len() == 0 && e.Table.Row >= 0 {
		return
	}
	if row := d.groups.Table.Hovered(); row >= 0 && row < d.breakdown.Len() {
		t.hoveredGroup = d.breakdown.Group(row)
	}
	at := r.drawer.Min.Add(e.At)
	switch {
	case e.Moment:
		w.menu.OpenAbove("moment", at, w.momentMenu(t))
	case e.By:
		w.menu.OpenAbove("group-by", at, w.groupMenu(t))
	case e.Copy:
		w.toClipboard(gtx, d.breakdown.Text(), "Table copied")
	case e.Save:
		w.menu.OpenAbove("export", at, w.exportMenu(t))
	case e.Table.Sort >= 0:
		d.breakdown.Sort(e.Table.Sort)
	case e.Table.Row >= 0 && e.Table.Row < d.breakdown.Len():
		gtx.Execute(key.FocusCmd{})
		w.clickGroup(gtx, t, e.Table.Row)
	}
}

// clickGroup lights the group of a row, opens or closes it if it is lit, or pins the allocation of a row.
func (w *Window) clickGroup(gtx giolayout.Context, t *tab, row int) {
	b := t.drawer.breakdown
	id, group := b.Allocation(row), b.Group(row)
	switch {
	case group == panel.NoGroup:
	case id != layout.None:
		t.PinAndShow(id, gtx.Now)
	case t.lit == group:
		b.Toggle(row)
	default:
		t.lit = group
	}
}

// exportMenu lists the forms that a breakdown is written in.
func (w *Window) exportMenu(t *tab) []kit.MenuItem {
	doc := t.Doc
	var items []kit.MenuItem
	for _, f := range export.Forms {
		items = append(items, choice(f.Name, f.Ending, false, func() {
			if t.Doc == doc {
				filters := []dialog.Filter{{Name: f.Name, Patterns: []string{"*" + f.Ending}}}
				w.chooseTarget("Export the breakdown", panel.Stem(doc.Name())+"-held"+f.Ending, filters,
					t.ExportGroups(f))
			}
		}))
	}
	return items
}

// growthState brings the table of growth up to date.
func (w *Window) growthState(t *tab) *panel.GroupTableState {
	d := &t.drawer
	s := &panel.GroupTableState{By: w.opt.GroupBy.String(), Sorted: -1}
	found := t.Growth()
	if found == nil {
		s.Empty = "Looking for repetitions…"
		return s
	}
	if d.grown == nil || d.grown.Result() != found {
		d.grown = tables.NewGrowth(found)
		d.growth.Table.ShowRows(d.grown)
		d.growth.Table.Least = groupColumns
		d.growth.Table.Lit = func(row int) bool { return t.lightsRow(d.grown.Group(row), layout.None) }
		d.growth.Table.Paint = func(gtx giolayout.Context, th *kit.Theme, cell image.Rectangle, row, col int) bool {
			return w.paintGrowth(gtx, th, t, cell, row, col)
		}
	}
	s.Note = found.Found()
	if d.grown.Len() == 0 {
		s.Empty = "Nothing grows."
		if found.Count() == 0 {
			s.Empty = "Nothing can be said: " + found.Found() + "."
		}
	}
	return s
}

// paintGrowth draws the cells of the table of growth that are more than text.
func (w *Window) paintGrowth(gtx giolayout.Context, th *kit.Theme, t *tab, cell image.Rectangle, row, col int) bool {
	g := t.drawer.grown
	switch col {
	case 0:
		grouping := g.Result().Grouping
		panel.NameCell(gtx, th, cell, w.groupColour(t, grouping, g.Group(row)), g.Row(row)[0].Text, false)
		return true
	case 1:
		curve := g.Curve(row)
		panel.CurveCell(gtx, th, cell, curve, highest(map[int32][]int64{0: curve}))
		return true
	}
	return g.Row(row)[col].Kind == query.Null // there is nothing to say
}

// updateGrowth reads what was done in the table of growth.
func (w *Window) updateGrowth(gtx giolayout.Context, t *tab, r *panelRects) {
	d := &t.drawer
	e := d.growth.Update(gtx)
	if d.grown == nil || t.Growth() != d.grown.Result() {
		return
	}
	if row := d.growth.Table.Hovered(); row >= 0 && row < d.grown.Len() {
		t.hoveredGroup = d.grown.Group(row)
	}
	switch {
	case e.By:
		w.menu.OpenAbove("group-by", r.drawer.Min.Add(e.At), w.groupMenu(t))
	case e.Copy:
		w.toClipboard(gtx, d.grown.Text(), "Table copied")
	case e.Table.Row >= 0 && e.Table.Row < d.grown.Len():
		t.lit = d.grown.Group(e.Table.Row)
	}
}
