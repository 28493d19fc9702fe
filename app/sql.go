package app

import (
	"cmp"
	"context"
	"errors"
	"image"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"
	"gioui.org/op"

	"strata/app/settings"
	"strata/layout"
	"strata/layout/query"
	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets"
	"strata/widgets/kit"
)

// An asker is the SQL side of the window: what the drawer shows, and the query
// that runs. A query runs on a goroutine of its own; its rows come by way of
// the mailbox.
type asker struct {
	open bool
	db   *query.DB
	of   *snapshot.Snapshot // what db asks

	run     *asking
	answers []*answer
	shown   int
	wrong   *query.Error
	note    string
	text    string // that was run

	cell   image.Point // column and row that the menu was asked of
	picked bool        // a row was clicked, and nothing pinned since but by that
	// then is done once another device is on screen.
	then func(giolayout.Context)
}

// asking is a query that runs. Its counters are written by its goroutine and
// read by frames.
type asking struct {
	stop    context.CancelFunc
	begun   time.Time
	rows    atomic.Pointer[query.Rows]
	got     atomic.Int64
	answers []*answer
}

// An answer is what one statement gave.
type answer struct {
	kit.Answer
	order  []int32 // rows as sorted, nil as they came
	sorted int     // by this column, -1 none
	down   bool
	cut    bool // there are more rows than are kept
}

// What is kept of an answer; an export writes all of it.
const (
	maxRows  = 200_000
	maxBytes = 96 << 20
)

// batch is how many rows are handed over at once, and the longest that fewer
// wait.
const (
	batch      = 4096
	batchEvery = 80 * time.Millisecond
)

// toggleSQL opens or closes the drawer.
func (w *window) toggleSQL(gtx giolayout.Context) {
	a := &w.asker
	a.open = !a.open
	if a.open {
		gtx.Execute(key.FocusCmd{Tag: w.panels.sql.Tag()})
		return
	}
	gtx.Execute(key.FocusCmd{})
}

// escapeSQL does what Esc means to the drawer: stop the query, or close it if
// it has the focus.
func (w *window) escapeSQL(gtx giolayout.Context) bool {
	a := &w.asker
	switch {
	case !a.open:
		return false
	case a.run != nil:
		w.cancelSQL()
	case w.panels.sql.Focused(gtx):
		w.toggleSQL(gtx)
	default:
		return false
	}
	return true
}

func (w *window) canRunSQL() bool { return w.doc != nil && w.asker.open }

// database is the open snapshot, ready to be asked.
func (w *window) database() *query.DB {
	a := &w.asker
	if a.db == nil || a.of != w.doc.snap {
		w.closeDatabase()
		var laid []*layout.Timeline
		if t := w.timeline(); t.Options == (layout.Options{}) { // offsets are those of all allocations
			laid = append(laid, t)
		}
		a.db, a.of = query.Open(w.doc.snap, laid), w.doc.snap
	}
	return a.db
}

// closeDatabase lets go of the snapshot that was asked and of its answers.
func (w *window) closeDatabase() {
	a := &w.asker
	w.cancelSQL()
	if a.db != nil {
		a.db.Close()
	}
	*a = asker{open: a.open}
	w.panels.sql.Table.Show(nil)
}

// cancelSQL ends the query that runs; what it gave so far stays.
func (w *window) cancelSQL() {
	if a := &w.asker; a.run != nil {
		a.run.stop()
		a.run = nil
		a.note = "cancelled"
	}
}

// runSQL runs what the editor holds.
func (w *window) runSQL(giolayout.Context) {
	text := w.panels.sql.Text()
	if strings.TrimSpace(text) == "" {
		return
	}
	db := w.database()
	w.cancelSQL()
	w.remember(text)
	t, a := w.tab, &w.asker
	ctx, cancel := context.WithCancel(w.ctx)
	run := &asking{stop: cancel, begun: time.Now()}
	a.run, a.answers, a.shown, a.wrong, a.note, a.text = run, nil, 0, nil, "", text
	w.panels.sql.Table.Show(nil)
	w.work.Go(func() {
		defer cancel()
		err := ask(ctx, db, text, run, func(f func()) {
			w.post(t, func() {
				if a.run == run {
					f()
					w.answered(run)
				}
			})
		})
		took := time.Since(run.begun)
		w.post(t, func() {
			if a.run != run {
				return
			}
			a.run = nil
			a.note = units.Elapsed(took)
			if !errors.As(err, &a.wrong) && err != nil {
				a.wrong = &query.Error{What: err.Error(), Offset: -1}
			}
			if len(run.answers) == 0 && err == nil {
				a.note = "no rows to show · " + a.note
			}
		})
	})
}

// ask runs every statement of a text; give hands over what shall happen on
// the window's goroutine.
func ask(ctx context.Context, db *query.DB, text string, run *asking, give func(func())) error {
	rows, err := db.Query(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	run.rows.Store(rows)
	defer run.rows.Store(nil)
	for {
		if columns := rows.Columns(); len(columns) > 0 {
			an := &answer{sorted: -1}
			an.Columns = slices.Clone(columns)
			give(func() { run.answers = append(run.answers, an) })
			if err := collect(rows, an, run, give); err != nil {
				return err
			}
		}
		if !rows.NextResult() {
			return rows.Err()
		}
	}
}

// collect hands over the rows of a statement as they come.
func collect(rows *query.Rows, an *answer, run *asking, give func(func())) error {
	var values [][]query.Value
	var targets []query.Target
	hand := func() {
		v, t := values, targets
		values, targets = nil, nil
		give(func() { an.Rows, an.Targets = append(an.Rows, v...), append(an.Targets, t...) })
	}
	last, count, size := time.Now(), 0, 0
	for rows.Next() {
		if count == maxRows || size > maxBytes {
			give(func() { an.cut = true })
			break
		}
		row := slices.Clone(rows.Values())
		for _, v := range row {
			size += 56 + len(v.Text)
		}
		target, _ := rows.Target()
		values, targets = append(values, row), append(targets, target)
		count++
		run.got.Add(1)
		if len(values) == batch || count%64 == 0 && time.Since(last) > batchEvery {
			hand()
			last = time.Now()
		}
	}
	hand()
	return rows.Err()
}

// answered shows the newest answer of a run.
func (w *window) answered(run *asking) {
	a := &w.asker
	if len(a.answers) != len(run.answers) {
		a.answers = run.answers
		w.showAnswer(len(a.answers) - 1)
	}
}

// showAnswer puts one of the answers into the table.
func (w *window) showAnswer(i int) {
	a := &w.asker
	a.shown = i
	w.panels.sql.Table.Show(&a.answers[i].Answer)
	w.panels.sql.Table.Order = a.answers[i].order
}

// current is the answer in the table, nil if none is.
func (a *asker) current() *answer {
	if a.shown < len(a.answers) {
		return a.answers[a.shown]
	}
	return nil
}

// sortAnswer sorts by a column: upwards, then downwards, then as they came.
// Many rows take their time, so it is done on a goroutine.
func (w *window) sortAnswer(column int) {
	an := w.asker.current()
	if an == nil || w.asker.run != nil {
		return // not while rows still come
	}
	sorted, down := column, false
	switch {
	case an.sorted == column && !an.down:
		down = true
	case an.sorted == column:
		sorted = -1
	}
	t, rows := w.tab, an.Rows
	w.work.Go(func() {
		var order []int32
		if sorted >= 0 {
			order = sortRows(rows, sorted, down)
		}
		w.post(t, func() {
			an.order, an.sorted, an.down = order, sorted, down
			if w.asker.current() == an {
				w.panels.sql.Table.Order = order
			}
		})
	})
}

// sortRows is the order of rows by a column, as SQLite orders values: NULL,
// numbers, text, blobs.
func sortRows(rows [][]query.Value, column int, down bool) []int32 {
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		c := compareValues(&rows[i][column], &rows[j][column])
		if down {
			return -c
		}
		return c
	})
	return order
}

func compareValues(a, b *query.Value) int {
	class := func(k query.Kind) int {
		if k == query.Float {
			return int(query.Int)
		}
		return int(k)
	}
	if c := cmp.Compare(class(a.Kind), class(b.Kind)); c != 0 {
		return c
	}
	switch {
	case a.Kind == query.Int && b.Kind == query.Int:
		return cmp.Compare(a.Int, b.Int)
	case class(a.Kind) == int(query.Int):
		return cmp.Compare(number(a), number(b))
	}
	return cmp.Compare(a.Text, b.Text)
}

func number(v *query.Value) float64 {
	if v.Kind == query.Int {
		return float64(v.Int)
	}
	return v.Float
}

// updateSQL reads what the user did in the drawer.
func (w *window) updateSQL(gtx giolayout.Context, p *places) {
	a := &w.asker
	if a.of != nil && (w.doc == nil || a.of != w.doc.snap) {
		w.closeDatabase()
	}
	if w.doc == nil || !a.open {
		return
	}
	if a.then != nil && w.staging == nil {
		then := a.then
		a.then = nil
		then(gtx)
	}
	e := w.panels.sql.Update(gtx)
	switch {
	case e.Run:
		w.runSQL(gtx)
	case e.Cancel:
		w.cancelSQL()
	case e.Close:
		w.toggleSQL(gtx)
	case e.Menu != widgets.NoSQLMenu:
		w.panels.menu.OpenAbove("sql", p.sql.Min.Add(e.At), w.sqlMenu(e.Menu))
	case e.Copy:
		w.copyAnswer(gtx)
	case e.Export:
		w.askExport(gtx)
	}
	if e.Edited {
		a.wrong = nil
	}
	if e.Table.Asked && a.current() != nil {
		a.cell = image.Pt(e.Table.MenuCol, e.Table.MenuRow)
		w.panels.menu.Open("sql", p.sql.Min.Add(e.Table.At), []kit.MenuItem{
			{ID: sqlCopyCell, Text: "Copy the cell"}, {ID: sqlCopyRow, Text: "Copy the row"}, {ID: sqlCopyAll, Text: "Copy all rows"}})
	}
	if e.Table.Sort >= 0 {
		w.sortAnswer(e.Table.Sort)
	}
	if an := a.current(); e.Table.Row >= 0 && an != nil && e.Table.Row < len(an.Targets) {
		gtx.Execute(key.FocusCmd{})
		w.goTo(gtx, an.Targets[e.Table.Row])
		a.picked = true
	}
	if moved, done := w.panels.sqlEdge.Update(gtx); moved != 0 || done {
		height := int(gtx.Metric.PxToDp(p.sql.Dy())) - int(moved)
		w.settings.SQLHeight = max(settings.MinSQLHeight, min(height, settings.MaxSQLHeight))
		if done {
			w.save()
		}
	}
}

// Sizes of the drawer, dp.
const (
	leastBody = 150 // height left for the timeline
)

// arrangeSQL gives the drawer its part of the window, above the bottom bar,
// and returns where the rest ends.
func (w *window) arrangeSQL(gtx giolayout.Context, p *places, body image.Rectangle) int {
	if !w.asker.open || w.doc == nil {
		return body.Max.Y
	}
	height := min(gtx.Dp(unitDp(w.settings.SQLHeight)), max(body.Dy()-gtx.Dp(leastBody), body.Dy()*3/5))
	p.sql = image.Rect(0, body.Max.Y-height, gtx.Constraints.Max.X, body.Max.Y)
	grip := gtx.Dp(kit.Grip)
	p.sqlEdge = image.Rect(0, p.sql.Min.Y-grip/2, p.sql.Max.X, p.sql.Min.Y-grip/2+grip)
	return p.sql.Min.Y
}

// drawSQL draws the drawer.
func (w *window) drawSQL(gtx giolayout.Context, p *places) {
	if p.sql.Empty() {
		return
	}
	in(gtx, p.sql, func(gtx giolayout.Context) { w.panels.sql.Layout(gtx, w.theme, w.sqlState(gtx)) })
	in(gtx, p.sqlEdge, func(gtx giolayout.Context) { w.panels.sqlEdge.Layout(gtx, w.theme) })
}

// sqlState is what the drawer shows.
func (w *window) sqlState(gtx giolayout.Context) *widgets.SQLState {
	a := &w.asker
	s := &widgets.SQLState{Running: a.run != nil, Offset: -1, Results: len(a.answers), Shown: a.shown, Sorted: -1,
		Note: a.note, RunKey: keyOf("run-sql"), CloseKey: keyOf("sql")}
	if an := a.current(); an != nil {
		s.Sorted, s.Down, s.Rows = an.sorted, an.down, len(an.Rows)
		if a.run == nil {
			s.Note = widgets.RowsText(s.Rows) + " · " + a.note
			if an.cut {
				s.Note = "the first " + widgets.RowsText(s.Rows) + "; an export writes all · " + a.note
			}
		}
	}
	if a.wrong != nil {
		s.Problem, s.Offset = a.wrong.Error(), a.wrong.Offset
	}
	if a.run != nil {
		s.Note = widgets.RowsText(int(a.run.got.Load()))
		if rows := a.run.rows.Load(); rows != nil {
			s.Note += " · looked at " + units.Count(rows.Visited())
		}
		s.Note += " · " + units.Elapsed(gtx.Now.Sub(a.run.begun))
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(progressEvery)})
	}
	return s
}
