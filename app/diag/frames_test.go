package diag

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFrameLog: a line has a value for each column, and the flags are those of the state.
func TestFrameLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frames.csv")
	l, err := NewFrameLog(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []FrameState{{View: 1, Sharp: true, TileBytes: 77}, {View: 1, Working: true}} {
		l.Begin(false)
		for p := Updating; p < parts; p++ {
			l.End(p)
		}
		l.Drawn(s, 1500)
	}
	l.Close()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	if lines[0] != frameColumns || len(lines) != 4 {
		t.Fatalf("%q", lines)
	}
	columns := strings.Split(strings.TrimSpace(frameColumns), ",")
	for i, want := range []map[string]string{
		{"frame": "1", "gpu_us": "1.500", "working": "0", "tile_bytes": "77", "moved": "1", "sharp": "1"},
		{"frame": "2", "gpu_us": "1.500", "working": "1", "tile_bytes": "0", "moved": "0", "sharp": "0"},
	} {
		values := strings.Split(strings.TrimSpace(lines[i+1]), ",")
		if len(values) != len(columns) {
			t.Fatalf("%d values for %d columns", len(values), len(columns))
		}
		for j, c := range columns {
			if w, ok := want[c]; ok && values[j] != w {
				t.Errorf("line %d: %s is %s, want %s", i+1, c, values[j], w)
			}
		}
	}
	if _, err := NewFrameLog(filepath.Join(name, "no", "folder")); err == nil {
		t.Error("a log is created in a folder that does not exist")
	}
	var none *FrameLog
	none.Begin(true)
	none.End(Updating)
	none.Drawn(FrameState{}, 0)
	none.Close()
}
