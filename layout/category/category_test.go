package category

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/snapshot"
)

// sizes makes a timeline of an allocation of each size, with the stack of the test's.
func sizes(s *snapshot.Snapshot, sizes ...int64) *layout.Timeline {
	t := traces.New()
	for _, size := range sizes {
		t.Alloc(size)
		t.Events.Stack[len(t.Events.Stack)-1] = 1
	}
	made, d := t.Snapshot()
	s.Devices, s.Streams, s.Pools = made.Devices, made.Streams, made.Pools
	s.Stacks.Site = make([]snapshot.FrameID, s.Stacks.Len())
	return layout.New(s, d, layout.Options{})
}

// TestOrder: the file comes before a person's rules, those before stacks, stacks before annotations, and those before
// weak rules.
func TestOrder(t *testing.T) {
	rules, err := ParseRules("my.rules",
		"# mine\n\nbig ones = size>=1MiB -site:x\nKV cache=/nothing/\nsmall  = size<10\n")
	if err != nil {
		t.Fatal(err)
	}
	s := stack("/home/me/model.py forward")
	tl := sizes(s, 100, 1<<20, 5, 100)
	s.Strings = append(s.Strings, "optimizer_state", "Unknown")
	n := snapshot.StringID(len(s.Strings))
	s.Metas = append(s.Metas, snapshot.Meta{Category: n - 2}, snapshot.Meta{Category: n - 1})
	tl.Device.Events.Meta = []snapshot.MetaID{0, 0, 1, 2}
	c := New(tl, nil, rules)
	for id, want := range []string{"activations, inferred: the forward pass", "big ones, inferred: my.rules, line 3",
		"optimizer state, recorded: recorded in the file", "activations, inferred: the forward pass"} {
		id := layout.ID(id)
		how := ", recorded: "
		if c.Inferred(id) {
			how = ", inferred: "
		}
		got := c.Name(id) + how + c.why(id)
		if got != want {
			t.Errorf("allocation %d: %s, want %s", id, got, want)
		}
	}
	if a, b := c.Title(Activations), c.Title(OptimizerState); a != "activations (inferred)" ||
		b != "optimizer state (recorded)" {
		t.Errorf("%s, %s", a, b)
	}
	if c = New(tl, nil, nil); c.Name(1) != "activations" {
		t.Errorf("without rules: %s", c.Name(1))
	}
}

// TestPhases: an annotation tells what a stack does not, and more than weak rules.
func TestPhases(t *testing.T) {
	s := stack("/home/me/train.py __init__")
	tl := sizes(s, 100, 100, 100)
	s.Strings = append(s.Strings, "## Backward ##", "evaluate")
	n := snapshot.StringID(len(s.Strings))
	at := tl.Device.Events.Time
	s.Annotations = []snapshot.Annotation{{Start: true, Name: n - 2, Time: at[0]}, {Name: n - 2, Time: at[0] + 1},
		{Start: true, Name: n - 1, Time: at[1]}, {Name: n - 1, Time: at[1] + 1}}
	c := New(tl, layout.AllPhases(tl), nil)
	for id, want := range []int32{Gradients, Parameters, Parameters} {
		if c.Of(layout.ID(id)) != want {
			t.Errorf("allocation %d: %s (%s), want %s", id, c.Name(layout.ID(id)), c.why(layout.ID(id)), names[want])
		}
	}
}

// TestWrongRules: what is wrong with a rule is said with its line.
func TestWrongRules(t *testing.T) {
	for text, want := range map[string]string{
		"KV cache":              "f, line 1: a rule is CATEGORY = SEARCH",
		"\n = size>1":           "f, line 2: a rule is CATEGORY = SEARCH",
		"x = size>1\ny =":       "f, line 2: nothing says what is y",
		"x = /[/":               "f, line 1: the regular expression is wrong",
		"x = size>huge":         `f, line 1: "huge" is no size`,
		"x = category:y":        "f, line 1: a rule cannot ask for a category",
		"x = \xff":              "f: it holds no rules",
		rulesOf(maxRules + 1):   "f, line 1001: there are more than 1000 rules",
		"# only this\n\t\n# x=": "",
	} {
		_, err := ParseRules("f", text)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func rulesOf(n int) string { return strings.Repeat("x = size>1\n", n) }

// TestManyCategories: what would be one category too many is unknown.
func TestManyCategories(t *testing.T) {
	s := stack("x f")
	tl := sizes(s, make([]int64, 200)...)
	tl.Device.Events.Meta = make([]snapshot.MetaID, 200)
	for i := range 200 {
		s.Strings = append(s.Strings, strings.Repeat("x", i+1))
		s.Metas = append(s.Metas, snapshot.Meta{Category: snapshot.StringID(len(s.Strings) - 1)})
		tl.Device.Events.Meta[i] = snapshot.MetaID(i + 1)
	}
	c := New(tl, nil, nil)
	if len(c.Names) != maxNames || c.Name(0) != "x" || c.Name(199) != "unknown" || len(c.Name(100)) != 101 {
		t.Errorf("%d names, %q, %q", len(c.Names), c.Name(0), c.Name(199))
	}
}

// TestRecorded: a snapshot made of a profile says what each allocation is for, and that wins everywhere.
func TestRecorded(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../testdata/reference/rand-category-0.pickle", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	c := New(tl, nil, nil)
	said := 0
	for id := range layout.ID(len(tl.Size)) {
		text := s.Strings[s.Metas[tl.At(id).Meta].Category]
		if (text != "" && text != "unknown") == (c.Inferred(id) || c.Of(id) == Unknown) {
			t.Errorf("allocation %d: %q is recorded, %s (%s)", id, text, c.Name(id), c.why(id))
		}
		if text != "" {
			said++
		}
	}
	if said == 0 {
		t.Error("nothing is recorded in the file")
	}
}

// TestUnknownOfRealSnapshots: where stacks are recorded nearly all memory at the peak has a category. Without a stack
// nothing is guessed.
func TestUnknownOfRealSnapshots(t *testing.T) {
	most := map[string]float64{ // per cent of what has a stack
		"compiled-forward": 0, "finetune-no-time": 0, "inference-cpp-frames": 0, "multi-gpu-oom-expandable": 1,
		"npu-expandable": 35, "old-form-history": 0, "only-one-free": 0, "small-cpp-2.3": 1, "training-cpp-frames": 0,
	}
	for name, share := range most {
		file := filepath.Join("../../../shared/snapshots", name+".pickle")
		if _, err := os.Stat(file); err != nil {
			t.Skipf("SKIPPED: %v", err)
		}
		s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Devices {
			tl := layout.New(s, &s.Devices[i], layout.Options{})
			c := New(tl, layout.AllPhases(tl), nil)
			var all, unknown int64
			for id := range layout.ID(len(tl.Size)) {
				if tl.Birth[id] > tl.PeakState || tl.Death[id] <= tl.PeakState {
					continue
				}
				if tl.StackOf(id) == 0 || tl.KnownByFree(id) {
					if c.Of(id) != Unknown {
						t.Fatalf("%s: %s of what has no stack", name, c.Name(id))
					}
					continue
				}
				all += tl.Size[id]
				if c.Of(id) == Unknown {
					unknown += tl.Size[id]
				}
			}
			if got := 100 * float64(unknown) / float64(max(1, all)); got > share {
				t.Errorf("%s, device %d: of %.1f %% of what has a stack nothing is known, want %.0f at most", name,
					s.Devices[i].Index, got, share)
			}
		}
	}
}

// BenchmarkNew tells the categories of 2.7 million events, or of what STRATA_BENCH_FILE names, with a
// person's rules too.
func BenchmarkNew(b *testing.B) {
	s, _ := traces.Training(2_700_000).Snapshot()
	if name := os.Getenv("STRATA_BENCH_FILE"); name != "" {
		var err error
		if s, err = snapshot.Open(context.Background(), name, snapshot.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	phases := layout.AllPhases(tl)
	own, err := ParseRules("", "KV cache = /cache/ size>=1MiB\nmine = site:model.py:12 -size<1KiB\n")
	if err != nil {
		b.Fatal(err)
	}
	for name, rules := range map[string]*Rules{"built-in": nil, "own": own} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				New(tl, phases, rules)
			}
		})
	}
}

// why says what the category of an allocation was told by, in a few words.
func (c *Categories) why(id layout.ID) string {
	_, why := c.decide(id)
	return why
}
