package platform

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	gioapp "gioui.org/app"
	"gioui.org/op"
	"gioui.org/op/paint"
)

// Tests with a window run it in a process of its own: this test binary, started
// with inWindow set. It prints what it is told, a line of JSON each.
const inWindow = "STRATA_PLATFORM_TEST_WINDOW"

// told is an Event, or the X11 window that has been opened.
type told struct {
	Window      uint32 `json:",omitempty"`
	Kind        string `json:",omitempty"`
	Paths       []string
	X, Y        int
	Err         string `json:",omitempty"`
	Interactive bool   `json:",omitempty"` // the first frame has been drawn
}

func TestMain(m *testing.M) {
	if os.Getenv(inWindow) == "" {
		os.Exit(m.Run())
	}
	out := json.NewEncoder(os.Stdout)
	lines := make(chan told, 1024)
	go func() {
		for l := range lines {
			out.Encode(l)
		}
	}()
	go func() {
		w := new(gioapp.Window)
		w.Option(gioapp.Title("strata platform test"), gioapp.Size(400, 300))
		p := New(w, func(e Event) {
			l := told{Kind: e.Kind.String(), Paths: e.Paths, X: e.Pos.X, Y: e.Pos.Y}
			if e.Err != nil {
				l.Err = e.Err.Error()
			}
			lines <- l
		})
		var ops op.Ops
		drawn := false
		for {
			e := w.Event()
			p.ListenEvents(e)
			switch e := e.(type) {
			case gioapp.DestroyEvent:
				if e.Err != nil {
					fmt.Fprintln(os.Stderr, e.Err)
					os.Exit(1)
				}
				os.Exit(0)
			case gioapp.FrameEvent:
				if !drawn {
					drawn = true
					lines <- told{Interactive: true}
				}
				gtx := gioapp.NewContext(&ops, e)
				paint.Fill(gtx.Ops, color.NRGBA{0x0f, 0x11, 0x18, 0xff})
				e.Frame(gtx.Ops)
			case gioapp.ViewEvent:
				if s, ok := any(&p.sys).(interface{ windowID() uint32 }); ok && s.windowID() != 0 {
					lines <- told{Window: s.windowID()}
				}
			}
		}
	}()
	gioapp.Main()
}

// screen starts a virtual screen for one test and returns its name.
func screen(t *testing.T) string {
	t.Helper()
	need(t, "Xvfb")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	start(t, cmd)
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb said no display number: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

// need skips the test, and says so, where a program is missing.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs Linux")
	}
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("SKIPPED: %s is not installed", p)
		}
	}
}

// start starts a program that ends with the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// testWindow is a window in a process of its own.
type testWindow struct {
	id    uint32
	lines chan told
	cmd   *exec.Cmd
}

// openWindow opens a window with a Platform and waits until it is drawn.
func openWindow(t *testing.T, env ...string) *testWindow {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), inWindow+"=1", "LIBGL_ALWAYS_SOFTWARE=1", "STRATA_DEBUG=1", "EGL_PLATFORM="), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w := &testWindow{lines: make(chan told, 1024), cmd: cmd}
	start(t, cmd)
	go func() {
		defer close(w.lines)
		for d := json.NewDecoder(out); ; {
			var l told
			if d.Decode(&l) != nil {
				return
			}
			w.lines <- l
		}
	}()
	for drawn := false; !drawn; {
		l := w.next(t)
		drawn = l.Interactive
		if l.Window != 0 {
			w.id = l.Window
		}
	}
	return w
}

// next waits for the next line.
func (w *testWindow) next(t *testing.T) told {
	t.Helper()
	select {
	case l, ok := <-w.lines:
		if !ok {
			t.Fatal("the window's process has ended")
		}
		return l
	case <-time.After(30 * time.Second):
		t.Fatal("the window says nothing")
	}
	return told{}
}

// until waits for an event of a kind and returns it, and the last before it.
func (w *testWindow) until(t *testing.T, kind Kind) (last, e told) {
	t.Helper()
	for {
		e = w.next(t)
		if e.Kind == kind.String() {
			return last, e
		}
		if e.Kind != Hover.String() {
			t.Fatalf("got %+v while waiting for %v", e, kind)
		}
		last = e
	}
}

// quiet checks that the window says nothing more.
func (w *testWindow) quiet(t *testing.T) {
	t.Helper()
	select {
	case l := <-w.lines:
		t.Errorf("then came %+v", l)
	case <-time.After(200 * time.Millisecond):
	}
}

// gtk3 is a Python that has GTK 3.
func gtk3(t *testing.T) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk").Run() != nil {
		t.Skip("SKIPPED: python3-gi with GTK 3 is not installed (apt: python3-gi gir1.2-gtk-3.0)")
	}
	return python
}

// A drag with the mouse from a GTK 3 program, all real.
func TestDragFromGTK3(t *testing.T) {
	need(t, "xdotool", "openbox")
	python := gtk3(t)
	display := screen(t)
	env := []string{"DISPLAY=" + display, "WAYLAND_DISPLAY=none", "GDK_BACKEND=x11"}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	wm := exec.Command("openbox")
	wm.Env = append(os.Environ(), env...)
	start(t, wm)
	w := openWindow(t, env...)
	run("xdotool", "windowmove", "--sync", fmt.Sprint(w.id), "20", "40")
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "run rank0 #1.pickle"), filepath.Join(dir, "été 100%.pickle")}
	source := exec.Command(python, append([]string{filepath.Join("testdata", "drag_gtk3.py")}, paths...)...)
	source.Env = append(os.Environ(), env...)
	source.Stderr = os.Stderr
	start(t, source)
	run("xdotool", "search", "--sync", "--onlyvisible", "--name", "^drag source$")
	time.Sleep(time.Second)
	run("xdotool", "search", "--onlyvisible", "--name", "^drag source$", "windowmove", "--sync", "700", "60")
	time.Sleep(500 * time.Millisecond)
	move := func(from, to image.Point, steps int) {
		for i := range steps {
			p := from.Add(to.Sub(from).Mul(i + 1).Div(steps))
			run("xdotool", "mousemove", fmt.Sprint(p.X), fmt.Sprint(p.Y))
			time.Sleep(60 * time.Millisecond)
		}
	}
	begin, end := image.Pt(760, 120), image.Pt(200, 200)
	move(begin, begin, 1)
	run("xdotool", "mousedown", "1")
	move(begin, end, 20)
	time.Sleep(time.Second)
	move(end, image.Pt(650, 500), 8) // away over the root window
	hover, _ := w.until(t, Leave)
	if strings.Join(hover.Paths, "|") != strings.Join(paths, "|") {
		t.Errorf("while hovering the paths were %q, want %q", hover.Paths, paths)
	}
	move(image.Pt(650, 500), end, 12)
	time.Sleep(time.Second)
	run("xdotool", "mouseup", "1")
	_, drop := w.until(t, Drop)
	if strings.Join(drop.Paths, "|") != strings.Join(paths, "|") {
		t.Errorf("dropped %q, want %q", drop.Paths, paths)
	}
	if drop.X < 100 || drop.X > 200 || drop.Y < 80 || drop.Y > 200 {
		t.Errorf("dropped at %d,%d, not near where the pointer is", drop.X, drop.Y)
	}
	w.quiet(t)
}
