package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// shared finds a file of the directory beside the project that holds the real snapshots, and skips the test where
// it is absent.
func shared(t testing.TB, elem ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{"..", "..", "shared"}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skip("no " + p + " here")
	}
	return p
}

// snapshotFiles lists all snapshots there are: the project's own, and the real ones where they are at hand.
func snapshotFiles(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../testdata/*.pickle*", "../testdata/generated/*",
		"../../shared/snapshots/*.pickle"} {
		m, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m...)
	}
	if len(out) < 20 {
		t.Fatalf("only %d snapshots are at hand", len(out))
	}
	return out
}

type figures struct {
	Device, Events, Segments int
	Reserved                 int64 `json:"reserved_bytes"`
	OOM                      int   `json:"oom_events"`
}

// TestFigures compares with what figures.py, which shares no code with us, says about the project's own snapshots
// (testdata/figures.json) and the real ones (figures.jsonl here).
func TestFigures(t *testing.T) {
	want := map[string][]figures{}
	data, err := os.ReadFile("../testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string][]figures{}
	if err := json.Unmarshal(data, &own); err != nil {
		t.Fatal(err)
	}
	for name, f := range own {
		want[filepath.Join("..", "testdata", name)] = f
	}
	if data, err = os.ReadFile("testdata/figures.jsonl"); err != nil {
		t.Fatal(err)
	}
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		var line struct {
			File    string
			Devices []figures
		}
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if p := filepath.Join("..", "..", "shared", "snapshots", line.File); exists(p) {
			want[p] = line.Devices
		}
	}
	if len(want) < 30 {
		t.Errorf("only %d files", len(want))
	}
	for file, devices := range want {
		s, err := Open(context.Background(), file, Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := s.figures(); !slices.Equal(got, devices) {
			t.Errorf("%s: %+v, want %+v", file, got, devices)
		}
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func (s *Snapshot) figures() (out []figures) {
	for i := range s.Devices {
		d := &s.Devices[i]
		f := figures{Device: d.Index, Events: d.Events.Len(), Segments: len(d.Segments)}
		for _, seg := range d.Segments {
			f.Reserved += seg.Size
		}
		for _, a := range d.Events.Action {
			if a == ActionOOM {
				f.OOM++
			}
		}
		out = append(out, f)
	}
	return out
}
