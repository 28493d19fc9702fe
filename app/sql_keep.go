package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/app/atomicfile"
	"strata/app/export"
	"strata/app/platform"
	"strata/layout/query"
	"strata/widgets"
	"strata/widgets/kit"
)

// examples are questions to begin with.
var examples = []struct{ name, sql string }{
	{"What is live at the peak, by line of code", `WITH held AS (
  SELECT a.stack, count(*) AS n, sum(a.size) AS bytes
  FROM devices d
  JOIN live l ON l.device = d.device AND l.step = d.peak_step
  JOIN allocations a ON a.device = l.device AND a.id = l.id
  GROUP BY a.stack),
own AS (
  SELECT n, bytes, (SELECT f.frame
    FROM stacks s JOIN frames f ON f.frame = s.frame
    WHERE s.stack = held.stack AND f.filename LIKE '%.py'
      AND f.filename NOT LIKE '%/torch/%'
    ORDER BY s.depth LIMIT 1) AS frame
  FROM held)
SELECT frame, filename, line, name, sum(n) AS n, sum(bytes) AS bytes
FROM own LEFT JOIN frames USING (frame)
GROUP BY frame ORDER BY bytes DESC LIMIT 100`},
	{"The largest allocations", `SELECT device, id, size, start_us, end_us, phase, stack
FROM allocations ORDER BY size DESC LIMIT 100`},
	{"Call stacks by all they asked for", `SELECT stack, count(*) AS n, sum(size) AS bytes, max(size) AS largest
FROM allocations GROUP BY stack ORDER BY bytes DESC LIMIT 100`},
	{"Never freed", `SELECT device, id, size, stack, phase
FROM allocations WHERE never_freed AND NOT before_recording
ORDER BY size DESC LIMIT 1000`},
	{"Bytes by phase", `SELECT phase, count(*) AS n, sum(size) AS bytes
FROM allocations GROUP BY phase ORDER BY bytes DESC`},
	{"Segments and what is free in them", `SELECT * FROM segments ORDER BY 1, 2 LIMIT 1000`},
	{"How many events of each kind", `SELECT device, action, count(*) AS n, sum(size) AS bytes
FROM events GROUP BY device, action ORDER BY n DESC`},
	{"Allocator settings", `SELECT * FROM settings`},
	{"Devices", `SELECT * FROM devices`},
}

// remember puts a query at the head of the history.
func (w *window) remember(text string) {
	w.settings.AddQuery(text)
	w.save()
}

// oneLine is a query as a menu shows it.
func oneLine(text string) string {
	s := []rune(strings.Join(strings.Fields(text), " "))
	if len(s) > 70 {
		return string(s[:69]) + "…"
	}
	return string(s)
}

// Menu items of the drawer.
const (
	sqlExample = "example:"
	sqlHistory = "history:"
	sqlSaved   = "saved:"
	sqlAnswer  = "answer:"
	sqlKeep    = "keep"
	sqlForget  = "forget"

	sqlCopyCell = "copy-cell"
	sqlCopyRow  = "copy-row"
	sqlCopyAll  = "copy-all"
)

// sqlMenu is what a menu of the drawer offers.
func (w *window) sqlMenu(m widgets.SQLMenu) []kit.MenuItem {
	var items []kit.MenuItem
	list := func(prefix string, texts []string, none string) {
		for i, text := range texts {
			items = append(items, kit.MenuItem{ID: prefix + strconv.Itoa(i), Text: oneLine(text)})
		}
		if len(texts) == 0 {
			items = append(items, kit.MenuItem{Text: none, Disabled: true})
		}
	}
	switch m {
	case widgets.ExamplesMenu:
		for i, e := range examples {
			items = append(items, kit.MenuItem{ID: sqlExample + strconv.Itoa(i), Text: e.name})
		}
		items = append(items, kit.MenuItem{Rule: true}, kit.MenuItem{Heading: true, Text: "Tables"})
		for i, t := range w.database().Tables() {
			items = append(items, kit.MenuItem{ID: "table:" + strconv.Itoa(i), Text: t.Name, Note: t.Doc})
		}
	case widgets.HistoryMenu:
		list(sqlHistory, w.settings.SQLHistory, "Nothing was run yet")
	case widgets.SavedMenu:
		text := w.panels.sql.Text()
		keep := kit.MenuItem{ID: sqlKeep, Text: "Keep this query", Disabled: strings.TrimSpace(text) == ""}
		if slices.Contains(w.settings.SQLSaved, text) {
			keep = kit.MenuItem{ID: sqlForget, Text: "Keep this query no longer"}
		}
		items = append(items, keep, kit.MenuItem{Rule: true})
		list(sqlSaved, w.settings.SQLSaved, "Nothing was kept yet")
	case widgets.ResultsMenu:
		for i, a := range w.asker.answers {
			items = append(items, kit.MenuItem{ID: sqlAnswer + strconv.Itoa(i), Text: "Answer " + strconv.Itoa(i+1), Detail: widgets.RowsText(len(a.Rows)), Ticked: i == w.asker.shown})
		}
	}
	return items
}

// chosenSQL does what an item of the drawer's menus stands for; it reports
// whether the menu was one of them.
func (w *window) chosenSQL(gtx giolayout.Context, owner, id string) bool {
	if owner != "sql" || w.doc == nil {
		return owner == "sql"
	}
	text := w.panels.sql.Text()
	saved := &w.settings.SQLSaved
	switch id {
	case sqlKeep:
		w.settings.SaveQuery(text)
		w.save()
		return true
	case sqlForget:
		*saved = slices.DeleteFunc(*saved, func(s string) bool { return s == text })
		w.save()
		return true
	}
	if id == sqlCopyAll {
		w.copyAnswer(gtx)
		return true
	}
	if id == sqlCopyCell || id == sqlCopyRow {
		w.copyCell(gtx, id == sqlCopyRow)
		return true
	}
	kind, number, _ := strings.Cut(id, ":")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 {
		return true
	}
	take := func(from []string) {
		if i < len(from) {
			w.panels.sql.SetText(from[i])
			gtx.Execute(key.FocusCmd{Tag: w.panels.sql.Tag()})
		}
	}
	switch kind + ":" {
	case sqlExample:
		if i < len(examples) {
			w.panels.sql.SetText(examples[i].sql)
			w.runSQL(gtx)
		}
	case "table:":
		if tables := w.database().Tables(); i < len(tables) {
			w.panels.sql.SetText(tableSQL(&tables[i]))
			w.runSQL(gtx)
		}
	case sqlHistory:
		take(w.settings.SQLHistory)
	case sqlSaved:
		take(*saved)
	case sqlAnswer:
		if i < len(w.asker.answers) {
			w.showAnswer(i)
		}
	}
	return true
}

// tableSQL shows the head of a table, or of one that needs a key, what is
// there for the first one.
func tableSQL(t *query.TableInfo) string {
	if !t.Keyless && !t.Asked {
		return "SELECT * FROM " + t.Name + " LIMIT 1000"
	}
	for _, c := range t.Columns {
		switch c.Name {
		case "step":
			return "SELECT t.* FROM devices d JOIN " + t.Name + " t ON t.device = d.device AND t.step = d.peak_step LIMIT 1000"
		case "id":
			return "SELECT * FROM " + t.Name + " WHERE id = 0 LIMIT 1000"
		}
	}
	return "SELECT * FROM " + t.Name + " LIMIT 1000"
}

// copyAnswer puts the rows in the table on the clipboard, as they are sorted.
func (w *window) copyAnswer(gtx giolayout.Context) {
	an := w.asker.current()
	if an == nil {
		return
	}
	names := make([]string, len(an.Columns))
	for i := range names {
		names[i] = oneCell(an.Columns[i].Name)
	}
	var b strings.Builder
	b.WriteString(strings.Join(names, "\t") + "\n")
	for i := range an.Rows {
		row := an.Rows[i]
		if i < len(an.order) {
			row = an.Rows[an.order[i]]
		}
		b.WriteString(oneRow(row) + "\n")
	}
	w.toClipboard(gtx, b.String(), widgets.RowsText(len(an.Rows))+" copied")
}

// copyCell puts the cell that the menu was asked of on the clipboard, or its
// row.
func (w *window) copyCell(gtx giolayout.Context, whole bool) {
	an, at := w.asker.current(), w.asker.cell
	if an == nil || at.Y >= len(an.Rows) || at.X >= len(an.Rows[at.Y]) {
		return // another answer has come meanwhile
	}
	if whole {
		w.toClipboard(gtx, oneRow(an.Rows[at.Y]), "Row copied")
		return
	}
	v := an.Rows[at.Y][at.X]
	if v.Kind == query.Null {
		v = query.Value{Kind: query.Text}
	}
	w.toClipboard(gtx, v.String(), "Cell copied")
}

// pickedRow is the row that was clicked, nil once something else was.
func (w *window) pickedRow() []query.Value {
	an, row := w.asker.current(), w.panels.sql.Table.Selected
	if !w.asker.open || !w.asker.picked || an == nil || row < 0 || row >= len(an.Rows) {
		return nil
	}
	return an.Rows[row]
}

// oneRow is a row as spreadsheets take it.
func oneRow(row []query.Value) string {
	cells := make([]string, len(row))
	for i := range row {
		if row[i].Kind != query.Null {
			cells[i] = oneCell(row[i].String())
		}
	}
	return strings.Join(cells, "\t")
}

func oneCell(s string) string { return strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(s) }

// askExport asks where to write the answer that is shown.
func (w *window) askExport(giolayout.Context) {
	t, db, text, which, snapshot := w.tab, w.database(), w.asker.text, w.asker.shown, w.doc.path
	name := widgets.Stem(w.doc.name())
	filters := []platform.Filter{{Name: "CSV", Patterns: []string{"*.csv"}}, {Name: "JSON", Patterns: []string{"*.json"}}}
	w.chooseTarget("Export the answer, as .csv or .json", name+"-query.csv", filters, func(path string) {
		w.with(t, func() {
			switch {
			case w.asker.db != db: // the tab has been closed or read anew meanwhile
				w.say("Nothing was written: the snapshot is not the one that was asked")
			case atomicfile.Same(path, snapshot):
				w.problem = &widgets.Problem{Title: "The answer was not written", What: filepath.Base(path) + " is the snapshot itself; give the answer another name."}
			default:
				w.export(text, which, path)
			}
		})
	})
}

// export runs a text again and writes all the rows of one of its answers.
func (w *window) export(text string, which int, path string) {
	t, a := w.tab, &w.asker
	if a.run != nil || text == "" {
		w.say("Nothing was written: a query runs")
		return
	}
	db := w.database()
	ctx, cancel := context.WithCancel(w.ctx)
	run := &asking{stop: cancel, begun: time.Now(), answers: a.answers}
	a.run = run
	w.work.Go(func() {
		defer cancel()
		n, err := writeAnswer(ctx, db, text, which, path, run)
		w.post(t, func() {
			if a.run != run {
				return
			}
			a.run = nil
			a.note = "written to " + filepath.Base(path)
			switch {
			case errors.Is(err, context.Canceled):
				a.note = "cancelled, nothing was written"
				return
			case err != nil:
				a.note = "not written"
				w.problem = &widgets.Problem{Title: filepath.Base(path) + " was not written", What: sentence(err.Error())}
				return
			}
			w.say(widgets.RowsText(n) + " written")
		})
	})
}

// writeAnswer writes the rows of one statement of a text. A file that could not be written whole is not there at all.
func writeAnswer(ctx context.Context, db *query.DB, text string, which int, path string, run *asking) (n int, err error) {
	rows, err := db.Query(ctx, text)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	run.rows.Store(rows)
	defer run.rows.Store(nil)
	for i := -1; ; {
		if len(rows.Columns()) > 0 {
			i++
		}
		if i == which {
			break
		}
		if !rows.NextResult() {
			return 0, cmp.Or(rows.Err(), errors.New("the query has no such answer"))
		}
	}
	err = atomicfile.Write(ctx, path, func(out *bufio.Writer) (err error) {
		n, err = writeRows(out, path, rows, run)
		return err
	})
	return n, err
}

// writeRows writes rows as JSON where the name of the file says so, else as
// CSV (RFC 4180).
func writeRows(out *bufio.Writer, path string, rows *query.Rows, run *asking) (n int, err error) {
	var w export.RowWriter
	if strings.EqualFold(filepath.Ext(path), ".json") {
		w = export.JSONRows(rows.Columns())
	} else {
		w = export.CSVRows(out, rows.Columns())
	}
	for ; rows.Next(); n++ {
		run.got.Add(1)
		if err := w.Row(out, rows.Values()); err != nil {
			return n, err
		}
	}
	if rows.Err() != nil {
		return n, rows.Err()
	}
	return n, w.End(out)
}
