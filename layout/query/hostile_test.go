package query

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// run reads all rows of all statements and returns the error.
func run(ctx context.Context, db *DB, sql string) error {
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	for more := true; more; more = rows.NextResult() {
		for rows.Next() {
		}
	}
	return rows.Err()
}

// TestHostile: SQL can neither reach files nor change anything.
func TestHostile(t *testing.T) {
	db := open(t, sample)
	dir := t.TempDir()
	file := filepath.Join(dir, "out.db")
	secret := filepath.Join(dir, "secret.db")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, sql := range []string{
		"ATTACH '" + file + "' AS x", "ATTACH '" + secret + "' AS x", "ATTACH ':memory:' AS x", "ATTACH '' AS x",
		"ATTACH 'file:" + file + "?mode=rwc' AS x", "DETACH main", "VACUUM", "VACUUM INTO '" + file + "'",
		"PRAGMA writable_schema=1", "PRAGMA journal_mode=wal", "PRAGMA temp_store_directory='" + dir + "'",
		"PRAGMA temp_store=file",
		"PRAGMA user_version=3", "PRAGMA cache_size=1000000000", "PRAGMA mmap_size=1", "PRAGMA trusted_schema=1",
		"PRAGMA hard_heap_limit=0",
		"PRAGMA soft_heap_limit=0", "PRAGMA page_size=512", "PRAGMA data_store_directory='x'", "PRAGMA query_only=0",
		"PRAGMA optimize",
		"SELECT load_extension('x')", "SELECT Load_Extension('x', 'y')", "SELECT readfile('" + secret + "')",
		"SELECT writefile('" + file + "', 'x')",
		"SELECT fts3_tokenizer('simple')", "SELECT edit('x')",
		"CREATE TABLE x(a)", "CREATE TEMP TABLE x(a)", "CREATE VIEW x AS SELECT 1", "CREATE TEMP VIEW x AS SELECT 1",
		"CREATE VIRTUAL TABLE x USING strata(a)", "CREATE VIRTUAL TABLE x USING fts5(a)",
		"CREATE VIRTUAL TABLE temp.x USING dbstat",
		"CREATE INDEX x ON events(addr)", "CREATE TRIGGER x AFTER INSERT ON events BEGIN SELECT 1; END",
		"DROP TABLE events",
		"ALTER TABLE events RENAME TO x", "INSERT INTO events(addr) VALUES (1)", "UPDATE events SET addr = 1",
		"DELETE FROM allocations",
		"REPLACE INTO settings VALUES ('a', 'b')", "INSERT INTO sqlite_schema VALUES (1,2,3,4,5)",
		"DELETE FROM sqlite_schema", "ANALYZE",
		"BEGIN", "BEGIN EXCLUSIVE", "SAVEPOINT x", "COMMIT", "SELECT * FROM pragma_temp_store('file')",
	} {
		if err := run(context.Background(), db, sql); err == nil {
			t.Errorf("%s was done", sql)
		} else if ctx := context.Background(); run(ctx, db, "SELECT count(*) FROM events") != nil {
			t.Fatalf("after %s nothing works", sql)
		}
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 {
		t.Errorf("files were made: %v", left)
	}
	if one(t, db, "SELECT count(*) FROM sqlite_schema") != "19" {
		t.Error("the schema changed")
	}
}

// TestBounded: what would take for ever or all memory ends.
func TestBounded(t *testing.T) {
	db := open(t, sample)
	for _, sql := range []string{
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r",
		"SELECT count(*) FROM events a, events b, events c, events d",
		"SELECT count(*) FROM polygons a, polygons b, polygons c",
		"SELECT count(*) FROM live a WHERE step IN (SELECT a.step FROM totals a, totals, totals)",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		begin := time.Now()
		err := run(ctx, db, sql)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", sql, err)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s: cancelled after %v", sql, took)
		}
		cancel()
	}
	for _, sql := range []string{
		"SELECT length(randomblob(1000000000))", "SELECT length(zeroblob(1000000000))",
		"SELECT printf('%.*c', 1000000000, 'x')",
		"SELECT length(hex(zeroblob(16000000)))", "SELECT '" + strings.Repeat("x", maxSQL) + "'",
		"SELECT 'x' LIKE '" + strings.Repeat("%x", maxPattern) + "'",
		"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
		"SELECT " + strings.Repeat("1+", 5000) + "1", strings.Repeat("SELECT 1 UNION ALL ", 5000) + "SELECT 1",
	} {
		if err := run(context.Background(), db, sql); err == nil {
			t.Errorf("%.60s… was done", sql)
		}
	}
	if err := run(context.Background(), db, "SELECT count(*) FROM events"); err != nil {
		t.Error(err)
	}
}

// TestMemoryLimit: a query that needs too much fails with a sentence, and the next one works.
func TestMemoryLimit(t *testing.T) {
	db := open(t, sample)
	db.memory = 64 << 20
	err := run(context.Background(), db, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LIMIT 200) "+
		"SELECT group_concat(zeroblob(500000)) OVER (ORDER BY n ROWS 1 PRECEDING) FROM r ORDER BY randomblob(8)")
	if !errors.Is(err, errMemory) {
		t.Errorf("%v", err)
	}
	if err := run(context.Background(), db, "SELECT count(*) FROM events"); err != nil {
		t.Error(err)
	}
}

// TestConcurrent: several queries at once, and closing under them.
func TestConcurrent(t *testing.T) {
	db := open(t, "../../testdata/reference/rand-dev3-0.pickle")
	done := make(chan error)
	for range 4 {
		go func() {
			var err error
			for range 5 {
				err = errors.Join(err, run(context.Background(), db,
					"SELECT a.device, count(*), max(phase) FROM allocations a JOIN events e ON e.addr = a.addr "+
						"GROUP BY 1"))
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	db.Close()
	if err := run(context.Background(), db, "SELECT 1"); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
}
