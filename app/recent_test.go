package app

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gioui.org/io/key"
)

// TestRecentFiles have a folder and a size; those that are gone are marked, and
// all can be forgotten.
func TestRecentFiles(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
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
		d.open(path)
		d.until(name+" is open", func() bool { return d.doc != nil && d.doc.path == path })
	}
	d.until("their sizes are known", func() bool { r := d.recent(); return len(r) == 2 && r[0].Size != "" && r[1].Size != "" })
	if r := d.recent()[0]; r.Name != "b.pickle" || r.Folder != dir || r.Missing {
		t.Errorf("%+v", r)
	}
	if err := os.Remove(filepath.Join(dir, "a.pickle")); err != nil {
		t.Fatal(err)
	}
	d.panels.menu.Open("file", image.Point{}, d.fileMenu())
	d.lookAtRecent()
	d.until("the missing one is marked", func() bool { return d.recent()[1].Missing })
	d.draw()
	d.panels.menu.Close()
	d.chosen(d.gtx(), "file", forgetRecent)
	if s := newWindow(Options{}); len(d.recent()) != 0 || len(s.settings.Recent) != 0 {
		t.Errorf("left: %v", s.settings.Recent)
	}
}

// TestRecentAreThoseLookedAt: a folder of many does not fill the list.
func TestRecentAreThoseLookedAt(t *testing.T) {
	dir, files := ranks(t, 4)
	d := opened(t, Options{Files: []string{dir}, Device: AnyDevice})
	d.until("there is a tab for each", func() bool { return len(d.tabs) == 4 })
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

func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for _, name := range []string{"rank0.pickle", "Rank1.PICKLE", "rank2.txt", ".hidden.pickle", "other.pkl.gz", "rang é/x.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sep := string(filepath.Separator)
	patterns := []string{"*.pickle", "*.gz", "*.json"}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"~", nil},
		{dir + sep, []string{"rang é" + sep, "Rank1.PICKLE", "other.pkl.gz", "rank0.pickle"}},
		{dir + sep + "ran", []string{"Rank1.PICKLE", "rank0.pickle", "rang é" + sep}},
		{dir + sep + "rank0.pickle", nil},
		{dir + sep + ".", []string{".hidden.pickle"}},
		{dir + sep + "rang é" + sep, []string{"rang é" + sep + "x.json"}},
		{dir + sep + "nowhere" + sep + "x", nil},
	} {
		var want []string
		for _, name := range c.want {
			want = append(want, dir+sep+name)
		}
		if got := completions(c.text, patterns); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.text, got, want)
		}
	}
	if got := completions("~"+sep+"rang", patterns); !slices.Equal(got, []string{"~" + sep + "rang é" + sep}) {
		t.Errorf("below ~: %q", got)
	}
}

// TestTabCompletes in the field for a path, as far as it is unambiguous; then it
// takes the first.
func TestTabCompletes(t *testing.T) {
	d := drive(t, Options{Device: AnyDevice})
	dir := t.TempDir()
	for _, name := range []string{"run rank0.pickle", "run rank1.pickle"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.askPath(d.gtx())
	d.draw()
	d.draw()
	f := &d.panels.path.Field
	typing := func(s string) {
		d.router.Queue(key.EditEvent{Range: key.Range{Start: len([]rune(f.Text())), End: len([]rune(f.Text()))}, Text: s})
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
