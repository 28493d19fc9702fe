package beside

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/snapshot"
)

// start is the time of the first event of made snapshots, in microseconds: 2025-11-30 10:53:20 UTC.
const start = 1764500000_000000

// made is a snapshot of two devices, ten seconds long.
func made(devices ...int) *snapshot.Snapshot {
	s := &snapshot.Snapshot{Strings: []string{"", "step"}}
	for _, n := range devices {
		d := snapshot.Device{Index: n}
		d.Events.Action = []snapshot.Action{snapshot.ActionAlloc, snapshot.ActionFree}
		d.Events.Time = []int64{start, start + 10e6}
		s.Devices = append(s.Devices, d)
	}
	return s
}

// write makes a file.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// lay lays one file over a snapshot, and returns what is said of it.
func lay(t *testing.T, s *snapshot.Snapshot, path string, zone *time.Duration) (*snapshot.Snapshot, snapshot.Finding) {
	t.Helper()
	with, err := Lay(t.Context(), s, []string{path}, zone, snapshot.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Findings) > 0 || len(with.Findings) != 1 {
		t.Fatalf("%d findings, then %d", len(s.Findings), len(with.Findings))
	}
	return with, with.Findings[0]
}

// smi is a log of nvidia-smi, a line each second, whose clock is so many hours ahead of UTC.
func smi(from, seconds, hours int, devices ...int) string {
	var b strings.Builder
	b.WriteString("timestamp, index, memory.used [MiB], memory.total [MiB]\n")
	for k := range seconds {
		at := time.Unix(start/1e6+int64(from+k), 0).UTC().Add(time.Duration(hours) * time.Hour)
		for _, d := range devices {
			fmt.Fprintf(&b, "%s, %d, %d MiB, 1000 MiB\n", at.Format("2006/01/02 15:04:05.000"), d, 100*d+k)
		}
	}
	return b.String()
}

// TestLog: each device gets its line, from the first value to the last, in the zone that fits.
func TestLog(t *testing.T) {
	s := made(0, 1)
	with, found := lay(t, s, write(t, "gpu.csv", smi(2, 5, 9, 0, 1)), nil)
	if found.Severity != snapshot.Notice || !strings.Contains(found.Explain, "UTC+09:00") {
		t.Errorf("%+v", found)
	}
	for i, d := range with.Devices {
		if len(d.Series) != 1 || len(s.Devices[i].Series) > 0 || d.Memory != 1000<<20 {
			t.Fatalf("%+v", d)
		}
		got := d.Series[0]
		want := []int64{snapshot.UnknownBytes}
		times := []int64{start}
		for k := range 5 {
			want, times = append(want, int64(100*i+k)<<20), append(times, start+int64(2+k)*1e6)
		}
		want, times = append(want, snapshot.UnknownBytes), append(times, start+6e6+1)
		if got.Name != "memory.used" || got.File != "gpu.csv" || !slices.Equal(got.Bytes, want) ||
			!slices.Equal(got.Time, times) {
			t.Errorf("%+v", got)
		}
	}
	zone := 8 * time.Hour
	if _, found := lay(t, s, write(t, "gpu.csv", smi(2, 5, 9, 0)), &zone); found.Title != NotLaid ||
		!strings.Contains(found.Explain, "another time") {
		t.Errorf("an hour off: %+v", found)
	}
	longer, _ := lay(t, s, write(t, "gpu.csv", smi(-5, 30, 0, 0)), nil)
	if got := longer.Devices[0].Series[0]; got.Time[0] != start || got.Bytes[0] != 5<<20 || len(got.Time) != 11 {
		t.Errorf("%+v", got)
	}
	if len(longer.Devices[1].Series) > 0 {
		t.Error("GPU 1 has the line of GPU 0")
	}
}

// TestNumbers: the only GPU of a process can have another number outside of it.
func TestNumbers(t *testing.T) {
	with, found := lay(t, made(0), write(t, "gpu.csv", smi(0, 5, 0, 6)), nil)
	if len(with.Devices[0].Series) != 1 || !strings.Contains(found.Explain, "GPU 6 of gpu.csv is taken for GPU 0") {
		t.Errorf("%+v", found)
	}
	if _, found = lay(t, made(0, 1), write(t, "gpu.csv", smi(0, 5, 0, 6)), nil); found.Title != NotLaid ||
		!strings.Contains(found.Explain, "GPU 6") {
		t.Errorf("%+v", found)
	}
	with, _ = lay(t, made(0, 1), write(t, "rss.csv", "1764500001.5,7\n1764500002.5,8\n"), nil)
	for _, d := range with.Devices { // it is of no device
		if len(d.Series) != 1 || !slices.Contains(d.Series[0].Bytes, 8) {
			t.Errorf("%+v", d.Series)
		}
	}
}

// TestTrace: what of a trace lies within the snapshot's time becomes annotations and spans.
func TestTrace(t *testing.T) {
	const base = `"baseTimeNanoseconds": 1764500000000000000, `
	trace := func(head string) string {
		return write(t, "run.json", `{"schemaVersion": 1, `+head+`"traceEvents": [
			{"ph": "X", "cat": "user_annotation", "name": "step", "pid": 1, "tid": 2, "ts": 1000000, "dur": 3000000},
			{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 2000000, "dur": 1000000},
			{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 2, "ts": 2100000, "dur": 10},
			{"ph": "X", "cat": "cpu_op", "name": "later", "pid": 1, "tid": 2, "ts": 20000000, "dur": 10}]}`)
	}
	s := made(0)
	with, found := lay(t, s, trace(base), nil)
	if found.Severity != snapshot.Info || len(s.Strings) != 2 || len(s.Annotations) > 0 {
		t.Errorf("%+v, %+v", found, s)
	}
	if a := with.Annotations; len(a) != 2 || !a[0].Start || a[0].Time != start+1e6 || a[1].Time != start+4e6 ||
		with.Strings[a[0].Name] != "step" || a[0].Name != 1 || a[0].Device != 0 {
		t.Errorf("%+v", a)
	}
	var names []string
	for _, n := range with.Spans.Name {
		names = append(names, with.Strings[n])
	}
	if !slices.Equal(names, []string{"step", "aten::mm", "aten::add"}) ||
		!slices.Equal(with.Spans.Parent, []int32{-1, 0, 1}) || len(with.Threads) != 1 {
		t.Errorf("%q, %v", names, with.Spans.Parent)
	}
	twice, err := Lay(t.Context(), s, []string{trace(base), trace(base)}, nil, snapshot.Limits{})
	if err != nil || !slices.Equal(twice.Spans.Parent, []int32{-1, 0, 1, -1, 3, 4}) ||
		!slices.Equal(twice.Spans.Thread, []uint32{0, 0, 0, 1, 1, 1}) {
		t.Errorf("%+v, %v", twice.Spans, err)
	}
	if _, found := lay(t, s, trace(""), nil); !strings.Contains(found.Explain, "baseTimeNanoseconds") {
		t.Errorf("%+v", found)
	}
}

// TestRefused: what cannot be laid is said, and the snapshot stays as it is.
func TestRefused(t *testing.T) {
	untimed := made(0)
	untimed.Devices[0].Events.Time = nil
	for says, c := range map[string]struct {
		s    *snapshot.Snapshot
		path string
	}{
		"does not tell the time": {untimed, write(t, "gpu.csv", smi(0, 5, 0, 0))},
		"no such file":           {made(0), filepath.Join(t.TempDir(), "none.csv")},
		"it is neither":          {made(0), write(t, "a.pickle", "\x80\x04}.")},
		"this is a text":         {made(0), write(t, "a.txt", "hello\n")},
		"not a trace":            {made(0), write(t, "a.json", `{"a": 1}`)},
		"another time":           {made(0), write(t, "rss.csv", "1700000001.5,7\n1700000002.5,8\n")},
	} {
		with, found := lay(t, c.s, c.path, nil)
		if found.Title != NotLaid || found.Severity != snapshot.Warning || !strings.Contains(found.Explain, says) ||
			len(with.Devices[0].Series)+len(with.Spans.Name) > 0 {
			t.Errorf("%s: %+v", says, found)
		}
	}
}

// TestIsTable: only tables that are no files of their own.
func TestIsTable(t *testing.T) {
	for name, want := range map[string]bool{"gpu.csv": true, "ascend.csv": false, "words.csv": false,
		"gpu.txt": false} {
		text := map[string]string{"gpu.csv": smi(0, 5, 0, 0), "gpu.txt": smi(0, 5, 0, 0), "words.csv": "a,b\nc,d\n",
			"ascend.csv": "Component,Timestamp(us),Total Allocated(MB),Device\n"}[name]
		if got := IsTable(write(t, name, text)); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
