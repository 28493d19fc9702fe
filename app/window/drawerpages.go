package window

import (
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/platform/dialog"
	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/query"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render/colour"
	"strata/snapshot"
	"strata/widgets/allocator"
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

// lens is one segment that the allocator's page shows through the run, the zero value for none.
type lens struct {
	of     *state.History
	life   int32
	wanted bool // it is that in which id was made, which is not known yet
	id     layout.ID
}

// lensNote says what can be done with it.
const lensNote = "Scroll zooms, with Shift the bytes; a free place tells who made it and who took it"

// showLens brings the picture of one segment up to date.
func (w *Window) showLens(t *tab, s *panel.AllocatorState) {
	p := &t.drawer.allocator
	of, sel, plot := t.Occupancy(p.lens.life), t.selection(), t.timeline.Plot()
	if of == nil {
		s.Empty = "Working it out…"
		return
	}
	s.Note, s.AllKey = lensNote, keyOf("all-segments")
	s.Lens = &allocator.LensState{State: p.state, Of: of, View: t.View, Left: plot.Min.X, Right: plot.Max.X,
		Hovered: sel.Hovered, Pinned: sel.Pinned, Playhead: t.playhead().At, Notch: w.notch,
		Place: func(x float64) string {
			if t.View.Axis == layout.Time {
				return units.Duration(x)
			}
			return "step " + units.Count(t.Timeline().StepAt(x))
		}}
}

// hasLens reports whether one segment is shown.
func (t *tab) hasLens() bool {
	p := &t.drawer.allocator
	return t.allocatorShows() && p.face == panel.Segments && p.lens.of == t.Allocator().History
}

// closeLens shows all segments again; it reports whether that changes anything.
func (t *tab) closeLens() bool {
	was := t.hasLens()
	t.drawer.allocator.lens = lens{}
	return was
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
	return layout.PoolTitle(layout.PoolName(s, k.Pool)) + " · " + layout.StreamName(s, k.Stream)
}

// runSQL runs what the editor holds, and remembers it.
func (w *Window) runSQL(giolayout.Context) {
	t := w.tab()
	if text := t.sql.Text(); strings.TrimSpace(text) != "" {
		w.settings.AddQuery(text)
		w.save()
		t.RunSQL(text)
	}
}

// runText puts a query into the editor and runs it.
func (w *Window) runText(gtx giolayout.Context, text string) {
	w.tab().sql.SetText(text)
	w.runSQL(gtx)
}

// showAnswer brings the table up to date with the answers of the session.
func (t *tab) showAnswer() {
	an := t.SQL.Current()
	if an != t.answer {
		t.answer = an
		if an == nil {
			t.sql.Table.Show(nil)
		} else {
			t.sql.Table.Show(&an.Answer)
		}
	}
	if an != nil {
		t.sql.Table.Order = an.Order
	}
}

// updateSQL reads what the user did in the page of SQL.
func (w *Window) updateSQL(gtx giolayout.Context, t *tab, r *panelRects) {
	t.showAnswer()
	e := t.sql.Update(gtx)
	switch {
	case e.Run:
		w.runSQL(gtx)
	case e.Cancel:
		t.CancelSQL()
	case e.Menu != panel.NoSQLMenu:
		w.menu.OpenAbove("sql", r.drawer.Min.Add(e.At), w.sqlMenu(t, e.Menu))
	case e.Copy:
		w.copyAnswer(gtx, t)
	case e.Export:
		w.exportAnswer(t)
	}
	if e.Edited {
		t.timeline.DismissTooltip()
		t.SQL.Wrong = nil
	}
	if e.Table.Asked && t.answer != nil {
		cell := image.Pt(e.Table.MenuCol, e.Table.MenuRow)
		w.menu.Open("sql", r.drawer.Min.Add(e.Table.At), w.cellMenu(t, cell))
	}
	if e.Table.Sort >= 0 {
		t.SortAnswer(e.Table.Sort)
	}
	if an := t.answer; e.Table.Row >= 0 && an != nil && e.Table.Row < len(an.Targets) {
		gtx.Execute(key.FocusCmd{})
		t.GoTo(an.Targets[e.Table.Row], gtx.Now)
		t.SQL.Picked = true
	}
}

// sqlState is what the drawer shows.
func (t *tab) sqlState(gtx giolayout.Context) *panel.SQLState {
	t.showAnswer()
	q := &t.SQL
	s := &panel.SQLState{Running: q.Running(), Offset: -1, Results: len(q.Answers), Shown: q.Shown, Sorted: -1,
		Note: q.Note(gtx.Now), RunKey: keyOf("run-sql")}
	if an := t.answer; an != nil {
		s.Sorted, s.Down, s.Rows = an.Sorted, an.Down, len(an.Rows)
	}
	if q.Wrong != nil {
		s.Problem, s.Offset = q.Wrong.Error(), q.Wrong.Offset
	}
	if q.Running() {
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(progressEvery)})
	}
	return s
}

// sqlMenu is what a menu of the drawer offers.
func (w *Window) sqlMenu(t *tab, m panel.SQLMenu) []kit.MenuItem {
	var items []kit.MenuItem
	run := func(name, text string) kit.MenuItem {
		return kit.MenuItem{Text: name, Do: func(gtx giolayout.Context) { w.runText(gtx, text) }}
	}
	list := func(texts []string, none string) {
		for _, text := range texts {
			items = append(items, kit.MenuItem{Text: oneLine(text), Do: func(gtx giolayout.Context) {
				t.sql.SetText(text)
				gtx.Execute(key.FocusCmd{Tag: t.sql.Tag()})
			}})
		}
		if len(texts) == 0 {
			items = append(items, kit.MenuItem{Text: none, Disabled: true})
		}
	}
	switch m {
	case panel.ExamplesMenu:
		for _, e := range session.Examples() {
			items = append(items, run(e.Name, e.SQL))
		}
		items = append(items, rule, heading("Tables"))
		for _, table := range t.Database().Tables() {
			item := run(table.Name, session.TableSQL(table))
			item.Note = table.Doc
			items = append(items, item)
		}
	case panel.HistoryMenu:
		list(w.settings.SQLHistory, "Nothing was run yet")
	case panel.SavedMenu:
		items = append(items, w.saveItem(t.sql.Text()), rule)
		list(w.settings.SQLSaved, "Nothing was kept yet")
	case panel.ResultsMenu:
		answers := t.SQL.Answers
		for i, a := range answers {
			text, detail := "Answer "+strconv.Itoa(i+1), units.Plural(len(a.Rows), "row")
			items = append(items, choice(text, detail, i == t.SQL.Shown, func() {
				if i < len(t.SQL.Answers) && t.SQL.Answers[i] == a {
					t.SQL.Shown = i
				}
			}))
		}
	}
	return items
}

// saveItem is the menu's line that keeps a query, or no longer keeps it.
func (w *Window) saveItem(text string) kit.MenuItem {
	saved := &w.settings.SQLSaved
	if slices.Contains(*saved, text) {
		return choice("Keep this query no longer", "", false, func() {
			*saved = slices.DeleteFunc(*saved, func(s string) bool { return s == text })
			w.save()
		})
	}
	item := choice("Keep this query", "", false, func() {
		w.settings.SaveQuery(text)
		w.save()
	})
	item.Disabled = strings.TrimSpace(text) == ""
	return item
}

// oneLine returns a query as a menu shows it.
func oneLine(text string) string {
	s := []rune(strings.Join(strings.Fields(text), " "))
	if len(s) > 70 {
		return string(s[:69]) + "…"
	}
	return string(s)
}

// cellMenu offers to copy a cell, by column and row, its row, or all rows.
func (w *Window) cellMenu(t *tab, cell image.Point) []kit.MenuItem {
	an := t.answer
	copyOf := func(text func([]query.Value) string, notice string) func(giolayout.Context) {
		return func(gtx giolayout.Context) {
			if an == t.SQL.Current() && cell.Y < len(an.Rows) && cell.X < len(an.Rows[cell.Y]) {
				w.toClipboard(gtx, text(an.Rows[cell.Y]), notice)
			}
		}
	}
	cellText := func(row []query.Value) string {
		if row[cell.X].Kind == query.Null {
			return ""
		}
		return row[cell.X].String()
	}
	return []kit.MenuItem{
		{Text: "Copy the cell", Do: copyOf(cellText, "Cell copied")},
		{Text: "Copy the row", Do: copyOf(query.RowText, "Row copied")},
		{Text: "Copy all rows", Do: func(gtx giolayout.Context) { w.copyAnswer(gtx, t) }},
	}
}

// copyAnswer puts the rows in the table on the clipboard, as they are sorted.
func (w *Window) copyAnswer(gtx giolayout.Context, t *tab) {
	if an := t.SQL.Current(); an != nil {
		w.toClipboard(gtx, an.Text(), units.Plural(len(an.Rows), "row")+" copied")
	}
}

// pickedRow is the row that was clicked, nil once something else was.
func (t *tab) pickedRow() []query.Value {
	an, row := t.SQL.Current(), t.sql.Table.Selected
	if t.drawer.page != panel.SQLTab || !t.SQL.Picked || an == nil || an != t.answer || row < 0 || row >= len(an.Rows) {
		return nil
	}
	return an.Rows[row]
}

// exportAnswer asks where to write the answer that is shown.
func (w *Window) exportAnswer(t *tab) {
	filters := []dialog.Filter{{Name: "CSV", Patterns: []string{"*.csv"}}, {Name: "JSON", Patterns: []string{"*.json"}}}
	name := panel.Stem(t.Doc.Name()) + "-query.csv"
	w.chooseTarget("Export the answer, as .csv or .json", name, filters, t.Export().Write)
}
