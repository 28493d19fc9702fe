package layout

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"strata/snapshot"
)

// reference is what the reference viewer computed for one file, device and mode (expected/README.md).
type reference struct {
	File       string
	Device     int
	Mode       string
	MaxEntries any `json:"max_entries"`
	NumActions int `json:"n_actions"`
	Elements   [][]any
	Data       []struct {
		Elem      json.RawMessage
		Size      number
		Timesteps []int32
		Offsets   []number
	}
	Summarized struct {
		Timesteps []int32
		Offsets   []number
		Size      []number
	}
	MaxAtTime []number `json:"max_at_time"`
}

// number is an integer that is written as a string beyond 2^53.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	*n = number(v)
	return err
}

// references calls f for every set of reference numbers that is here: the copies in testdata and, where it exists,
// everything in ../shared.
func references(t *testing.T, f func(t *testing.T, snapshots string, ref reference)) {
	seen := map[string]bool{}
	for _, dir := range []struct{ expected, snapshots string }{
		{"../testdata/reference", "../testdata/reference"},
		{"../../shared/expected", "../../shared/snapshots"},
	} {
		names, _ := filepath.Glob(filepath.Join(dir.expected, "*.json.gz"))
		if len(names) == 0 {
			t.Logf("no reference numbers in %s: skipped", dir.expected)
		}
		for _, name := range names {
			base := filepath.Base(name)
			if seen[base] || !strings.Contains(base, ".alloc.") && !strings.Contains(base, ".segments.") {
				continue // other numbers, such as private pools and states
			}
			seen[base] = true
			t.Run(strings.TrimSuffix(base, ".json.gz"), func(t *testing.T) {
				f(t, dir.snapshots, readReference(t, name))
			})
		}
	}
	if len(seen) == 0 {
		t.Fatal("no reference numbers at all")
	}
}

func readReference(t *testing.T, name string) reference {
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
	var ref reference
	if err := d.Decode(&ref); err != nil {
		t.Fatal(err)
	}
	return ref
}

// layOut opens the reference's snapshot and lays its device out in its mode.
func layOut(t *testing.T, dir string, ref reference) *Timeline {
	t.Helper()
	s, err := snapshot.Open(context.Background(), filepath.Join(dir, ref.File), snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{}
	if strings.HasPrefix(ref.Mode, "segments") {
		opt.Mode = Segments
	}
	if n, ok := ref.MaxEntries.(json.Number); ok {
		v, _ := n.Int64()
		opt.MaxEntries = int(v)
	}
	for i := range s.Devices {
		if s.Devices[i].Index == ref.Device {
			return New(s, &s.Devices[i], opt)
		}
	}
	t.Fatalf("%s has no device %d", ref.File, ref.Device)
	return nil
}

// TestReference compares every number of the reference viewer with ours: elements, polygons, totals and the band of
// the undrawn.
func TestReference(t *testing.T) {
	references(t, func(t *testing.T, dir string, ref reference) {
		tl := layOut(t, dir, ref)
		if len(tl.Actions) != ref.NumActions || len(tl.Size) != len(ref.Elements) {
			t.Fatalf("%d actions, %d allocations; want %d, %d", len(tl.Actions), len(tl.Size), ref.NumActions,
				len(ref.Elements))
		}
		for id, e := range ref.Elements {
			a := tl.At(ID(id))
			if want := unsigned(e[0]); a.Addr != want {
				t.Fatalf("allocation %d at %#x, want %#x", id, a.Addr, want)
			}
			if want := int64(unsigned(e[1])); a.Size != want {
				t.Fatalf("allocation %d of %d bytes, want %d", id, a.Size, want)
			}
			if initially := e[5].(json.Number) == "1"; a.BeforeRecording != initially && ref.NumActions > 1 {
				t.Fatalf("allocation %d before recording: %v, want %v", id, a.BeforeRecording, initially)
			}
		}
		comparePolygons(t, tl, ref)
		compareTotals(t, tl, ref)
		compareSummary(t, tl, ref)
	})
}

// unsigned reads an integer of any form as its 64 bits.
func unsigned(v any) uint64 {
	s := ""
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	}
	u, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		i, _ := strconv.ParseInt(s, 10, 64)
		u = uint64(i)
	}
	return u
}

func comparePolygons(t *testing.T, tl *Timeline, ref reference) {
	t.Helper()
	if len(tl.Order) != len(ref.Data) {
		t.Fatalf("%d drawn, want %d", len(tl.Order), len(ref.Data))
	}
	for r, want := range ref.Data {
		id := tl.Order[r]
		if string(want.Elem) != strconv.Itoa(int(id)) || int64(want.Size) != tl.Size[id] {
			t.Fatalf("place %d: allocation %d of %d bytes, want %s of %d", r, id, tl.Size[id], want.Elem, want.Size)
		}
		steps, offsets := tl.Polygon(id)
		if len(steps) != len(want.Timesteps) {
			t.Fatalf("allocation %d: %d corners, want %d", id, len(steps), len(want.Timesteps))
		}
		if x0, x1 := tl.Span(id, Events); x0 != float64(steps[0]) || x1 != float64(steps[len(steps)-1]) {
			t.Fatalf("allocation %d spans %v to %v, its polygon %d to %d", id, x0, x1, steps[0], steps[len(steps)-1])
		}
		for i := range steps {
			if steps[i] != want.Timesteps[i] || offsets[i] != int64(want.Offsets[i]) {
				t.Fatalf("allocation %d corner %d: %d→%d, want %d→%d", id, i, steps[i], offsets[i], want.Timesteps[i],
					want.Offsets[i])
			}
		}
	}
}

// usage is the bytes shown at each timestep: a slide still counts the block that leaves.
func usage(tl *Timeline) []int64 {
	var u []int64
	for a := range tl.Actions {
		for range tl.Timestep[a+1] - tl.Timestep[a] {
			u = append(u, tl.Total[tl.Shown(int32(a))])
		}
	}
	return u
}

func compareTotals(t *testing.T, tl *Timeline, ref reference) {
	t.Helper()
	got := usage(tl)
	if len(got) != len(ref.MaxAtTime) {
		t.Fatalf("%d timesteps, want %d", len(got), len(ref.MaxAtTime))
	}
	peak := tl.StartBytes
	for i, want := range ref.MaxAtTime {
		if got[i] != int64(want) {
			t.Fatalf("timestep %d: %d bytes, want %d", i, got[i], want)
		}
		peak = max(peak, got[i])
	}
	if tl.PeakBytes != peak {
		t.Fatalf("peak %d, want %d", tl.PeakBytes, peak)
	}
}

func compareSummary(t *testing.T, tl *Timeline, ref reference) {
	t.Helper()
	steps, offsets, sizes := tl.summaryBand()
	want := ref.Summarized
	if len(steps) != len(want.Timesteps) {
		t.Fatalf("band has %d points, want %d", len(steps), len(want.Timesteps))
	}
	for i := range steps {
		// The reference's offsets have one leading entry too many.
		if steps[i] != want.Timesteps[i] || offsets[i] != int64(want.Offsets[i+1]) || sizes[i] != int64(want.Size[i]) {
			t.Fatalf("band point %d: %d: %d+%d, want %d: %d+%d", i, steps[i], offsets[i], sizes[i],
				want.Timesteps[i], want.Offsets[i+1], want.Size[i])
		}
	}
}

// summaryBand is the band that sums up the undrawn allocations: at each of the timesteps its lower edge (the bytes
// drawn) and its height, as the reference notes them, once for every stretch of constant usage (FORMAT.md, sections
// 9.4 and 9.6).
func (t *Timeline) summaryBand() (timesteps []int32, offsets, sizes []int64) {
	note := func(step, state int32) {
		var undrawn int64
		if t.Undrawn != nil {
			undrawn = t.Undrawn[state]
		}
		timesteps = append(timesteps, step)
		offsets = append(offsets, t.Total[state]-undrawn)
		sizes = append(sizes, undrawn)
	}
	for a := range t.Actions {
		step := t.Timestep[a]
		note(step, t.Shown(int32(a)))
		if t.Timestep[a+1]-step > 1 {
			note(step+1, int32(a)) // the slide: usage still counts the freed block
		}
	}
	return timesteps, offsets, sizes
}
