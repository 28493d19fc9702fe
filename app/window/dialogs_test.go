package window

import (
	"context"
	"image"
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

// TestDialogsBeginWhereOneOpenedFrom: in the folder of what was opened last, whichever tab is shown; the path field
// holds that folder and no file name, or a name that typing replaces.
func TestDialogsBeginWhereOneOpenedFrom(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	first, second := copyTo(t, sample, here, "a.pickle"), copyTo(t, devices, there, "b.pickle")
	d := opened(t, options.Options{Files: []string{first}, Device: options.AnyDevice})
	fake := &fakeDialogs{paths: []string{second}}
	d.dialogs = fake
	d.press("O", key.ModShortcut)
	d.until("it is open", func() bool { return d.tab().Doc != nil && d.tab().Doc.Path == second })
	if fake.asked.Folder != here {
		t.Errorf("the first dialog began in %s", fake.asked.Folder)
	}
	d.press(key.NameTab, key.ModCtrl) // back to the first file
	fake.paths = nil
	d.press("O", key.ModShortcut)
	d.until("it is asked", func() bool { return !d.choosing })
	if fake.asked.Folder != there {
		t.Errorf("the next dialog began in %s", fake.asked.Folder)
	}
	d.dialogs = &fakeDialogs{err: dialog.ErrNoDialog}
	folder := there + string(filepath.Separator)
	for range 2 {
		d.press("O", key.ModShortcut)
		d.until("the field is there", d.asking)
		if got := d.path.Field.Text(); got != folder {
			t.Errorf("the field begins with %q", got)
		}
		d.draw()
		d.enter("b.pickle")
		d.press(key.NameEscape, 0)
	}
	d.press("E", key.ModShortcut)
	d.until("the field is there", d.asking)
	d.draw()
	d.draw()
	d.enter("x")
	if got := d.path.Field.Text(); got != folder+"x.png" {
		t.Errorf("typing over the offered name gives %q", got)
	}
}

// TestChips: the status line says that the file has changed and that not all is drawn; a click on the chips does what
// they say.
func TestChips(t *testing.T) {
	path := copyTo(t, sample, t.TempDir(), "run.pickle")
	d := opened(t, options.Options{Files: []string{path}, Device: options.AnyDevice, MaxEntries: 50})
	if got := d.tab().status.Entries; got != "the 50 largest drawn" {
		t.Errorf("of the entries it says %q", got)
	}
	copyTo(t, devices, path)
	d.until("it is said", func() bool { return d.tab().status.Changed == "changed: "+keyOf("reload") })
	old := d.tab().Doc
	line := d.arrange(d.gtx(), d.tab()).line
	for x := line.Min.X + 20; x < line.Min.X+700 && d.tab().Loading == nil && d.tab().Doc == old; x += 15 {
		d.click(image.Pt(x, line.Min.Y+line.Dy()/2))
		d.sheet = nil
	}
	d.until("it is read again", func() bool { return d.tab().Doc != old && d.tab().Loading == nil })
	d.draw()
	if d.tab().status.Changed != "" {
		t.Errorf("it still says %q", d.tab().status.Changed)
	}
}
