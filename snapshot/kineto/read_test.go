package kineto

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const (
	shared = "../../../shared/profiler/"
	own    = "../../testdata/profiler"
)

// sample reads one of the sample traces, of which those that we made are in the project.
func sample(t testing.TB, file string) *Trace {
	t.Helper()
	path := filepath.Join(shared, "samples", file)
	if made, is := strings.CutPrefix(file, "made/"); is {
		path = filepath.Join(own, made)
	}
	data, err := os.ReadFile(path)
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

// expectedDevices are the figures of devices by name; events are left out that are no traces.
type expectedDevices map[string]struct {
	Kind    string
	Devices map[string]map[string]any
}

// TestFigures: every figure of every device of the sample traces that we made.
func TestFigures(t *testing.T) {
	want := expectedDevices{}
	readJSON(t, filepath.Join(own, "expected.json"), &want)
	for file, w := range want {
		checkFigures(t, "made/"+file, w.Devices)
	}
}

// TestSharedFigures is that for the real ones.
func TestSharedFigures(t *testing.T) {
	want := expectedDevices{}
	readJSON(t, shared+"expected-samples.json", &want)
	for file, w := range want {
		if w.Kind == "trace" || w.Kind == "trace without memory" {
			checkFigures(t, file, w.Devices)
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func checkFigures(t *testing.T, file string, want map[string]map[string]any) {
	t.Helper()
	trace := sample(t, file)
	stacks := NewStacks(trace)
	devices := trace.Devices()
	if len(devices) != len(want) {
		t.Errorf("%s: %d devices, want %d", file, len(devices), len(want))
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
		for key := range want[name] {
			if !reflect.DeepEqual(got[key], want[name][key]) {
				t.Errorf("%s, %s: %s is %v, want %v", file, name, key, got[key], want[name][key])
			}
			delete(got, key)
		}
		if delete(got, "name"); len(got) > 0 {
			t.Errorf("%s, %s: too much: %v", file, name, got)
		}
	}
}

// TestStacks: operators, frames, annotations and the forward pass of the events in expected-stacks-samples.json.
func TestStacks(t *testing.T) {
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
	readJSON(t, shared+"expected-stacks-samples.json", &want)
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

// TestCut: a trace that ends anywhere keeps every event before that.
func TestCut(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(own, "oom.json"))
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for n := range whole {
		trace, _, err := Read(bytes.NewReader(whole[:n]), Options{Memory: 1 << 20})
		if err != nil {
			if last >= 0 || !errors.Is(err, ErrNotTrace) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if events := bytes.Count(whole[:n], []byte(`"name": "[`)); len(trace.Memory) < last ||
			len(trace.Memory) < events-1 || trace.Skipped > 0 {
			t.Fatalf("cut at %d: %d events, %d skipped, of %d", n, len(trace.Memory), trace.Skipped, events)
		}
		if last = len(trace.Memory); n < bytes.LastIndexByte(whole, ']') && !trace.Cut {
			t.Fatalf("cut at %d: not told", n)
		}
	}
	if last != 11 {
		t.Errorf("%d events", last)
	}
}

func TestErrors(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", `{"a":[{"name":"[memory]"}]}`, "[1,2]", "[[1],[2]]",
		`{"traceEvents":3}`, `[{"a":1}]`, `"traceEvents"`} {
		if trace, _, err := Read(strings.NewReader(text), Options{Memory: 1 << 20}); !errors.Is(err, ErrNotTrace) {
			t.Errorf("%q: %+v, %v", text, trace, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(own, "killed.json.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(bytes.NewReader(data), Options{Memory: 1000}); !errors.Is(err, ErrMemory) {
		t.Errorf("a limit: %v", err)
	}
	stop := errors.New("stop")
	tick := func(int64) error { return stop }
	if _, _, err := Read(bytes.NewReader(data), Options{Memory: 1 << 20, Tick: tick}); !errors.Is(err, stop) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestDamagedHead: metadata that is no JSON, as users can add it, loses no event.
func TestDamagedHead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(own, "oom.json"))
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"profile_memory": 1`), []byte(`"mine": {it's "mine"`), 1)
	trace, _, err := Read(bytes.NewReader(data), Options{Memory: 1 << 20})
	if err != nil || len(trace.Memory) != 11 {
		t.Errorf("%+v, %v", trace, err)
	}
}

// TestDraw: however many events are lost, what is drawn is what the totals say, as long as they can be explained.
func TestDraw(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		trace := &Trace{Texts: []string{""}, Threads: []Thread{{PID: "1", TID: "1"}}}
		live := map[int64]int64{}
		total := int64(rnd.IntN(3)) * 1000
		for addr := int64(1); addr <= total/100; addr++ {
			live[1000+addr] = 100
		}
		for i := range 60 {
			m := Memory{Time: int64(i / 2), Order: int64(i), Held: None, Device: DeviceID{1, 0}}
			if m.Addr, m.Bytes = int64(rnd.IntN(20)), int64(rnd.IntN(50)+1); live[m.Addr] > 0 || rnd.IntN(3) == 0 {
				for m.Addr = range live { // any
					break
				}
				if m.Bytes = -live[m.Addr]; m.Bytes == 0 {
					continue
				}
				delete(live, m.Addr)
			} else {
				live[m.Addr] = m.Bytes
			}
			total += m.Bytes
			if m.Total = total; rnd.IntN(4) > 0 {
				trace.Memory = append(trace.Memory, m)
			}
		}
		s := NewStacks(trace)
		for _, d := range trace.Devices() {
			checkDrawing(t, trace, s.Draw(&d))
		}
	}
}

// checkDrawing follows a drawing as the layout does.
func checkDrawing(t *testing.T, trace *Trace, g Drawing) {
	t.Helper()
	sum := int64(0)
	live := map[uint64]int64{}
	type step struct {
		event int32
		sum   int64
	}
	var steps []step
	for k, e := range g.Events {
		if n, is := live[e.Addr]; e.Free {
			if is && n != e.Bytes && e.Made != Real {
				t.Fatalf("a made free of %d of %d", e.Bytes, n)
			}
			if !is {
				n = e.Bytes // from before
			}
			sum -= n
			delete(live, e.Addr)
		} else if is {
			t.Fatalf("two at %x", e.Addr)
		} else {
			live[e.Addr] = e.Bytes
			sum += e.Bytes
		}
		if k+1 == len(g.Events) || g.Events[k+1].Event != e.Event {
			steps = append(steps, step{e.Event, sum})
		}
	}
	if len(steps) == 0 || g.Odd > 0 || g.Excess > 0 {
		return
	}
	first := trace.Memory[steps[0].event].Total - steps[0].sum
	for _, s := range steps {
		if want := trace.Memory[s.event].Total; s.sum+first != want && first >= 0 {
			t.Fatalf("after event %d: %d, want %d", s.event, s.sum+first, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(own, "*.json*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`[{"name":"aten::mm","ph":"X","ts":"1736408883694624.810","dur":1,"cat":"cpu_op","pid":1,"tid":2}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		Is(data)
		trace, _, err := Read(bytes.NewReader(data), Options{Memory: 1 << 22})
		if err != nil {
			return
		}
		s := NewStacks(trace)
		for _, d := range trace.Devices() {
			s.Figures(&d)
			s.Draw(&d)
			for _, i := range d.Events {
				s.Of(i)
				s.Notes(i)
				s.Module(i)
			}
		}
	})
}

// BenchmarkRead reads events of a real trace, a hundred times over.
func BenchmarkRead(b *testing.B) {
	file, err := os.Open(filepath.Join(shared, "samples", "cuda-h100-inference.pt.trace.json.gz"))
	if err != nil {
		b.Skip("no ../shared here: ", err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	one, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	begin := bytes.Index(one, []byte(`"traceEvents": [`)) + len(`"traceEvents": [`)
	end := bytes.LastIndexByte(one, ']')
	data := append(slices.Clone(one[:begin]), bytes.Repeat(append(slices.Clone(one[begin:end]), ','), 100)...)
	data = append(data[:len(data)-1], one[end:]...)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := Read(bytes.NewReader(data), Options{Memory: 8 << 30}); err != nil {
			b.Fatal(err)
		}
	}
}
