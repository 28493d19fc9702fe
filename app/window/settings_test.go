package window

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gioapp "gioui.org/app"
	"gioui.org/io/key"
	"gioui.org/unit"

	"strata/app/options"
	"strata/app/platform/appearance"
	"strata/app/settings"
	"strata/layout"
	"strata/layout/capacity"
	"strata/render/colour"
)

// TestSettingsComeBack: what was changed in a window is so in the next one.
func TestSettingsComeBack(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	gpu, err := capacity.Find("H100")
	if err != nil {
		t.Fatal(err)
	}
	d.setTheme("light")
	d.press("M", 0) // time
	d.press("H", 0) // framework frames
	d.press("B", 0) // stack panel
	d.setColour(colour.Modes()[3])
	d.setCapacity(gpu)
	d.setModel("", 128256, true)
	d.settings.StackWidth, d.settings.MinimapHeight = 444, 111
	d.settings.MatchesHeight, d.settings.DrawerHeight = 222, 333
	d.resized(image.Pt(1000, 1400), unit.Metric{PxPerDp: 2, PxPerSp: 2})
	d.remember()
	next := New(options.Options{})
	if s := next.settings; s.StackWidth != 444 || s.MinimapHeight != 111 || s.MatchesHeight != 222 ||
		s.DrawerHeight != 333 || s.WindowWidth != 500 || s.WindowHeight != 700 || !s.StackHidden {
		t.Errorf("sizes of panels and window: %+v", s)
	}
	if abs, _ := filepath.Abs(sample); !slices.Equal(next.settings.Recent, []string{abs}) {
		t.Errorf("recent files: %v", next.settings.Recent)
	}
	if next.theme.Dark || next.tab().View.Axis != layout.Time || next.opt.Colour != colour.Modes()[3] ||
		next.opt.GPU.Name != gpu.Name || next.settings.VocabSize != 128256 || !next.settings.Quantized {
		t.Errorf("%+v", next.settings)
	}
	if !next.settings.ShowFramework {
		t.Error("framework frames")
	}
	// The command line counts for once, and changes nothing that is remembered.
	once := New(options.Options{Theme: "dark", Axis: layout.Events, AxisGiven: true})
	once.remember()
	if !once.theme.Dark || once.tab().View.Axis != layout.Events || once.settings.Theme != "light" ||
		once.settings.Axis != "time" {
		t.Errorf("with flags: %+v", once.settings)
	}
}

// TestBrokenSettings are set aside, and the window says so.
func TestBrokenSettings(t *testing.T) {
	d := drive(t, options.Options{})
	if d.tab().Problem != nil {
		t.Fatalf("without any settings: %+v", d.tab().Problem)
	}
	path := d.settingsPath
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("{broken")
	w := New(options.Options{})
	end := w.start(new(gioapp.Window), func() {})
	defer end()
	if w.tab().Problem == nil || !strings.Contains(w.tab().Problem.What, "settings.json.broken") ||
		w.settings.Theme != settings.Default().Theme {
		t.Fatalf("%+v", w.tab().Problem)
	}
	if kept, err := os.ReadFile(path + ".broken"); err != nil || string(kept) != "{broken" {
		t.Fatal("the broken file was not set aside")
	}
}

// TestThemeFollowsTheDesktop unless another was chosen; where the desktop says
// nothing it is dark.
func TestThemeFollowsTheDesktop(t *testing.T) {
	d := opened(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	if !d.theme.Dark || d.themeName() != "system" {
		t.Fatal("a fresh window is not dark")
	}
	expect := func(dark bool) {
		t.Helper()
		d.draw()
		if d.theme.Dark != dark {
			t.Fatalf("dark is %v", d.theme.Dark)
		}
		d.until("the picture has its colours", func() bool { return d.tab().Doc.Stage.Colouring.Palette.Dark == dark })
	}
	d.setDesktop(appearance.Light)
	expect(false)
	d.setDesktop(appearance.Dark)
	expect(true)
	d.setDesktop(appearance.Light)
	d.setDesktop(appearance.Unsaid)
	expect(true)
	d.press("L", 0)
	expect(false)
	d.setDesktop(appearance.Dark)
	expect(false)
	d.choose(d.settingsMenu(d.tab()), "As the desktop")
	expect(true)
	if s := New(options.Options{}); s.themeName() != "system" {
		t.Errorf("the next window's theme is %q", s.themeName())
	}
}

// TestStartSize: as it was, but on the screen.
func TestStartSize(t *testing.T) {
	w := &Window{settings: settings.Default()}
	for screen, want := range map[image.Point]image.Point{{}: {1440, 900}, {3840, 2160}: {1440, 900},
		{1366, 720}: {1366, 720}, {320, 200}: {400, 300}} {
		if x, y := w.startSize(screen); image.Pt(int(x), int(y)) != want {
			t.Errorf("on %v: %v × %v, want %v", screen, x, y, want)
		}
	}
	w.windowMode = gioapp.Fullscreen
	w.resized(image.Pt(8000, 4000), unit.Metric{PxPerDp: 1})
	if w.settings.WindowWidth != 1440 {
		t.Error("full screen was taken for the window's size")
	}
	w.settings.WindowWidth, w.settings.WindowHeight = 700, 500
	c := gioapp.Config{Mode: gioapp.Fullscreen, Size: image.Pt(8000, 4000)}
	w.otherSize()(unit.Metric{PxPerDp: 2}, &c)
	if c.Mode != gioapp.Windowed || c.Size != image.Pt(1400, 1000) {
		t.Errorf("out of full screen the window is %v of %v", c.Mode, c.Size)
	}
	w.windowMode = gioapp.Windowed
	if w.otherSize()(unit.Metric{PxPerDp: 2}, &c); c.Mode != gioapp.Fullscreen {
		t.Errorf("the way into full screen leads to %v", c.Mode)
	}
	d := drive(t, options.Options{})
	d.press(key.NameF11, 0)
}
