package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"strata/layout"
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
	const stacks = 3000
	s := &snapshot.Snapshot{Strings: []string{""}, Streams: []int64{0}, Pools: make([]snapshot.Pool, 1),
		Metas: make([]snapshot.Meta, 1)}
	s.Frames.Name, s.Frames.File, s.Frames.Line = []snapshot.StringID{0}, []snapshot.StringID{0}, []int32{0}
	for i := range 1000 {
		s.Strings = append(s.Strings, fmt.Sprintf("function_%d", i), fmt.Sprintf("/srv/train/module_%d.py", i/10))
		s.Frames.Name = append(s.Frames.Name, snapshot.StringID(2*i+1))
		s.Frames.File = append(s.Frames.File, snapshot.StringID(2*i+2))
		s.Frames.Line = append(s.Frames.Line, int32(i))
	}
	s.Stacks.Start, s.Stacks.Site = []uint32{0, 0}, []snapshot.FrameID{0}
	for range stacks {
		for range 20 {
			s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(1+rng.IntN(1000)))
		}
		s.Stacks.Start = append(s.Stacks.Start, uint32(len(s.Stacks.Frame)))
		s.Stacks.Site = append(s.Stacks.Site, s.Stacks.Frame[len(s.Stacks.Frame)-20])
	}
	e := &snapshot.Events{}
	add := func(a snapshot.Action, addr uint64, size int64, stack int) {
		e.Action, e.Addr, e.Size = append(e.Action, a), append(e.Addr, addr), append(e.Size, size)
		e.Stream, e.Stack = append(e.Stream, 0), append(e.Stack, snapshot.StackID(stack))
		e.Time = append(e.Time, 1_700_000_000_000_000+int64(len(e.Time))*13)
	}
	type block struct {
		addr uint64
		size int64
	}
	var live []block
	for next := uint64(1) << 46; len(e.Action) < events; next += 1 << 21 {
		b := block{next, int64(1+rng.IntN(4000)) << 9}
		add(snapshot.ActionAlloc, b.addr, b.size, 1+rng.IntN(stacks))
		live = append(live, b)
		if len(live) > 2000 {
			i := len(live) - 1 - min(rng.IntN(40), rng.IntN(2000))
			add(snapshot.ActionFreeRequested, live[i].addr, live[i].size, 0)
			add(snapshot.ActionFreeCompleted, live[i].addr, live[i].size, 0)
			live = append(live[:i], live[i+1:]...)
		}
	}
	s.Devices = []snapshot.Device{{Events: *e}}
	return s
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
		{"group-by-function", `SELECT f.name, count(*), sum(size) FROM allocations a JOIN frames f ON f.frame = a.site GROUP BY 1 ORDER BY 3 DESC`},
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
