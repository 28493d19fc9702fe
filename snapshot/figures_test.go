package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// shared finds a file of the directory beside the project that holds the real
// snapshots, and skips the test where it is absent.
func shared(t testing.TB, elem ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{"..", "..", "shared"}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skip("no " + p + " here")
	}
	return p
}

// TestFigures compares with what tools/figures.py, which shares no code with
// us, says about the real and simulated files (testdata/figures.jsonl).
func TestFigures(t *testing.T) {
	dir := shared(t, "snapshots")
	data, err := os.ReadFile("testdata/figures.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); n++ {
		var want struct {
			File    string
			Devices []struct {
				Device, Events, Segments int
				Reserved                 int64 `json:"reserved_bytes"`
				OOM                      int   `json:"oom_events"`
			}
		}
		if err := json.Unmarshal(sc.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		s, err := Open(context.Background(), filepath.Join(dir, want.File), Options{})
		if err != nil {
			t.Errorf("%s: %v", want.File, err)
			continue
		}
		if len(s.Devices) != len(want.Devices) {
			t.Errorf("%s: %d devices, want %d", want.File, len(s.Devices), len(want.Devices))
			continue
		}
		for i, w := range want.Devices {
			d := &s.Devices[i]
			var reserved int64
			for _, seg := range d.Segments {
				reserved += seg.Size
			}
			oom := 0
			for _, a := range d.Events.Action {
				if a == ActionOOM {
					oom++
				}
			}
			if d.Index != w.Device || d.Events.Len() != w.Events || len(d.Segments) != w.Segments || reserved != w.Reserved || oom != w.OOM {
				t.Errorf("%s: device %d has %d events, %d segments, %d reserved, %d oom; want %+v",
					want.File, d.Index, d.Events.Len(), len(d.Segments), reserved, oom, w)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d files", n)
	}
}
