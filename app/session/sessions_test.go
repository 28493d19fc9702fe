package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"strata/app/options"
	"strata/widgets/describe"
)

// TestOpenedOnce: a file that is open is gone to, not opened again; read again
// only if it was changed.
func TestOpenedOnce(t *testing.T) {
	_, files := ranks(t, 2)
	d := opened(t, options.Options{Files: files[:1]})
	first := d.Active.Doc
	d.Open(files[1])
	d.until("the second is open", func() bool { return d.Active.Doc != nil && d.Active.Doc.Path == files[1] })
	d.wantTabs("rank0.pickle", "*rank1.pickle")
	d.Open(filepath.Join(filepath.Dir(files[0]), ".", "rank0.pickle"))
	d.wantTabs("*rank0.pickle", "rank1.pickle")
	for range 20 {
		time.Sleep(2 * time.Millisecond)
		d.frame()
	}
	if d.Active.Doc != first || d.Active.Loading != nil {
		t.Fatal("an unchanged file was read again")
	}
	copyTo(t, devices, files[0])
	d.Open(files[0])
	d.until("it is read again", func() bool { return d.Active.Doc != first && d.Active.Loading == nil })
	if d.wantTabs("*rank0.pickle", "rank1.pickle"); len(d.Active.Doc.Devices) != 3 && len(d.Active.Doc.Devices) < 2 {
		t.Fatal("the old file is shown")
	}
}

// TestLinkIsTheSameFile: a file that is open is not opened again by another
// path to it, not even when several are opened together.
func TestLinkIsTheSameFile(t *testing.T) {
	dir, files := ranks(t, 2)
	link := filepath.Join(t.TempDir(), "latest.pickle")
	if err := os.Symlink(files[1], link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	d := opened(t, options.Options{Files: []string{dir, link}})
	settled := func() bool {
		return len(d.All) == 2 && d.All[0].Doc != nil && d.All[1].Doc != nil
	}
	d.until("the link has no tab beside that of its file", settled)
	for range 3 {
		d.Close(d.Active, d.Neighbour())
	}
	d.Open(files[0])
	d.Open(files[1])
	d.until("both are open", settled)
	d.Open(files[0])
	doc := d.All[1].Doc
	d.Open(link)
	d.until("it goes to the tab of the file", func() bool { return settled() && d.Active == d.All[1] })
	if d.Active.Doc != doc {
		t.Error("the file was read again, or the link is among what was closed")
	}

	// A changed file is read again, whichever path it is opened by.
	copyTo(t, sample, filepath.Dir(files[1]), filepath.Base(files[1]))
	d.Open(link)
	d.until("it is read again", func() bool {
		return len(d.All) == 2 && d.Active.Doc != nil && d.Active.Doc != doc && d.Active.Loading == nil
	})

	// A second name in the folder is no link.
	if second := filepath.Join(dir, "rank9.pickle"); os.Link(files[1], second) == nil {
		d.Open(second)
		d.until("it has a tab", func() bool {
			return len(d.All) == 3 && d.Active.Doc != nil && d.Active.Path == second
		})
		d.Close(d.Active, d.Neighbour())
	}

	// The link may come to lead elsewhere.
	other := copyTo(t, sample, t.TempDir(), "other.pickle")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	d.Open(link)
	d.until("it has a tab", func() bool { return len(d.All) == 3 && d.Active.Doc != nil && d.Active.Path == link })
}

// TestErrorInBackground: the tab has a mark, the card is shown when one looks.
func TestErrorInBackground(t *testing.T) {
	dir, files := ranks(t, 2)
	bad := filepath.Join(dir, "rank9.pickle")
	if err := os.WriteFile(bad, []byte("segments, but no pickle"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := opened(t, options.Options{Files: append(files, bad)})
	d.allReady()
	if d.Active.Problem != nil || d.All[2].State() != describe.Failed {
		t.Fatalf("card: %v, state: %v", d.Active.Problem, d.All[2].State())
	}
	d.Activate(d.All[2])
	if d.Active.Problem == nil || d.Active.Problem.Path != bad {
		t.Fatalf("card: %+v", d.Active.Problem)
	}
	copyTo(t, sample, bad)
	d.Open(bad) // asked for again: tried again
	d.until("it is open now", func() bool { return d.Active.Doc != nil })
	d.wantTabs("rank0.pickle", "rank1.pickle", "*rank9.pickle")
}

// TestFolder: all snapshots in it, in the place of the folder; one without any
// says so.
func TestFolder(t *testing.T) {
	dir, files := ranks(t, 3)
	empty := filepath.Join(dir, "logs")
	copyTo(t, "sessions_test.go", empty, "notes.txt")
	d := drive(t, options.Options{Files: []string{dir}})
	d.until("the first file is open", func() bool { return d.Active.Doc != nil })
	d.wantTabs("*rank0.pickle", "rank1.pickle", "rank2.pickle")
	d.allReady()
	d.Open(empty)
	d.until("there is a card", func() bool { return d.Active.Problem != nil })
	if d.Active.Problem.What != "No file in this folder is a snapshot." {
		t.Fatal(d.Active.Problem.What)
	}
	d.Active.Dismiss()
	d.wantTabs("*rank0.pickle", "rank1.pickle", "rank2.pickle")
	d.Step(1)
	d.Close(d.Active, d.Neighbour())
	d.Open(dir) // what is open already is not opened twice
	d.until("the closed one is back", func() bool { return len(d.All) == 3 && d.Active.Loading == nil })
	d.wantTabs("*rank0.pickle", "rank2.pickle", "rank1.pickle")
	other, inOther := ranks(t, 2) // a folder after a file is looked into though nobody looks at it
	d.Open([]string{other, files[0]}...)
	d.until("the folder is unfolded", func() bool { return len(d.All) == 5 })
	d.allReady()
	if d.All[3].Doc == nil || d.All[3].Doc.Path != inOther[0] || d.All[4].Doc == nil ||
		d.All[4].Doc.Path != inOther[1] {
		t.Fatalf("%q", d.names())
	}
}

// TestNewerLoadWins: what was asked for last is what is shown, whichever
// finishes first.
func TestNewerLoadWins(t *testing.T) {
	d := drive(t, options.Options{})
	for range 10 {
		d.Open(sample)
		d.Open(devices)
		d.until("it is open", func() bool { return d.Active.Doc != nil && d.Active.Loading == nil })
		if d.Active.Doc.Path != devices {
			t.Fatalf("%s is open", d.Active.Doc.Path)
		}
	}
}

// TestMemoryIsBounded: files are loaded ahead only while they fit, what was not shown for the longest time is unloaded,
// and is as it was when it is shown again.
func TestMemoryIsBounded(t *testing.T) {
	_, files := ranks(t, 4)
	d := drive(t, options.Options{})
	d.Budget = 2 * (perOverviews + 4<<20) // two of them
	d.Open(files...)
	d.until("two are loaded", func() bool {
		return d.All[0].Doc != nil && d.All[1].Doc != nil && d.Active.Loading == nil
	})
	d.Active.GoToPeak(time.Now())
	d.Active.Pin(3)
	view := d.Active.View
	if d.All[2].State() != describe.Waiting || d.All[3].State() != describe.Waiting {
		t.Fatal("more was loaded than fits")
	}
	for _, i := range []int{1, 2, 3} {
		d.Activate(d.All[i])
		d.until("it is loaded", func() bool { return d.Active.Doc != nil })
	}
	first := d.All[0]
	if first.Doc != nil || !first.Evicted() || first.State() != describe.Waiting || d.All[2].Doc == nil {
		t.Fatalf("the first is %v, evicted: %v", first.State(), first.Evicted())
	}
	d.Activate(first)
	d.until("it is back", func() bool { return d.Active.Doc != nil })
	if d.Active.View != view || d.Active.Pinned != 3 {
		t.Fatalf("the view is %v, was %v; pinned %d", d.Active.View, view, d.Active.Pinned)
	}
}

// TestCloseAndReopenKeeps what a session showed, and its place.
func TestCloseAndReopenKeeps(t *testing.T) {
	_, files := ranks(t, 3)
	d := opened(t, options.Options{Files: files})
	d.allReady()
	d.Step(1)
	d.Active.SetDevice(1)
	d.until("the device is shown", func() bool { return d.Active.Doc.Stage.Device == 1 })
	d.Active.GoToPeak(time.Now())
	view := d.Active.View
	d.Close(d.Active, d.Neighbour())
	d.wantTabs("rank0.pickle", "*rank2.pickle")
	d.CloseOthers()
	d.wantTabs("*rank2.pickle")
	d.Reopen()
	d.Reopen()
	if d.wantTabs("rank0.pickle", "*rank1.pickle", "rank2.pickle"); d.CanReopen() {
		t.Fatal("there is one more")
	}
	d.until("it is read again", func() bool { return d.Active.Doc != nil })
	if d.Active.View != view || d.Active.Doc.Stage.Device != 1 {
		t.Fatalf("the view is %v, was %v; device %d", d.Active.View, view, d.Active.Doc.Stage.Device)
	}
}

// TestCancelledLoadingIsGone: the goroutine's last word changes nothing.
func TestCancelledLoadingIsGone(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}})
	d.Open(devices)
	d.Active.CancelLoading()
	d.wantTabs("*sim-base.pickle")
	d.Background.Wait()
	d.frame()
	if d.wantTabs("*sim-base.pickle"); d.Active.Problem != nil || d.Active.Doc == nil {
		t.Fatalf("%+v", d.Active.Problem)
	}
}

// TestChangedOnDisk: a file that is written anew while it is shown is noticed; reading it again settles that.
func TestChangedOnDisk(t *testing.T) {
	path := copyTo(t, sample, t.TempDir(), "run.pickle")
	d := opened(t, options.Options{Files: []string{path}})
	d.Watch(time.Millisecond)
	for range 20 {
		time.Sleep(time.Millisecond)
		if d.frame(); d.Active.Changed() {
			t.Fatal("an unchanged file has changed")
		}
	}
	copyTo(t, devices, path)
	d.until("it is noticed", d.Active.Changed)
	old := d.Active.Doc
	d.Active.Load()
	d.until("it is read again", func() bool { return d.Active.Doc != old })
	if d.Active.Changed() {
		t.Fatal("it still counts as changed")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	d.frame()
	if d.Active.Changed() {
		t.Fatal("a file that is gone cannot be read again")
	}
}
