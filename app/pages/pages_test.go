package pages

import (
	"context"
	"strings"
	"testing"
	"time"

	"strata/app/options"
	"strata/app/session"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/render/colour"
)

const (
	annotated = "../../testdata/sample.pickle.gz"
	oom       = "../../testdata/generated/oom.pickle"
	devices   = "../../testdata/generated/devices.pickle"
	noTimes   = "../../testdata/generated/no-times.pickle"
)

// A driver runs sessions without a window.
type driver struct {
	*session.Sessions
	t     testing.TB
	wakes chan struct{}
}

// noTiles draws nothing.
type noTiles struct{}

func (noTiles) Prepare(context.Context, *layout.Timeline, layout.Axis, *colour.Colouring) error {
	return nil
}
func (noTiles) Forget(func(*layout.Timeline) bool) {}

func drive(t testing.TB, files ...string) *driver {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	opt := &options.Options{Device: options.AnyDevice, NoCache: true, Files: files}
	d := &driver{Sessions: session.New(opt, nil, 0), t: t, wakes: make(chan struct{}, 1)}
	d.Tiles, d.Dark = noTiles{}, true
	d.Background.SetWake(func() {
		select {
		case d.wakes <- struct{}{}:
		default:
		}
	})
	t.Cleanup(d.Background.Close)
	d.SetModel("", 0, false)
	d.Open(files...)
	return d
}

// until waits until something is so.
func (d *driver) until(what string, so func() bool) {
	d.t.Helper()
	end := time.After(20 * time.Second)
	for d.Background.Deliver(); !so(); d.Background.Deliver() {
		select {
		case <-d.wakes:
		case <-end:
			d.t.Fatal("timed out waiting until " + what)
		}
	}
}

// pair compares the first two files.
func (d *driver) pair() *Pair {
	d.t.Helper()
	p := NewPair(d.Sessions, d.All[0], d.All[1])
	d.AddPage(p)
	d.until("both are compared", func() bool { p.Refresh(); return p.Made() != nil })
	return p
}

func TestPair(t *testing.T) {
	d := drive(t, annotated, oom)
	p := d.pair()
	if p.Of[0].Path != annotated { // natural order
		p.Swap()
	}
	if !strings.HasPrefix(p.Sentence(), "B peaks 20.1 GiB lower") || p.Title() != "sample.pickle.gz ↔ oom.pickle" {
		t.Errorf("%s: %s", p.Title(), p.Sentence())
	}
	if c := p.Command(); c != "strata compare "+annotated+" "+oom {
		t.Error(c)
	}
	p.Swap()
	if !strings.HasPrefix(p.Sentence(), "B peaks 20.1 GiB higher") {
		t.Error(p.Sentence())
	}
	p.Swap()
	made := p.Made()
	p.Refresh()
	d.Background.Wait()
	d.Background.Deliver()
	if p.Made() != made {
		t.Error("it was worked out again")
	}
	if !p.ChooseNamed("end") || !strings.HasPrefix(p.Sentence(), "B holds at the end") ||
		p.Command() != "strata compare "+annotated+" "+oom+" --at end" {
		t.Errorf("%s: %s", p.Command(), p.Sentence())
	}
	if p.ChooseNamed("phase:there is none") {
		t.Error("a moment was found that is not there")
	}
	if names := p.Common(); len(names) == 0 || !p.Finds("phase:"+names[0]) {
		t.Errorf("common annotations %q", names)
	}
	d.Options.GroupBy = breakdown.ByFile
	d.until("they are grouped by file", func() bool { p.Refresh(); return p.Made().Groups.A.By == breakdown.ByFile })
	if !p.Chosen() {
		t.Error("the moments were forgotten")
	}
	if c := p.Command(); !strings.HasSuffix(c, " --at end --by file") {
		t.Error(c)
	}
}

// TestAligned: in each way, the place of B's moment on A's axis leads back to that moment.
func TestAligned(t *testing.T) {
	d := drive(t, annotated, oom)
	p := d.pair()
	for a := BySteps; a <= ByAnnotations; a++ {
		if !p.CanAlign(a) {
			t.Fatalf("not by %s", a)
		}
		p.SetAlign(a)
		for _, part := range []float64{.1, .5, .9} {
			x := p.View.X0 + part*(p.View.X1-p.View.X0)
			p.Choose(0, x, false)
			both := [2]breakdown.Moment{p.Moment(0), p.Moment(1)}
			p.Choose(1, p.PlaceOf(1, 0), true)
			if p.Moment(0) != both[0] || p.Moment(1).State > 1 {
				t.Errorf("by %s: %v and %v of one alone, of both %v", a, p.Moment(0), p.Moment(1), both)
			}
		}
		c := p.Courses(300, true)
		d.until("there are bands", func() bool { c = p.Courses(300, true); return c != nil && c.Shows(p) })
		if len(c.Groups) == 0 || c.Colour(c.Groups[0]).A == 0 {
			t.Error("no group has a band")
		}
	}
	p.Peaks()
	opt := breakdown.TreeOptions{}
	var s *Stacks
	d.until("there is a tree", func() bool { s = p.Stacks(opt); return s != nil })
	if s.Before[0].Bytes != p.Made().Timelines[0].PeakBytes || s.Held[0].Bytes != p.Made().Timelines[1].PeakBytes {
		t.Errorf("the stacks hold %d, %d", s.Before[0].Bytes, s.Held[0].Bytes)
	}
}

// TestDevicesAndTimes: of several devices the one whose peaks differ most, or the chosen one; without times there are
// only steps.
func TestDevicesAndTimes(t *testing.T) {
	d := drive(t, devices, noTimes)
	p := d.pair()
	if p.CanAlign(ByTime) || p.CanAlign(ByAnnotations) {
		t.Error("tied by times that one has not")
	}
	d = drive(t, devices, "../../testdata/generated/ring-flag-devices.pickle")
	p = d.pair()
	if n := len(p.Made().Devices); n < 2 {
		t.Skipf("%d devices in common", n)
	}
	for _, pair := range p.Made().Devices {
		p.SetDevice(pair[0].Index)
		d.until("it is that device", func() bool { p.Refresh(); return p.Made().Timelines[0].Device == pair[0] })
		if !strings.Contains(p.Command(), "--device") {
			t.Error(p.Command())
		}
	}
}

// BenchmarkPair matches a file with itself, both laid out.
func BenchmarkPair(b *testing.B) {
	d := drive(b, annotated)
	d.until("it is open", func() bool { return d.All[0].Doc != nil })
	doc := d.All[0].Doc
	want := key{device: anyDevice}
	want.snapshots[0], want.snapshots[1] = doc.Snapshot, doc.Snapshot
	for b.Loop() {
		makePair(b.Context(), want, nil, []*layout.Timeline{doc.Stage.Timeline})
	}
}

// TestWall: a wall arrives, is sorted, is read anew for other groups, and can be stopped.
func TestWall(t *testing.T) {
	d := drive(t)
	w := NewWall(d.Sessions, "../../testdata/generated")
	d.AddPage(w)
	complete := func() bool { w.Refresh(); return w.Complete() }
	d.until("it is complete", complete)
	s := w.Shown()
	peaks := s.Sorts[ByPeak]
	for i := 1; i < len(peaks); i++ {
		if s.Ranks[peaks[i]].Digest.Peak > s.Ranks[peaks[i-1]].Digest.Peak {
			t.Fatal("it is not sorted by peak")
		}
	}
	if first := s.Sorts[ByDistance][0]; s.Ranks[first].Reason == "" {
		t.Error("the odd ranks do not come first")
	}
	d.Options.GroupBy = breakdown.ByFile
	d.until("it is read anew", func() bool { return complete() && w.Shown() != s })
	if name := w.Shown().Groups[0].Name; strings.Contains(name, ".py:") {
		t.Errorf("by file there is %s", name)
	}
	d.Options.GroupBy = breakdown.ByCallSite
	w.Refresh()
	w.Cancel()
	if _, _, reading := w.Reading(); reading {
		t.Error("it is not stopped")
	}
	d.Background.Wait()
	d.Background.Deliver()
	empty := NewWall(d.Sessions, t.TempDir())
	d.until("it is said that nothing is there", func() bool { empty.Refresh(); return empty.Note() != "" })
}
