package query

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// reference is what the reference viewer computed for a file and a device.
type reference struct {
	File     string
	Device   int
	Actions  int `json:"n_actions"`
	Elements [][]any
	Data     []struct {
		Elem      json.RawMessage
		Timesteps []int64
		Offsets   []integer
	}
	MaxAtTime []integer `json:"max_at_time"`
}

// integer is an integer that is written as a string beyond 2^53.
type integer int64

func (n *integer) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	*n = integer(v)
	return err
}

// TestReferenceNumbers compares polygons, totals and live sets, asked for in SQL, with the reference viewer's.
func TestReferenceNumbers(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range [][2]string{{"../../testdata/reference", "../../testdata/reference"},
		{"../../../shared/expected", "../../../shared/snapshots"}} {
		names, _ := filepath.Glob(filepath.Join(dir[0], "*.alloc.json.gz"))
		if len(names) == 0 {
			t.Logf("no reference numbers in %s: skipped", dir[0])
		}
		for _, name := range names {
			base := filepath.Base(name)
			if seen[base] {
				continue
			}
			seen[base] = true
			t.Run(strings.TrimSuffix(base, ".alloc.json.gz"), func(t *testing.T) {
				ref := readReference(t, name)
				compareReference(t, open(t, filepath.Join(dir[1], ref.File)), &ref)
			})
		}
	}
	if len(seen) == 0 {
		t.Fatal("no reference numbers at all")
	}
}

func readReference(t *testing.T, name string) (ref reference) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(z)
	d.UseNumber()
	if err := d.Decode(&ref); err != nil {
		t.Fatal(err)
	}
	return ref
}

func compareReference(t *testing.T, db *DB, ref *reference) {
	totals := numbers(t, db, "SELECT timestep, bytes FROM totals WHERE device = %d", ref.Device)
	if len(totals) != len(ref.MaxAtTime) {
		t.Fatalf("%d timesteps, want %d", len(totals), len(ref.MaxAtTime))
	}
	for i, row := range totals {
		if row[0] != int64(i) || row[1] != int64(ref.MaxAtTime[i]) {
			t.Fatalf("timestep %d: %v, want %d", i, row, ref.MaxAtTime[i])
		}
	}
	if n := numbers(t, db, "SELECT count(*) FROM allocations WHERE device = %d",
		ref.Device)[0][0]; n != int64(len(ref.Elements)) {
		t.Fatalf("%d allocations, want %d", n, len(ref.Elements))
	}
	// All polygons, by a walk through the integer table.
	corners := map[int64][][]int64{}
	for _, row := range numbers(t, db, "SELECT id, vertex, timestep, \"offset\" FROM polygons WHERE device = %d",
		ref.Device) {
		corners[row[0]] = append(corners[row[0]], row[1:])
	}
	for _, want := range ref.Data {
		id, _ := strconv.ParseInt(string(want.Elem), 10, 64)
		got := corners[id]
		if len(got) != len(want.Timesteps) {
			t.Fatalf("allocation %d: %d corners, want %d", id, len(got), len(want.Timesteps))
		}
		for i, c := range got {
			if c[0] != int64(i) || c[1] != want.Timesteps[i] || c[2] != int64(want.Offsets[i]) {
				t.Fatalf("allocation %d corner %d: %v, want %d→%d", id, i, c, want.Timesteps[i], want.Offsets[i])
			}
		}
	}
	compareLive(t, db, ref)
}

// compareLive looks at some steps: what the reference draws at the step's first timestep, in the order drawn, at
// the offset it has there.
func compareLive(t *testing.T, db *DB, ref *reference) {
	steps := numbers(t, db, "SELECT step, min(timestep) FROM totals WHERE device = %d GROUP BY step", ref.Device)
	if len(steps) != ref.Actions {
		t.Fatalf("%d steps, want %d", len(steps), ref.Actions)
	}
	for i := 0; i < len(steps); i += 1 + len(steps)/40 {
		step, ts := steps[i][0], steps[i][1]
		got := numbers(t, db, "SELECT id, \"offset\" FROM live WHERE step = %d AND device = %d", step, ref.Device)
		at := 0
		for _, d := range ref.Data {
			last := len(d.Timesteps) - 1
			if d.Timesteps[0] > ts || d.Timesteps[last] <= ts {
				continue
			}
			k := 0
			for k < last && d.Timesteps[k+1] <= ts {
				k++
			}
			id, _ := strconv.ParseInt(string(d.Elem), 10, 64)
			if at >= len(got) || got[at][0] != id || got[at][1] != int64(d.Offsets[k]) {
				t.Fatalf("step %d, place %d: %v, want allocation %d at %d", step, at, got[min(at, len(got)):], id,
					d.Offsets[k])
			}
			at++
		}
		if at != len(got) {
			t.Fatalf("step %d: %d live, want %d", step, len(got), at)
		}
	}
}
