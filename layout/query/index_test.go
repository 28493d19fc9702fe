package query

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"strata/layout"
	"strata/snapshot"
)

// TestLookUpsAgree: what is asked by a number, by a time or by a range of them is what SQLite finds by looking at all
// rows itself.
func TestLookUpsAgree(t *testing.T) {
	db := Open(invented(150_000), nil)
	defer db.Close()
	for _, c := range [][2]string{
		{"allocations", "id"}, {"events", "event"}, {"events", "time_us"}, {"totals", "timestep"}, {"totals", "step"},
		{"stacks", "stack"},
	} {
		table, col := c[0], c[1]
		value := numbers(t, db, "SELECT %s FROM %s WHERE %[1]s IS NOT NULL LIMIT 1 OFFSET 30000", col, table)[0][0]
		for _, where := range []string{"%s = %d", "%s BETWEEN %d AND %[2]d + 40", "%s > %d AND %[1]s <= %[2]d + 200"} {
			got := ask(t, db, fmt.Sprintf("SELECT * FROM "+table+" WHERE "+where+" ORDER BY "+col, col, value))
			want := ask(t, db, fmt.Sprintf("SELECT * FROM "+table+" WHERE "+where+" ORDER BY +"+col, "+"+col, value))
			if fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
				t.Errorf("%s WHERE "+where+": %d rows, SQLite finds %d", table, col, value, len(got), len(want))
			}
		}
	}
}

// TestOrFindsEachRowOnce: SQLite tells the rows that the sides of an OR find apart by their numbers.
func TestOrFindsEachRowOnce(t *testing.T) {
	db := open(t, "../../testdata/reference/rand-dev3-0.pickle")
	for _, c := range [][2]string{
		{"live", "step = 10 OR (step BETWEEN 20 AND 21) OR (step BETWEEN 10 AND 11)"},
		{"polygons", "id = 3 OR (id BETWEEN 5 AND 6)"},
		{"allocations", "(device = 0 AND id < 5) OR (device = 1 AND id < 7) OR (device = 0 AND id = 3)"},
		{"events", "(device = 0 AND event = 5) OR (device = 2 AND event = 5)"},
	} {
		got := ask(t, db, "SELECT count(*) FROM "+c[0]+" WHERE "+c[1])
		within := "1"
		if c[0] == "live" {
			within = "step BETWEEN 0 AND 30"
		}
		want := ask(t, db, "SELECT sum("+c[1]+") FROM "+c[0]+" WHERE "+within)
		if fmt.Sprint(got) != fmt.Sprint(want) || got[0][0] == "0" {
			t.Errorf("%s WHERE %s: %v rows, want %v", c[0], c[1], got, want)
		}
	}
}

// TestJoinsDoNotScan: a join that looks rows up by a value or a short range has an index after a few look-ups, and
// finds what SQLite finds without one.
func TestJoinsDoNotScan(t *testing.T) {
	db := Open(invented(30_000), nil)
	defer db.Close()
	for i, on := range []string{"%sa.addr = e.addr", "%sa.start_us BETWEEN e.time_us AND e.time_us + 300",
		"%sa.free_event = e.event", "%sa.end_step BETWEEN e.event AND e.event + 5"} {
		sql := "SELECT e.event, a.id FROM events e CROSS JOIN allocations a ON " + on +
			" WHERE e.event %% 299 = 0 AND e.event < 20000 ORDER BY 1, 2"
		rows, err := db.Query(context.Background(), fmt.Sprintf(sql, ""))
		if err != nil {
			t.Fatal(err)
		}
		got := readAll(t, rows)
		if allocations := db.table("allocations").parts[0]; len(allocations.indexes) != i+1 {
			t.Errorf("ON %s: no index was made", on)
		}
		if want := ask(t, db, fmt.Sprintf(sql, "+")); fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
			t.Errorf("ON %s: %d rows, SQLite finds %d", on, len(got), len(want))
		}
	}
}

// TestFunctionsAreNotSorted: groups by function come in the order of the frames, so that SQLite sorts no allocation,
// and are those that it finds by sorting.
func TestFunctionsAreNotSorted(t *testing.T) {
	db := Open(invented(30_000), nil)
	defer db.Close()
	const sql = "SELECT f.name, count(*), sum(size) FROM allocations a JOIN frames f ON f.frame = a.site GROUP BY %s"
	for _, step := range ask(t, db, "EXPLAIN QUERY PLAN "+fmt.Sprintf(sql, "f.name")) {
		if strings.Contains(fmt.Sprint(step), "B-TREE") {
			t.Errorf("SQLite sorts: %v", step)
		}
	}
	got, want := ask(t, db, fmt.Sprintf(sql, "f.name")), ask(t, db, fmt.Sprintf(sql, "+f.name ORDER BY 1"))
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) < 2 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestOneRowIsAskedForOnce: a row that is asked for by its number is not asked for again for every value of an IN
// beside it.
func TestOneRowIsAskedForOnce(t *testing.T) {
	db := Open(invented(3000), nil)
	defer db.Close()
	table := db.tables[2]
	v := &vtab{t: table}
	const eq, gt = sqlite3.INDEX_CONSTRAINT_EQ, sqlite3.INDEX_CONSTRAINT_GT
	of := func(name string, op sqlite3.IndexConstraintOp) test {
		return test{slices.IndexFunc(table.Columns, func(c ColumnInfo) bool { return c.Name == name }), op, 0}
	}
	for _, c := range []struct {
		tests []test
		used  []int // of places 0, 1, …
	}{
		{[]test{of("stack", eq), of("device", eq), of("id", eq)}, []int{1, 2}},
		{[]test{of("id", eq), of("size", gt)}, []int{0}},
		{[]test{of("id", gt), of("stack", eq)}, []int{0, 1}},
		{[]test{of("addr", eq), of("stack", eq)}, []int{0, 1}},
	} {
		for i := range c.tests {
			c.tests[i].place = i
		}
		var used []int
		for _, kept := range v.oneRow(slices.Clone(c.tests)) {
			used = append(used, kept.place)
		}
		if fmt.Sprint(used) != fmt.Sprint(c.used) {
			t.Errorf("%v: kept those at %v, want %v", c.tests, used, c.used)
		}
	}
	const sql = "SELECT id, size FROM allocations WHERE id IN (3, 70, 500) AND %sstack IN (SELECT stack FROM stacks " +
		"WHERE frame %% 2) AND size > 0 ORDER BY id"
	if got, want := ask(t, db, fmt.Sprintf(sql, "")), ask(t, db,
		fmt.Sprintf(sql, "+")); fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestIndexesAgree: on snapshots of all kinds, an index finds the rows that hold a value.
func TestIndexesAgree(t *testing.T) {
	files, err := filepath.Glob("../../testdata/reference/*.pickle")
	if err != nil || len(files) == 0 {
		t.Fatal("no snapshots", err)
	}
	for i, file := range files {
		if i%3 > 0 && !strings.Contains(file, "oom") {
			continue
		}
		db := open(t, file)
		for _, table := range db.tables {
			for _, p := range table.parts {
				if table.keyed != nil || p.ready().n == 0 {
					continue
				}
				for col := range table.Columns {
					x := newOrdered(p, col)
					values := make([]int64, p.n)
					for r := range values {
						values[r] = p.loads[col](r)
					}
					for _, row := range []int{0, p.n / 3, p.n / 2, p.n - 1} {
						least := min(values[row], math.MaxInt64-5)
						var want []int32
						for r := range p.n {
							if d := values[r] - least; uint64(d) <= 5 {
								want = append(want, int32(r))
							}
						}
						got := slices.Sorted(slices.Values(x.between(least, least+5)))
						if !slices.Equal(got, want) {
							t.Fatalf("%s: %s.%s from %d: rows %v, want %v", file, table.Name, table.Columns[col].Name,
								least, got, want)
						}
					}
				}
			}
		}
	}
}

// TestWithoutTimes: in a trace without times nothing is found by time.
func TestWithoutTimes(t *testing.T) {
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
