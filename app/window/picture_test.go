package window

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/app/platform/dialog"
	"strata/layout"
	"strata/layout/capacity"
)

// TestSavePicture: Ctrl+E asks where to and writes what is shown, with what is
// marked in it.
func TestSavePicture(t *testing.T) {
	gpu, err := capacity.Find("T4")
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, GPU: gpu, NoCache: true})
	d.sharp()
	dir := t.TempDir()
	save := func(name string) []byte {
		t.Helper()
		fake := &fakeDialogs{paths: []string{filepath.Join(dir, name)}}
		d.dialogs, d.tab().Notice = fake, ""
		d.press("E", key.ModShortcut)
		d.until("the picture is saved", func() bool {
			return strings.HasPrefix(d.tab().Notice, "Picture saved") || d.tab().Problem != nil
		})
		if d.tab().Problem != nil {
			t.Fatal(d.tab().Problem.What)
		}
		if fake.asked.Name != "sim-base.png" || len(fake.asked.Filters) != 2 {
			t.Errorf("asked with %+v", fake.asked)
		}
		if !strings.Contains(d.tab().Notice, filepath.Join(dir, name)) {
			t.Errorf("said %q", d.tab().Notice)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	plain := save("a.png")
	img, err := png.Decode(bytes.NewReader(plain))
	if err != nil || img.Bounds().Dx() < pictureWidth {
		t.Fatalf("%v, %v", err, img.Bounds())
	}
	// What is pinned, searched or zoomed to shows.
	d.press("P", 0)
	zoomed := save("b.png")
	tl := d.tab().Timeline()
	if d.tab().Pinned = tl.Hit(layout.Moment{Step: tl.PeakState}, tl.PeakBytes/2); d.tab().Pinned < 0 {
		t.Fatal("nothing to pin")
	}
	pinned := save("c.png")
	d.tab().Search("size>=1MiB")
	d.until("it is found", func() bool { return d.tab().Find.Result != nil })
	searched := save("d.png")
	for i, b := range [][]byte{zoomed, pinned, searched} {
		if bytes.Equal(plain, b) || i > 0 && bytes.Equal(zoomed, b) {
			t.Errorf("picture %d is no other than before", i)
		}
	}
	vectors := string(save("e.svg"))
	for _, want := range []string{"<svg ", "sim-base.pickle", "T4 16 GB", "MiB"} {
		if !strings.Contains(vectors, want) {
			t.Errorf("no %q in the SVG", want)
		}
	}
}

// TestSavePictureFails: one sentence, and nothing is left.
func TestSavePictureFails(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	dir := t.TempDir()
	for name, want := range map[string]string{
		filepath.Join(dir, "no", "a.png"): "cannot be written",
		filepath.Join(dir, "a.jpg"):       "PNG or SVG",
		filepath.Join(dir, "a"):           "PNG or SVG",
		"/dev/full/a.svg":                 "cannot be written",
	} {
		d.tab().Problem = nil
		d.dialogs = &fakeDialogs{paths: []string{name}}
		d.press("E", key.ModShortcut)
		d.until("it is refused", func() bool { return d.tab().Problem != nil })
		if !strings.Contains(d.tab().Problem.What, want) || strings.Count(d.tab().Problem.What, "\n") > 0 {
			t.Errorf("%s: %q", name, d.tab().Problem.What)
		}
	}
	// Without a system's dialog the window asks itself.
	d.tab().Problem = nil
	d.dialogs = &fakeDialogs{err: dialog.ErrNoDialog}
	d.press("E", key.ModShortcut)
	d.until("the window asks", func() bool { return d.asking() })
	d.path.Field.SetText(filepath.Join(dir, "b.svg"))
	d.press(key.NameReturn, 0)
	d.until("the picture is saved", func() bool { return strings.HasPrefix(d.tab().Notice, "Picture saved") })
	if left, _ := os.ReadDir(dir); len(left) != 1 || left[0].Name() != "b.svg" {
		t.Errorf("in the folder: %v", left)
	}
}
