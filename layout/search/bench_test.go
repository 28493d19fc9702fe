package search

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/layout"
)

// benchKeystrokes runs each search, as a keystroke does.
func benchKeystrokes(b *testing.B, tl *layout.Timeline) {
	for _, text := range keystrokes {
		q, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.NewReplacer(" ", "+", "/", "|").Replace(text), func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(context.Background(), tl, q, nil); err != nil {
					b.Skip(err)
				}
			}
		})
	}
}

// BenchmarkSearch is a keystroke on the snapshot of STRATA_BENCH_FILE.
func BenchmarkSearch(b *testing.B) {
	name := os.Getenv("STRATA_BENCH_FILE")
	if name == "" {
		b.Skip("STRATA_BENCH_FILE is not set")
	}
	benchKeystrokes(b, timelines(b, filepath.Clean(name))[0])
}
