package export

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/parquet-go/parquet-go"

	"strata/layout/query"
	"strata/snapshot"
)

var files = []string{"../../testdata/reference/sim-pools.pickle", "../../testdata/reference/rand-dev3-0.pickle",
	"../../testdata/generated/huge-addresses.pickle"}

func sources(names ...string) (out []Source) {
	for _, name := range names {
		out = append(out, Source{Name: name, Open: func(ctx context.Context) (*snapshot.Snapshot, error) {
			return snapshot.Open(ctx, name, snapshot.Options{})
		}})
	}
	return out
}

// want is a table of a file as text, NULL as "NULL"; addresses without sign if
// unsigned. The device is the first value of each row, or "".
func want(t *testing.T, name, table string, unsigned bool) (rows []string) {
	t.Helper()
	s, err := snapshot.Open(context.Background(), name, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db := query.Open(s, nil)
	defer db.Close()
	var cols []string
	var info *query.TableInfo
	for _, x := range db.Tables() {
		if x.Name == table {
			info = x
		}
	}
	for _, c := range info.Columns {
		cols = append(cols, `"`+c.Name+`"`)
	}
	r, err := db.Query(context.Background(), "SELECT "+strings.Join(cols, ",")+" FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Next() {
		var row []string
		for i, v := range r.Values() {
			text := v.String()
			if unsigned && info.Columns[i].Unsigned && v.Kind == query.Int {
				text = strconv.FormatUint(uint64(v.Int), 10)
			}
			row = append(row, text)
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return rows
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d is %s, want %s", what, i, got[i], want[i])
		}
	}
}

func TestSQLite(t *testing.T) {
	for _, names := range [][]string{files[:1], files} {
		out := filepath.Join(t.TempDir(), "out.sqlite")
		if err := os.WriteFile(out, []byte("something old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Write(context.Background(), sources(names...), out, append(AllTables(), "polygons"),
			nil); err != nil {
			t.Fatal(err)
		}
		db, err := sqlite3.OpenFlags(out, sqlite3.OPEN_READONLY)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if got := column(t, db, "PRAGMA integrity_check"); len(got) != 1 || got[0] != "ok" {
			t.Errorf("integrity: %v", got)
		}
		for _, table := range append(AllTables(), "polygons") {
			var expected []string
			for i, name := range names {
				for _, row := range want(t, name, table, false) {
					if len(names) > 1 {
						row = filepath.Base(names[i]) + "|" + row
					}
					expected = append(expected, row)
				}
			}
			same(t, table, column(t, db, "SELECT * FROM "+table+" ORDER BY rowid"), expected)
		}
		plan := strings.Join(column(t, db, "EXPLAIN QUERY PLAN SELECT * FROM events WHERE event = 3"), "")
		if !strings.Contains(plan, "INDEX") && !strings.Contains(plan, "PRIMARY KEY") {
			t.Errorf("no index: %s", plan)
		}
	}
}

// column is the rows of a query, values joined.
func column(t *testing.T, db *sqlite3.Conn, sql string) (rows []string) {
	t.Helper()
	stmt, _, err := db.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	for stmt.Step() {
		var row []string
		for i := range stmt.ColumnCount() {
			if stmt.ColumnType(i) == sqlite3.NULL {
				row = append(row, "NULL")
			} else {
				row = append(row, stmt.ColumnText(i))
			}
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	if stmt.Err() != nil {
		t.Fatal(stmt.Err())
	}
	return rows
}

func TestCSV(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	if err := Write(context.Background(), sources(files...), out+"/", nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, table := range AllTables() {
		f, err := os.Open(filepath.Join(out, table+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var got, expected []string
		for _, r := range records[1:] {
			for i := range r {
				if r[i] == "" {
					r[i] = "NULL" // what an empty text is, too, once the quotes are gone
				}
			}
			got = append(got, strings.Join(r, "|"))
		}
		for _, name := range files {
			for _, row := range want(t, name, table, true) {
				parts := strings.Split(filepath.Base(name)+"|"+row, "|")
				for i := range parts {
					if parts[i] == "" {
						parts[i] = "NULL"
					}
				}
				expected = append(expected, strings.Join(parts, "|"))
			}
		}
		same(t, table, got, expected)
	}
}

func TestParquet(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.parquet")
	if err := Write(context.Background(), sources(files...), out, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, table := range AllTables() {
		for _, name := range files {
			var got []string
			devices, _ := filepath.Glob(filepath.Join(out, table, "file="+filepath.Base(name), "device=*"))
			slices.SortFunc(devices, func(a, b string) int { return strings.Compare(a, b) })
			for _, dir := range devices {
				_, device, _ := strings.Cut(filepath.Base(dir), "=")
				got = append(got, readParquet(t, filepath.Join(dir, "part-0.parquet"), device)...)
			}
			if len(devices) == 0 {
				if plain := filepath.Join(out, table, "file="+filepath.Base(name), "part-0.parquet"); exists(plain) {
					got = readParquet(t, plain, "")
				}
			}
			same(t, table+" of "+name, got, want(t, name, table, true))
		}
	}
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

func readParquet(t *testing.T, name, device string) (rows []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := parquet.NewGenericReader[any](f)
	defer r.Close()
	cols := r.Schema().Columns()
	buf := make([]parquet.Row, 100)
	for {
		n, err := r.ReadRows(buf)
		for _, row := range buf[:n] {
			var texts []string
			if device != "" {
				texts = append(texts, device)
			}
			for i, v := range row {
				leaf, _ := r.Schema().Lookup(cols[i]...)
				switch {
				case v.IsNull():
					texts = append(texts, "NULL")
				case leaf.Node.Type().String() == "INT(64,false)":
					texts = append(texts, strconv.FormatUint(v.Uint64(), 10))
				default:
					texts = append(texts, v.String())
				}
			}
			rows = append(rows, strings.Join(texts, "|"))
		}
		if err != nil {
			break
		}
	}
	return rows
}

// TestNothingHalf: what goes wrong leaves nothing behind, and no folder is
// ever written over.
func TestNothingHalf(t *testing.T) {
	dir := t.TempDir()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	broken := append(sources(files[0]), Source{Name: "broken", Open: func(context.Context) (*snapshot.Snapshot, error) {
		return nil, errors.New("broken: no")
	}})
	for _, ext := range []string{".sqlite", ".parquet", ".csv"} {
		out := filepath.Join(dir, "out"+ext)
		if err := Write(cancelled, sources(files[0]), out, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", ext, err)
		}
		if err := Write(context.Background(), broken, out, nil, nil); err == nil || err.Error() != "broken: no" {
			t.Errorf("%s: %v", ext, err)
		}
		if err := Write(context.Background(), sources(files[0]), filepath.Join(dir, "absent", "out"+ext), nil,
			nil); err == nil || !strings.HasPrefix(err.Error(), dir) {
			t.Errorf("%s: %v", ext, err)
		}
		full := filepath.Join(dir, "full"+ext)
		if err := os.MkdirAll(filepath.Join(full, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := Write(context.Background(), sources(files[0]), full, nil, nil); err == nil {
			t.Errorf("%s: the folder was written over", full)
		}
		os.RemoveAll(full)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestProgress: it is told of every snapshot and every table, and that rows
// come.
func TestProgress(t *testing.T) {
	for _, ext := range []string{".sqlite", ".parquet", ".csv"} {
		seen := map[string]bool{}
		rows := int64(0)
		err := Write(context.Background(), sources(files[0], files[1]), filepath.Join(t.TempDir(), "out"+ext), nil,
			func(p Progress) {
				seen[fmt.Sprintf("%d %s", p.Source, p.Table)] = true
				rows = max(rows, p.Rows)
			})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"0 ", "0 events", "1 ", "1 allocations", "2 "} {
			if !seen[want] {
				t.Errorf("%s: %q was not told of", ext, want)
			}
		}
		if ext != ".sqlite" && rows == 0 {
			t.Errorf("%s: no rows", ext)
		}
	}
}

func TestPartitions(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"a/x.pickle"}, []string{"x.pickle"}},
		{[]string{"a/x.pickle", "b/x.pickle", "y"}, []string{"a/x.pickle", "b/x.pickle", "y"}},
		{[]string{"x", "./x"}, []string{"x#0", "x#1"}},
	} {
		if got := partitions(sources(c.names...)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.names, got)
		}
	}
	if got := escape("a=b/c d%"); got != "a%3Db%2Fc%20d%25" {
		t.Error(got)
	}
}

func TestTables(t *testing.T) {
	for names, want := range map[string]string{"events,totals,polygons": "", "live": "made for a step",
		"evnts": `no table "evnts"`} {
		err := CheckTables(strings.Split(names, ","))
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v", names, err)
		}
	}
}
