package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/app/cli/report"
)

// rankFolder is a folder of ranks, one of which leaks, with a broken file.
func rankFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 5 {
		blocks := []block{{300 * mib, "/p/model.py:57 forward"}, {100 * mib, "/p/train.py:9 main"}}
		if i == 3 {
			blocks = append(blocks, block{60 * mib, "/p/moe.py:88 dispatch"})
		}
		made(t, filepath.Join(dir, fmt.Sprintf("rank%d.json", 8+i)), blocks)
	}
	if err := os.WriteFile(filepath.Join(dir, "rank13.pickle"), []byte("\x80\x04"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ranksJSON is what strata ranks --json prints.
func ranksJSON(t *testing.T, args ...string) (r report.Ranks) {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"ranks", "--json"}, args...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("%v: exit %d, %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return r
}

func TestRanks(t *testing.T) {
	dir := rankFolder(t)
	stdout, _, code := run(t, "ranks", dir)
	want := "5 ranks, 1 file that cannot be read: rank 11 peaks 60.0 MiB above the median, all of it from\n" +
		"moe.py:88 dispatch\n"
	if code != 0 || !strings.HasPrefix(stdout, want) {
		t.Errorf("exit %d:\n%s", code, stdout)
	}
	r := ranksJSON(t, dir)
	var numbers []int
	for _, x := range r.Ranks {
		numbers = append(numbers, x.Rank)
	}
	if !slices.Equal(numbers, []int{8, 9, 10, 11, 12, 13}) || len(r.Clusters) != 1 || r.Ranks[5].Error == "" ||
		r.Ranks[5].Cluster != -1 {
		t.Errorf("%+v", r)
	}
	g := r.Groups[0]
	if g.Name != "/p/moe.py:88 dispatch" || g.Spread != 60*mib || !slices.Equal(g.Bytes, []int64{0, 0, 0, 60 * mib,
		0, 0}) {
		t.Errorf("%+v", g)
	}
	stdout, _, _ = run(t, "ranks", "--csv", dir)
	if !strings.HasPrefix(stdout, "name,min,median,max,spread,rank 8,rank 9,rank 10,rank 11,rank 12,rank 13\n"+
		"/p/moe.py:88 dispatch,0,0,62914560,62914560,0,0,0,62914560,0,0\n") {
		t.Error(stdout)
	}
}

// TestRanksNothing: what is not there is told, and nothing else is printed; broken files have their lines.
func TestRanksNothing(t *testing.T) {
	empty := t.TempDir()
	broken := filepath.Join(t.TempDir(), "rank0.pickle")
	if err := os.WriteFile(broken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := run(t, "ranks", broken); code != ExitUnusable || !strings.Contains(stdout, "is empty") ||
		!strings.Contains(stderr, "none of the files") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, path := range []string{empty, filepath.Join(empty, "none")} {
		if stdout, stderr, code := run(t, "ranks", path); code != ExitUnusable || stdout != "" ||
			!strings.Contains(stderr, path) {
			t.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
	}
}

// duckdb runs SQL in DuckDB: the rows of each statement that has some. The package of npm is kept between tests.
func duckdb(t *testing.T, sql string) (results [][]map[string]any) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed, so DuckDB's package of npm cannot be run")
	}
	kept, err := os.UserCacheDir()
	if err != nil {
		t.Skip("SKIPPED: no folder to keep DuckDB in: ", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	folder := filepath.Join(kept, "strata-tests")
	if _, err := os.Stat(filepath.Join(folder, "node_modules/@duckdb/node-api")); err != nil {
		npm := exec.CommandContext(ctx, "npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
			"@duckdb/node-api@1.5.6-r.1")
		if out, err := npm.CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: npm has no DuckDB for us: %v\n%s", err, out)
		}
	}
	script, err := os.ReadFile("testdata/duckdb.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"duckdb.mjs": script, "query.sql": []byte(sql)} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(ctx, node, "duckdb.mjs", "query.sql")
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("DuckDB: %v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	return results
}

// TestRanksInDuckDB: the queries over exported Parquet give what strata ranks --json does, to the byte.
func TestRanksInDuckDB(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: short")
	}
	dir := t.TempDir()
	var names []string
	for i, name := range strings.Fields("devices oom-survived ring frames-missing cpp no-stacks torch2.1 torch2.13 " +
		"pools stacks-of-blocks streams-delayed no-times fx ring-of-one expandable-delayed teardown-dumps") {
		data, err := os.ReadFile(filepath.Join(root, "testdata/generated", name+".pickle"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Join(dir, fmt.Sprintf("rank%d.pickle", i)))
		if err := os.WriteFile(names[i], data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "run's.parquet")
	if _, stderr, code := run(t, append([]string{"export", "-o", out, "--tables", "devices,allocations,frames,events"},
		names...)...); code != 0 {
		t.Fatal(stderr)
	}
	sql, _, _ := run(t, "ranks", "--sql", "duckdb", out)
	results := duckdb(t, sql)
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	want := ranksJSON(t, dir)
	number := func(v any) int64 {
		n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	place := map[string]int{}
	for i, r := range want.Ranks {
		place[fmt.Sprint(filepath.Base(r.File), r.Device)] = i
	}
	for _, row := range results[0] {
		r := want.Ranks[place[fmt.Sprint(row["file"], row["device"])]]
		got := [...]int64{number(row["peak"]), number(row["at_end"]), number(row["reserved"]),
			number(row["oom_events"])}
		if got != [...]int64{r.Peak, r.End, r.Reserved, int64(r.OOMs)} {
			t.Errorf("%v, want %+v", row, r)
		}
	}
	if len(results[0]) != len(want.Ranks) || len(results[1]) != len(want.Groups) {
		t.Errorf("%d ranks and %d groups, want %d and %d", len(results[0]), len(results[1]), len(want.Ranks),
			len(want.Groups))
	}
	groups := map[string]report.RankGroup{}
	for _, g := range want.Groups {
		groups[g.Name] = g
	}
	for _, row := range results[1] {
		g := groups[row["name"].(string)]
		got := [...]int64{number(row["least"]), number(row["median"]), number(row["most"]), number(row["spread"])}
		if got != [...]int64{g.Min, g.Median, g.Max, g.Spread} {
			t.Errorf("%v, want %+v", row, g)
		}
	}
	for _, row := range results[2] {
		i := place[fmt.Sprint(row["file"], row["device"])]
		if g := groups[row["name"].(string)]; i >= len(g.Bytes) || g.Bytes[i] != number(row["bytes"]) {
			t.Errorf("%v, want %v", row, g)
		}
	}
}

// TestRanksSQL: each dialect has its own way to name a folder; all ask the same.
func TestRanksSQL(t *testing.T) {
	for dialect, want := range map[string]string{
		"duckdb": "read_parquet('x.parquet/devices/**/*.parquet'",
		"spark":  "USING parquet OPTIONS (path 'x.parquet/devices')",
		"trino":  "external_location = 'x.parquet/devices'"} {
		stdout, stderr, code := run(t, "ranks", "--sql", dialect, "x.parquet/")
		if code != 0 || stderr != "" || !strings.Contains(stdout, want) || strings.Contains(stdout, "%!") ||
			!strings.Contains(stdout, "ORDER BY spread DESC") {
			t.Errorf("%s: exit %d, %s\n%s", dialect, code, stderr, stdout)
		}
	}
	if _, _, code := run(t, "ranks", "--sql", "oracle", "x"); code != ExitUsage {
		t.Errorf("exit %d", code)
	}
}
