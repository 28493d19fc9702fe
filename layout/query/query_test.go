package query

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// open makes a snapshot of the repository ready.
func open(t testing.TB, path string) *DB {
	t.Helper()
	s, err := snapshot.Open(context.Background(), path, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db := Open(s, nil)
	t.Cleanup(db.Close)
	return db
}

const sample = "../../testdata/reference/sim-base.pickle"

// ask returns all rows of a query, values written as text.
func ask(t testing.TB, db *DB, sql string) [][]string {
	t.Helper()
	rows, err := db.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return readAll(t, rows)
}

func readAll(t testing.TB, rows *Rows) (out [][]string) {
	t.Helper()
	defer rows.Close()
	for rows.Next() {
		var row []string
		for _, v := range rows.Values() {
			row = append(row, v.String())
		}
		out = append(out, row)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return out
}

// numbers is a result whose values are all whole numbers.
func numbers(t testing.TB, db *DB, sql string, args ...any) [][]int64 {
	t.Helper()
	sql = fmt.Sprintf(sql, args...)
	rows, err := db.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out [][]int64
	for rows.Next() {
		row := make([]int64, len(rows.Values()))
		for i, v := range rows.Values() {
			if v.Kind != Int {
				t.Fatalf("%s: column %d is %v", sql, i, v)
			}
			row[i] = v.Int
		}
		out = append(out, row)
	}
	if rows.Err() != nil {
		t.Fatalf("%s: %v", sql, rows.Err())
	}
	return out
}

func one(t testing.TB, db *DB, sql string) string {
	t.Helper()
	rows := ask(t, db, sql)
	if len(rows) != 1 || len(rows[0]) != 1 {
		t.Fatalf("%s: %v", sql, rows)
	}
	return rows[0][0]
}

// TestPushDownAgreesWithSQLite asks the same with constraints and orders that are answered here, and again with a
// unary plus, which hides them from here.
func TestPushDownAgreesWithSQLite(t *testing.T) {
	files := []string{"../../testdata/reference/rand-dev3-0.pickle"}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			t.Logf("%s is not there", file)
			continue
		}
		db := open(t, file)
		for _, table := range db.tables {
			if table.keyed != nil {
				continue
			}
			for _, col := range table.Columns {
				if !col.comparable() {
					continue
				}
				sample := ask(t, db, fmt.Sprintf("SELECT quote(%s) FROM %s ORDER BY random() LIMIT 1", col.Name,
					table.Name))
				values := []string{"NULL", "3.5", "'7'", "9e18", "-9223372036854775808", "x'00'", "'alloc'"}
				for _, v := range sample {
					values = append(values, v[0])
				}
				for _, v := range values {
					for _, op := range []string{"=", "<", "<=", ">", ">=", "IS"} {
						got := ask(t, db, fmt.Sprintf("SELECT count(*), min(%[2]s), max(%[2]s) FROM %[1]s WHERE "+
							"%[2]s %[3]s %[4]s", table.Name, col.Name, op, v))
						want := ask(t, db, fmt.Sprintf("SELECT count(*), min(+%[2]s), max(+%[2]s) FROM %[1]s WHERE "+
							"likelihood(%[2]s %[3]s %[4]s, 0.5) OR length(%[2]s) < 0", table.Name, col.Name, op, v))
						if fmt.Sprint(got) != fmt.Sprint(want) {
							t.Fatalf("%s: %s.%s %s %s: %v, want %v", file, table.Name, col.Name, op, v, got, want)
						}
					}
				}
				for _, desc := range []string{"", " DESC"} {
					got := ask(t, db, fmt.Sprintf("SELECT %s FROM %s ORDER BY 1%s", col.Name, table.Name, desc))
					want := ask(t, db, fmt.Sprintf("SELECT +%s FROM %s ORDER BY 1%s", col.Name, table.Name, desc))
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Fatalf("%s: %s ordered by %s%s differs", file, table.Name, col.Name, desc)
					}
				}
				got := ask(t, db, fmt.Sprintf("SELECT %s, count(*) FROM %s GROUP BY 1", col.Name, table.Name))
				want := ask(t, db, fmt.Sprintf("SELECT +%s, count(*) FROM %s GROUP BY 1", col.Name, table.Name))
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s: %s grouped by %s differs", file, table.Name, col.Name)
				}
			}
		}
	}
}

func TestTablesAgree(t *testing.T) {
	for _, file := range glob(t, "../../testdata/reference/*.pickle", "../../testdata/generated/*") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
			if err != nil {
				t.Skip(err)
			}
			db := Open(s, nil)
			defer db.Close()
			for i := range s.Devices {
				tl := layout.New(s, &s.Devices[i], layout.Options{})
				compare(t, db, tl)
			}
		})
	}
}

func glob(t *testing.T, patterns ...string) (files []string) {
	t.Helper()
	for _, p := range patterns {
		found, _ := filepath.Glob(p)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatal("no snapshots")
	}
	return files
}

// compare asks for everything a timeline says of its allocations.
func compare(t *testing.T, db *DB, tl *layout.Timeline) {
	t.Helper()
	dev := tl.Device.Index
	rows := numbers(t, db,
		`SELECT id, addr, size, ifnull(stack, 0), ifnull(free_stack, 0), ifnull(alloc_event, -1),
		ifnull(free_event, -1), before_recording, never_freed FROM allocations WHERE device = %d`, dev)
	if len(rows) != len(tl.Size) {
		t.Fatalf("%d allocations, want %d", len(rows), len(tl.Size))
	}
	for i, r := range rows {
		a := tl.At(layout.ID(i))
		want := []int64{int64(a.ID), int64(a.Addr), a.Size, int64(a.Stack), int64(a.FreeStack), int64(a.AllocEvent),
			int64(a.FreeEvent),
			flag(a.BeforeRecording), flag(a.NeverFreed)}
		if fmt.Sprint(r) != fmt.Sprint(want) {
			t.Fatalf("allocation %d: %v, want %v", i, r, want)
		}
	}
	d := numbers(t, db, "SELECT events, allocations, steps, peak_bytes, peak_step, start_bytes, end_bytes FROM "+
		"devices WHERE device = %d", dev)[0]
	want := []int64{int64(tl.Device.Events.Len()), int64(len(tl.Size)), int64(len(tl.Actions)), tl.PeakBytes,
		int64(tl.PeakStep()), tl.StartBytes, tl.EndBytes}
	if fmt.Sprint(d) != fmt.Sprint(want) {
		t.Errorf("device %v, want %v", d, want)
	}
	if len(tl.Actions) == 0 {
		return
	}
	peak := numbers(t, db, "SELECT ifnull(sum(size), 0) FROM live JOIN devices USING (device) JOIN allocations "+
		"USING (device, id) WHERE device = %d AND step = peak_step", dev)[0][0]
	if peak != tl.PeakBytes {
		t.Errorf("%d bytes live at the peak, want %d", peak, tl.PeakBytes)
	}
	wrong := numbers(t, db, `SELECT count(*) FROM allocations a WHERE device = %[1]d AND
		(ifnull(start_step, -1) <= %[2]d AND ifnull(end_step, 1e9) >= %[2]d) <>
		(id IN (SELECT id FROM live WHERE step = %[2]d AND device = %[1]d))`,
		dev, len(tl.Actions)/2)
	if wrong[0][0] != 0 && !(len(tl.Actions) == 1) {
		t.Errorf("%d allocations are live by one table alone", wrong[0][0])
	}
}

func TestErrors(t *testing.T) {
	db := open(t, sample)
	for _, c := range []struct {
		sql, want string
		offset    int
	}{
		{"SELECT 1;\nSELECT foo FROM events", "no such column: foo", 17},
		{"SELEC 1", `near "SELEC": syntax error`, 0},
		{"SELECT * FROM nosuch", "no such table: nosuch", -1},
		{"  ; -- nothing\n/* at */ all", `near "all"`, 24},
		{" -- nothing", "no statement", -1},
		{"SELECT 'ä', ö.x", "no such column: ö.x", 13},
		{"SELECT * FROM live", "made for a step", -1},
		{"SELECT * FROM live WHERE step > 3", "made for a step", -1},
		{"SELECT abs(-9223372036854775808)", "integer overflow", -1},
		{`SELECT "text" FROM events`, "no such column", 7},
		{"SELECT 1 \x00 2", "zero byte", 9},
	} {
		rows, err := db.Query(context.Background(), c.sql)
		if err == nil {
			for more := true; more; more = rows.NextResult() {
				for rows.Next() {
				}
			}
			err = rows.Err()
			rows.Close()
		}
		e, ok := err.(*Error)
		if !ok || !strings.Contains(e.What, c.want) || e.Offset != c.offset {
			t.Errorf("%q: %#v, want %q at %d", c.sql, err, c.want, c.offset)
		}
	}
}

func TestSeveralStatements(t *testing.T) {
	db := open(t, sample)
	rows, err := db.Query(context.Background(), ";SELECT 1 AS a; -- two\n SELECT 2 AS b, 3 WHERE 0;;SELECT 4 /* end")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got strings.Builder
	for more := true; more; more = rows.NextResult() {
		fmt.Fprintf(&got, "%s:", rows.Columns()[0].Name)
		for rows.Next() {
			fmt.Fprintf(&got, "%v", rows.Values())
		}
	}
	if rows.Err() != nil || got.String() != "a:[1]b:4 /* end:[4]" {
		t.Errorf("%s, %v", got.String(), rows.Err())
	}
}
