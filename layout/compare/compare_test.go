package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/snapshot"
)

// An alloc is a block that is never freed: its size, and the stack that it comes from, the innermost frame first, as
// "file.py:12 function".
type alloc struct {
	size  int64
	stack []string
}

// from is a block from a stack.
func from(size int64, stack ...string) alloc { return alloc{size, stack} }

var frameForm = regexp.MustCompile(`^(.*):(\d+) (.*)$`)

// timeline is of a program that makes these blocks, one each 10 µs, within annotations of the names at their times.
func timeline(t testing.TB, allocs []alloc, annotations ...any) *layout.Timeline {
	t.Helper()
	var trace []map[string]any
	addr := int64(1 << 40)
	for i, a := range allocs {
		frames := []map[string]any{}
		for _, text := range a.stack {
			m := frameForm.FindStringSubmatch(text)
			line, _ := strconv.Atoi(m[2])
			frames = append(frames, map[string]any{"filename": m[1], "line": line, "name": m[3]})
		}
		trace = append(trace, map[string]any{"action": "alloc", "addr": addr, "size": a.size, "stream": 0,
			"time_us": 1000 + 10*i, "frames": frames})
		addr += (a.size + 511) &^ 511
	}
	if annotations == nil {
		annotations = []any{}
	}
	data, err := json.Marshal(map[string]any{"segments": []any{}, "device_traces": []any{trace},
		"external_annotations": annotations})
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(context.Background(), "test.json", data, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return layout.New(s, &s.Devices[0], layout.Options{})
}

// annotation is the stretch of a name between two times in µs.
func annotation(name string, from, to int) []any {
	at := func(stage string, us int) any {
		return map[string]any{"name": name, "stage": stage, "device": 0, "time_us": us}
	}
	return []any{at("START", from), at("END", to)}
}

// matched compares two timelines at their ends: "A -> B: rule" for each pair, with the bytes.
func matched(a, b *layout.Timeline, by breakdown.By) []string {
	group := func(tl *layout.Timeline) *breakdown.Grouping {
		return breakdown.New(tl, by, breakdown.Options{Phases: layout.AllPhases(tl)})
	}
	g := NewGroups(NewCode(a, b), group(a), group(b))
	var lines []string
	for _, r := range g.At(int32(len(a.Actions)), int32(len(b.Actions))) {
		name := [2]string{"-", "-"}
		if r.A != breakdown.Excluded {
			name[0] = g.A.Label(r.A)
		}
		if r.B != breakdown.Excluded {
			name[1] = g.B.Label(r.B)
		}
		lines = append(lines, fmt.Sprintf("%s -> %s: %s", name[0], name[1], r.Rule))
	}
	slices.Sort(lines)
	return lines
}

const (
	torch  = "/opt/conda/lib/python3.10/site-packages/torch/nn/modules/"
	torch2 = "/home/me/.venv/lib/python3.12/site-packages/torch/nn/modules/"
	linear = torch + "linear.py:125 forward"
	norm   = torch + "normalization.py:217 forward"
)

// A matchCase is two programs and how their groups match.
type matchCase struct {
	name string
	by   breakdown.By
	a, b []alloc
	want []string
}

func lineCases() []matchCase {
	return []matchCase{
		{"another root, container and Python", breakdown.ByCallSite,
			[]alloc{from(100, linear, "/home/ann/proj/llm/model.py:57 forward", "/home/ann/proj/train.py:9 main")},
			[]alloc{from(200, torch2+"linear.py:130 forward", "/app/llm/model.py:57 forward", "/app/train.py:9 main")},
			[]string{"model.py:57 forward -> model.py:57 forward: other root"}},
		{"a renamed run folder, another order", breakdown.ByCallSite,
			[]alloc{from(1, "/runs/2026-01-01/src/a.py:5 f"), from(2, "/runs/2026-01-01/src/b.py:5 f")},
			[]alloc{from(2, "/runs/exp_b2/src/b.py:5 f"), from(1, "/runs/exp_b2/src/a.py:5 f")},
			[]string{"a.py:5 f -> a.py:5 f: other root", "b.py:5 f -> b.py:5 f: other root"}},
		{"Windows", breakdown.ByCallSite,
			[]alloc{from(1, `C:\Users\ann\proj\model.py:5 embed`)}, []alloc{from(1, "/app/proj/model.py:6 embed")},
			[]string{"model.py:5 embed -> model.py:6 embed: moved line"}},
		{"lines moved by three, onto one another", breakdown.ByCallSite,
			[]alloc{from(100, linear, "/p/m.py:10 f"), from(300, norm, "/p/m.py:13 f"), from(9000, linear,
				"/p/m.py:16 f")},
			[]alloc{from(100, linear, "/p/m.py:13 f"), from(300, norm, "/p/m.py:16 f"), from(9000, linear,
				"/p/m.py:19 f")},
			[]string{"m.py:10 f -> m.py:13 f: moved line", "m.py:13 f -> m.py:16 f: moved line",
				"m.py:16 f -> m.py:19 f: moved line"}},
		{"a line more in the midst", breakdown.ByCallSite,
			[]alloc{from(100, linear, "/p/m.py:10 f"), from(300, linear, "/p/m.py:12 f")},
			[]alloc{from(100, linear, "/p/m.py:10 f"), from(7000, norm, "/p/m.py:12 f"), from(300, linear,
				"/p/m.py:13 f")},
			[]string{"- -> m.py:12 f: new", "m.py:10 f -> m.py:10 f: same name",
				"m.py:12 f -> m.py:13 f: moved line"}},
		{"a line less, of a larger batch", breakdown.ByCallSite,
			[]alloc{from(100, linear, "/p/m.py:10 f"), from(300, norm, "/p/m.py:12 f"), from(500, linear,
				"/p/m.py:14 f")},
			[]alloc{from(200, linear, "/p/m.py:10 f"), from(1000, linear, "/p/m.py:12 f")},
			[]string{"m.py:10 f -> m.py:10 f: same name", "m.py:12 f -> -: gone",
				"m.py:14 f -> m.py:12 f: moved line"}},
		{"two classes with a forward, one of them longer now", breakdown.ByCallSite,
			[]alloc{from(10, "/p/m.py:10 forward", "/p/t.py:1 main"), from(20, "/p/m.py:50 forward",
				"/p/t.py:1 main")},
			[]alloc{from(10, "/p/m.py:10 forward", "/p/t.py:1 main"), from(20, "/p/m.py:90 forward",
				"/p/t.py:1 main")},
			[]string{"m.py:10 forward -> m.py:10 forward: same name",
				"m.py:50 forward -> m.py:90 forward: moved line"}},
		{"a renamed function", breakdown.ByCallSite,
			[]alloc{from(10, linear, "/p/m.py:10 eval_loop", "/p/m.py:30 main"), from(5, "/p/m.py:20 load",
				"/p/m.py:31 main")},
			[]alloc{from(10, linear, "/p/m.py:10 evaluate", "/p/m.py:30 main"), from(5, "/p/m.py:20 load",
				"/p/m.py:31 main")},
			[]string{"m.py:10 eval_loop -> m.py:10 evaluate: renamed function",
				"m.py:20 load -> m.py:20 load: same name"}},
		{"another function is not a renamed one", breakdown.ByCallSite,
			[]alloc{from(10, linear, "/p/m.py:10 f", "/p/m.py:30 main")},
			[]alloc{from(999, norm, "/p/m.py:70 g", "/p/m.py:31 test")},
			[]string{"- -> m.py:70 g: new", "m.py:10 f -> -: gone"}},
		{"a renamed file", breakdown.ByCallSite,
			[]alloc{from(10, "/p/trainer.py:10 train_epoch"), from(11, "/p/trainer.py:20 validate")},
			[]alloc{from(10, "/p/loop.py:10 train_epoch"), from(11, "/p/loop.py:20 validate")},
			[]string{"trainer.py:10 train_epoch -> loop.py:10 train_epoch: renamed file",
				"trainer.py:20 validate -> loop.py:20 validate: renamed file"}},
	}
}

func otherCases() []matchCase {
	return []matchCase{
		{"files of one name in folders", breakdown.ByFile,
			[]alloc{from(1, "/x/p/a/__init__.py:1 f"), from(2, "/x/p/b/__init__.py:1 f")},
			[]alloc{from(2, "/y/p/b/__init__.py:1 f"), from(1, "/y/p/a/__init__.py:1 f")},
			[]string{"/x/p/a/__init__.py -> /y/p/a/__init__.py: other root",
				"/x/p/b/__init__.py -> /y/p/b/__init__.py: other root"}},
		{"a file of another project that happens to be called so", breakdown.ByFile,
			[]alloc{from(1, "/x/a/utils.py:1 pad")}, []alloc{from(2, "/y/b/utils.py:1 download")},
			[]string{"- -> /y/b/utils.py: new", "/x/a/utils.py -> -: gone"}},
		{"functions", breakdown.ByFunction,
			[]alloc{from(1, "/x/p/a.py:1 f"), from(1, "/x/p/a.py:2 f")}, []alloc{from(1, "/y/p/a.py:7 f")},
			[]string{"a.py f -> a.py f: other root"}},
		{"packages", breakdown.ByPackage,
			[]alloc{from(1, "/x/p/a.py:1 f"), from(1, "/x/p/b.py:2 g")}, []alloc{from(1, "/y/p/a.py:7 f")},
			[]string{"/x/p -> /y/p: other root"}},
		{"whole stacks", breakdown.ByStack,
			[]alloc{from(1, linear, "/x/p/a.py:1 f", "/x/p/t.py:5 main"), from(2, linear, "/x/p/a.py:1 f",
				"/x/p/t.py:9 test")},
			[]alloc{from(1, torch2+"linear.py:99 forward", torch2+"module.py:1 _call_impl", "/y/p/a.py:2 f",
				"/y/p/t.py:5 main")},
			[]string{linear + " < /x/p/a.py:1 f < " +
				"/x/p/t.py:5 main -> " + torch2 + "linear.py:99 forward < " + torch2 +
				"module.py:1 _call_impl < /y/p/a.py:2 f < /y/p/t.py:5 main: own code of the stack",
				linear + " < /x/p/a.py:1 f < " +
					"/x/p/t.py:9 test -> -: gone"}},
		{"no stack", breakdown.ByCallSite, []alloc{from(1)}, []alloc{from(2)},
			[]string{"no stack -> no stack: same name"}},
		{"C++", breakdown.ByCallSite,
			[]alloc{from(1, "??:0 at::_ops::mm::call(at::Tensor const&, at::Tensor const&)")},
			[]alloc{from(1, "??:0 at::_ops::mm::call(at::Tensor const&, at::Tensor const&, int)")},
			[]string{"at::_ops::mm::call -> at::_ops::mm::call: same name"}},
		{"sizes", breakdown.BySize, []alloc{from(1024)}, []alloc{from(2048), from(1024)},
			[]string{"- -> 2,048 B: new", "1,024 B -> 1,024 B: same name"}},
	}
}

// TestMatching: groups of a run are found again in another one.
func TestMatching(t *testing.T) {
	for _, c := range append(lineCases(), otherCases()...) {
		t.Run(c.name, func(t *testing.T) {
			got := matched(timeline(t, c.a), timeline(t, c.b), c.by)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestPhases: steps of a repeated phase are matched by their order where their numbers have nothing in common, else by
// their numbers.
func TestPhases(t *testing.T) {
	steps := func(first int) *layout.Timeline {
		var all []any
		for i := range 3 {
			all = append(all, annotation(fmt.Sprintf("step %d", first+i), 1000+10*i, 1005+10*i)...)
		}
		return timeline(t, []alloc{from(1), from(2), from(3)}, all...)
	}
	for _, c := range []struct {
		first int
		want  []string
	}{
		{9, []string{"step 1 -> step 9: order", "step 2 -> step 10: order", "step 3 -> step 11: order"}},
		{2, []string{"- -> step 4: new", "step 1 -> -: gone", "step 2 -> step 2: same name",
			"step 3 -> step 3: same name"}},
	} {
		if got := matched(steps(1), steps(c.first), breakdown.ByPhase); !slices.Equal(got, c.want) {
			t.Errorf("from %d: %q", c.first, got)
		}
	}
}

func TestSentence(t *testing.T) {
	gib := int64(1 << 30)
	a := timeline(t, []alloc{from(16*gib, "/p/train.py:112 evaluate"), from(4*gib, "/p/m.py:57 forward"), from(gib,
		"/p/o.py:1 o")})
	b := timeline(t, []alloc{from(12*gib, "/q/train.py:113 evaluate"), from(5*gib, "/q/m.py:57 forward")})
	group := func(tl *layout.Timeline) *breakdown.Grouping { return breakdown.New(tl, 0, breakdown.Options{}) }
	say := func(a, b *layout.Timeline, at func(*layout.Timeline) breakdown.Moment) string {
		g := NewGroups(NewCode(a, b), group(a), group(b))
		return g.Sentence(at(a), at(b), g.At(at(a).State, at(b).State))
	}
	want := "B peaks 4.00 GiB lower (21.0 → 17.0 GiB): train.py:113 evaluate −4.00 GiB, m.py:57 forward +1.00 GiB, " +
		"o.py:1 o −1.00 GiB (gone)"
	if got := say(a, b, breakdown.Peak); got != want {
		t.Error(got)
	}
	if got, want := say(a, a, breakdown.End), "B holds at the end as much as A (21.0 GiB)"; got != want {
		t.Error(got)
	}
	if got := Headline("peak", "end", gib,
		2*gib); got != "B holds at the end 1.00 GiB more than A at the peak (1.00 → 2.00 GiB)" {
		t.Error(got)
	}
}

// renamed is a snapshot as another machine would write it: files below another root, lines further down, the stacks'
// numbers in another order.
func renamed(s *snapshot.Snapshot, shift int32) *snapshot.Snapshot {
	c := *s
	c.Strings = slices.Clone(s.Strings)
	for _, id := range s.Frames.File {
		if name := s.Strings[id]; strings.HasPrefix(name, "/") {
			c.Strings[id] = "/mnt/another root" + name
		}
	}
	c.Frames.Line = slices.Clone(s.Frames.Line)
	for i := range c.Frames.Line {
		c.Frames.Line[i] += shift
	}
	return &c
}

// TestSelf: a snapshot is the same as itself, however its lines and roots were changed: no group is new or gone, none
// differs, and the sums add up to both timelines' totals at any two moments.
func TestSelf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, pattern := range []string{"../../testdata/*.pickle.gz", "../../testdata/*/*.pickle",
		"../../../shared/snapshots/*.pickle"} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Logf("nothing is at %s: skipped", pattern)
		}
		for _, name := range names {
			s, err := snapshot.Open(context.Background(), name, snapshot.Options{})
			if err != nil || len(s.Devices) == 0 {
				continue
			}
			t.Run(filepath.Base(name), func(t *testing.T) {
				o := renamed(s, 7)
				a, b := layout.New(s, &s.Devices[0], layout.Options{}), layout.New(o, &o.Devices[0], layout.Options{})
				code := NewCode(a, b)
				for _, by := range []breakdown.By{breakdown.ByCallSite, breakdown.ByFunction, breakdown.ByFile,
					breakdown.ByPackage, breakdown.ByStack} {
					g := NewGroups(code, breakdown.New(a, by, breakdown.Options{}), breakdown.New(b, by,
						breakdown.Options{}))
					for _, r := range g.At(a.PeakState, b.PeakState) {
						if r.Rule >= New || r.Difference() != 0 {
							t.Errorf("by %s: %s %+v", by, g.Name(r.Match), r)
						}
					}
					x, y := rng.Int32N(int32(len(a.Actions)+1)), rng.Int32N(int32(len(b.Actions)+1))
					var sum [2]int64
					for _, r := range g.At(x, y) {
						sum[0] += r.Bytes[0]
						sum[1] += r.Bytes[1]
					}
					if sum != [2]int64{a.Total[x], b.Total[y]} {
						t.Errorf("by %s: %d are not %d, %d", by, sum, a.Total[x], b.Total[y])
					}
				}
			})
		}
	}
}

// TestGraft: the weights of A in B's tree add up to A's total, and calls that both have stand at the same node.
func TestGraft(t *testing.T) {
	a := timeline(t, []alloc{from(100, "/x/p/a.py:1 f", "/x/p/t.py:5 main"), from(7, "/x/p/old.py:1 g",
		"/x/p/t.py:5 main"),
		from(5)})
	b := timeline(t, []alloc{from(300, "/y/p/a.py:2 f", "/y/p/t.py:5 main"), from(9, "/y/p/new.py:1 h",
		"/y/p/t.py:8 main")})
	tree := func(tl *layout.Timeline) *breakdown.Tree {
		return breakdown.NewTree(breakdown.New(tl, breakdown.ByStack, breakdown.Options{}), breakdown.TreeOptions{})
	}
	tb := tree(b)
	before, held := NewGraft(NewCode(a, b), tree(a), tb).Weights(3), tb.Weights(2)
	if before[0].Bytes != 112 || before[0].Blocks != 3 || held[0].Bytes != 309 {
		t.Errorf("%+v, %+v", before[0], held[0])
	}
	for i := range tb.Nodes {
		if held[i].Self == 300 && before[i].Self != 100 {
			t.Errorf("node %d holds %+v of A", i, before[i])
		}
		if held[i].Bytes == 300 && held[i].Self == 0 && (before[i].Bytes != 107 || before[i].Self != 7) {
			t.Errorf("main holds %+v of A", before[i])
		}
	}
}

// TestHostile: very many files of one name, and functions of one file, take no time to speak of.
func TestHostile(t *testing.T) {
	build := func(root string) *layout.Timeline {
		var allocs []alloc
		for i := range 3000 {
			allocs = append(allocs, from(512, fmt.Sprintf("%s/%d/__init__.py:1 f%d", root, i, i)),
				from(512, fmt.Sprintf("%s/one.py:%d g%d", root, i+1, i)), from(512, fmt.Sprintf("%s/two.py:%d h",
					root, i+1)))
		}
		return timeline(t, allocs)
	}
	lines := matched(build("/a"), build("/b"), breakdown.ByCallSite)
	if n := len(lines); n != 9000 {
		t.Errorf("%d of 9000 groups are matched one by one", n)
	}
}
