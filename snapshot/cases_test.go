package snapshot

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// finding returns the finding with the given id, nil if there is none.
func (s *Snapshot) finding(id string) *Finding {
	for i := range s.Findings {
		if s.Findings[i].ID == id {
			return &s.Findings[i]
		}
	}
	return nil
}

// warnings lists the ids of what a good file does not have.
func (s *Snapshot) warnings() (ids []string) {
	for _, f := range s.Findings {
		if f.Severity == Warning {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

const caseAlloc = 0x7f0000000200 // the address of the usual alloc of the cases

// caseChecks say what the table of the cases' README promises, as far as the reader can keep it.
var caseChecks = map[string]func(t *testing.T, s *Snapshot){
	"bigaddr": func(t *testing.T, s *Snapshot) {
		if a := s.Devices[0].Events.Addr[0]; a != 18446720620317114368 {
			t.Errorf("address %d", a)
		}
	},
	"bigint_list": wantSkipped,
	"negsize":     wantSkipped,
	"bytes_name":  wantFile("/a\ufffd.py"),
	"surrogate":   wantFile("/a\ufffd.py"),
	"trunc": func(t *testing.T, s *Snapshot) {
		f := s.finding("truncated")
		if f == nil || f.Severity != Warning || f.Offset != 550 || s.Devices[0].Events.Len() != 2 {
			t.Errorf("%+v, %d events", f, s.Devices[0].Events.Len())
		}
	},
	"list_root": func(t *testing.T, s *Snapshot) {
		if len(s.Devices) != 1 || s.Devices[0].Blocks.Len() != 2 || s.Devices[0].Events.Len() != 0 {
			t.Errorf("%+v", s.Devices)
		}
	},
	"time_absent": func(t *testing.T, s *Snapshot) {
		if s.Devices[0].Events.Time != nil || s.finding("no-times") == nil {
			t.Errorf("times %v, findings %v", s.Devices[0].Events.Time, s.Findings)
		}
	},
	"frames_absent": wantNoStack,
	"frames_none":   wantNoStack,
	"history": func(t *testing.T, s *Snapshot) {
		b := &s.Devices[0].Blocks
		if b.Requested[0] != 400 || b.Size[0] != 512 || b.Addr[0] != s.Devices[0].Segments[0].Addr ||
			b.Addr[1] != b.Addr[0]+512 {
			t.Errorf("blocks %+v", b)
		}
	},
	"no_segments":  wantWarning("missing-segments"),
	"no_traces":    wantWarning("missing-traces"),
	"empty_traces": wantNotice("history-off"),
	"user_meta_dict": func(t *testing.T, s *Snapshot) {
		e := &s.Devices[0].Events
		if got := s.Strings[s.Metas[e.Meta[0]].User]; got != "k = v\nn = 3" {
			t.Errorf("user metadata %q", got)
		}
	},
	"oom":      wantOOM,
	"oom_only": wantOOM,
	"tuple_trace": func(t *testing.T, s *Snapshot) {
		if s.Devices[0].Events.Len() != 1 || len(s.Devices[0].Segments) != 1 {
			t.Errorf("%+v", s.Devices[0])
		}
	},
	"float_time": func(t *testing.T, s *Snapshot) {
		if got := s.Devices[0].Events.Time[0]; got != 1500000000000000 {
			t.Errorf("time %d", got)
		}
	},
	"hugestr": func(t *testing.T, s *Snapshot) {
		long := 0
		for _, x := range s.Strings {
			long = max(long, len(x))
		}
		if long < 70000 {
			t.Errorf("longest string %d", long)
		}
	},
	"fx_frames": func(t *testing.T, s *Snapshot) {
		if len(s.Frames.FX) != 1 {
			t.Fatalf("FX %v", s.Frames.FX)
		}
		text := strings.Join(s.StackText(s.Devices[0].Events.Stack[0], false), "\n")
		if !strings.Contains(text, "FX: node=add, op=call_function, target=t") || !strings.Contains(text, "x=1") {
			t.Errorf("stack %q", text)
		}
	},
	"ring_wrapped": func(t *testing.T, s *Snapshot) {
		if !s.Devices[0].Overflowed || s.finding("ring-wrapped") == nil {
			t.Errorf("findings %v", s.Findings)
		}
	},
	"time_back": wantNotice("time-backwards"),
	"ann_unpaired": func(t *testing.T, s *Snapshot) {
		if len(s.Annotations) != 2 || s.Annotations[0].Start || !s.Annotations[1].Start {
			t.Errorf("%+v", s.Annotations)
		}
	},
	"two_dev_same_addr": func(t *testing.T, s *Snapshot) {
		if len(s.Devices) != 2 || s.Devices[0].Events.Addr[0] != s.Devices[1].Events.Addr[0] {
			t.Errorf("%+v", s.Devices)
		}
	},
	"gz": wantCompression("gzip"), "gz_named_pickle": wantCompression("gzip"), "json": wantCompression("none"),
}

func wantSkipped(t *testing.T, s *Snapshot) {
	f := s.finding("events-skipped")
	if f == nil || f.Count != 1 || f.Severity != Warning || f.Offset <= 0 || s.Devices[0].Blocks.Len() != 2 {
		t.Errorf("finding %+v", f)
	}
}

func wantFile(name string) func(*testing.T, *Snapshot) {
	return func(t *testing.T, s *Snapshot) {
		f := s.Stacks.Of(s.Devices[0].Events.Stack[0])[0]
		if got := s.Strings[s.Frames.File[f]]; got != name {
			t.Errorf("file name %q, want %q", got, name)
		}
	}
}

func wantNoStack(t *testing.T, s *Snapshot) {
	if s.Devices[0].Events.Len() != 1 || s.Devices[0].Events.Stack[0] != 0 {
		t.Errorf("stack %d", s.Devices[0].Events.Stack[0])
	}
}

func wantWarning(id string) func(*testing.T, *Snapshot) { return wantFinding(id, Warning) }
func wantNotice(id string) func(*testing.T, *Snapshot)  { return wantFinding(id, Notice) }

func wantFinding(id string, sev Severity) func(*testing.T, *Snapshot) {
	return func(t *testing.T, s *Snapshot) {
		if f := s.finding(id); f == nil || f.Severity != sev || f.Title == "" || f.Explain == "" {
			t.Errorf("finding %+v in %+v", f, s.Findings)
		}
	}
}

func wantOOM(t *testing.T, s *Snapshot) {
	e := &s.Devices[0].Events
	for i, a := range e.Action {
		if a == ActionOOM && e.Size[i] == 8<<30 && e.Addr[i] == 123456 {
			return
		}
	}
	t.Errorf("no OOM of the right size: %+v", e)
}

func wantCompression(c string) func(*testing.T, *Snapshot) {
	return func(t *testing.T, s *Snapshot) {
		if s.Source.Compression != c || s.Devices[0].Events.Len() != 3 {
			t.Errorf("%+v", s.Source)
		}
	}
}

// TestCases opens every input that broke other viewers.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "cases"), "*.[pz]*"))
	if err != nil || len(files) < 55 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	warned := map[string]bool{"bigint_list": true, "negsize": true, "trunc": true, "no_segments": true,
		"no_traces": true, "cut_zip": true}
	checked := 0
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".")
		t.Run(name, func(t *testing.T) {
			s, err := Open(context.Background(), f, Options{})
			if name == "empty" {
				var e *Error
				if !errors.As(err, &e) || e.Kind != KindEmpty || !strings.Contains(err.Error(), "the file is empty") {
					t.Errorf("%v", err)
				}
				return
			}
			if want := refusals[name]; want != "" {
				checked++
				var e *Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if w := s.warnings(); (len(w) > 0) != warned[name] {
				t.Errorf("warnings %v", w)
			}
			if check := caseChecks[name]; check != nil {
				checked++
				check(t, s)
			}
			if check := secondLot[name]; check != nil {
				checked++
				check(t, s)
			} else {
				wantUsual(t, name, s)
			}
		})
	}
	if want := len(caseChecks) + len(secondLot) + len(refusals); checked != want {
		t.Errorf("%d checks ran of %d", checked, want)
	}
}

// wantUsual checks what all cases have in common.
func wantUsual(t *testing.T, name string, s *Snapshot) {
	d := &s.Devices[0]
	if name != "no_segments" && name != "bigaddr" {
		seg := d.Segments[0]
		if len(d.Segments) != 1 || seg.Size != 2<<20 || seg.End-seg.First != 2 || d.Blocks.State[0] != BlockAllocated ||
			d.Blocks.Requested[0] != 400 || d.Blocks.Size[0] != 512 {
			t.Errorf("segments %+v, blocks %+v", d.Segments, d.Blocks)
		}
	}
	for i := range d.Events.Len() {
		if d.Events.Action[i] == ActionAlloc && d.Events.Size[i] == 1024 && d.Events.Addr[i] != caseAlloc &&
			name != "bigaddr" {
			t.Errorf("alloc at %#x", d.Events.Addr[i])
		}
	}
}

// TestProtocolsEqual reads the same snapshot in all protocols.
func TestProtocolsEqual(t *testing.T) {
	dir := shared(t, "cases")
	var first []byte
	for _, name := range []string{"proto0", "proto1", "proto2", "proto3", "proto5", "json"} {
		s, err := Open(context.Background(), filepath.Join(dir, name+".pickle"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := s.Devices[0].Events
		if e.Len() != 3 || e.Action[0] != ActionAlloc || e.Action[2] != ActionFreeCompleted || e.Size[0] != 1024 ||
			e.Time[2]-e.Time[0] != 2 {
			t.Errorf("%s: %+v", name, e)
		}
		text := []byte(strings.Join(s.StackText(e.Stack[0], false), "\n"))
		if first == nil {
			first = text
		} else if string(first) != string(text) {
			t.Errorf("%s: stack %q, want %q", name, text, first)
		}
	}
}

// TestRealFilesHaveNoWarnings: a good file has no findings that read like faults.
func TestRealFilesHaveNoWarnings(t *testing.T) {
	for _, f := range snapshotFiles(t) {
		s, err := Open(context.Background(), f, Options{})
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if w := s.warnings(); w != nil {
			t.Errorf("%s: %v", f, w)
		}
		checkWhole(t, s)
	}
}

// checkWhole checks what holds of every Snapshot, whatever it was read from.
func checkWhole(t testing.TB, s *Snapshot) {
	t.Helper()
	if s.Strings[0] != "" || s.Streams[0] != 0 || len(s.Stacks.Site) != s.Stacks.Len() {
		t.Fatal("tables without their first entries")
	}
	for _, f := range s.Stacks.Frame {
		if f == 0 || int(f) >= len(s.Frames.Name) {
			t.Fatalf("frame %d of %d", f, len(s.Frames.Name))
		}
	}
	devs := s.Devices
	if s.Host != nil {
		devs = append(devs[:len(devs):len(devs)], *s.Host)
	}
	for i := range devs {
		d := &devs[i]
		n := d.Events.Len()
		if len(d.Events.Addr) != n || len(d.Events.Size) != n || len(d.Events.Stream) != n ||
			len(d.Events.Stack) != n ||
			d.Events.Time != nil && len(d.Events.Time) != n || d.Events.Meta != nil && len(d.Events.Meta) != n {
			t.Fatal("columns of different lengths")
		}
		var sum float64
		for k := range n {
			if d.Events.Action[k] == ActionOther || d.Events.Size[k] < 0 || int(d.Events.Stack[k]) >= s.Stacks.Len() ||
				int(d.Events.Stream[k]) >= len(s.Streams) {
				t.Fatalf("event %d is impossible", k)
			}
			if d.Events.Meta != nil && int(d.Events.Meta[k]) >= len(s.Metas) {
				t.Fatalf("event %d has no metadata", k)
			}
			if d.Events.Action[k] == ActionAlloc {
				sum += float64(d.Events.Size[k])
			}
		}
		b := &d.Blocks
		if m := b.Len(); len(b.Size) != m || len(b.Requested) != m || len(b.State) != m || len(b.Stack) != m ||
			b.Forward != nil && len(b.Forward) != m {
			t.Fatal("block columns of different lengths")
		}
		for k := range b.Len() {
			sum += float64(b.Size[k])
		}
		if sum > math.MaxInt64 {
			t.Fatal("the sizes add up to more than 63 bits")
		}
		last := int32(0)
		for _, seg := range d.Segments {
			if seg.First != last || seg.End < seg.First || int(seg.End) > b.Len() || seg.Size < 0 {
				t.Fatalf("segment %+v", seg)
			}
			last = seg.End
		}
	}
}

// TestFixtures opens what torch 2.14 itself wrote.
func TestFixtures(t *testing.T) {
	for _, c := range []struct {
		file   string
		events int
	}{{"cpp_pickler_proto2.pickle", 403}, {"cpp_pickler_proto2_type_tags.pickle", 403},
		{"profile_to_snapshot_categories.pickle", 488}} {
		s, err := Open(context.Background(), shared(t, "fixtures", c.file), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if n := s.Devices[0].Events.Len(); n != c.events || s.Source.Reader != "stream" {
			t.Errorf("%s: %d events, by %s", c.file, n, s.Source.Reader)
		}
		checkWhole(t, s)
	}
	for _, name := range []string{"memory_timeline.json", "memory_timeline.raw.json.gz"} {
		s, err := Open(context.Background(), shared(t, "fixtures", name), Options{})
		if err != nil || s.Devices[0].Bands == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat("nothing"); err == nil {
		t.Error("a file named nothing")
	}
	_, err := Open(context.Background(), "nothing", Options{})
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindIO || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a missing file: %v", err)
	}
}
