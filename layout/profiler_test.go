package layout

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"strata/snapshot"
	"strata/snapshot/kineto"
)

// TestTraces: the curve of a trace of torch.profiler is what its events say that the device held.
func TestTraces(t *testing.T) {
	files, _ := filepath.Glob("../testdata/profiler/*.json*")
	more, _ := filepath.Glob("../../shared/profiler/samples/*.json.gz")
	traces := 0
	for _, file := range append(files, more...) {
		s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
		if err != nil || !s.IsTrace() {
			continue
		}
		traces++
		for _, d := range s.All() {
			var f kineto.Figures
			if err := json.Unmarshal(d.Figures, &f); err != nil {
				t.Fatal(err)
			}
			tl := New(s, d, Options{})
			if f.Counts == nil || f.Totals == nil {
				continue
			}
			if tl.PeakBytes != f.Peak || tl.EndBytes != f.End || tl.StartBytes != *f.Baseline && *f.Baseline >= 0 {
				t.Errorf("%s, %s: from %d by %d to %d, want %d by %d to %d", filepath.Base(file), f.Name, tl.StartBytes,
					tl.PeakBytes, tl.EndBytes, *f.Baseline, f.Peak, f.End)
			}
			if f.Pairs != nil && tl.Snapshot.Source.Reader == snapshot.ReaderTrace && f.Disagreeing == 0 &&
				len(tl.Size) != f.Allocs+f.UnmatchedFrees+min(1, int(max(0, *f.NeverFreed))) {
				t.Errorf("%s, %s: %d allocations of %d allocs and %d older", filepath.Base(file), f.Name, len(tl.Size),
					f.Allocs, f.UnmatchedFrees)
			}
		}
	}
	if traces < 8 {
		t.Errorf("only %d traces in %s", traces, os.Getenv("PWD"))
	}
}

// TestSpansInLane: modules and outermost operators stand beside the annotations, more when asked.
func TestSpansInLane(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../shared/profiler/samples/rocm-mi300-train-norms.json.gz",
		snapshot.Options{})
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	tl := New(s, &s.Devices[0], Options{})
	last := 0
	for c := NoSpans; c <= PythonSpans; c++ {
		p, err := NewPhases(tl, Choice{All: true, Spans: c})
		if err != nil || len(p.All) <= last {
			t.Errorf("choice %d: %d phases, %v", c, len(p.All), err)
		}
		last = len(p.All)
	}
	if want := len(s.Spans.Name); last != want {
		t.Errorf("%d spans, want %d", last, want)
	}
	p, _ := NewPhases(tl, Choice{All: true, Spans: OuterSpans, Filter: "GroupNorm_0"})
	if len(p.All) == 0 || p.All[0].Name != "GroupNorm_0" {
		t.Errorf("%+v", p.All)
	}
}
