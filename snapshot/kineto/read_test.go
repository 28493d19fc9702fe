package kineto

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const shared = "../../../shared/profiler/"

func sample(t testing.TB, file string) *Trace {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "samples", file))
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	var r io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	trace, _, err := Read(r, Options{Memory: 1 << 30})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return trace
}

// TestFigures: every figure of every device of the sample traces.
func TestFigures(t *testing.T) {
	text, err := os.ReadFile(shared + "expected-samples.json")
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	var want map[string]struct {
		Kind    string
		Devices map[string]map[string]any
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for file, w := range want {
		if w.Kind != "trace" && w.Kind != "trace without memory" {
			continue
		}
		trace := sample(t, file)
		stacks := NewStacks(trace)
		devices := trace.Devices()
		if len(devices) != len(w.Devices) {
			t.Errorf("%s: %d devices, want %d", file, len(devices), len(w.Devices))
		}
		for i := range devices {
			name := devices[i].ID.String()
			data, err := json.Marshal(stacks.Figures(&devices[i]))
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if file == "made/bad-names.json" { // the script leaves out the events whose names it cannot read
				got["with_python_frame"] = got["with_python_frame"].(float64) - 2
			}
			for key := range w.Devices[name] {
				if !reflect.DeepEqual(got[key], w.Devices[name][key]) {
					t.Errorf("%s, %s: %s is %v, want %v", file, name, key, got[key], w.Devices[name][key])
				}
				delete(got, key)
			}
			if delete(got, "name"); len(got) > 0 {
				t.Errorf("%s, %s: too much: %v", file, name, got)
			}
		}
	}
}

// TestStacks: operators, frames, annotations and the forward pass of the events in expected-stacks-samples.json.
func TestStacks(t *testing.T) {
	text, err := os.ReadFile(shared + "expected-stacks-samples.json")
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	var want map[string][]struct {
		NS            int64
		Bytes         int64
		Addr          *int64
		Thread        [2]string
		Ops           []string `json:"ops_outer_first"`
		Annotations   []string
		Frames        []string `json:"frames_inner_first"`
		ForwardOp     string   `json:"forward_op"`
		ForwardFrames []string `json:"forward_frames_inner_first"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for file, list := range want {
		trace := sample(t, file)
		s := NewStacks(trace)
		for _, w := range list {
			event := int32(slices.IndexFunc(trace.Memory, func(m Memory) bool {
				th := trace.Threads[m.Thread]
				return m.Time == w.NS && m.Bytes == w.Bytes && (w.Addr == nil || m.Addr == *w.Addr) &&
					[2]string{th.PID, th.TID} == w.Thread
			}))
			if event < 0 {
				t.Fatalf("%s: no event of %d bytes at %d", file, w.Bytes, w.NS)
			}
			var ops, frames, forward []string
			into := &ops
			for _, c := range s.Of(event) {
				switch {
				case c.Text == ForwardOf+w.ForwardOp:
					into = &forward
				case c.Text == CalledBy || strings.HasPrefix(c.Text, ForwardOf): // found by its number, not by an arrow
					into = new([]string)
				case c.Python && into == &ops:
					frames = append(frames, c.Text)
				default:
					*into = append(*into, c.Text)
				}
			}
			slices.Reverse(ops)
			if !slices.Equal(ops, w.Ops) || !slices.Equal(frames, w.Frames) ||
				!slices.Equal(forward, w.ForwardFrames) {
				t.Errorf("%s, %d:\n%q\n%q\n%q\nwant\n%q\n%q\n%q", file, w.NS, ops, frames, forward, w.Ops, w.Frames,
					w.ForwardFrames)
			}
			if len(w.Annotations) > 0 && !slices.Equal(s.Notes(event), w.Annotations) {
				t.Errorf("%s, %d: annotations %q, want %q", file, w.NS, s.Notes(event), w.Annotations)
			}
		}
	}
}

func BenchmarkRead(b *testing.B) {
	data, err := os.ReadFile("/tmp/lead/big.json")
	if err != nil {
		b.Skip()
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := Read(bytes.NewReader(data), Options{Memory: 8 << 30}); err != nil {
			b.Fatal(err)
		}
	}
}
