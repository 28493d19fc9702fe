package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const asked = root + "/testdata/reference/sim-base.pickle"

func TestQueryFormats(t *testing.T) {
	const sql = `SELECT 1 AS a, 2.0 AS a, NULL AS n, 'x,"y"' AS t, x'00ff' AS b, -9223372036854775808 AS i`
	for format, want := range map[string]string{
		"csv": "a,a,n,t,b,i\r\n1,2.0,,\"x,\"\"y\"\"\",x'00ff',-9223372036854775808\r\n",
		"json": "[\n{\"a\":1,\"a_2\":2.0,\"n\":null,\"t\":\"x,\\\"y\\\"\",\"b\":\"x'00ff'\",\"i\":-922337203685477580" +
			"8}\n]\n",
		"table": "a    a     n  t      b                           i\n" +
			"-  ---  ----  -----  -------  --------------------\n" +
			"1  2.0  NULL  x,\"y\"  x'00ff'  -9223372036854775808\n",
	} {
		stdout, stderr, code := run(t, "query", asked, sql, "--format", format)
		if code != 0 || stderr != "" || stdout != want {
			t.Errorf("%s: exit %d, %q, want %q, %s", format, code, stdout, want, stderr)
		}
	}
	stdout, _, _ := run(t, "query", asked, "SELECT * FROM settings WHERE 0; SELECT * FROM devices", "--format=json")
	dec := json.NewDecoder(strings.NewReader(stdout))
	for _, n := range []int{0, 1} {
		var rows []map[string]any
		if err := dec.Decode(&rows); err != nil || len(rows) != n {
			t.Errorf("%v: %d rows, want %d", err, len(rows), n)
		}
	}
	stdout, _, _ = run(t, "query", asked, "SELECT * FROM events", "--format=csv")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || len(rows) != 619 {
		t.Errorf("%v: %d lines of events", err, len(rows))
	}
	stdout, _, _ = run(t, "query", asked, "SELECT event, printf('%.*c', event % 7, 'x') FROM events")
	if lines := strings.Split(stdout, "\n"); len(lines) != 618+3 {
		t.Errorf("%d lines of a table", len(lines))
	}
}

func TestQuerySources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.sql")
	if err := os.WriteFile(file, []byte("-- the peak\nSELECT peak_bytes\nFROM devices;"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"query", asked, "-f", file}, {"query", "--file=" + file, asked},
		{"query", asked, "SELECT peak_bytes FROM devices"},
		{"query", asked, "-- the peak\nSELECT peak_bytes FROM devices"}, {"query", "--format=csv", asked,
			"--peak=\nSELECT peak_bytes FROM devices"}} {
		if stdout, stderr, code := run(t, args...); code != 0 || !strings.Contains(stdout, "186667208") {
			t.Errorf("%v: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	// From standard input, where it is a file: with - and without.
	terminal := os.Stdin
	defer func() { os.Stdin = terminal }()
	for _, args := range [][]string{{"query", asked}, {"query", asked, "-"}, {"query", asked, "-f", "-"}} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = f
		if stdout, stderr, code := run(t, args...); code != 0 || !strings.Contains(stdout, "186667208") {
			t.Errorf("%v: exit %d, %s%s", args, code, stdout, stderr)
		}
		f.Close()
	}
	os.Stdin = terminal
	if stdout, _, code := run(t, "query", asked, ".schema Events;"); code != 0 ||
		!strings.HasPrefix(stdout, "-- what the allocator") || strings.Count(stdout, "CREATE TABLE") != 1 {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if stdout, _, code := run(t, "query", asked, ".schema"); code != 0 || strings.Count(stdout, "CREATE TABLE") != 19 {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

func TestQueryFails(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"query"}, ExitUsage, "needs a FILE"},
		{[]string{"query", asked}, ExitUsage, "needs SQL"}, // as standard input is no file here
		{[]string{"query", asked, ""}, ExitUsage, "the SQL is empty"},
		{[]string{"query", asked, "--jolly"}, ExitUsage, "no flag --jolly"},
		{[]string{"query", asked, ".schema nothing"}, ExitUnusable, "no table nothing"},
		{[]string{"query", asked, "SELECT", "1"}, ExitUsage, "in quotes"},
		{[]string{"query", asked, "SELECT 1", "-f", "x"}, ExitUsage, "given twice"},
		{[]string{"query", asked, "SELECT 1", "--format", "xml"}, ExitUsage, "table, csv or json"},
		{[]string{"query", asked, "-f", "/absent/q.sql"}, ExitUnusable, "/absent/q.sql: cannot be read"},
		{[]string{"query", asked, "SELECT\n foo"}, ExitUnusable, "no such column: foo (line 2, column 2)"},
		{[]string{"query", asked, "SELECT 1; ATTACH 'x' AS y"}, ExitUnusable, "a query can only read"},
		{[]string{"export", asked}, ExitUsage, "-o OUT.sqlite"},
		{[]string{"export", asked, "-o", "x.txt"}, ExitUsage, "it ends in .sqlite"},
		{[]string{"export", asked, "-o", "x.csv", "--tables", "live"}, ExitUsage, "made for a step"},
		{[]string{"export", asked, "-o", asked + ".csv/../sim-base.sqlite/x.csv"}, ExitUnusable, "cannot be written"},
	} {
		stdout, stderr, code := run(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %s, want %d, %s", c.args, code, stderr, c.code, c.want)
		}
		if strings.Contains(stdout, "[") && !strings.Contains(stdout, "]") {
			t.Errorf("%v: half an answer: %s", c.args, stdout)
		}
	}
}

func TestExport(t *testing.T) {
	dir := t.TempDir()
	for _, out := range []string{"a.sqlite", "a.parquet/", "a.csv/"} {
		stdout, stderr, code := run(t, "export", asked, "-o", filepath.Join(dir, out)+strings.Repeat("/",
			strings.Count(out, "/")), "--tables=devices,frames")
		if code != 0 || stdout+stderr != "" {
			t.Errorf("%s: exit %d, %s%s", out, code, stdout, stderr)
		}
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 3 {
		t.Errorf("%v", left)
	}
}
