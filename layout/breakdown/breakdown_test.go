package breakdown

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/snapshot"
)

// timelines calls f for the timelines of all snapshots that are here: those of testdata and, where it exists, of
// ../shared, each drawn whole and with few entries.
func timelines(t *testing.T, f func(t *testing.T, tl *layout.Timeline)) {
	for _, pattern := range []string{"../../testdata/*.pickle.gz", "../../testdata/*/*.pickle",
		"../../../shared/snapshots/*.pickle"} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Logf("nothing is at %s: skipped", pattern)
		}
		for _, name := range names {
			s, err := snapshot.Open(context.Background(), name, snapshot.Options{})
			if err != nil {
				continue // testdata has damaged ones too
			}
			for i := range s.Devices {
				for _, opt := range []layout.Options{{}, {MaxEntries: 7}, {Mode: layout.Segments}} {
					t.Run(fmt.Sprint(filepath.Base(name), i, opt), func(t *testing.T) {
						f(t, layout.New(s, &s.Devices[i], opt))
					})
				}
			}
		}
	}
}

// options are what every grouping needs.
func options(tl *layout.Timeline) Options {
	return Options{
		Phases:     layout.AllPhases(tl),
		Shape:      func(size int64) string { return fmt.Sprint(size / 4096) },
		Category:   func(id layout.ID) int32 { return id % 3 },
		Categories: []string{"a", "b", "c"},
	}
}

// moments are the ends of a timeline, its peak, and some at random.
func moments(rng *rand.Rand, tl *layout.Timeline) []int32 {
	n := int32(len(tl.Actions))
	at := []int32{0, n, tl.PeakState}
	for range 5 {
		at = append(at, rng.Int32N(n+1))
	}
	return at
}

// naive is what the groups hold in a state, by name, summed up from each allocation's life.
func naive(g *Grouping, state int32) map[string]Row {
	t, sums := g.Timeline, map[string]Row{}
	for id, of := range g.Of {
		if of != Excluded && t.Birth[id] <= state && t.Death[id] > state {
			r := sums[g.Name(of)]
			sums[g.Name(of)] = Row{Blocks: r.Blocks + 1, Bytes: r.Bytes + t.Size[id]}
		}
	}
	return sums
}

// TestRowsAddUp: for each grouping of each snapshot, at random moments, the rows are what the lives of the allocations
// say, and sum up to the timeline's total to the byte.
func TestRowsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	timelines(t, func(t *testing.T, tl *layout.Timeline) {
		for _, by := range All() {
			g := New(tl, by, options(tl))
			var sums *Sums
			for _, state := range moments(rng, tl) {
				sums = g.Sums(sums, state)
				want, total := naive(g, state), int64(0)
				got := map[string]Row{}
				rows := sums.Rows(nil)
				for i, r := range rows {
					total += r.Bytes
					name := g.Name(r.Group)
					got[name] = Row{Blocks: got[name].Blocks + r.Blocks, Bytes: got[name].Bytes + r.Bytes}
					if i > 0 && rows[i-1].Bytes < r.Bytes {
						t.Errorf("by %v, state %d: row %d is larger than the one before", by, state, i)
					}
				}
				if total != tl.Total[state] {
					t.Errorf("by %v, state %d: rows sum up to %d, the total is %d", by, state, total, tl.Total[state])
				}
				for name := range want {
					if got[name] != want[name] {
						t.Errorf("by %v, state %d: %q is %v, want %v", by, state, name, got[name], want[name])
					}
				}
				if len(got) != len(want) {
					t.Errorf("by %v, state %d: %d groups, want %d", by, state, len(got), len(want))
				}
			}
		}
	})
}

// TestBetween: a difference agrees with its two moments and with the lives of the allocations, forwards and backwards;
// of a moment and itself all is zero.
func TestBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	timelines(t, func(t *testing.T, tl *layout.Timeline) {
		g := New(tl, ByCallSite, options(tl))
		at := moments(rng, tl)
		for i, a := range at {
			b := at[(i+1)%len(at)]
			got := map[int32]Change{}
			for _, c := range g.Between(a, b) {
				got[c.Group] = c
			}
			if want := naiveBetween(g, a, b); !equal(got, want) {
				t.Errorf("from %d to %d: %v, want %v", a, b, got, want)
			}
			for _, c := range g.Between(a, a) {
				if c.Difference() != 0 || c.New != 0 || c.Gone != 0 || c.Allocated != 0 || c.Freed != 0 {
					t.Errorf("from %d to itself: %v", a, c)
				}
			}
		}
	})
}

func equal(a, b map[int32]Change) bool {
	for k, v := range b {
		if a[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

func naiveBetween(g *Grouping, a, b int32) map[int32]Change {
	t, out := g.Timeline, map[int32]Change{}
	from, to := min(a, b), max(a, b)
	for id, of := range g.Of {
		c := out[of]
		c.Group = of
		birth, death, size := t.Birth[id], t.Death[id], t.Size[id]
		inA, inB := birth <= a && death > a, birth <= b && death > b
		switch {
		case inA && inB:
			c.Common++
		case inA:
			c.Gone++
		case inB:
			c.New++
		}
		if inA {
			c.A += size
		}
		if inB {
			c.B += size
		}
		came, went := birth > from && birth <= to, death > from && death <= to
		if came {
			c.Allocated += size
		}
		if went {
			c.Freed += size
		}
		if inA || inB || came || went {
			out[of] = c
		}
	}
	return out
}

// TestSeries: a group's series is what its rows say at each moment.
func TestSeries(t *testing.T) {
	tl := layout.New(shuffled(20_000))
	g := New(tl, ByCallSite, Options{})
	groups := []int32{0, int32(g.Len() - 1), 3}
	var states []int32
	for s := int32(0); int(s) <= len(tl.Actions); s += 37 {
		states = append(states, s, s)
	}
	series := g.Series(groups, states)
	for x, state := range states {
		sums := g.Sums(nil, state)
		for i, group := range groups {
			if series[i][x] != sums.Bytes[group] {
				t.Fatalf("group %d in state %d: %d, want %d", group, state, series[i][x], sums.Bytes[group])
			}
		}
	}
}

// TestOnly: what is left out is in no row.
func TestOnly(t *testing.T) {
	tl := layout.New(shuffled(5000))
	g := New(tl, BySize, Options{Only: func(id layout.ID) bool { return id%2 == 0 }})
	state := tl.PeakState
	want := int64(0)
	for id, size := range tl.Size {
		if id%2 == 0 && tl.Birth[id] <= state && tl.Death[id] > state {
			want += size
		}
	}
	got := int64(0)
	for _, r := range g.At(state) {
		got += r.Bytes
	}
	if got != want || got == 0 {
		t.Errorf("%d bytes of every second allocation, want %d", got, want)
	}
}

func TestPackage(t *testing.T) {
	for file, want := range map[string]string{
		"/opt/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py": "torch.nn.modules",
		`C:\env\Lib\site-packages\einops.py`:                                "site-packages",
		"/usr/lib/python3.11/threading.py":                                  "python3.11",
		"/usr/lib/python3.11/asyncio/events.py":                             "python3.11.asyncio",
		"/home/me/run/model/attention.py":                                   "/home/me/run/model",
		"train.py":                                                          "train.py",
	} {
		if got := Package(file); got != want {
			t.Errorf("the package of %s is %q, want %q", file, got, want)
		}
	}
}

// TestNamesAreDistinct: no two groups of a grouping share a name, so that rows can be told apart anywhere.
func TestNamesAreDistinct(t *testing.T) {
	timelines(t, func(t *testing.T, tl *layout.Timeline) {
		for _, by := range All() {
			g := New(tl, by, options(tl))
			seen := map[string]bool{}
			for i := range g.Len() {
				if name := g.Name(int32(i)); seen[name] || strings.TrimSpace(name) == "" {
					t.Errorf("by %v: a group is called %q, as another or as nothing", by, name)
				} else {
					seen[name] = true
				}
			}
		}
	})
}

func shuffledTrace(n int) *traces.Trace {
	rng := rand.New(rand.NewPCG(1, 2))
	t := traces.Shuffled(rng, n, 500, func(int) int64 { return int64(1+rng.IntN(400)) << 9 })
	t.Sites = 30
	for i := range t.Events.Stack {
		t.Events.Stack[i] = snapshot.StackID(1 + rng.IntN(t.Sites))
	}
	return t
}

func shuffled(n int) (*snapshot.Snapshot, *snapshot.Device, layout.Options) {
	s := shuffledTrace(n).Deep(10)
	return s, &s.Devices[0], layout.Options{}
}

// TestFind: moments are found by what a person calls them.
func TestFind(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../testdata/sample.pickle.gz", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	phases := layout.AllPhases(tl)
	n := int64(len(tl.Actions))
	for text, want := range map[string]Moment{
		"":        {tl.PeakState, int64(tl.PeakState) - 1, "peak"},
		"peak":    {tl.PeakState, int64(tl.PeakState) - 1, "peak"},
		"start":   {0, -1, "start"},
		"end":     {int32(n), n, "end"},
		"10,000":  {tl.StateOf(10000), 10000, "step"},
		"-1":      {0, -1, "step"},
		"oom":     {tl.OOMs()[0].State, int64(tl.OOMs()[0].State) - 1, "out of memory"},
		"step 12": {}, "phase:none": {}, "noon": {}, fmt.Sprint(n + 1): {},
	} {
		if got, err := Find(tl, phases, text); got != want || (err == nil) == (want.Name == "") {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	got, err := Find(tl, phases, "phase:## step 3 ##")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range phases.All {
		if p.Name != "## step 3 ##" {
			continue
		}
		for a := range tl.Actions {
			if us := tl.TimeOf(a); us >= p.Start && us <= p.End && tl.Total[a+1] > tl.Total[got.State] {
				t.Errorf("state %d holds more than %v, the peak of step 3", a+1, got)
			}
		}
	}
}

// TestAtPlace: places beyond the ends of an axis are its ends.
func TestAtPlace(t *testing.T) {
	s, d := traces.Training(3000).Snapshot()
	tl := layout.New(s, d, layout.Options{})
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		for x, want := range map[float64]int32{-5: 0, 0: 0, tl.Extent(axis): int32(len(tl.Actions)),
			1e18: int32(len(tl.Actions))} {
			if got := AtPlace(tl, axis, x).State; got != want {
				t.Errorf("axis %v, %v: state %d, want %d", axis, x, got, want)
			}
		}
	}
}
