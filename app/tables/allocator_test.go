package tables

import (
	"fmt"
	"strings"
	"testing"

	"strata/layout/explain"
	"strata/layout/query"
	"strata/layout/state"
	"strata/snapshot"
)

// openHistory is the history of a bundled file's first device.
func openHistory(t *testing.T, name string) *state.History {
	t.Helper()
	s, err := snapshot.Open(t.Context(), "../../testdata/"+name, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return state.New(s, &s.Devices[0])
}

// TestPools: the rows sum up to the totals.
func TestPools(t *testing.T) {
	h := openHistory(t, "generated/pools.pickle")
	s := h.At(h.Len() - 1)
	p := NewPools(s)
	var sums [8]int64
	for i := range p.Len() {
		for c, v := range p.Row(i) {
			sums[c] += v.Int
		}
	}
	if p.Len() < 2 || len(p.Keys) != p.Len() || sums[2] != s.Totals.Reserved || sums[4] != s.Totals.Free ||
		sums[7] != int64(s.Totals.Segments) {
		t.Errorf("%d pools, %v, %+v", p.Len(), sums, s.Totals)
	}
}

// TestEvents: each kind has its events, all together have them all, and a row leads to its event and back.
func TestEvents(t *testing.T) {
	h := openHistory(t, "sample.pickle.gz")
	all, sum := NewEvents(h, AllEvents, ""), 0
	for _, kind := range EventKinds()[1:] {
		e := NewEvents(h, kind, "")
		sum += e.Len()
		for _, row := range []int{0, e.Len() / 2, e.Len() - 1} {
			if row < 0 || row >= e.Len() {
				continue
			}
			k := e.Event(row)
			if got := fmt.Sprint(all.Row(k)); got != fmt.Sprint(e.Row(row)) || e.RowOf(k) != row {
				t.Errorf("%v: row %d is %s", kind, row, got)
			}
		}
	}
	if all.Len() != h.Len() || sum != h.Len() || all.RowOf(7) != 7 {
		t.Errorf("%d events, %d by kind, of %d", all.Len(), sum, h.Len())
	}
	if failed := NewEvents(h, FailedEvents, ""); failed.Len() != 1 || failed.Row(0)[1].Text != "oom" ||
		failed.Row(0)[3].Text != "" {
		t.Errorf("%d failed requests", failed.Len())
	}
	some := NewEvents(h, BlockEvents, "Model.py:121")
	for i := range some.Len() {
		if line := some.Row(i)[5].Text; !strings.Contains(line, "model.py:121") {
			t.Fatalf("row %d is of %s", i, line)
		}
	}
	if some.Len() == 0 || some.RowOf(-1) != -1 {
		t.Errorf("%d events of a line", some.Len())
	}
}

// TestWhy: a row for each sentence.
func TestWhy(t *testing.T) {
	h := openHistory(t, "sample.pickle.gz")
	e := explain.Explain(h, explain.Events(h), 0, 0)
	w := NewWhy(e)
	if w.Len() != len(e.Sentences) || w.Row(0)[0].Text != e.Sentences[0].Text || w.Row(0)[2].Kind != query.Null {
		t.Errorf("%d rows of %d sentences", w.Len(), len(e.Sentences))
	}
}

// TestSettings: what was changed comes first, and what is not known is said to be so.
func TestSettings(t *testing.T) {
	l := Settings([]snapshot.Setting{{Key: "garbage_collection_threshold", Value: "0.0"},
		{Key: "of_tomorrow", Value: "1"}, {Key: "max_split_size", Value: "134217728"},
		{Key: "expandable_segments", Value: "True"}, {Key: "roundup_power2_divisions.1", Value: "0"}})
	var got []string
	for i := range l.Len() {
		r := l.Row(i)
		got = append(got, r[0].Text+" "+r[1].Text+" "+r[2].Text)
	}
	want := "max_split_size 128.0 MiB changed|expandable_segments True changed|" +
		"garbage_collection_threshold 0.0 as it is by default|roundup_power2_divisions.1 0 as it is by default|" +
		"of_tomorrow 1 not known to Strata"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("%s", text)
	}
}
