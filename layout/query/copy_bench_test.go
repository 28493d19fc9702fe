package query

import (
	"context"
	"path/filepath"
	"testing"
)

// BenchmarkCopy writes the two large tables into a database, indexes and all.
func BenchmarkCopy(b *testing.B) {
	s, tls := big(b)
	db := Open(s, tls)
	defer db.Close()
	for b.Loop() {
		c, err := NewCopy(filepath.Join(b.TempDir(), "out.sqlite"), []string{"events", "allocations"}, false)
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Add(context.Background(), db, ""); err != nil {
			b.Fatal(err)
		}
		if err := c.Finish(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
