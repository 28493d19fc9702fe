package query

import (
	"context"
	"testing"
)

func TestTarget(t *testing.T) {
	one, three := open(t, sample), open(t, "../../testdata/reference/rand-dev3-0.pickle")
	for _, c := range []struct {
		db   *DB
		sql  string
		want Target // zero: none
	}{
		{one, "SELECT * FROM allocations WHERE id = 7", Target{"allocation", 0, 7}},
		{one, "SELECT x.i FROM (SELECT id AS i, size FROM allocations) x WHERE x.i = 7", Target{"allocation", 0, 7}},
		{one, "SELECT max(id) AS id FROM allocations WHERE id < 7", Target{"allocation", 0, 6}},
		{one, "SELECT event AS whatever FROM events WHERE event = 3", Target{"event", 0, 3}},
		{one, "SELECT count(*) FROM events", Target{}},
		{one, "SELECT stack, count(*) FROM allocations WHERE stack = 2 GROUP BY 1", Target{"stack", 0, 2}},
		{three, "SELECT * FROM allocations WHERE id = 5 AND device = 2", Target{"allocation", 2, 5}},
		{three, "SELECT id FROM allocations WHERE id = 5 AND device = 2", Target{}},
		{three, "SELECT * FROM live WHERE step = 5 AND device = 1 LIMIT 1", Target{"allocation", 1, 0}},
		{three, "SELECT device, segment FROM segments WHERE device = 1 AND segment = 0", Target{"segment", 1, 0}},
	} {
		rows, err := c.db.Query(context.Background(), c.sql)
		if err != nil || !rows.Next() {
			t.Fatalf("%s: %v", c.sql, err)
		}
		got, ok := rows.Target()
		if c.sql[7] == '*' && c.want.Kind == "allocation" && c.want.Number == 0 {
			got.Number = 0 // whichever lies at the bottom
		}
		if got != c.want || ok != (c.want.Kind != "") {
			t.Errorf("%s: %v, want %v", c.sql, got, c.want)
		}
		rows.Close()
	}
}
