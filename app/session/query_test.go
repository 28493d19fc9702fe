package session

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"strata/app/options"
	"strata/layout"
	"strata/layout/query"
)

func TestSQLErrors(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}})
	sql := "select id\nfrom allocations\nwhere sise > 5"
	d.asked(sql)
	if w := d.Active.SQL.Wrong; w == nil || !strings.Contains(w.What, "no such column: sise") ||
		w.Offset != strings.Index(sql, "sise") {
		t.Fatalf("%+v", w)
	}
	d.asked("attach 'x.db' as y")
	if d.Active.SQL.Wrong == nil {
		t.Fatal("a query opened a file")
	}
	d.asked("select 1; select 2, 3 union all select 4, 5")
	if d.Active.SQL.Wrong != nil || len(d.Active.SQL.Answers) != 2 || d.Active.SQL.Shown != 1 ||
		len(d.Active.SQL.Current().Rows) != 2 {
		t.Fatalf("two statements: %+v", d.Active.SQL)
	}
	d.Active.SQL.Shown = 0
	if len(d.Active.SQL.Current().Columns) != 1 {
		t.Fatal("the first answer is not shown")
	}
	if n := d.Active.SQL.Note(time.Now()); !strings.HasPrefix(n, "1 row · ") {
		t.Fatal(n)
	}
}

// TestSQLTargets goes to every kind of thing a row can be about, on a device
// that is not on screen, too.
func TestSQLTargets(t *testing.T) {
	d := opened(t, options.Options{Files: []string{devices}})
	other := d.Active.Doc.Devices[1].Index
	d.asked(fmt.Sprintf("select device, id from allocations where device = %d limit 1", other))
	d.Active.GoTo(d.Active.SQL.Current().Targets[0], time.Now())
	d.until("the other device is on screen", func() bool {
		return d.Active.Timeline().Device.Index == other && d.Active.Pinned >= 0
	})
	if got, want := int64(d.Active.Pinned), d.Active.SQL.Current().Rows[0][1].Int; got != want {
		t.Fatalf("pinned %d, want %d", got, want)
	}
	tl := d.Active.Timeline()
	id := layout.ID(len(tl.Size) / 2)
	for tl.Origin[id] < 0 {
		id++
	}
	d.Active.GoTo(query.Target{Kind: "event", Device: other, Number: int64(tl.Origin[id])}, time.Now())
	if d.Active.Pinned != id {
		t.Fatalf("its event pins %d, want %d", d.Active.Pinned, id)
	}
	d.Active.GoTo(query.Target{Kind: "step", Device: other, Number: int64(tl.PeakState)}, time.Now())
	if x := tl.X(d.Active.View.Axis, tl.PeakState); x < d.Active.View.X0 || x > d.Active.View.X1 {
		t.Fatal("the step is not in view")
	}
	for _, live := range tl.Live(nil, int32(len(tl.Actions))) {
		a := tl.At(live)
		for n, addr := range tl.Device.Blocks.Addr {
			if addr == a.Addr {
				d.Active.GoTo(query.Target{Kind: "block", Device: other, Number: int64(n)}, time.Now())
				if d.Active.Pinned != live {
					t.Fatalf("block %d pins %d, want %d", n, d.Active.Pinned, live)
				}
			}
		}
	}
	d.Active.GoTo(query.Target{Kind: "stack", Number: int64(tl.At(id).Stack)}, time.Now())
	d.found()
	if !d.Active.Find.Result.Matches.Has(id) {
		t.Fatal("its stack does not find it")
	}
	// Numbers out of range, as any query can give them, do nothing.
	for _, kind := range []string{"allocation", "event", "segment", "block", "stack", "frame", "annotation", "step"} {
		for _, n := range []int64{-1 << 62, -1, 1 << 40} {
			d.Active.GoTo(query.Target{Kind: kind, Device: other, Number: n}, time.Now())
			d.frame()
		}
	}
}

// TestLatestSearchWins: of many searches in one frame only the last counts.
func TestLatestSearchWins(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}})
	for _, text := range []string{"size>=1", "before-recording", "never-freed", "/./", "size>=100KiB"} {
		d.Active.Search(text)
	}
	d.found()
	if f := &d.Active.Find; f.Result.Query.Text != "size>=100KiB" || f.Text != f.Result.Query.Text {
		t.Fatalf("%q is found", f.Result.Query.Text)
	}
	d.Active.Search("size>=1")
	d.Active.ClearSearch()
	d.Background.Wait()
	d.frame()
	if d.Active.Find.Result != nil || d.Active.Find.Wanted() {
		t.Fatal("a search that was cleared came back")
	}
}

// TestNextMatch goes through all matches and around, and counts them.
func TestNextMatch(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}})
	s := d.Active
	s.Search("size>=1MiB size>=lots")
	if s.Find.Wrong == nil || s.Find.Wanted() {
		t.Fatal("a wrong search runs")
	}
	s.Search("size>=1MiB")
	d.found()
	r := s.Find.Result
	for i := range r.Count {
		if s.NextMatch(1, time.Now()); s.Find.Place(s.Pinned) != i+1 || s.Timeline().Size[s.Pinned] < 1<<20 {
			t.Fatalf("step %d is match %d", i, s.Find.Place(s.Pinned))
		}
	}
	first := r.Matches.Next(0)
	if s.NextMatch(1, time.Now()); s.Pinned != first {
		t.Fatal("it does not go around")
	}
	if s.NextMatch(-1, time.Now()); s.Find.Place(s.Pinned) != r.Count {
		t.Fatal("it does not go back around")
	}
	if c := s.Colouring(); c == s.Doc.Stage.Colouring || c.Colour(first) != s.Doc.Stage.Colouring.Colour(first) {
		t.Fatal("the others are not dimmed")
	}
	s.SearchSite(first)
	d.found()
	if !s.Find.Result.Matches.Has(first) || s.Pinned != first {
		t.Fatal("its line does not find it")
	}
}

// TestExamplesRun: no example and no table's query is wrong.
func TestExamplesRun(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}})
	texts := []string{}
	for _, e := range Examples() {
		texts = append(texts, e.SQL)
	}
	for _, table := range d.Active.Database().Tables() {
		texts = append(texts, TableSQL(table))
	}
	for _, text := range texts {
		if d.asked(text); d.Active.SQL.Wrong != nil || d.Active.SQL.Current() == nil {
			t.Errorf("%s: %v", text, d.Active.SQL.Wrong)
		}
	}
}

// TestNextMatchKeepsTheZoom: going through matches moves the view and does not zoom, and each is in it.
func TestNextMatchKeepsTheZoom(t *testing.T) {
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		d := opened(t, options.Options{Files: []string{annotated}, Axis: axis})
		s := d.Active
		s.Search("size>=100MiB")
		d.found()
		v := s.View
		v.X1, v.Y1 = v.X0+(v.X1-v.X0)/40, v.Y0+(v.Y1-v.Y0)/2
		s.Look(v, time.Now())
		v = s.View
		for range min(s.Find.Result.Count, 60) {
			s.NextMatch(1, time.Now())
			width, height := (s.View.X1-s.View.X0)/(v.X1-v.X0), (s.View.Y1-s.View.Y0)/(v.Y1-v.Y0)
			if math.Abs(width-1) > 1e-6 || math.Abs(height-1) > 1e-6 {
				t.Fatalf("the view became %g as wide and %g as high", width, height)
			}
			x0, x1 := s.Timeline().Span(s.Pinned, axis)
			bottom, top, ok := s.HeightOf(s.Pinned, s.View.X0, s.View.X1)
			if x1 < s.View.X0 || x0 > s.View.X1 || !ok || top < s.View.Y0 || bottom > s.View.Y1 {
				t.Fatalf("match %d at %g – %g, %g – %g is not in %v", s.Pinned, x0, x1, bottom, top, s.View)
			}
		}
	}
}
