package window

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
)

// TestRecentFiles have a folder and a size; those that are gone are marked, and
// all can be forgotten.
func TestRecentFiles(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
	dir := t.TempDir()
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.pickle", "b.pickle"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		d.sessions.Open(path)
		d.until(name+" is open", func() bool { return d.tab().Doc != nil && d.tab().Doc.Path == path })
	}
	d.until("their sizes are known", func() bool {
		r := d.listRecent()
		return len(r) == 2 && r[0].Size != "" && r[1].Size != ""
	})
	if r := d.listRecent()[0]; r.Name != "b.pickle" || r.Folder != dir || r.Missing {
		t.Errorf("%+v", r)
	}
	if err := os.Remove(filepath.Join(dir, "a.pickle")); err != nil {
		t.Fatal(err)
	}
	d.menu.Open(fileMenu, image.Point{}, d.fileMenu())
	d.examineRecent()
	d.until("the missing one is marked", func() bool { return d.listRecent()[1].Missing })
	d.draw()
	d.menu.Close()
	d.choose(d.fileMenu(), "Forget these files")
	if s := New(options.Options{}); len(d.listRecent()) != 0 || len(s.settings.Recent) != 0 {
		t.Errorf("left: %v", s.settings.Recent)
	}
}

// TestRecentAreThoseLookedAt: a folder of many does not fill the list.
func TestRecentAreThoseLookedAt(t *testing.T) {
	dir, files := ranks(t, 4)
	d := opened(t, options.Options{Files: []string{dir}, Device: options.AnyDevice})
	d.until("there is a tab for each", func() bool { return len(d.sessions.All) == 4 })
	d.allReady()
	want := func(paths ...string) {
		t.Helper()
		if !slices.Equal(d.settings.Recent, paths) {
			t.Fatalf("recent are %q, want %q", d.settings.Recent, paths)
		}
	}
	want(files[0])
	d.press(key.NameTab, key.ModShortcut)
	want(files[1], files[0])
	d.press(key.NameTab, key.ModShortcut|key.ModShift)
	want(files[1], files[0]) // nothing new
}

// TestTabCompletes in the field for a path, as far as it is unambiguous; then it
// takes the first.
func TestTabCompletes(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
	dir := t.TempDir()
	for _, name := range []string{"run rank0.pickle", "run rank1.pickle"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.askPath(d.gtx())
	d.draw()
	d.draw()
	f := &d.path.Field
	typing := func(s string) {
		d.Router.Queue(key.EditEvent{Range: key.Range{End: len([]rune(f.Text()))},
			Text: s})
		d.draw()
	}
	tab := func(want string) {
		t.Helper()
		d.until("Tab makes it "+want, func() bool {
			if f.Text() != want {
				d.press(key.NameTab, 0)
			}
			return f.Text() == want
		})
	}
	typing(dir + string(filepath.Separator) + "r")
	tab(filepath.Join(dir, "run rank"))
	tab(filepath.Join(dir, "run rank0.pickle"))
	d.press(key.NameTab, 0) // is nobody's here: it moves the focus on
	if f.Text() != filepath.Join(dir, "run rank0.pickle") {
		t.Errorf("the field holds %q", f.Text())
	}
}
