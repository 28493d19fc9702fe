package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCategories: rules of one's own come first wherever categories are told, and what is wrong with them is said.
func TestCategories(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "my.rules")
	if err := os.WriteFile(rules, []byte("# leaks\nkept logits = site:train.py:112\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	tops := topJSON(t, "--by", "category", "--categories", rules, sample)
	told := map[string]int64{}
	for _, g := range tops[0].Groups {
		if g.Told != "inferred" {
			t.Errorf("%s was told %q", g.Name, g.Told)
		}
		told[g.Name] = g.Bytes
	}
	if told["kept logits"] != 8*859008000 || told["optimizer state"] == 0 || told["unknown"] != 0 {
		t.Errorf("%v", told)
	}
	sql := `SELECT sum(size) FROM allocations WHERE category = 'kept logits' AND category_inferred AND never_freed`
	stdout, stderr, _ := run(t, "query", sample, sql, "--format", "csv", "--categories", rules)
	if !strings.Contains(stdout, "6872064000") {
		t.Errorf("SQL: %s%s", stdout, stderr)
	}
	if r := growthJSON(t, "--by", "category", "--categories", rules, sample); len(r.Grows) != 1 ||
		r.Grows[0].Name != "kept logits" {
		t.Errorf("%+v", r.Grows)
	}
	svg := filepath.Join(t.TempDir(), "a.svg")
	_, stderr, code := run(t, "render", sample, "-o", svg, "--colour", "category", "--categories", rules)
	if code != 0 {
		t.Fatal(stderr)
	}
	if text, _ := os.ReadFile(svg); !strings.Contains(string(text), "kept logits (inferred)") {
		t.Error("the legend says nothing of kept logits")
	}
	if err := os.WriteFile(rules, []byte("x = /[/"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := run(t, "top", sample, "--categories", rules); code != ExitUsage ||
		!strings.Contains(stderr, "my.rules, line 1: the regular expression is wrong") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
