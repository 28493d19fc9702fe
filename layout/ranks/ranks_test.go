package ranks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/snapshot"
)

const mib = int64(1 << 20)

// held makes a file whose one device holds some MiB in each group, "NAME 12, NAME 3".
func held(groups string) *File {
	d := Digest{}
	for part := range strings.SplitSeq(groups, ", ") {
		var name string
		var n int64
		fmt.Sscan(part, &name, &n)
		d.Groups = append(d.Groups, Group{Name: "/p/" + name, Label: name, Bytes: n * mib})
		d.Peak += n * mib
	}
	d.End = d.Peak / 2
	return &File{Name: groups, Devices: []Digest{d}}
}

// TestOutliers: clusters of like ranks are found, and within them the odd ones with the reason.
func TestOutliers(t *testing.T) {
	four := func(groups string) []*File { return []*File{held(groups), held(groups), held(groups), held(groups)} }
	for _, c := range []struct {
		name     string
		files    []*File
		clusters string
		reasons  map[int]string
	}{
		{"all alike", four("a 1000, b 500"), "[[0 1 2 3]]", nil},
		{"a leak in one", append(four("a 1000, b 500"), held("a 1000, b 500, leak 100")), "[[0 1 2 3 4]]",
			map[int]string{4: "peaks 100.0 MiB above the median, all of it from leak"}},
		{"a leak as large as the model", append(four("a 1000, b 500"), held("leak 3000, a 1000, b 500")),
			"[[0 1 2 3 4]]", map[int]string{4: "peaks 2.93 GiB above the median, all of it from leak"}},
		{"a smaller rank", append(four("a 1000, b 500"), held("a 800, b 450")), "[[0 1 2 3 4]]",
			map[int]string{4: "peaks 250.0 MiB below the median, 200.0 MiB of it from a"}},
		{"a larger batch", append(four("w 100, x 500, y 400, z 450"), held("w 100, x 1000, y 800, z 900")),
			"[[0 1 2 3 4]]", map[int]string{4: "peaks 1.32 GiB above the median, 500.0 MiB of it from x and " +
				"450.0 MiB from z"}},
		{"two stages, one of which has an odd rank", slices.Concat(four("embed 900, a 1000"), four("head 700, a 1200"),
			[]*File{held("head 700, a 1260")}), "[[0 1 2 3] [4 5 6 7 8]]",
			map[int]string{8: "peaks 60.0 MiB above the median, all of it from a"}},
		{"ranks that differ a little anyway", []*File{held("a 1000"), held("a 1010"), held("a 1020"), held("a 1030")},
			"[[0 1 2 3]]", nil},
		{"two", []*File{held("a 1000"), held("a 1050")}, "[[0 1]]", nil},
		{"one could not be read", append(four("a 10"), &File{Name: "x", Error: "it is cut off"}), "[[0 1 2 3]]", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := NewWall(c.files)
			var clusters [][]int
			for _, k := range w.Clusters {
				clusters = append(clusters, k.Ranks)
			}
			if fmt.Sprint(clusters) != c.clusters {
				t.Errorf("clusters %v, want %s", clusters, c.clusters)
			}
			for i := range w.Ranks {
				if w.Ranks[i].Reason != c.reasons[i] {
					t.Errorf("rank %d: %q, want %q", i, w.Ranks[i].Reason, c.reasons[i])
				}
			}
		})
	}
}

// TestOutOfMemory: a rank that alone ran out of memory, or that alone kept memory to the end, is told of.
func TestOutOfMemory(t *testing.T) {
	files := []*File{held("a 100"), held("a 100"), held("a 100"), held("a 100")}
	files[2].Devices[0].OOMs = 2
	files[3].Devices[0].End += 30 * mib
	w := NewWall(files)
	if got := w.Ranks[2].Reason; got != "ran out of memory 2 times" {
		t.Error(got)
	}
	if got := w.Ranks[3].Reason; got != "ends 30.0 MiB above the median" {
		t.Error(got)
	}
}

// TestTable: the rows are sorted by spread, ranks that lack a group hold nothing of it, and broken files do not count.
func TestTable(t *testing.T) {
	w := NewWall([]*File{held("a 5, b 1"), {Name: "broken", Error: "cut off"}, held("a 6, c 9"), held("a 8, b 4")})
	var rows []string
	for _, r := range w.Groups {
		rows = append(rows, fmt.Sprint(r.Label, " ", r.Min/mib, r.Median/mib, r.Max/mib, r.Spread/mib, r.Bytes[1],
			r.Bytes[2]/mib))
	}
	if got, want := strings.Join(rows, "; "), "c 0 0 9 9 0 9; b 0 1 4 4 0 0; a 5 6 8 3 0 6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRoots: a line below another root is the same, unless the rank has both.
func TestRoots(t *testing.T) {
	at := func(files ...string) *File {
		f := &File{Devices: make([]Digest, 1)}
		for i, name := range files {
			f.Devices[0].Groups = append(f.Devices[0].Groups, Group{Name: name + ":7 f", Label: "l", File: name,
				Function: "f", Line: 7, Bytes: int64(10 + i)})
		}
		return f
	}
	w := NewWall([]*File{at("/a/p/m.py", "/a/q/m.py"), at("/b/q/m.py", "/b/p/m.py"), at("/a/p/m.py")})
	if len(w.Groups) != 2 {
		t.Errorf("%+v", w.Groups)
	}
}

// TestDistance: it is a metric, and of something against nothing 1.
func TestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	random := func() (out []amount) {
		for g := range int32(20) {
			if rng.IntN(2) == 0 {
				out = append(out, amount{g, rng.Int64N(1000)})
			}
		}
		return out
	}
	for range 200 {
		a, b := random(), random()
		if d := distance(a, b); d != distance(b, a) || d < 0 || d > 2 || distance(a, a) != 0 {
			t.Fatalf("%v between %v and %v", d, a, b)
		}
	}
	if distance([]amount{{1, 5}}, nil) != 1 {
		t.Error("against nothing")
	}
}

func TestNumbers(t *testing.T) {
	for paths, want := range map[string]string{
		"rank0.pickle rank10.pickle rank2.pickle":         "[0 10 2]",
		"run/rank_3/snapshot.pickle run/rank_12/s.pickle": "[3 12]",
		"node0/global_rank-07.pickle":                     "[7]",
		"mem_r3.pkl mem_r4.pkl":                           "[3 4]",
		"snapshot_0.pickle snapshot_1.pickle":             "[0 1]",
		"2026/0/s.pickle 2026/1/s.pickle 2026/2/s.pickle": "[0 1 2]",
		"host_17231.pickle host_17232.pickle":             "[-1 -1]",
		"a.pickle b.pickle":                               "[-1 -1]",
		"r50/a.pickle":                                    "[50]",
		"dp0_rank1.pickle dp1_rank3.pickle":               "[1 3]",
		"crank1.pickle":                                   "[1]",
		"x/snapshot.pickle":                               "[-1]",
		"gpu0.pickle gpu1.pickle gpu1.pickle":             "[-1 -1 -1]",
		"rank99999999999999999999.pickle":                 "[999999]",
	} {
		if got := fmt.Sprint(Numbers(strings.Fields(paths))); got != want {
			t.Errorf("%s: %s, want %s", paths, got, want)
		}
	}
}

// BenchmarkWall compares a thousand ranks of 60 groups.
func BenchmarkWall(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var files []*File
	for range 1000 {
		var groups []string
		for g := range 60 {
			groups = append(groups, fmt.Sprintf("g%d %d", g, 100+rng.IntN(3)))
		}
		files = append(files, held(strings.Join(groups, ", ")))
	}
	for b.Loop() {
		NewWall(files)
	}
}

// TestLongNames: a name of megabytes takes no more than some kilobytes of a digest.
func TestLongNames(t *testing.T) {
	if n := len(bounded(strings.Repeat("ü", 1<<20))); n > longestName+4 {
		t.Errorf("%d bytes", n)
	}
	if bounded("train.py:1 f") != "train.py:1 f" {
		t.Error("a short name differs")
	}
}

// TestCurve: a run of fewer steps than the curve has parts has no gaps, and both axes reach the peak.
func TestCurve(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../testdata/generated/ring-of-one.pickle", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	if least := slices.Min(tl.Total); len(tl.Actions) >= curvePoints || least == 0 {
		t.Fatalf("%d steps, %d B at least", len(tl.Actions), least)
	}
	for axis, points := range NewDigest(breakdown.New(tl, breakdown.ByCallSite, breakdown.Options{})).Curves {
		if least, most := slices.Min(points), slices.Max(points); least == 0 || most != tl.PeakBytes {
			t.Errorf("axis %d: from %d to %d B, the peak is %d", axis, least, most, tl.PeakBytes)
		}
	}
}
