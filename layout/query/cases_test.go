package query

import (
	"fmt"
	"os"
	"testing"
)

// TestBytes: bytes(n) is a size as people read it.
func TestBytes(t *testing.T) {
	db := open(t, sample)
	got := ask(t, db, "SELECT bytes(67108864), bytes(512), bytes(-2048), bytes(1536.0), bytes(NULL), bytes('x'), "+
		"bytes(sum(size)) "+
		"FROM allocations WHERE id < 0")
	if want := "[[64.0 MiB 512 B -2.00 KiB 1.50 KiB NULL NULL NULL]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestCases asks the files in ../shared/cases whose right behaviour SQL shows.
func TestCases(t *testing.T) {
	const dir = "../../../shared/cases/"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the cases are not there:", err)
	}
	for _, c := range []struct{ file, sql, want string }{
		{"pending_before.pickle", "SELECT id, size FROM allocations WHERE pending", "[[2 8388608]]"},
		{"pending_before.pickle", "SELECT start_bytes, peak_bytes, end_bytes, pending_bytes FROM devices",
			"[[12582912 13631488 12582912 8388608]]"},
		{"npu_rounding.pickle", "SELECT size, rounded_size FROM allocations ORDER BY size", "[[512 1024] [1024 1536]]"},
	} {
		if got := fmt.Sprint(ask(t, open(t, dir+c.file), c.sql)); got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.file, c.sql, got, c.want)
		}
	}
}
