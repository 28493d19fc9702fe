package query

import (
	"fmt"
	"slices"
	"testing"
)

// TestStateTables: the tables of what the allocator held agree with one another in every state of some traces.
func TestStateTables(t *testing.T) {
	for _, file := range []string{"rand-pools-0", "rand-pools-exp-0", "rand-plain-0", "sim-pools"} {
		db := open(t, "../../testdata/reference/"+file+".pickle")
		for _, row := range ask(t, db, `SELECT k, active, requested,
			reserved FROM reserved WHERE device = 0 AND k % 29 = 0`) {
			k, want := row[0], row[1:]
			one := func(sql string) string { return ask(t, db, fmt.Sprintf(sql, k))[0][0] }
			got := []string{one(`SELECT coalesce(sum(size), 0) FROM state_blocks WHERE device = 0 AND k = %s`),
				one(`SELECT coalesce(sum(requested_size), 0) FROM state_blocks WHERE device = 0 AND k = %s`),
				one(`SELECT coalesce(sum(reserved), 0) FROM pools WHERE device = 0 AND k = %s`)}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, state %s: %v, want %v", file, k, got, want)
			}
			if lives := ask(t, db, fmt.Sprintf(`SELECT coalesce(sum(size), 0) FROM segment_lives WHERE device = 0 AND
				from_k <= %s AND coalesce(to_k, 1e9) > %[1]s`, k))[0][0]; lives != want[2] {
				t.Fatalf("%s, state %s: lives of %s bytes, want %s", file, k, lives, want[2])
			}
			free := ask(t, db, fmt.Sprintf(`SELECT (SELECT coalesce(sum(size), 0) FROM free_ranges WHERE device = 0 AND
				k = %s), (SELECT coalesce(sum(free), 0) FROM pools WHERE device = 0 AND k = %[1]s)`, k))[0]
			if free[0] != free[1] {
				t.Fatalf("%s, state %s: free %v", file, k, free)
			}
			if lost := ask(t, db, fmt.Sprintf(`WITH parts AS (SELECT segment_addr, size FROM free_ranges WHERE
				device = 0 AND k = %s UNION ALL SELECT segment_addr, size FROM state_blocks WHERE device = 0 AND
				k = %[1]s), sums AS (SELECT segment_addr AS addr, sum(size) AS bytes FROM parts GROUP BY 1)
				SELECT count(*) FROM segment_lives LEFT JOIN sums USING (addr) WHERE device = 0 AND from_k <= %[1]s AND
				coalesce(to_k, 1e9) > %[1]s AND bytes IS NOT size`, k))[0][0]; lost != "0" && file == "sim-pools" {
				t.Fatalf("%s, state %s: %s segments are not what is in them", file, k, lost)
			}
		}
	}
}
