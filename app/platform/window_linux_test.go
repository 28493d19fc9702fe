package platform

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	gioapp "gioui.org/app"
	"gioui.org/op"
	"gioui.org/op/paint"

	"strata/app/platform/display"
	"strata/app/platform/drops"
	"strata/app/platform/platformtest"
)

// Tests with a window run it in a process of its own: this test binary, started with inWindow set. It prints what
// it is told, a line of JSON each.
const inWindow = "STRATA_PLATFORM_TEST_WINDOW"

// told is an Event, or the X11 window that has been opened.
type told struct {
	Window      uint32 `json:",omitempty"`
	Kind        string `json:",omitempty"`
	Paths       []string
	Err         string `json:",omitempty"`
	Interactive bool   `json:",omitempty"` // the first frame has been drawn
}

// withRuntimeDir calls f with an XDG_RUNTIME_DIR that toolkits accept, where the machine gives none.
func withRuntimeDir(f func() int) int {
	if os.Getenv("XDG_RUNTIME_DIR") == "" {
		dir, err := os.MkdirTemp("", "strata-run") // with mode 0700, as they demand
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		os.Setenv("XDG_RUNTIME_DIR", dir)
	}
	return f()
}

func TestMain(m *testing.M) {
	if os.Getenv(inWindow) == "" {
		os.Exit(withRuntimeDir(m.Run))
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
			l := told{Kind: e.Kind.String(), Paths: e.Paths}
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
					fmt.Fprintln(os.Stderr, display.StartError(e.Err))
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
				if s, ok := any(&p.sys).(interface{ window() uintptr }); ok && s.window() != 0 {
					lines <- told{Window: uint32(s.window())}
				}
			}
		}
	}()
	gioapp.Main()
}

// screen starts a virtual screen for one test and returns its name.
func screen(t *testing.T) string {
	t.Helper()
	platformtest.Need(t, "Xvfb")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	platformtest.Start(t, cmd)
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb said no display number: %v", err)
	}
	return ":" + strings.TrimSpace(number)
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
	cmd.Env = append(append(os.Environ(), inWindow+"=1", "LIBGL_ALWAYS_SOFTWARE=1", "STRATA_DEBUG=1", "EGL_PLATFORM="),
		env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w := &testWindow{lines: make(chan told, 1024), cmd: cmd}
	platformtest.Start(t, cmd)
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

// runWindow runs a window until its process ends, and returns what that said.
func runWindow(t *testing.T, env ...string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(append(os.Environ(), inWindow+"=1"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
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
func (w *testWindow) until(t *testing.T, kind drops.Kind) (last, e told) {
	t.Helper()
	for {
		e = w.next(t)
		if e.Kind == kind.String() {
			return last, e
		}
		if e.Kind != drops.Hover.String() {
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

// The window's process ends with an error, not in silence or a panic, where there is nothing to draw with.
func TestNothingToDrawWith(t *testing.T) {
	platformtest.Need(t, "Xvfb")
	display := screen(t)
	out, err := runWindow(t, "DISPLAY="+display, "WAYLAND_DISPLAY=none", "__EGL_VENDOR_LIBRARY_DIRS=/nonexistent",
		"VK_ICD_FILENAMES=/nonexistent", "VK_DRIVER_FILES=/nonexistent")
	if err == nil || !strings.Contains(out, "3D graphics") || strings.Contains(out, "panic") {
		t.Errorf("it ended with %v and said\n%s", err, out)
	}
}
