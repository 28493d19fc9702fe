package window

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/app/files"
	"strata/app/options"
	"strata/app/platform/display"
	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/snapshot"
)

// TestMain runs the program itself in place of the tests when a test has
// started this binary for that.
func TestMain(m *testing.M) {
	if files := filepath.SplitList(os.Getenv("STRATA_TEST_WINDOW")); len(files) > 0 {
		err := display.Choose("")
		if err == nil {
			file, _ := os.Create(os.Getenv("STRATA_DUMP_STATE"))
			dump := stateDump{file: file}
			w := New(options.Options{Files: files, Device: options.AnyDevice})
			w.onFrame = func(r *panelRects) { dump.frame(w, r) }
			err = w.Run(nil)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A realWindow is the program in a window of a virtual X server, driven by
// events that the server makes.
type realWindow struct {
	t       *testing.T
	display string
	trace   string
	offset  int64
	state   shownState
}

// startWindow opens files in a window and waits for the picture of the first.
func startWindow(t *testing.T, names ...string) *realWindow {
	t.Helper()
	for _, tool := range []string{"Xvfb", "xdotool"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the real window is not tested", tool)
		}
	}
	w := &realWindow{t: t, trace: filepath.Join(t.TempDir(), "trace")}
	w.display = startX(t)
	var paths []string
	for _, file := range names {
		paths = append(paths, files.Absolute(file))
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	var out strings.Builder
	cmd := exec.Command(exe)
	cmd.Stderr = &out
	cmd.Env = append(os.Environ(), "DISPLAY="+w.display, "WAYLAND_DISPLAY=", "STRATA_TEST_WINDOW="+strings.Join(paths,
		string(filepath.ListSeparator)), "STRATA_DUMP_STATE="+w.trace, "HOME="+home, "XDG_CONFIG_HOME="+home)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the program said: %s", out.String())
		}
	})
	w.until("the picture is there", func(s *shownState) bool { return s.File == paths[0] && s.Sharp && !s.Loading })
	return w
}

// startX starts an X server on a display that is free. It does not start over
// when its last client goes, as between two calls of xdotool.
func startX(t *testing.T) string {
	t.Helper()
	r, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{wr}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wr.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Skipf("Xvfb does not start: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

// until reads the trace until a frame is as wished.
func (w *realWindow) until(what string, so func(*shownState) bool) {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		w.read()
		if so(&w.state) {
			return
		}
	}
	w.t.Fatalf("timed out waiting until %s; the last frame: %+v", what, w.state)
}

// read takes the newest whole line of the trace.
func (w *realWindow) read() {
	f, err := os.Open(w.trace)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.Seek(w.offset, io.SeekStart); err != nil {
		return
	}
	data, _ := io.ReadAll(f)
	end := strings.LastIndexByte(string(data), '\n')
	if end < 0 {
		return
	}
	lines := strings.Split(string(data[:end]), "\n")
	w.offset += int64(end) + 1
	w.state = shownState{}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &w.state); err != nil {
		w.t.Fatal(err)
	}
}

func (w *realWindow) do(args ...string) {
	w.t.Helper()
	cmd := exec.Command("xdotool", args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+w.display)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("xdotool %v: %v: %s", args, err, out)
	}
}

// point moves the pointer to a pixel of the picture and waits for the window
// to notice.
func (w *realWindow) point(p image.Point) {
	w.t.Helper()
	at := p.Add(w.state.Plot.Min)
	w.do("mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y))
	w.until("the pointer is there", func(s *shownState) bool { return s.Inside && s.Pointer == p && s.Sharp })
}

// hit is what layout says lies at a pixel of the picture.
func (w *realWindow) hit(t *layout.Timeline, p image.Point) layout.ID {
	v, size := w.state.View, w.state.Plot.Size()
	dx, dy := (v.X1-v.X0)/float64(size.X), (v.Y1-v.Y0)/float64(size.Y)
	column := math.Round(v.X0/dx) + float64(p.X)
	row := math.Round(v.Y0/dy) + float64(size.Y-1-p.Y)
	return t.Hit(t.Column(v.Axis, column*dx, (column+1)*dx), int64(math.Floor((row+.5)*dy)))
}

// TestRealWindow drives the program as a person would: what it shows of the
// allocation under the pointer is what layout has there, the point under the
// pointer stays put while zooming, clicks pin, Esc unpins, keys work.
func TestRealWindow(t *testing.T) {
	w := startWindow(t, sample)
	s, err := snapshot.Open(context.Background(), sample, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range 12 {
		p := image.Pt(rng.IntN(w.state.Plot.Dx()), w.state.Plot.Dy()/2+rng.IntN(w.state.Plot.Dy()/2))
		w.point(p)
		want := w.hit(tl, p)
		if w.state.Hovered != want {
			t.Fatalf("hovered %d at %v, layout says %d", w.state.Hovered, p, want)
		}
		if want >= 0 {
			exact := units.ExactBytes(tl.Size[want])
			if w.state.Tip != exact || w.state.Bottom != exact || w.state.Stack != uint32(tl.At(want).Stack) ||
				!w.state.Tooltip || w.state.Outline == 0 {
				t.Fatalf("allocation %d of %s is shown as %+v", want, exact, w.state)
			}
		}
		w.zoom(p, i%3 == 2)
	}
	w.pinning(tl)
	w.do("key", "m")
	w.until("the axis is time", func(s *shownState) bool { return s.View.Axis == layout.Time && s.Sharp })
	w.do("key", "question")
	w.until("the help is open", func(s *shownState) bool { return s.Help })
	w.do("key", "Escape")
	w.until("the help is closed", func(s *shownState) bool { return !s.Help })
}

// zoom scrolls a notch and compares the place under the pointer.
func (w *realWindow) zoom(p image.Point, out bool) {
	w.t.Helper()
	before, size := w.state.View, w.state.Plot.Size()
	button, factor := "4", 1.25
	if out {
		button, factor = "5", .8
	}
	w.do("click", button)
	w.until("the view is zoomed and sharp", func(s *shownState) bool {
		return s.Sharp && math.Abs((before.X1-before.X0)/(s.View.X1-s.View.X0)/factor-1) < 1e-6
	})
	after := w.state.View
	px := float64(p.X) + .5
	a, b := before.XAt(px, size.X), after.XAt(px, size.X)
	if math.Abs(a-b) > 1.01*(before.X1-before.X0)/float64(size.X) { // Gio's pointer is on whole pixels
		w.t.Fatalf("%v was under the pointer, now %v", a, b)
	}
	if after.Y0 != before.Y0 || after.Y1 != before.Y1 {
		w.t.Fatal("scrolling changed the bytes in view")
	}
}

// pinning clicks an allocation, moves away, and unpins.
func (w *realWindow) pinning(tl *layout.Timeline) {
	w.t.Helper()
	w.do("key", "0")
	w.until("the whole run is shown", func(s *shownState) bool {
		return s.Sharp && s.View == render.Whole(tl, layout.Events).Clamp(tl)
	})
	p, id := image.Point{}, layout.None
	for y := w.state.Plot.Dy() - 1; y >= 0 && id < 0; y-- {
		p = image.Pt(w.state.Plot.Dx()/2, y)
		id = w.hit(tl, p)
	}
	w.point(p)
	w.do("click", "1")
	w.until("it is pinned", func(s *shownState) bool { return s.Pinned == id })
	w.point(image.Pt(5, 5))
	if w.state.Shown != id || w.state.Bottom != units.ExactBytes(tl.Size[id]) {
		w.t.Fatalf("the panels do not keep to what is pinned: %+v", w.state)
	}
	w.do("key", "Escape")
	w.until("it is unpinned", func(s *shownState) bool { return s.Pinned == layout.None })
}

// TestNoDisplay: one sentence that names what works without, exit code 1.
func TestNoDisplay(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, display := range []string{"", ":9999"} {
		cmd := exec.Command(exe)
		home := t.TempDir()
		cmd.Env = []string{"STRATA_TEST_WINDOW=" + sample, "DISPLAY=" + display, "HOME=" + home, "XDG_RUNTIME_DIR=" +
			home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatalf("DISPLAY=%q: %v: %s", display, err, out)
		}
		if !strings.Contains(string(out), "strata render") {
			t.Errorf("DISPLAY=%q: %q does not say what to do", display, out)
		}
	}
}

// TestRealTabs opens several files in the real window and goes among them by
// key and pointer.
func TestRealTabs(t *testing.T) {
	w := startWindow(t, sample, devices)
	shows := func(active string, names ...string) func(*shownState) bool {
		return func(s *shownState) bool {
			var got []string
			for _, t := range s.Tabs {
				if got = append(got, t.Name); t.Active != (t.Name == active) || t.State != "ready" {
					return false
				}
			}
			return slices.Equal(got, names) && s.Sharp && filepath.Base(s.File) == active
		}
	}
	w.until("both are open", shows("sim-base.pickle", "sim-base.pickle", "sim-devices.pickle"))
	w.point(image.Pt(w.state.Plot.Dx()/2, w.state.Plot.Dy()-20))
	w.do("click", "1")
	w.until("something is pinned", func(s *shownState) bool { return s.Pinned >= 0 })
	w.do("click", "4")
	w.until("it is zoomed", func(s *shownState) bool { return s.View.X0 > 0 && s.Sharp })
	pinned, view := w.state.Pinned, w.state.View
	w.do("key", "ctrl+Tab")
	w.until("the second is shown", shows("sim-devices.pickle", "sim-base.pickle", "sim-devices.pickle"))
	if w.state.Pinned >= 0 || w.state.View == view {
		t.Fatal("pin or view are those of the other file")
	}
	w.do("mousemove", "60", "58", "click", "1")
	w.until("the first is shown as it was", func(s *shownState) bool {
		return shows("sim-base.pickle", "sim-base.pickle", "sim-devices.pickle")(s) && s.Pinned == pinned &&
			s.View == view
	})
	w.do("mousemove", "290", "58", "click", "2")
	w.until("the middle button closed the second", shows("sim-base.pickle", "sim-base.pickle"))
	w.do("key", "ctrl+shift+t")
	w.until("it is back", shows("sim-devices.pickle", "sim-base.pickle", "sim-devices.pickle"))
	w.do("key", "ctrl+w")
	w.until("it is closed again", shows("sim-base.pickle", "sim-base.pickle"))
}
