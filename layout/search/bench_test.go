package search

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/layout"
)

// benchKeystrokes runs each search anew, as a keystroke does, and once with nothing remembered of the ones before.
func benchKeystrokes(b *testing.B, tl *layout.Timeline) {
	for _, text := range keystrokes {
		q, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		run := func(b *testing.B, s *Searcher) {
			if _, err := s.Run(context.Background(), q); err != nil {
				b.Skip(err)
			}
		}
		name := strings.NewReplacer(" ", "+", "/", "|").Replace(text)
		b.Run("first/"+name, func(b *testing.B) {
			for b.Loop() {
				run(b, New(tl))
			}
		})
		b.Run("next/"+name, func(b *testing.B) {
			s := New(tl)
			run(b, s)
			for b.Loop() {
				run(b, s)
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
