package query

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// python loads the same rows with prepared inserts into a new file, and makes the same indexes, under the same
// pragmas. It prints the seconds, fetching the rows not counted.
const python = `
import sqlite3, sys, time
src = sqlite3.connect(sys.argv[1])
tables = src.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
rows = {name: src.execute(f"SELECT * FROM {name}").fetchall() for name, _ in tables}
begin = time.perf_counter()
db = sqlite3.connect(sys.argv[2], isolation_level=None)
for p in ("page_size=16384", "journal_mode=off", "synchronous=off", "locking_mode=exclusive", 
          "temp_store=memory", "cache_size=-65536"):
    db.execute("PRAGMA " + p)
db.execute("BEGIN")
for name, sql in tables:
    db.execute(sql)
    db.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[name][0]))})", rows[name])
for sql, in src.execute("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"):
    db.execute(sql)
db.execute("COMMIT")
db.close()
print(time.perf_counter() - begin)
`

// BenchmarkCopy writes the two large tables into a database of SQLite, indexes and all, and has Python's sqlite3 do
// the same beside it.
func BenchmarkCopy(b *testing.B) {
	s, tls := big(b)
	db := Open(s, tls)
	defer db.Close()
	write := func(b *testing.B, out string) {
		c, err := NewCopy(out, []string{"events", "allocations"}, false)
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Add(context.Background(), db, "", nil); err != nil {
			b.Fatal(err)
		}
		if err := c.Finish(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("strata", func(b *testing.B) {
		for b.Loop() {
			write(b, filepath.Join(b.TempDir(), "out.sqlite"))
		}
	})
	b.Run("python-inserts", func(b *testing.B) {
		source := filepath.Join(b.TempDir(), "out.sqlite")
		write(b, source)
		var seconds float64
		for b.Loop() {
			out, err := exec.Command("python3", "-c", python, source,
				filepath.Join(b.TempDir(), "python.sqlite")).Output()
			if err != nil {
				b.Skipf("python3 with sqlite3: %v", err)
			}
			took, err := strconv.ParseFloat(string(bytes.TrimSpace(out)), 64)
			if err != nil {
				b.Fatal(err)
			}
			seconds += took
		}
		b.ReportMetric(seconds*1e9/float64(b.N), "ns/op") // the inserts, not the reading before
	})
}
