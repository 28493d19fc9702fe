package window

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"strata/app/options"
	"strata/app/platform/dialog"
)

// fakeDialogs answer at once, and remember what they were asked.
type fakeDialogs struct {
	paths []string
	err   error
	asked dialog.Request
}

func (f *fakeDialogs) OpenDialog(_ context.Context, d dialog.Request) ([]string, error) {
	f.asked = d
	return f.paths, f.err
}

func (f *fakeDialogs) SaveDialog(_ context.Context, d dialog.Request) (string, error) {
	f.asked = d
	return strings.Join(f.paths, ""), f.err
}

// TestOpenDialog: several files may be chosen, the dialog begins where the
// last one was.
func TestOpenDialog(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
	abs, err := filepath.Abs(sample)
	if err != nil {
		t.Fatal(err)
	}
	fake := &fakeDialogs{paths: []string{abs}}
	d.dialogs = fake
	d.press("O", key.ModShortcut)
	d.until("the file is open", func() bool { return d.tab().Doc != nil })
	home, _ := os.UserHomeDir()
	if !fake.asked.Multiple || fake.asked.Folder != home || len(fake.asked.Filters) != 2 {
		t.Errorf("asked with %+v", fake.asked)
	}
	d.press("W", key.ModShortcut)
	fake.paths = nil
	d.press("O", key.ModShortcut)
	d.until("the dialog is closed", func() bool { return !d.choosing })
	if fake.asked.Folder != filepath.Dir(abs) || d.tab().Doc != nil || d.asking() {
		t.Errorf("cancelled; asked with %+v", fake.asked)
	}
	// Another window begins there too.
	if next := New(options.Options{}); next.lastFolder() != filepath.Dir(abs) {
		t.Errorf("the next window begins in %s", next.lastFolder())
	}
}

// TestPathField takes the dialog's place where there is none.
func TestPathField(t *testing.T) {
	d := drive(t, options.Options{Device: options.AnyDevice})
	d.dialogs = &fakeDialogs{err: dialog.ErrNoDialog}
	d.press("O", key.ModShortcut)
	d.until("the field is there", func() bool { return d.asking() })
	if !strings.Contains(d.pathSheet().note, "zenity") {
		t.Errorf("it says %q", d.pathSheet().note)
	}
	dir := filepath.Join(t.TempDir(), `a b#%`)
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, `é "quoted".pickle`)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Skipf("no file can have that name here: %v", err)
	}
	url := "file://" + strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", `"`, "%22", "é",
		"%C3%A9").Replace(filepath.ToSlash(path))
	for _, text := range []string{path, "  '" + path + "'", url} {
		d.tab().Doc = nil
		d.askPath(d.gtx())
		d.path.Field.SetText(text)
		d.draw()
		d.draw() // gives it the focus
		d.press(key.NameReturn, 0)
		d.until(text+" is open", func() bool { return d.tab().Doc != nil || d.tab().Problem != nil })
		if d.tab().Doc == nil || d.tab().Doc.Path != path || d.asking() {
			t.Fatalf("%s: %+v", text, d.tab().Problem)
		}
	}
}

// TestChooseTarget asks for a file to write: in a dialog, else in the window,
// which asks before a file is replaced.
func TestChooseTarget(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice})
	var wrote []string
	write := func(path string) { wrote = append(wrote, path) }
	fake := &fakeDialogs{paths: []string{"/out/x.png"}}
	d.dialogs = fake
	png := []dialog.Filter{{Name: "Pictures", Patterns: []string{"*.png"}}}
	d.chooseTarget("Save the picture", "run.png", png, write)
	d.until("it is written", func() bool { return len(wrote) == 1 })
	if folder, _ := filepath.Abs(filepath.Dir(sample)); wrote[0] != "/out/x.png" || fake.asked.Name != "run.png" ||
		fake.asked.Folder != folder {
		t.Errorf("%v, asked with %+v", wrote, fake.asked)
	}
	fake.paths = nil
	d.chooseTarget("Save the picture", "run.png", png, write)
	d.until("the dialog is closed", func() bool { return !d.choosing })

	d.dialogs = &fakeDialogs{err: dialog.ErrNoDialog}
	d.chooseTarget("Save the picture", "run.png", png, write)
	d.until("the field is there", func() bool { return d.asking() })
	taken := filepath.Join(t.TempDir(), "taken.png")
	if err := os.WriteFile(taken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	confirm := func(path string) {
		d.path.Field.SetText(path)
		d.draw()
		d.draw()
		d.press(key.NameReturn, 0)
	}
	for _, refused := range []string{filepath.Dir(taken), taken} {
		confirm(refused)
		if !d.asking() || len(wrote) != 1 || d.pathSheet().note == "" {
			t.Fatalf("%s was taken: %v", refused, wrote)
		}
	}
	confirm(taken)
	if want := []string{"/out/x.png", taken}; d.asking() || !slices.Equal(wrote, want) {
		t.Fatalf("written %v, want %v", wrote, want)
	}
	// The next time it opens again.
	d.askPath(d.gtx())
	if d.pathSheet().write != nil {
		t.Error("the field for opening would write")
	}
}

func TestTyped(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for in, want := range map[string]string{"/a/b c.pickle": "/a/b c.pickle", `"/a b"`: "/a b", "'x y'": "x y",
		"file:///a/%20b": "/a/ b", "": "", `"`: `"`, "~/x": filepath.Join(home, "x"), "a~b": "a~b"} {
		if got := typedPath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
