package kit

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"

	"strata/layout/query"
	"strata/widgets/widgettest"
)

// TestTableDrawsWhatIsInSight: a million rows cost as much as a screenful, and every value has its place.
func TestTableDrawsWhatIsInSight(t *testing.T) {
	a := &query.Answer{Columns: []query.Column{{Name: "n"}, {Name: "text"}}}
	for i := range 1_000_000 {
		a.Rows = append(a.Rows, []query.Value{{Kind: query.Int, Int: int64(i)}, {Kind: query.Text, Text: "a\nb"}})
	}
	h, th := widgettest.New(image.Pt(300, 260)), NewTheme(true)
	var tb Table
	tb.Show(a)
	e := TableEvent{}
	h.Draw = func(gtx giolayout.Context) {
		if ev := tb.Update(gtx); ev.Row >= 0 || ev.Sort >= 0 {
			e = ev
		}
		tb.Layout(gtx, th, -1, false)
	}
	h.Frame()
	if n := len(tb.rows); n > 20 {
		t.Fatalf("%d rows were laid out", n)
	}
	h.Click(widgettest.At(40, 26+22*3+5))
	if e.Row != 3 || tb.Selected != 3 {
		t.Fatalf("a click on the fourth row says %+v", e)
	}
	h.Send(widgettest.Move(widgettest.At(40, 100)), widgettest.Wheel(widgettest.At(40, 100), 0, 22*1000))
	h.Click(widgettest.At(40, 26+22*3+5))
	if e.Row < 900 || e.Row > 1100 {
		t.Fatalf("scrolled by 1,000 rows, the row clicked is %d", e.Row)
	}
	if got := oneLine("a\nb\tc"); got != "a b c" {
		t.Fatalf("%q", got)
	}
}

// TestBytesAreReadable: bytes as people read them, exactly in the row under the pointer, and nothing else so.
func TestBytesAreReadable(t *testing.T) {
	tb := Table{}
	tb.Show(&query.Answer{Columns: []query.Column{{Name: "size", Origin: "size"}, {Name: "sum(size)"}, {Name: "n"},
		{Name: "count(size)"}, {Name: "size", Origin: "id"}, {Name: "bytes"}}})
	big := query.Value{Kind: query.Int, Int: 67_108_864}
	for c, want := range []string{"64.0 MiB", "64.0 MiB", "67108864", "67108864", "67108864", "64.0 MiB"} {
		if got := tb.cellText(c, &big, false); got != want {
			t.Errorf("column %d: %s, want %s", c, got, want)
		}
	}
	if got := tb.cellText(0, &big, true); got != "67,108,864" {
		t.Errorf("exactly: %s", got)
	}
	if got := tb.cellText(5, &query.Value{Kind: query.Text, Text: "a\nb"}, false); got != "a b" {
		t.Errorf("a text: %q", got)
	}
	if got := tb.cellText(5, &query.Value{Kind: query.Float, Float: 1536}, false); got != "1.50 KiB" {
		t.Errorf("a mean: %q", got)
	}
}
