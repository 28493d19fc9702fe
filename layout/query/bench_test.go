package query

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"strata/layout"
	"strata/layout/traces"
	"strata/snapshot"
)

// big is the snapshot of STRATA_BENCH_FILE, or one of 2.7 million events made up here, with its timelines.
func big(b *testing.B) (*snapshot.Snapshot, []*layout.Timeline) {
	b.Helper()
	s := invented(2_700_000)
	if name := os.Getenv("STRATA_BENCH_FILE"); name != "" {
		var err error
		if s, err = snapshot.Open(context.Background(), name, snapshot.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	var tls []*layout.Timeline
	for i := range s.Devices {
		tls = append(tls, layout.New(s, &s.Devices[i], layout.Options{}))
	}
	return s, tls
}

// invented is a trace of allocs and frees with some thousand stacks and times.
func invented(events int) *snapshot.Snapshot {
	rng := rand.New(rand.NewPCG(1, 2))
	size := func(int) int64 { return int64(1+rng.IntN(4000)) << 9 }
	t := traces.Shuffled(rng, (events+4000)/3, 2000, size)
	t.Sites = 3000
	for i := range t.Events.Stack {
		t.Events.Stack[i] = snapshot.StackID(1 + rng.IntN(t.Sites))
		t.Events.Time[i] += 1_700_000_000_000_000
	}
	return t.Deep(1000)
}

// BenchmarkQuery asks a large snapshot what issue 7 names, and more.
func BenchmarkQuery(b *testing.B) {
	s, tls := big(b)
	b.Run("open-and-first", func(b *testing.B) {
		for b.Loop() {
			db := Open(s, tls)
			count(b, db, "SELECT * FROM events LIMIT 1")
			db.Close()
		}
	})
	db := Open(s, tls)
	defer db.Close()
	addr := one(b, db, "SELECT addr FROM allocations GROUP BY addr ORDER BY count(*), addr LIMIT 1")
	for _, q := range []struct{ name, sql string }{
		{"point-id", "SELECT * FROM allocations WHERE id = 400000"},
		{"point-event", "SELECT * FROM events WHERE event = 1400000"},
		{"point-step", "SELECT * FROM allocations WHERE start_step = 500000"},
		{"point-address", "SELECT * FROM allocations WHERE addr = " + addr},
		{"range-time", "SELECT count(*) FROM events WHERE time_us BETWEEN (SELECT min(time_us) FROM events WHERE " +
			"event < 100) AND (SELECT time_us FROM events WHERE event = 1000)"},
		{"live-at-peak", "SELECT count(*) FROM live WHERE step = 700000"},
		{"polygon", "SELECT count(*) FROM polygons WHERE id = 400000"},
		{"largest-10", "SELECT id, size FROM allocations ORDER BY size DESC LIMIT 10"},
		{"group-by-stack", "SELECT stack, count(*), sum(size) FROM allocations GROUP BY stack"},
		{"group-by-function",
			`SELECT f.name, count(*), sum(size) FROM allocations a JOIN frames f ON f.frame = a.site GROUP BY 1 ` +
				`ORDER BY 3 DESC`},
		{"join-events", "SELECT count(*), sum(e.size) FROM allocations a JOIN events e ON e.event = a.alloc_event"},
		{"scan-events", "SELECT action, count(*), sum(size) FROM events GROUP BY action"},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				count(b, db, q.sql)
			}
		})
	}
	// The first look-up has no index and must do without.
	for _, q := range []struct{ name, sql string }{
		{"first-address", "SELECT * FROM allocations WHERE addr = " + addr},
		{"first-event-address", "SELECT * FROM events WHERE addr = " + addr},
		{"first-step", "SELECT * FROM allocations WHERE end_step = 500000"},
		{"first-id", "SELECT * FROM allocations WHERE id = 400000"},
	} {
		b.Run(q.name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				db := Open(s, tls)
				count(b, db, "SELECT 1")
				begin := time.Now()
				count(b, db, q.sql)
				took += time.Since(begin)
				db.Close()
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/1e6, "ms/query")
		})
	}
}

// count reads all rows.
func count(b *testing.B, db *DB, sql string) (n int) {
	rows, err := db.Query(context.Background(), sql)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	if rows.Err() != nil {
		b.Fatal(rows.Err())
	}
	return n
}
