package window

import (
	"encoding/csv"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/app/options"
	"strata/app/session"
	"strata/app/settings"
	"strata/layout"
	"strata/layout/query"
	"strata/widgets/chart"
	"strata/widgets/describe"
	"strata/widgets/panel"
)

// asked opens the drawer, types a query, runs it with its key and waits.
func (d *driver) asked(sql string) {
	d.t.Helper()
	if d.tab().drawer.page != panel.SQLTab {
		d.press("Q", 0)
	}
	d.tab().sql.SetText(sql)
	d.press(key.NameReturn, key.ModShortcut)
	d.until("the query is answered", func() bool { return !d.tab().SQL.Running() })
	d.draw()
}

// cell is a place in the table: a row on screen, -1 the names, and px from
// its left.
func (d *driver) cell(row, x int) image.Point {
	p := d.arrange(d.gtx(), d.tab()).drawer
	return image.Pt(p.Min.X+min(p.Dx()*2/5, 560)+x, p.Min.Y+36+26+22*row+11)
}

func TestSQL(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.press("Q", 0)
	if !d.tab().sql.Focused(d.gtx()) {
		t.Fatal("the editor has not the focus")
	}
	d.enter("select id, size, quote(id) from allocations where size>=1024")
	if d.tab().drawer.page != panel.SQLTab || d.tab().View != d.tab().WholeView() {
		t.Fatal("letters in the editor are commands")
	}
	d.press(key.NameReturn, key.ModShortcut)
	d.until("the query is answered", func() bool { return !d.tab().SQL.Running() })
	if d.tab().SQL.Wrong != nil {
		t.Fatal(d.tab().SQL.Wrong)
	}
	tl, an := d.tab().Timeline(), d.tab().SQL.Current()
	want := 0
	for _, size := range tl.Size {
		if size >= 1024 {
			want++
		}
	}
	if len(an.Rows) != want || want < 20 {
		t.Fatalf("%d rows, want %d", len(an.Rows), want)
	}
	for i, row := range an.Rows {
		if tl.Size[row[0].Int] != row[1].Int ||
			an.Targets[i] != (query.Target{Kind: "allocation", Device: tl.Device.Index, Number: row[0].Int}) {
			t.Fatalf("row %v, target %v", row, an.Targets[i])
		}
	}
	d.draw()
	for i := range 4 { // a row leads to its allocation
		d.click(d.cell(i, 20))
		if d.tab().Pinned != layout.ID(an.Rows[i][0].Int) || (d.tab().away() != chart.InView) {
			t.Fatalf("row %d pins %d, want %v", i, d.tab().Pinned, an.Rows[i][0])
		}
	}
	// Sorted by size, up, down, and as they came.
	widths := d.tab().sql.Table.Widths()
	at := d.cell(-1, widths[0]+widths[1]/2)
	up, down := func(a, b int64) bool { return a <= b }, func(a, b int64) bool { return a >= b }
	for i, in := range []func(a, b int64) bool{up, down} {
		d.click(at)
		d.until("it is sorted", func() bool { return an.Sorted == 1 && an.Down == (i == 1) })
		for i := 1; i < len(an.Order); i++ {
			if !in(an.Rows[an.Order[i-1]][1].Int, an.Rows[an.Order[i]][1].Int) {
				t.Fatal("out of order")
			}
		}
		d.draw()
		d.click(d.cell(2, 20))
		if got := an.Rows[an.Order[2]][0].Int; d.tab().Pinned != layout.ID(got) {
			t.Fatalf("the sorted row pins %d, want %d", d.tab().Pinned, got)
		}
	}
	d.click(at)
	d.until("it is as it came", func() bool { return an.Sorted == -1 && an.Order == nil })
}

// TestSQLCopies: the menu of a cell copies it, its row, or all.
func TestSQLCopies(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.asked("select id, size, null, 'a' || char(9) || 'b' as text from allocations order by id desc limit 50")
	an := d.tab().SQL.Current()
	widths := d.tab().sql.Table.Widths()
	var cell image.Point
	ask := func(row, column, x int) {
		t.Helper()
		cell = image.Pt(column, row)
		at := d.cell(row, x)
		d.Wait()
		d.move(at)
		d.point(pointer.Press, at, pointer.ButtonSecondary)
		d.point(pointer.Release, at, 0)
		if !d.menu.Showing() {
			t.Fatal("there is no menu")
		}
	}
	copied := func(item string) string {
		t.Helper()
		d.menu.Close()
		d.choose(d.cellMenu(d.tab(), cell), item)
		d.draw()
		_, text, ok := d.Router.WriteClipboard()
		if !ok {
			t.Fatal("nothing was copied")
		}
		return string(text)
	}
	ask(3, 1, widths[0]+widths[1]/2)
	if got := copied("Copy the cell"); got != an.Rows[3][1].String() {
		t.Errorf("cell: %q, want %s", got, an.Rows[3][1])
	}
	ask(1, 2, widths[0]+widths[1]+2)
	if got := copied("Copy the cell"); got != "" {
		t.Errorf("NULL: %q", got)
	}
	if got, want := copied("Copy the row"), an.Rows[1][0].String()+"\t"+an.Rows[1][1].String()+"\t\ta b"; got != want {
		t.Errorf("row: %q, want %q", got, want)
	}
	if got := copied("Copy all rows"); strings.Count(got, "\n") != 51 || !strings.HasPrefix(got, "id\tsize\t") {
		t.Errorf("all: %q", got)
	}
	if d.tab().Pinned >= 0 {
		t.Error("asking for the menu goes to the row")
	}
}

// TestSQLCopiesTheRowClicked: Ctrl+C copies what was clicked last, the row or
// the allocation.
func TestSQLCopiesTheRowClicked(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	copied := func() string {
		t.Helper()
		d.press("C", key.ModShortcut)
		d.draw()
		_, text, _ := d.Router.WriteClipboard()
		return string(text)
	}
	d.asked("select id, size from allocations order by id desc limit 50")
	an := d.tab().SQL.Current()
	for row := range 2 {
		d.Wait()
		d.click(d.cell(row, 20))
		if got, want := copied(), query.RowText(an.Rows[row]); got != want || d.tab().Pinned < 0 {
			t.Errorf("row %d: %q, want %q", row, got, want)
		}
	}
	stack := describe.StackText(d.tab().Doc.Snapshot, d.tab().stack.Stack(), true)
	d.openContextAtBar(d.gtx(), d.tab())
	d.menu.Close()
	if got := copied(); got != stack {
		t.Errorf("from the allocation's menu: %q, want %q", got, stack)
	}
	d.Wait()
	d.click(d.cell(1, 20))
	d.tab().Pin(d.tab().Pinned) // as a click in the timeline does
	if got := copied(); got != stack || stack == "" {
		t.Errorf("the pinned allocation: %q, want %q", got, stack)
	}
	// A row that is about nothing in the timeline.
	d.asked("select 'a' as x, 7 as y")
	d.Wait()
	d.click(d.cell(0, 10))
	if got := copied(); got != "a\t7" {
		t.Errorf("a row about nothing: %q", got)
	}
	d.asked("select 'another'")
	if d.tab().pickedRow() != nil {
		t.Error("a row of the answer before is still the one clicked")
	}
}

// TestSQLColumnsAreDragged draws the first column's edge.
func TestSQLColumnsAreDragged(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.asked("select id, size from allocations")
	first := d.tab().sql.Table.Widths()[0]
	from := d.cell(-1, first)
	d.Wait()
	d.move(from)
	d.point(pointer.Press, from, pointer.ButtonPrimary)
	for x := 10; x <= 60; x += 10 {
		d.point(pointer.Move, from.Add(image.Pt(x, 0)), pointer.ButtonPrimary)
	}
	d.point(pointer.Release, from.Add(image.Pt(60, 0)), 0)
	if got := d.tab().sql.Table.Widths()[0]; got < first+55 || got > first+65 {
		t.Fatalf("the column is %d wide, was %d", got, first)
	}
}

// endless never comes to an end by itself.
const endless = "with recursive c(x) as (select 1 union all select x + 1 from c) "

func TestSQLIsCancelled(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.press("Q", 0)
	d.tab().sql.SetText(endless + "select count(*) from c")
	d.press(key.NameReturn, key.ModShortcut)
	if !d.tab().SQL.Running() {
		t.Fatal("nothing runs")
	}
	for range 5 { // frames go on
		d.draw()
	}
	d.press(key.NameEscape, 0)
	if d.tab().SQL.Running() || d.tab().drawer.page != panel.SQLTab {
		t.Fatal("Esc does not cancel the query, or closes the drawer, too")
	}
	done := make(chan bool, 1)
	go func() { d.sessions.Background.Wait(); done <- true }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the query still runs")
	}
	d.press(key.NameEscape, 0)
	if d.tab().drawer.page == panel.SQLTab {
		t.Fatal("Esc does not close the drawer")
	}
}

func TestSQLExport(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	const sql = "select 0; select id, size, phase, stack from allocations order by size"
	d.asked(sql)
	path := filepath.Join(t.TempDir(), "out.csv")
	fake := &fakeDialogs{paths: []string{path}}
	d.dialogs = fake
	d.exportAnswer(d.tab())
	d.until("it is written", func() bool { return !d.choosing && !d.tab().SQL.Running() })
	if !strings.HasSuffix(fake.asked.Name, "-query.csv") || len(fake.asked.Filters) != 2 {
		t.Errorf("asked with %+v", fake.asked)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err, d.tab().SQL.Note(time.Now()))
	}
	defer f.Close()
	got, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	an := d.tab().SQL.Current()
	want := [][]string{{"id", "size", "phase", "stack"}}
	for _, row := range an.Rows {
		var line []string
		for _, v := range row {
			s := v.String()
			if v.Kind == query.Null {
				s = ""
			}
			line = append(line, s)
		}
		want = append(want, line)
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%d lines differ from the %d in the table", len(got), len(want))
	}
	asJSON := filepath.Join(t.TempDir(), "out.JSON")
	fake.paths = []string{asJSON}
	d.exportAnswer(d.tab())
	d.until("it is written", func() bool { return !d.choosing && !d.tab().SQL.Running() })
	var objects []map[string]any
	if data, err := os.ReadFile(asJSON); err != nil || json.Unmarshal(data, &objects) != nil ||
		len(objects) != len(an.Rows) || len(objects[0]) != 4 {
		t.Fatalf("%v: %d objects, want %d", err, len(objects), len(an.Rows))
	}
	fake.paths = []string{filepath.Join(t.TempDir(), "no", "such", "folder.csv")}
	d.exportAnswer(d.tab())
	d.until("it fails", func() bool { return d.tab().Problem != nil })
	d.tab().Dismiss()
	fake.paths = []string{sample}
	d.exportAnswer(d.tab())
	d.until("the snapshot itself is refused", func() bool { return d.tab().Problem != nil })
	d.tab().Dismiss()

	// What was asked in a tab that is gone by the answer is not written.
	late := filepath.Join(t.TempDir(), "late.csv")
	fake.paths = []string{late}
	d.exportAnswer(d.tab())
	d.press("W", key.ModShortcut)
	d.until("the dialog is closed", func() bool { return !d.choosing })
	d.sessions.Background.Wait()
	if _, err := os.Stat(late); err == nil {
		t.Error("the answer of a closed tab was written")
	}
}

// TestSQLKeeps: history and kept queries are there the next time.
func TestSQLKeeps(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	d.asked("select 1")
	d.asked("select 2")
	d.asked("select 1")
	d.choose(d.sqlMenu(d.tab(), panel.SavedMenu), "Keep this query")
	s, _ := settings.Load(d.settingsPath)
	if !slices.Equal(s.SQLHistory, []string{"select 1", "select 2"}) ||
		!slices.Equal(s.SQLSaved, []string{"select 1"}) {
		t.Fatalf("history %q, kept %q", s.SQLHistory, s.SQLSaved)
	}
	d.choose(d.sqlMenu(d.tab(), panel.HistoryMenu), "select 2")
	if d.tab().sql.Text() != "select 2" {
		t.Fatal("the history gives another query")
	}
	d.choose(d.sqlMenu(d.tab(), panel.SavedMenu), "select 1")
	d.choose(d.sqlMenu(d.tab(), panel.SavedMenu), "Keep this query no longer")
	if s, _ := settings.Load(d.settingsPath); d.tab().sql.Text() != "select 1" || len(s.SQLSaved) != 0 {
		t.Fatalf("kept %q", s.SQLSaved)
	}
	for _, example := range session.Examples() {
		d.choose(d.sqlMenu(d.tab(), panel.ExamplesMenu), example.Name)
		d.until("it is answered", func() bool { return !d.tab().SQL.Running() })
		if d.tab().SQL.Wrong != nil {
			t.Errorf("%s: %v", example.Name, d.tab().SQL.Wrong)
		}
	}
	for i, table := range d.tab().Database().Tables() {
		d.choose(d.sqlMenu(d.tab(), panel.ExamplesMenu), table.Name)
		d.until("it is answered", func() bool { return !d.tab().SQL.Running() })
		if d.tab().SQL.Wrong != nil {
			t.Errorf("table %d: %v", i, d.tab().SQL.Wrong)
		}
	}
	for m := panel.ExamplesMenu; m <= panel.ResultsMenu; m++ {
		if len(d.sqlMenu(d.tab(), m)) == 0 {
			t.Errorf("menu %d is empty", m)
		}
	}
}
