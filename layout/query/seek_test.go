package query

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"strata/layout"
	"strata/snapshot"
)

// TestPointQueriesDoNotScan: what is asked by id, event, step, time or stack
// is found without looking at the other rows, and is what SQLite finds by
// looking at all of them.
func TestPointQueriesDoNotScan(t *testing.T) {
	db := Open(invented(150_000), nil)
	defer db.Close()
	big := [][2]string{
		{"allocations", "id"}, {"allocations", "start_step"}, {"allocations", "end_step"}, {"allocations", "alloc_event"},
		{"allocations", "free_event"}, {"allocations", "start_us"}, {"allocations", "end_us"},
		{"events", "event"}, {"events", "time_us"}, {"totals", "timestep"}, {"totals", "step"}, {"stacks", "stack"},
	}
	for _, c := range big {
		table, col := c[0], c[1]
		value := numbers(t, db, "SELECT %s FROM %s WHERE %[1]s IS NOT NULL LIMIT 1 OFFSET 30000", col, table)[0][0]
		for _, where := range []string{"%s = %d", "%s BETWEEN %d AND %[2]d + 40", "%s > %d AND %[1]s <= %[2]d + 200"} {
			fast := fmt.Sprintf(where, col, value)
			slow := fmt.Sprintf(where, "+"+col, value)
			got := ask(t, db, "SELECT * FROM "+table+" WHERE "+fast+" ORDER BY "+col)
			if n := db.idle[len(db.idle)-1].tested; n > 4*block {
				t.Errorf("%s WHERE %s: %d rows were looked at", table, fast, n)
			}
			want := ask(t, db, "SELECT * FROM "+table+" WHERE "+slow+" ORDER BY +"+col)
			if fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
				t.Errorf("%s WHERE %s: %d rows, SQLite finds %d", table, fast, len(got), len(want))
			}
		}
	}
	// An address has an index once it was asked for some times.
	addr := one(t, db, "SELECT addr FROM allocations WHERE id = 20000")
	for _, table := range []string{"allocations", "events"} {
		sql := "SELECT count(*) FROM " + table + " WHERE addr = " + addr
		for deadline := time.Now().Add(10 * time.Second); ; {
			ask(t, db, sql)
			if db.idle[len(db.idle)-1].tested <= block {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("%s: there is no index", sql)
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// TestOneRowIsAskedForOnce: a row that is asked for by its number is not
// asked for again for every value of an IN beside it.
func TestOneRowIsAskedForOnce(t *testing.T) {
	db := Open(invented(3000), nil)
	defer db.Close()
	table := db.tables[2]
	v := &vtab{t: table}
	const eq, gt = sqlite3.INDEX_CONSTRAINT_EQ, sqlite3.INDEX_CONSTRAINT_GT
	of := func(name string, op sqlite3.IndexConstraintOp) test { return test{table.column(name), op} }
	for _, c := range []struct {
		tests []test
		used  []int // of places 0, 1, …
	}{
		{[]test{of("stack", eq), of("device", eq), of("id", eq)}, []int{1, 2}},
		{[]test{of("id", eq), of("size", gt)}, []int{0}},
		{[]test{of("id", gt), of("stack", eq)}, []int{0, 1}},
		{[]test{of("addr", eq), of("stack", eq)}, []int{0, 1}},
	} {
		places := []int{0, 1, 2}[:len(c.tests)]
		p, used := v.oneRow(plan{tests: c.tests}, places)
		if fmt.Sprint(used) != fmt.Sprint(c.used) || len(p.tests) != len(used) || p.tests[0] != c.tests[used[0]] {
			t.Errorf("%v: %v at %v, want those at %v", c.tests, p.tests, used, c.used)
		}
	}
	const sql = "SELECT id, size FROM allocations WHERE id IN (3, 70, 500) AND %sstack IN (SELECT stack FROM stacks WHERE frame %% 2) AND size > 0 ORDER BY id"
	if got, want := ask(t, db, fmt.Sprintf(sql, "")), ask(t, db, fmt.Sprintf(sql, "+")); fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSeeksAgree: on snapshots of all kinds, a seek finds what SQLite finds
// among all rows.
func TestSeeksAgree(t *testing.T) {
	files, err := filepath.Glob("../../testdata/reference/*.pickle")
	if err != nil || len(files) == 0 {
		t.Fatal("no snapshots", err)
	}
	for i, file := range files {
		if i%3 > 0 && !strings.Contains(file, "oom") {
			continue
		}
		db := open(t, file)
		for _, l := range db.lanes {
			tl := l.timeline(db.s)
			p := db.tables[2].parts[0]
			if p.device != int64(l.d.Index) {
				continue
			}
			p.ready()
			for col, seek := range p.seek {
				name := db.tables[2].cols[col].name
				for _, row := range []int{0, 1, p.n / 3, p.n / 2, p.n - 1} {
					if row < 0 || row >= p.n || p.at(col, row) == null {
						continue
					}
					least := p.at(col, row)
					rows, ok := seek(least, least+5)
					if !ok {
						t.Fatalf("%s: %s is not found", file, name)
					}
					found := map[int32]bool{}
					for _, r := range rows {
						found[r] = true
					}
					for r := range p.n {
						if v := p.at(col, r); v != null && v >= least && v <= least+5 && !found[int32(r)] {
							t.Errorf("%s: %s from %d: allocation %d of %d is missing", file, name, least, r, len(tl.Size))
						}
					}
				}
			}
		}
	}
}

// TestEqualAgrees: what is found by looking at a plain column is what the
// table's own column holds, on snapshots of all kinds.
func TestEqualAgrees(t *testing.T) {
	files, err := filepath.Glob("../../testdata/reference/*.pickle")
	if err != nil || len(files) == 0 {
		t.Fatal("no snapshots", err)
	}
	looked, ooms := map[string]int{}, 0
	for _, file := range files {
		db := open(t, file)
		for _, table := range db.tables {
			for _, p := range table.parts {
				if table.keyed != nil {
					continue
				}
				p.ready()
				for col, equal := range p.equal {
					where := map[int64][]int32{}
					for row := range p.n {
						v := p.at(col, row)
						where[v] = append(where[v], int32(row))
						ooms += int(flag(v == null))
					}
					values := []int64{0, 12345}
					for v := range where {
						if values = append(values, v); len(values) > 50 {
							break
						}
					}
					for _, v := range values {
						if v == null {
							continue
						}
						if got := equal(v); fmt.Sprint(got) != fmt.Sprint(where[v]) {
							t.Errorf("%s: %s.%s = %d is in rows %v, want %v", file, table.name, table.cols[col].name, v, got, where[v])
						}
						looked[table.name]++
					}
				}
			}
		}
	}
	if looked["allocations"] < 100 || looked["events"] < 100 || ooms == 0 {
		t.Errorf("looked for %v addresses, %d without", looked, ooms)
	}
}

// TestCertain: columns that are said to ascend for certain do.
func TestCertain(t *testing.T) {
	files, err := filepath.Glob("../../testdata/reference/*.pickle")
	if err != nil || len(files) == 0 {
		t.Fatal("no snapshots", err)
	}
	checked := 0
	for _, file := range files {
		db := open(t, file)
		for _, table := range db.tables {
			for _, p := range table.parts {
				for col, c := range table.cols {
					if !c.certain {
						continue
					}
					if checked++; !p.ready().isSorted(col) {
						t.Errorf("%s: %s.%s does not ascend", file, table.name, c.name)
					}
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no column is certain to ascend")
	}
}

// TestSeekWithoutTimes: a trace without times has no seeks by time.
func TestSeekWithoutTimes(t *testing.T) {
	s := invented(3000)
	s.Devices[0].Events.Time = nil
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	db := Open(s, []*layout.Timeline{tl})
	defer db.Close()
	if got := ask(t, db, "SELECT count(*) FROM allocations WHERE start_us > 0 OR end_us = 5"); got[0][0] != "0" {
		t.Errorf("found %v", got)
	}
	var none snapshot.Snapshot
	if n := len(Open(&none, nil).lanes); n != 0 {
		t.Errorf("%d devices", n)
	}
}
