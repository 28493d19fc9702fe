package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

func timelines(t testing.TB, name string) []*layout.Timeline {
	t.Helper()
	s, err := snapshot.Open(context.Background(), name, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []*layout.Timeline
	for i := range s.Devices {
		out = append(out, layout.New(s, &s.Devices[i], layout.Options{}))
	}
	return out
}

func find(t testing.TB, tl *layout.Timeline, text string) *Result {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r, err := Run(context.Background(), tl, q, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// naive is what each term means, written down once more and without haste.
func naive(tl *layout.Timeline, id layout.ID, holds func(a layout.Allocation, frames string, life int64) bool) bool {
	a := tl.At(id)
	var frames []string
	for _, f := range tl.Snapshot.Stacks.Of(a.Stack) {
		frames = append(frames, tl.Snapshot.FrameText(f))
	}
	life := int64(-1)
	if tl.HasTime() {
		life = Lifetime(tl, id)
	}
	return holds(a, strings.Join(frames, "\n"), life)
}

func TestTerms(t *testing.T) {
	for _, tl := range append(timelines(t, "../../testdata/reference/sim-base.pickle"),
		timelines(t, "../../testdata/reference/sim-pools.pickle")...) {
		pools := tl.Snapshot.Pools
		some := tl.At(layout.ID(len(tl.Size) / 2))
		hex := fmt.Sprintf("%x", some.Addr)
		for _, c := range []struct {
			text  string
			holds func(a layout.Allocation, frames string, life int64) bool
		}{
			{"", func(layout.Allocation, string, int64) bool { return true }},
			{"FORWARD", func(_ layout.Allocation, f string, _ int64) bool {
				return strings.Contains(strings.ToLower(f), "forward")
			}},
			{"-forward", func(_ layout.Allocation, f string, _ int64) bool {
				return !strings.Contains(strings.ToLower(f), "forward")
			}},
			{"/forward$/ size>1KiB", func(a layout.Allocation, f string, _ int64) bool {
				return slices.ContainsFunc(strings.Split(f, "\n"),
					func(l string) bool { return strings.HasSuffix(l, "forward") }) && a.Size > 1024
			}},
			{"/FORWARD$/", func(layout.Allocation, string, int64) bool { return false }},
			{"/FORWARD$/i", func(_ layout.Allocation, f string, _ int64) bool {
				return slices.ContainsFunc(strings.Split(f, "\n"),
					func(l string) bool { return strings.HasSuffix(strings.ToLower(l), "forward") })
			}},
			{"size<=512", func(a layout.Allocation, _ string, _ int64) bool { return a.Size <= 512 }},
			{"size:1.5MiB", func(a layout.Allocation, _ string, _ int64) bool { return a.Size == 3<<19 }},
			{"-size=1572864", func(a layout.Allocation, _ string, _ int64) bool { return a.Size != 1572864 }},
			{"live>1ms", func(_ layout.Allocation, _ string, life int64) bool { return life > 1000 }},
			{"live<50us never-freed", func(a layout.Allocation, _ string, life int64) bool {
				return life < 50 && a.NeverFreed
			}},
			{"never-freed", func(a layout.Allocation, _ string, _ int64) bool { return a.NeverFreed }},
			{"-before-recording", func(a layout.Allocation, _ string, _ int64) bool { return !a.BeforeRecording }},
			{"addr:" + hex, func(a layout.Allocation, _ string, _ int64) bool {
				return a.Addr <= some.Addr && some.Addr-a.Addr < uint64(max(1, a.Size))
			}},
			{"addr:0x" + hex[:8] + "…", func(a layout.Allocation, _ string, _ int64) bool {
				return strings.HasPrefix(fmt.Sprintf("%x", a.Addr), hex[:8])
			}},
			{"stream:0", func(a layout.Allocation, _ string, _ int64) bool {
				return tl.Snapshot.Streams[a.Stream] == 0
			}},
			{"pool:0,0", func(a layout.Allocation, _ string, _ int64) bool {
				return a.Pool != 0 && pools[a.Pool] == snapshot.Pool{}
			}},
			{"-pool:0,0 size>0", func(a layout.Allocation, _ string, _ int64) bool {
				return a.Size > 0 && (a.Pool == 0 || pools[a.Pool] != snapshot.Pool{})
			}},
			{fmt.Sprintf("stack:%d", some.Stack), func(a layout.Allocation, _ string, _ int64) bool {
				return a.Stack == some.Stack && a.Stack != 0
			}},
		} {
			r := find(t, tl, c.text)
			matched := 0
			for id := range layout.ID(len(tl.Size)) {
				want := naive(tl, id, c.holds)
				if r.Matches.Has(id) != want {
					t.Fatalf("%q: allocation %d: %v, want %v", c.text, id, r.Matches.Has(id), want)
				}
				if want {
					matched++
				}
			}
			if r.Count != matched {
				t.Errorf("%q: count %d, want %d", c.text, r.Count, matched)
			}
			compareTotals(t, r)
		}
	}
}

// compareTotals adds up the matches of every state anew.
func compareTotals(t *testing.T, r *Result) {
	t.Helper()
	tl := r.Timeline
	totals := make([]int64, len(tl.Actions)+1)
	var all int64
	for id, size := range tl.Size {
		if r.Matches.Has(layout.ID(id)) {
			all += size
			for s := tl.Birth[id]; s < min(tl.Death[id], int32(len(totals))); s++ {
				totals[s] += size
			}
		}
	}
	for s, want := range totals {
		if got := r.At(int32(s)); got != want {
			t.Fatalf("%q: %d bytes in state %d, want %d", r.Query.Text, got, s, want)
		}
	}
	if peak := slices.Max(totals); r.PeakBytes != peak || r.PeakState != int32(slices.Index(totals, peak)) ||
		r.Bytes != all {
		t.Fatalf("%q: peak %d in %d of %d, want %d", r.Query.Text, r.PeakBytes, r.PeakState, r.Bytes, peak)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		lo := rng.Int32N(int32(len(totals)))
		hi := lo + rng.Int32N(int32(len(totals))-lo)
		if got, want := r.Max(lo, hi), slices.Max(totals[lo:hi+1]); got != want {
			t.Fatalf("%q: most from %d to %d is %d, want %d", r.Query.Text, lo, hi, got, want)
		}
	}
	var sum, peak, own int64
	count, live := 0, 0
	for _, s := range r.Sites {
		sum, peak, own, count = sum+s.Bytes, peak+s.AtPeak, own+s.AtOwnPeak, count+s.Count
		live += s.LiveThen
	}
	for id := range layout.ID(len(tl.Size)) {
		at := int32(tl.PeakState)
		if r.Matches.Has(id) && tl.Birth[id] <= at && (tl.Death[id] == layout.Never || tl.Death[id] > at) {
			live--
		}
	}
	if live != 0 {
		t.Fatalf("%q: sites count %d more matches at the peak than there are", r.Query.Text, live)
	}
	if sum != all || own != r.PeakBytes || peak != totals[tl.PeakState] || count != r.Count {
		t.Fatalf("%q: sites sum to %d, %d, %d", r.Query.Text, sum, own, peak)
	}
}

// TestColumn: without a term the curve is the timeline's own silhouette.
func TestColumn(t *testing.T) {
	for _, name := range []string{"sim-base", "sim-ring", "sim-noframes"} {
		for _, tl := range timelines(t, "../../testdata/reference/"+name+".pickle") {
			r := find(t, tl, "")
			for _, axis := range []layout.Axis{layout.Events, layout.Time} {
				if axis == layout.Time && !tl.HasTime() {
					continue
				}
				for _, w := range []int{1, 7, 100, 1600} {
					dx := tl.Extent(axis) / float64(w)
					for c := range w {
						x0, x1 := float64(c)*dx, float64(c+1)*dx
						got, want := r.Column(axis, x0, x1), tl.Height(tl.Column(axis, x0, x1))
						if got != want {
							t.Fatalf("%s axis %d: column %d of %d: %d, want %d", name, axis, c, w, got, want)
						}
					}
				}
			}
		}
	}
}

func TestPhases(t *testing.T) {
	for _, tl := range timelines(t, "../../testdata/reference/sim-base.pickle") {
		phases := layout.AllPhases(tl)
		if len(phases.All) == 0 {
			t.Skip("no annotations")
		}
		for _, p := range phases.All {
			r := find(t, tl, fmt.Sprintf("phase:%q", p.Name))
			for id := range layout.ID(len(tl.Size)) {
				want := false
				for _, x := range phases.All {
					at := int64(-1)
					if !tl.At(id).BeforeRecording {
						at = tl.TimeOf(int(tl.Birth[id] - 1))
					}
					want = want || x.Name == p.Name && at >= x.Start && at <= x.End
				}
				if r.Matches.Has(id) != want {
					t.Fatalf("phase %q: allocation %d: %v", p.Name, id, !want)
				}
			}
		}
	}
}

// TestSiteTerm: the term of a site finds that site's allocations alone.
func TestSiteTerm(t *testing.T) {
	for _, tl := range timelines(t, "../../testdata/reference/sim-base.pickle") {
		for _, site := range find(t, tl, "").Sites {
			if site.Frame == 0 {
				continue
			}
			r := find(t, tl, SiteTerm(tl.Snapshot, site.Frame))
			for _, x := range r.Sites {
				if x.Frame != site.Frame && tl.Snapshot.FrameText(x.Frame) != tl.Snapshot.FrameText(site.Frame) {
					t.Errorf("%s finds %s", r.Query.Text, tl.Snapshot.FrameText(x.Frame))
				}
			}
			if r.Count == 0 || find(t, tl, "-"+r.Query.Text).Count+r.Count != len(tl.Size) {
				t.Errorf("%s: %d found", r.Query.Text, r.Count)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text, want     string
		offset, length int
	}{
		{"size>=64QiB", `"64QiB" is no size`, 0, 11},
		{"forward size>=", "needs a value, as in size>=64MiB", 8, 6},
		{"live>soon", `"soon" is no time`, 0, 9},
		{"live!=3s", "cannot be compared by !=", 0, 8},
		{"stream>2", "write stream:…", 0, 7},
		{"stream:two", `stream "two" is no number`, 0, 10},
		{"addr:xyz", "is no address", 0, 8},
		{"pool:7", "two numbers", 0, 6},
		{`"open`, "a quote is not closed", 0, 5},
		{`a ""`, "nothing between the quotes", 2, 2},
		{`phase:"x`, "a quote is not closed", 6, 2},
		{"phase:", "needs a value, as in phase:backward", 0, 6},
		{"/a(/", "regular expression is wrong: missing closing )", 0, 4},
		{"x siez>=3", `there is no "siez" to compare`, 2, 7},
		{"size>=-3", "is no size", 0, 8},
		{"size>=1e3", "is no size", 0, 9},
		{"size>=99999999999999GiB", "is no size", 0, 23},
		{strings.Repeat("a ", 33), "at most 32 terms", 64, 1},
	} {
		_, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.What, c.want) || e.Offset != c.offset || e.Length != c.length {
			t.Errorf("%q: %#v, want %q at %d+%d", c.text, err, c.want, c.offset, c.length)
		}
	}
	for _, text := range []string{"", "  ", "model.py:123", "torch::empty", "/srv/train/model.py", "a:b", "vector<int>",
		"operator<", "-", "- x", "ä-ö", `"a \" b"`,
		"size>=0", "live>1.5h", "addr:0xffffffffffffffff", "stream:0x7f0000000000", "pool:(0,1)", "/a/b/", "/a b/",
		"//", "x=3y z"} {
		if _, err := Parse(text); err != nil && text != "x=3y z" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNoTimes(t *testing.T) {
	tl := timelines(t, "../../testdata/reference/sim-base.pickle")[0]
	d := *tl.Device
	d.Events.Time = nil
	bare := layout.New(tl.Snapshot, &d, layout.Options{})
	for _, text := range []string{"x live>1s", "x phase:y"} {
		q, _ := Parse(text)
		_, err := Run(context.Background(), bare, q, nil)
		var e *Error
		if !errors.As(err, &e) || e.Offset != 2 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q, _ := Parse("forward")
	tl := timelines(t, "../../testdata/reference/sim-base.pickle")[0]
	if _, err := Run(ctx, tl, q, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, h := range Help() {
		f.Add(h.Term)
	}
	f.Add(`-phase:"a\"b" /x\/y/i size<=1.5GiB`)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse(text)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Length < 1 || e.Offset+e.Length > len(text)+1) {
			t.Errorf("%q: %#v", text, err)
		}
	})
}

func TestSet(t *testing.T) {
	s := Set{1 | 1<<63, 0, 1 << 5}
	var up, down []layout.ID
	for id := s.Next(-5); id != layout.None; id = s.Next(id + 1) {
		up = append(up, id)
	}
	for id := s.Previous(1000); id != layout.None; id = s.Previous(id - 1) {
		down = append(down, id)
	}
	if !slices.Equal(up, []layout.ID{0, 63, 133}) || !slices.Equal(down, []layout.ID{133, 63, 0}) {
		t.Error(up, down)
	}
}

// keystrokes are searches that a large snapshot is asked for.
var keystrokes = []string{"-zzz", "forward", "/attn.*backward/", "size>=1MiB", "live>1ms",
	"forward size>=1MiB live>1ms", "phase:backward",
	"stream:0", "pool:0,0", "-pool:0,0 size>=1MiB", "addr:7f", "never-freed", "-before-recording"}

// TestMeta: what the program noted of an allocation finds it, whether with the alloc or later.
func TestMeta(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       int
	}{
		{"../../../shared/cases/annotate_twice.pickle", "meta:weight", 1},
		{"../../../shared/cases/annotate_twice.pickle", `meta:"layer 3 weight"`, 1},
		{"../../../shared/cases/annotate_twice.pickle", "meta:/saved_for.*BACKWARD/i", 1},
		{"../../../shared/cases/annotate_twice.pickle", "-meta:weight", 1},
		{"../../testdata/reference/rand-category-0.pickle", "meta:zzz", 0},
	} {
		if _, err := os.Stat(c.file); err != nil {
			t.Log(err)
			continue
		}
		if r := find(t, timelines(t, c.file)[0], c.text); r.Count != c.want {
			t.Errorf("%s: %s finds %d, want %d", c.file, c.text, r.Count, c.want)
		}
	}
	tl := timelines(t, "../../testdata/reference/rand-category-0.pickle")[0]
	for i := range tl.Snapshot.Metas {
		if category := tl.Snapshot.Strings[tl.Snapshot.Metas[i].Category]; category != "" {
			want := 0
			for id := range tl.Size {
				if tl.Snapshot.Metas[tl.At(layout.ID(id)).Meta].Category == tl.Snapshot.Metas[i].Category {
					want++
				}
			}
			if r := find(t, tl, `meta:"`+category+`"`); r.Count != want || want == 0 {
				t.Errorf("category %s: %d found, want %d", category, r.Count, want)
			}
		}
	}
	q, _ := Parse("meta:x")
	tl.Device.Events.Meta = nil
	if _, err := Run(context.Background(), tl, q, nil); err == nil {
		t.Error("it is not said that there is no metadata")
	}
}
