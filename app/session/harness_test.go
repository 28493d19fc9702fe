package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"strata/app/options"
	"strata/layout"
	"strata/render/colour"
)

const (
	sample    = "../../testdata/reference/sim-base.pickle"
	devices   = "../../testdata/reference/sim-devices.pickle"
	annotated = "../../testdata/sample.pickle.gz"
)

// A driver runs sessions without a window.
type driver struct {
	*Sessions
	t     testing.TB
	wakes chan struct{}
}

// noTiles draws nothing.
type noTiles struct{}

func (noTiles) Prepare(context.Context, *layout.Timeline, layout.Axis, *colour.Colouring) error {
	return nil
}
func (noTiles) Forget(func(*layout.Timeline) bool) {}

// drive returns sessions that have the options' files to open.
func drive(t testing.TB, opt options.Options) *driver {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	opt.Device, opt.NoCache = options.AnyDevice, true
	d := &driver{Sessions: New(&opt, nil, 0), t: t, wakes: make(chan struct{}, 1)}
	d.Tiles, d.Dark = noTiles{}, true
	d.Background.SetWake(func() {
		select {
		case d.wakes <- struct{}{}:
		default:
		}
	})
	t.Cleanup(d.Background.Close)
	d.SetModel("", 0, false)
	d.Open(opt.Files...)
	return d
}

// opened returns sessions whose first file is open.
func opened(t testing.TB, opt options.Options) *driver {
	t.Helper()
	d := drive(t, opt)
	d.until("the file is open", func() bool { return d.Active.Doc != nil || d.Active.Problem != nil })
	if d.Active.Problem != nil {
		t.Fatal(d.Active.Problem.What)
	}
	return d
}

// frame does what a window does before each frame.
func (d *driver) frame() {
	d.Background.Deliver()
	d.LoadAhead()
	d.Active.Refresh()
}

// until waits until something is so.
func (d *driver) until(what string, so func() bool) {
	d.t.Helper()
	end := time.After(20 * time.Second)
	for d.frame(); !so(); d.frame() {
		select {
		case <-d.wakes:
		case <-time.After(5 * time.Millisecond):
		case <-end:
			d.t.Fatal("timed out waiting until " + what)
		}
	}
}

// wantTabs checks the names of all sessions; that of the active one has a star.
func (d *driver) wantTabs(want ...string) {
	d.t.Helper()
	if got := d.names(); !slices.Equal(got, want) {
		d.t.Fatalf("the tabs are %q, want %q", got, want)
	}
}

func (d *driver) names() (names []string) {
	for _, s := range d.All {
		name := s.Title()
		if s == d.Active {
			name = "*" + name
		}
		names = append(names, name)
	}
	return names
}

// allReady waits until every session has its file or a problem.
func (d *driver) allReady() {
	d.t.Helper()
	d.until("all files are loaded", func() bool {
		return !slices.ContainsFunc(d.All, func(s *Session) bool { return s.Doc == nil && s.Problem == nil })
	})
}

// asked runs a query and waits for its end.
func (d *driver) asked(sql string) {
	d.t.Helper()
	d.Active.RunSQL(sql)
	d.until("the query is answered", func() bool { return !d.Active.SQL.Running() })
}

// found waits for the search that was begun last.
func (d *driver) found() {
	d.t.Helper()
	d.until("the search is done", func() bool { return d.Active.Find.Wanted() && !d.Active.Find.Running() })
}

// ranks makes a folder of so many snapshots, rank0.pickle and on.
func ranks(t *testing.T, n int) (dir string, files []string) {
	dir = t.TempDir()
	for i := range n {
		files = append(files, copyTo(t, []string{sample, devices}[i%2], dir, fmt.Sprintf("rank%d.pickle", i)))
	}
	return dir, files
}

// copyTo copies a file, making the folders it needs, and returns where to.
func copyTo(t testing.TB, from string, to ...string) string {
	t.Helper()
	path := filepath.Join(to...)
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
