package growth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/traces"
	"strata/snapshot"
)

// The call sites of the runs below: line n of model.py.
const (
	weightSite = 1 + iota
	layerSite
	lossSite
	leakSite
	cacheSite
	staysSite
)

// A program is a run of steps that all hold something at their ends, and leave behind what leak and cache say.
type program struct {
	steps     int
	irregular bool // batches of any length, some steps twice as deep, and sometimes something that lives a few steps
	seed      uint64
	plain     bool // no annotations
	layers    int
	leak      func(step int) int64 // bytes
	cache     func(step int) int64
	shared    bool // the leak is allocated where the activations are
}

// run is the timeline of the program.
func (p program) run() *layout.Timeline {
	rng := rand.New(rand.NewPCG(p.seed, uint64(p.steps)))
	t := traces.New()
	t.Sites = 10
	alloc := func(site int, size int64) uint64 {
		addr := t.Alloc(size)
		t.Events.Stack[len(t.Events.Stack)-1] = snapshot.StackID(site)
		return addr
	}
	for range 40 {
		alloc(weightSite, 8<<20)
	}
	var starts []int64
	var batch uint64
	var stays []uint64
	for step := range p.steps {
		starts = append(starts, int64(len(t.Events.Time))*13)
		length, layers := int64(64), p.layers
		if p.irregular {
			length = 1 + rng.Int64N(128)
			layers += p.layers * rng.IntN(2)
			if rng.IntN(3) == 0 {
				stays = append(stays, alloc(staysSite, length<<12))
			}
			if len(stays) > 0 && rng.IntN(3) == 0 {
				t.Free(stays[0])
				stays = stays[1:]
			}
		}
		old := batch
		batch = alloc(lossSite, length<<14) // the next step's is there before it goes
		if old != 0 {
			t.Free(old)
		}
		var kept []uint64
		for layer := range layers {
			kept = append(kept, alloc(layerSite, length<<14))
			if p.leak != nil && layer == 0 && p.leak(step) > 0 {
				site := leakSite
				if p.shared {
					site = lossSite
				}
				alloc(site, p.leak(step))
			}
		}
		if p.cache != nil && p.cache(step) > 0 {
			alloc(cacheSite, p.cache(step))
		}
		for _, addr := range kept {
			t.Free(addr)
		}
	}
	s, d := t.Snapshot()
	if !p.plain {
		for i, at := range starts {
			s.Strings = append(s.Strings, fmt.Sprintf("step %d", i))
			name := snapshot.StringID(len(s.Strings) - 1)
			s.Annotations = append(s.Annotations, snapshot.Annotation{Time: at, Name: name, Start: true})
			end := int64(len(t.Events.Time)) * 13
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			s.Annotations = append(s.Annotations, snapshot.Annotation{Time: end, Name: name})
		}
	}
	return layout.New(s, d, layout.Options{})
}

func find(t *layout.Timeline) *Result {
	return Find(breakdown.New(t, breakdown.ByCallSite, breakdown.Options{}), nil)
}

// lines are the groups of a list in short, "LINE bytes*repeats".
func lines(r *Result, list []Group) string {
	var out []string
	for i := range list {
		g := &list[i]
		line := strings.TrimSuffix(strings.TrimPrefix(r.Grouping.Name(g.Group), "model.py:"), " f")
		out = append(out, fmt.Sprintf("%s %d*%d", line, g.PerRepeat(), g.Repeats()))
	}
	return strings.Join(out, ", ")
}

func each(n int64) func(int) int64 { return func(int) int64 { return n } }

func until(step int, n int64) func(int) int64 {
	return func(s int) int64 {
		if s < step {
			return n
		}
		return 0
	}
}

func every(k int, n int64) func(int) int64 {
	return func(s int) int64 {
		if s%k == 0 {
			return n
		}
		return 0
	}
}

func only(step int, n int64) func(int) int64 {
	return func(s int) int64 {
		if s == step {
			return n
		}
		return 0
	}
}

func TestGrowth(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	uneven := func(int) int64 { return 512 + 512*rng.Int64N(8) }
	twice := func(s int) int64 { return only(25, 1<<30)(s) + only(31, 1<<28)(s) }
	filling := func(s int) int64 { return int64(4e6 * math.Pow(.8, float64(s))) }
	afterJump := func(s int) int64 { return 512 + only(4, 1<<30)(s) }
	fromTenth := func(s int) int64 { return 512 - until(10, 512)(s) }
	slower := func(s int) int64 { return 4096 + until(6, 1<<24)(s) }
	for name, c := range map[string]struct {
		p              program
		grows, stopped string
	}{
		"nothing":             {p: program{steps: 20}},
		"irregular":           {p: program{steps: 40, irregular: true}},
		"a leak":              {program{steps: 20, leak: each(1 << 20)}, "4 1048576*20", ""},
		"a leak of few steps": {program{steps: 4, leak: each(1 << 20)}, "4 1048576*4", ""},
		"too few steps":       {p: program{steps: 2, leak: each(1 << 20)}},
		"far below 1 %":       {program{steps: 100, leak: each(512)}, "4 512*100", ""},
		"below the noise":     {program{steps: 60, irregular: true, shared: true, leak: each(4096)}, "3 4096*59", ""},
		"each fourth step":    {program{steps: 40, leak: every(4, 1<<20)}, "4 262144*40", ""},
		"of any size":         {program{steps: 30, leak: uneven}, "4", ""},
		"one late jump":       {p: program{steps: 20, cache: only(15, 1<<30)}},
		"one early jump":      {p: program{steps: 20, cache: only(0, 1<<30)}},
		"two late jumps":      {p: program{steps: 40, cache: twice}},
		"the last step's":     {p: program{steps: 20, cache: only(19, 1<<30)}},
		"a warm-up":           {program{steps: 20, cache: until(5, 1<<20)}, "", "5 1048576*5"},
		"a long warm-up":      {program{steps: 20, cache: until(15, 1<<20)}, "", "5 1048576*15"},
		"a cache that fills":  {program{steps: 40, cache: filling}, "", "5"},
		"warm-up and a leak": {program{steps: 20, cache: until(6, 1<<22), leak: each(1 << 18)},
			"4 262144*20", "5 4194304*6"},
		"slower after warm-up":  {program{steps: 40, leak: slower}, "4 4096*20", ""},
		"a jump and a leak":     {program{steps: 30, leak: afterJump}, "4 512*25", ""},
		"a leak from the tenth": {program{steps: 30, leak: fromTenth}, "4 512*20", ""},
	} {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprint(name, plain), func(t *testing.T) {
				c.p.plain, c.p.layers = plain, 5
				tl := c.p.run()
				r := find(tl)
				if !plain && c.p.steps > 2 && (r.Phase != "step N" || r.Count() != c.p.steps) {
					t.Errorf("%d repetitions of %q, want %d steps", r.Count(), r.Phase, c.p.steps)
				}
				grows, stopped := lines(r, r.Grows), lines(r, r.Stopped)
				for _, list := range [][3]string{{"grows", grows, c.grows}, {"stopped", stopped, c.stopped}} {
					got, want := list[1], list[2]
					if plain { // where the last step ends is not known
						want, _, _ = strings.Cut(want, " ")
					}
					if !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Contains(got, ",") {
						t.Errorf("%s %q, want %q", list[0], got, want)
					}
				}
			})
		}
	}
}

// TestIrregular: of many irregular runs none is said to grow that does not, and a leak far below the noise is found.
func TestIrregular(t *testing.T) {
	for seed := range uint64(40) {
		p := program{steps: 30, irregular: true, layers: 5, seed: seed, plain: seed%2 == 0}
		if r := find(p.run()); len(r.Grows) > 0 {
			t.Errorf("seed %d: %s grows", seed, lines(r, r.Grows))
		}
		p.leak = each(4096)
		if r := find(p.run()); !strings.Contains(lines(r, r.Grows), "4 4096*") {
			t.Errorf("seed %d: %s grows, want 4 4096 bytes each", seed, lines(r, r.Grows))
		}
	}
}

// TestThreeSteps: that many are enough where annotations name them.
func TestThreeSteps(t *testing.T) {
	r := find(program{steps: 3, layers: 5, leak: each(512)}.run())
	if got := lines(r, r.Grows); got != "4 512*3" || r.Sure(&r.Grows[0]) != "perhaps" || len(r.Stopped) > 0 {
		t.Errorf("grows %q, stopped %q", got, lines(r, r.Stopped))
	}
}

// TestSample: the leak of the bundled run is found, and nothing else.
func TestSample(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../testdata/sample.pickle.gz", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		if plain {
			s.Annotations = nil
		}
		r := find(layout.New(s, &s.Devices[0], layout.Options{}))
		if len(r.Grows) != 1 || len(r.Stopped) != 0 {
			t.Fatalf("plain %v: %s grow, %s stopped", plain, lines(r, r.Grows), lines(r, r.Stopped))
		}
		g := &r.Grows[0]
		if name := r.Grouping.Name(g.Group); !strings.HasSuffix(name, "/train.py:112 evaluate") || g.Repeats() < 7 ||
			g.PerRepeat()>>20 < 800 || g.PerRepeat()>>20 > 840 {
			t.Errorf("plain %v: %d times %d bytes of %s", plain, g.Repeats(), g.PerRepeat(), name)
		}
	}
}

// TestLeft: what only one step made and what was never freed are listed with their steps.
func TestLeft(t *testing.T) {
	r := find(program{steps: 20, layers: 5, leak: until(8, 512), cache: only(15, 1<<30)}.run())
	if len(r.Once) != 1 || r.Once[0].Repeat != 15 || r.Once[0].Bytes != 1<<30 || r.Once[0].Blocks != 1 {
		t.Errorf("only one step made %v, want a gibibyte in step 15", r.Once)
	}
	// The last batch is there at the end.
	want := []Kept{{r.Once[0].Group, 1, 1 << 30, 5, 5}, {1, 1, 64 << 14, 1, 1}, {3, 8, 4096, 20, 13}}
	if fmt.Sprint(r.Kept) != fmt.Sprint(want) {
		t.Errorf("never freed %v, want %v", r.Kept, want)
	}
}

// TestAnnotated: of several annotations that repeat, the one that is an iteration is taken.
func TestAnnotated(t *testing.T) {
	type phase struct {
		name     string
		n, parts int // of the n parts of a run, the first of each lot of so many is it
		wide     bool
	}
	for _, c := range []struct {
		phases []phase
		want   string
	}{
		{[]phase{{"step 7", 10, 1, true}, {"forward", 10, 1, false}}, "step 7"},
		{[]phase{{"epoch", 3, 1, true}, {"step", 30, 1, true}}, "step"},
		{[]phase{{"step", 40, 1, true}, {"evaluate", 40, 4, true}}, "step"},
		{[]phase{{"once", 1, 1, true}}, ""},
		{[]phase{{"CachingAutotuner.benchmark_all_configs (dynamo_timed)", 9, 1, true}}, ""},
		{[]phase{{"Optimizer.step#AdamW.step", 9, 1, true}}, "Optimizer.step#AdamW.step"},
	} {
		tl := program{steps: 20, layers: 5, plain: true}.run()
		s := tl.Snapshot
		for _, p := range c.phases {
			s.Strings = append(s.Strings, p.name)
			for i := 0; i < p.n; i += p.parts {
				length := (tl.End - tl.Start) / int64(p.n)
				start := tl.Start + int64(i)*length
				if !p.wide {
					length /= 3
				}
				name := snapshot.StringID(len(s.Strings) - 1)
				s.Annotations = append(s.Annotations, snapshot.Annotation{Time: start, Name: name, Start: true},
					snapshot.Annotation{Time: start + length, Name: name})
			}
		}
		if r := annotated(tl, layout.AllPhases(tl)); r.Phase != c.want {
			t.Errorf("of %v %q is taken, want %q", c.phases, r.Phase, c.want)
		}
	}
}

// TestParts: what repeats within one step is no loop of the program: layers of a pass forward and back, and an
// optimizer that makes its state for one parameter after the other.
func TestParts(t *testing.T) {
	files := []string{"finetune-no-time", "training-cpp-frames", "compiled-forward", "inference-cpp-frames",
		"small-cpp-2.3"}
	for _, name := range files {
		s, err := snapshot.Open(context.Background(), "../../../shared/snapshots/"+name+".pickle", snapshot.Options{})
		if err != nil {
			t.Skipf("SKIPPED: %v", err)
		}
		if r := find(layout.New(s, &s.Devices[0], layout.Options{})); len(r.Grows) > 0 {
			t.Errorf("%s: %s grows", name, lines(r, r.Grows))
		}
	}
}
