package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/app/options"
	"strata/layout"
	"strata/layout/breakdown"
)

// bundled is the snapshot that comes with Strata.
const bundled = "../../testdata/sample.pickle.gz"

// rows waits for the groups and returns those of the moment.
func (d *driver) rows() (rows []breakdown.Row) {
	d.until("the groups are known", func() bool {
		var ok bool
		rows, ok = d.Active.Rows()
		return ok && d.Active.groups.made == d.Active.groups.wanted
	})
	return rows
}

// heldIn is what rows sum up to.
func heldIn(rows []breakdown.Row) (sum int64) {
	for _, r := range rows {
		sum += r.Bytes
	}
	return sum
}

// TestMomentFollowsTheView: until one is chosen the moment is the highest of what is in view, and its groups sum up to
// the total there.
func TestMomentFollowsTheView(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s, tl := d.Active, d.Active.Timeline()
	if m := s.Moment(); m.State != tl.PeakState || s.MomentChosen() {
		t.Errorf("of the whole run the moment is %v, the peak is at state %d", m, tl.PeakState)
	}
	v := s.View
	v.X0, v.X1 = tl.Extent(v.Axis)*.3, tl.Extent(v.Axis)*.4
	s.Look(v, time.Now())
	m := s.Moment()
	for x := s.View.X0; x < s.View.X1; x++ {
		if total := tl.Total[tl.Column(v.Axis, x, min(x+1, s.View.X1)).Step]; total > tl.Total[m.State] {
			t.Fatalf("the moment holds %d, at %g there are %d", tl.Total[m.State], x, total)
		}
	}
	if sum := heldIn(d.rows()); sum != tl.Total[m.State] {
		t.Errorf("the groups hold %d, the total is %d", sum, tl.Total[m.State])
	}
}

// TestChosenMoment stays wherever one looks, until the view is followed again; another device has none.
func TestChosenMoment(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s, tl := d.Active, d.Active.Timeline()
	s.ChooseMoment(breakdown.AtStep(tl, 1234))
	s.GoToPeak(time.Now())
	if m := s.Moment(); m != breakdown.Peak(tl) {
		t.Errorf("after going to the peak the moment is %v", m)
	}
	s.GoToMoment(breakdown.AtStep(tl, 1234), time.Now())
	if x := tl.X(s.View.Axis, s.Moment().State); x < s.View.X0 || x > s.View.X1 {
		t.Errorf("the moment at %g is out of view: %v", x, s.View)
	}
	if sum := heldIn(d.rows()); sum != tl.Total[tl.StateOf(1234)] {
		t.Errorf("at step 1234 the groups hold %d, the total is %d", sum, tl.Total[tl.StateOf(1234)])
	}
	if at := s.MomentAt(tl.X(layout.Events, 77)); at.State != 77 {
		t.Errorf("where state 77 begins is %v", at)
	}
	if at := s.MomentAt(tl.Extent(layout.Events) + 5); int(at.State) != len(tl.Actions) {
		t.Errorf("behind the end is %v", at)
	}
	if !s.FollowView() || s.MomentChosen() || s.FollowView() {
		t.Error("the view is not followed again")
	}
}

// TestCompareMoments: differences sum up to that of the totals; a moment and itself differ in nothing.
func TestCompareMoments(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s, tl := d.Active, d.Active.Timeline()
	d.rows()
	if _, two := s.Changes(); two {
		t.Error("one moment differs from none")
	}
	a, b := breakdown.AtStep(tl, 3000), breakdown.AtStep(tl, 8000)
	s.Compare(a, b)
	changes, ok := s.Changes()
	sum := int64(0)
	for _, c := range changes {
		sum += c.Difference()
	}
	if want := tl.Total[b.State] - tl.Total[a.State]; !ok || sum != want {
		t.Errorf("the differences sum up to %d, want %d", sum, want)
	}
	s.Compare(b, b)
	changes, _ = s.Changes()
	for _, c := range changes {
		if c.Difference() != 0 {
			t.Errorf("a moment differs from itself: %v", c)
		}
	}
}

// TestGroupsOfASearch: a search leaves its matches alone, and another grouping is made when it is asked for.
func TestGroupsOfASearch(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s, tl := d.Active, d.Active.Timeline()
	all := heldIn(d.rows())
	s.Search("model.py")
	d.found()
	if sum, want := heldIn(d.rows()), s.Find.Result.At(tl.PeakState); sum != want || sum >= all {
		t.Errorf("the matches' groups hold %d, want %d", sum, want)
	}
	s.ClearSearch()
	for _, by := range breakdown.All() {
		d.Options.GroupBy = by
		if sum := heldIn(d.rows()); sum != all || s.Grouping().By != by {
			t.Errorf("by %v the groups hold %d, want %d", by, sum, all)
		}
	}
}

// TestNextOOM goes through the requests that failed, and breaks down where they did.
func TestNextOOM(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s := d.Active
	s.NextOOM(time.Now())
	if s.Failed == nil || s.Moment().State != s.Failed.State || s.Moment().Name != "out of memory" {
		t.Errorf("the moment is %v, pinned is %v", s.Moment(), s.Failed)
	}
}

// TestWhy: a failed request that is pinned is explained.
func TestWhy(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s := d.Active
	if s.Why() != nil {
		t.Error("explained without a request")
	}
	s.NextOOM(time.Now())
	d.until("it is explained", func() bool { return s.Why() != nil })
	if text := fmt.Sprint(s.Why().Notes); !strings.Contains(text, "Fragmented: 2.53 GiB of cache was free") {
		t.Errorf("explained as %q", text)
	}
	s.Pin(layout.None)
	if s.Why() != nil {
		t.Error("still explained")
	}
}

// TestNamedMoments: with an annotation its ends have names, and so has the pair with the one before of that name.
func TestNamedMoments(t *testing.T) {
	d := opened(t, options.Options{Files: []string{bundled}})
	s := d.Active
	phases := s.Doc.Stage.Lane.Phases.All
	for i := range phases {
		if phases[i].Name == "## eval ##" && i > len(phases)/2 {
			s.Annotation = int32(i)
		}
	}
	moments, pairs := s.NamedMoments()
	last, pair := moments[len(moments)-1], pairs[len(pairs)-1]
	if last.At.Name != "end of ## eval ##" || pair.Against == nil || pair.Against.State >= pair.At.State {
		t.Errorf("the last moment is %v, the last pair %v", last, pair)
	}
}

// TestManyGroups: with more groups than a frame has time for, rows come later, and are then those of the moment.
func TestManyGroups(t *testing.T) {
	d := opened(t, options.Options{Files: []string{manyFile(t)}, GroupBy: breakdown.BySize})
	s, tl := d.Active, d.Active.Timeline()
	for _, step := range []int64{100, 9000} {
		s.ChooseMoment(breakdown.AtStep(tl, step))
		d.until("the moment is broken down", func() bool {
			_, ok := s.Rows()
			at, _ := s.BrokenDown()
			return ok && at == s.Moment().State
		})
		if rows, _ := s.Rows(); heldIn(rows) != tl.Total[s.Moment().State] || len(rows) != int(step)+1 {
			t.Errorf("at step %d %d groups hold %d", step, len(rows), heldIn(rows))
		}
	}
	s.Compare(breakdown.AtStep(tl, 100), breakdown.AtStep(tl, 200))
	d.until("the difference is known", func() bool {
		changes, ok := s.Changes()
		return ok && len(changes) == 201
	})
}

// manyFile writes a file with as many sizes and stacks as are broken down on a goroutine.
func manyFile(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`{"segments": [], "device_traces": [[`)
	for i := range manyGroups + 100 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"action": "alloc", "addr": %d, "size": %d, "stream": 0, "frames": `+
			`[{"name": "f", "filename": "train.py", "line": %d}]}`, i<<20, i+1, i+1)
	}
	b.WriteString(`]]}`)
	file := filepath.Join(t.TempDir(), "many.json")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestManyStacks: a frame does not wait for many stacks to be summed up, and what it shows in the end is right, of a
// moment, of two, of a search and turned round.
func TestManyStacks(t *testing.T) {
	d := opened(t, options.Options{Files: []string{manyFile(t)}})
	s, tl := d.Active, d.Active.Timeline()
	var opt breakdown.TreeOptions
	held := func(step int64) {
		t.Helper()
		s.ChooseMoment(breakdown.AtStep(tl, step))
		want := tl.Total[s.Moment().State]
		d.until("what stacks hold is known", func() bool {
			shown := s.Stacks(opt)
			return shown != nil && shown.Tree.TreeOptions == opt && shown.Held[0].Bytes == want
		})
	}
	held(100)
	held(9000)
	if shown := s.Stacks(opt); len(shown.Tree.Nodes) <= manyGroups || s.Stacks(opt) != shown {
		t.Errorf("%d nodes are made anew in each frame, or are too few", len(shown.Tree.Nodes))
	}
	s.Compare(breakdown.AtStep(tl, 100), breakdown.AtStep(tl, 200))
	d.until("the difference is known", func() bool {
		b := s.Stacks(opt).Before
		return b != nil && b[0].Bytes == tl.Total[101]
	})
	opt.LeavesUp = true
	held(300)
	s.Search("size<=10")
	d.until("what is found is known", func() bool {
		m := s.Stacks(opt).Matched
		return m != nil && m[0].Bytes == 55
	})
}
