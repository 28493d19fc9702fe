package export

import (
	"fmt"
	"path"
	"strings"

	"strata/layout/query"
	"strata/snapshot"
)

// What the queries of RanksSQL need of each table that Parquet holds.
var ranksTables = []struct {
	name    string
	columns []string
	device  bool // it has a part for each device
}{
	{"devices", []string{"peak_bytes", "peak_step", "start_bytes", "end_bytes", "reserved_bytes"}, true},
	{"allocations", []string{"size", "start_step", "end_step", "never_freed", "pending", "site"}, true},
	{"frames", []string{"frame", "name", "filename", "line"}, false},
	{"events", []string{"action"}, true},
}

// ranksQueries make the tables of strata ranks from these. held is what each line of code held at each rank's own
// peak.
const ranksQueries = `
-- What each line of code held at each rank's own peak. What a free alone tells of has the stack of that free.
CREATE OR REPLACE %[1]s VIEW held AS
SELECT file, device, name, CAST(sum(size) AS bigint) AS bytes
FROM (
    SELECT a.file, a.device, a.size, CASE
        WHEN a.site IS NULL OR a.start_step IS NULL AND (a.never_freed = 0 OR a.pending = 1)
            THEN CASE WHEN a.start_step IS NULL THEN 'before recording' ELSE 'no stack' END
        WHEN coalesce(f.filename, '') = '' THEN f.name
        WHEN f.line IS NULL THEN concat(f.filename, ' ', f.name)
        ELSE concat(f.filename, ':', CAST(f.line AS varchar%[2]s), ' ', f.name) END AS name
    FROM devices d
    JOIN allocations a ON a.file = d.file AND a.device = d.device
    LEFT JOIN frames f ON f.file = a.file AND f.frame = a.site
    WHERE (a.start_step IS NULL OR a.start_step <= d.peak_step AND d.peak_bytes > d.start_bytes)
        AND (a.end_step IS NULL OR a.end_step > d.peak_step OR d.peak_bytes = d.start_bytes)
) live
GROUP BY file, device, name;

-- The ranks.
SELECT d.file, d.device, d.peak_bytes AS peak, d.end_bytes AS at_end, d.reserved_bytes AS reserved,
    count(e.action) AS oom_events
FROM devices d LEFT JOIN events e ON e.file = d.file AND e.device = d.device AND e.action = 'oom'
GROUP BY d.file, d.device, d.peak_bytes, d.end_bytes, d.reserved_bytes
ORDER BY d.file, d.device;

-- Which lines make the ranks differ.
CREATE OR REPLACE %[1]s VIEW everywhere AS
SELECT d.file, d.device, n.name, coalesce(h.bytes, 0) AS bytes
FROM devices d CROSS JOIN (SELECT DISTINCT name FROM held) n
LEFT JOIN held h ON h.file = d.file AND h.device = d.device AND h.name = n.name;

SELECT name, min(bytes) AS least, max(CASE WHEN 2 * place IN (n, n + 1) THEN bytes END) AS median, max(bytes) AS most,
    max(bytes) - min(bytes) AS spread
FROM (
    SELECT name, bytes, row_number() OVER (PARTITION BY name ORDER BY bytes) AS place,
        count(*) OVER (PARTITION BY name) AS n
    FROM everywhere
) placed
GROUP BY name
ORDER BY spread DESC, most DESC, name;

-- The whole table, group by rank.
SELECT name, file, device, bytes FROM everywhere ORDER BY name, file, device;
`

// RanksSQL is the queries, in a dialect of duckdb, spark or trino, that make the tables of strata ranks from a
// folder of
// Parquet that Write wrote; "" of another dialect.
func RanksSQL(dialect, folder string) string {
	folder = strings.TrimRight(strings.ReplaceAll(folder, `\`, "/"), "/")
	var b strings.Builder
	fmt.Fprintf(&b, "-- strata export FILE ... -o %s --tables devices,allocations,frames,events\n",
		strings.Join(strings.Fields(path.Base(folder)), " "))
	temporary, length := "TEMPORARY", ""
	for _, t := range ranksTables {
		device := func(with string) string {
			if t.device {
				return with
			}
			return ""
		}
		at := folder + "/" + t.name
		switch dialect {
		case "duckdb":
			fmt.Fprintf(&b, `CREATE OR REPLACE TEMPORARY VIEW %s AS SELECT *
FROM read_parquet(%s, hive_partitioning = true,
    hive_types = {'file': varchar%s});
`, t.name, text(at+"/**/*.parquet"), device(", 'device': bigint"))
		case "spark":
			length = "(20)"
			fmt.Fprintf(&b, "CREATE OR REPLACE TEMPORARY VIEW %s USING parquet OPTIONS (path %s);\n", t.name, text(at))
		case "trino": // its folders are those that it reaches, such as s3://bucket/run.parquet
			temporary = ""
			fmt.Fprintf(&b, `CREATE TABLE %s (
    %sfile varchar%s)
WITH (format = 'PARQUET', external_location = %s, partitioned_by = ARRAY['file'%s]);
CALL system.sync_partition_metadata(CURRENT_SCHEMA, '%[1]s', 'FULL');
`, t.name, trinoColumns(t.name, t.columns), device(", device bigint"), text(at), device(", 'device'"))
		default:
			return ""
		}
	}
	queries := fmt.Sprintf(ranksQueries, temporary, length)
	b.WriteString(strings.ReplaceAll(queries, "REPLACE  VIEW", "REPLACE VIEW"))
	return b.String()
}

// text is a literal of SQL.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// trinoColumns declares some columns of a table.
func trinoColumns(table string, columns []string) string {
	var b strings.Builder
	for _, t := range query.Open(&snapshot.Snapshot{}, nil).Tables() {
		for i := range t.Columns {
			for _, name := range columns {
				c, kind := &t.Columns[i], "bigint"
				if t.Name != table || c.Name != name {
					continue
				}
				if c.IsText() {
					kind = "varchar"
				}
				fmt.Fprintf(&b, "%s %s, ", name, kind)
			}
		}
	}
	return b.String()
}
