package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"strata/snapshot/cache"
)

// TestCache: a second run reads what the first has stored, prints the same, and with --no-cache neither happens.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	entries := func() int {
		d, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(d)
	}
	summary := func(args ...string) string {
		c, err := Parse(append([]string{"summary", "--json", simBase, simDevices}, args...))
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := c.run(context.Background(), &stdout, &stderr, cache.Options{Dir: dir, MinBytes: 1,
			Disabled: c.NoCache}); code != 0 {
			t.Fatalf("exit %d, %s", code, stderr.String())
		}
		return stdout.String()
	}
	want := summary("--no-cache")
	if n := entries(); n != 0 {
		t.Errorf("%d entries in spite of --no-cache", n)
	}
	if summary() != want || entries() != 2 {
		t.Errorf("the first run differs, or left %d entries", entries())
	}
	if summary() != want || entries() != 2 {
		t.Errorf("the second run differs, or left %d entries", entries())
	}
}

// TestMemoryLimit: a file that takes more than allowed is refused in a sentence that names the flag, and opens with
// more.
func TestMemoryLimit(t *testing.T) {
	summary := func(limit string) (string, int) {
		c, err := Parse([]string{"summary", "--no-cache", "--memory-limit", limit, simDevices})
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		code := c.run(context.Background(), &stdout, &stderr, cache.Options{Disabled: true})
		return stderr.String(), code
	}
	if text, code := summary("0.00001GiB"); code != 1 || !strings.Contains(text, "--memory-limit") {
		t.Errorf("exit code %d, %q", code, text)
	}
	if text, code := summary("1GiB"); code != 0 {
		t.Errorf("exit code %d, %q", code, text)
	}
	if _, err := Parse([]string{"summary", "--memory-limit", "much", simDevices}); err == nil {
		t.Error("any word is a limit")
	}
}
