package platform

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"strata/app/platform/drops"
	"strata/app/platform/platformtest"
)

// Drags with the mouse, all real, from programs of the toolkits that people have.

// A toolkit is what a source of drags is made with.
type toolkit struct {
	name, script string
	check        string // Python that fails where it is missing
	install      string // its Debian packages
}

var toolkits = []toolkit{
	{"GTK 3", "drag_gtk3.py", "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk",
		"python3-gi gir1.2-gtk-3.0"},
	{"GTK 4", "drag_gtk4.py", "import gi; gi.require_version('Gtk', '4.0'); from gi.repository import Gtk",
		"python3-gi gir1.2-gtk-4.0"},
	{"Qt 5", "drag_qt5.py", "import PyQt5.QtWidgets", "python3-pyqt5"},
}

// python is Debian's, which knows the packages above.
const python = "/usr/bin/python3"

func (k toolkit) need(t *testing.T) {
	t.Helper()
	if exec.Command(python, "-c", k.check).Run() != nil {
		t.Skipf("SKIPPED: Python with %s is not installed (apt: %s)", k.name, k.install)
	}
}

func TestDragOnX11(t *testing.T) {
	platformtest.Need(t, "xdotool", "openbox")
	for _, k := range toolkits {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			k.need(t)
			display := screen(t)
			env := []string{"DISPLAY=" + display, "WAYLAND_DISPLAY=none", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb"}
			manager := exec.Command("openbox")
			manager.Env = append(os.Environ(), env...)
			platformtest.Start(t, manager)
			managed(t, display)
			k.drag(t, display, env)
		})
	}
}

// managed waits until a window manager has the screen: windows that are there before it are covered by later ones.
func managed(t *testing.T, display string) {
	t.Helper()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const name = "_NET_SUPPORTING_WM_CHECK"
	atom, err := xproto.InternAtom(conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		t.Fatal(err)
	}
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	for range 600 {
		check, err := xproto.GetProperty(conn, false, root, atom.Atom, xproto.AtomWindow, 0, 1).Reply()
		if err == nil && check.ValueLen == 1 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("no window manager came up in a minute")
}

// The compositor runs in a window of a virtual screen.
func TestDragOnWayland(t *testing.T) {
	platformtest.Need(t, "xdotool", "weston")
	k := toolkits[0]
	k.need(t)
	display := screen(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// The pointer begins beside the compositor's window: one that is in it when the window comes up, weston may not
	// see.
	away := exec.Command("xdotool", "mousemove", "990", "690")
	away.Env = append(os.Environ(), "DISPLAY="+display)
	if out, err := away.CombinedOutput(); err != nil {
		t.Fatalf("xdotool: %v\n%s", err, out)
	}
	weston := exec.Command("weston", "--backend=x11-backend.so", "--socket=strata-test", "--width=960", "--height=660",
		"--no-config", "--idle-time=0", "--log="+filepath.Join(dir, "log"))
	weston.Env = append(os.Environ(), "DISPLAY="+display, "XDG_RUNTIME_DIR="+dir)
	platformtest.Start(t, weston)
	for range 200 {
		if _, err := os.Stat(filepath.Join(dir, "strata-test")); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	k.drag(t, display, []string{"DISPLAY=", "WAYLAND_DISPLAY=strata-test", "XDG_RUNTIME_DIR=" + dir,
		"GDK_BACKEND=wayland"})
}

// drag drags two files over the window, away, over it again, and drops them. The windows are where their manager
// has put them, so they are found by colour.
func (k toolkit) drag(t *testing.T, display string, env []string) {
	t.Helper()
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "run rank0 #1.pickle"), filepath.Join(dir, "été 100%.pickle")}
	source := exec.Command(python, append([]string{filepath.Join("testdata", k.script)}, paths...)...)
	source.Env = append(os.Environ(), env...)
	source.Stderr = os.Stderr
	platformtest.Start(t, source)
	from := find(t, display, magenta, image.Point{})
	w := openWindow(t, env...)
	mouse := func(args ...string) {
		t.Helper()
		cmd := exec.Command("xdotool", args...)
		cmd.Env = append(os.Environ(), "DISPLAY="+display)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("xdotool %v: %v\n%s", args, err, out)
		}
		time.Sleep(60 * time.Millisecond)
	}
	to := find(t, display, ground, from)
	from = find(t, display, magenta, to) // what the new window has left of it
	move := func(from, to image.Point) {
		for i := range 20 {
			p := from.Add(to.Sub(from).Mul(i + 1).Div(20))
			mouse("mousemove", fmt.Sprint(p.X), fmt.Sprint(p.Y))
		}
	}
	move(from.Add(image.Pt(-3, -3)), from)
	mouse("mousedown", "1")
	move(from, to)
	if over := w.hovering(t); strings.Join(over.Paths, "|") != strings.Join(paths, "|") {
		t.Errorf("while hovering the paths were %q, want %q", over.Paths, paths)
	}
	move(to, from)
	w.until(t, drops.Leave)
	move(from, to)
	w.hovering(t)
	mouse("mouseup", "1")
	_, drop := w.until(t, drops.Drop)
	if strings.Join(drop.Paths, "|") != strings.Join(paths, "|") {
		t.Errorf("dropped %q, want %q", drop.Paths, paths)
	}
	w.quiet(t)
}

// hovering waits until the window knows what is held over it.
func (w *testWindow) hovering(t *testing.T) told {
	t.Helper()
	for {
		l := w.next(t)
		if l.Kind != drops.Hover.String() {
			t.Fatalf("got %+v while hovering", l)
		}
		if len(l.Paths) > 0 {
			return l
		}
	}
}

// Colours of the source and of the window.
const magenta, ground = 0xff00ff, 0x0f1118

// find waits until a colour is on the screen and returns the point in it, well inside of its area, that is farthest
// from another point.
func find(t *testing.T, display string, colour uint32, from image.Point) image.Point {
	t.Helper()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	for range 240 {
		r, err := xproto.GetImage(conn, xproto.ImageFormatZPixmap, xproto.Drawable(root), 0, 0, 1000, 700,
			0xffffffff).Reply()
		if err != nil {
			t.Fatal(err)
		}
		is := func(x, y int) bool {
			b := r.Data[4*(y*1000+x):]
			return uint32(b[2])<<16|uint32(b[1])<<8|uint32(b[0]) == colour
		}
		best, far := image.Point{}, -1
		for y := 30; y < 630; y += 5 {
			for x := 30; x < 930; x += 5 {
				d := x - from.X
				e := y - from.Y
				if d*d+e*e > far && is(x, y) && is(x-25, y) && is(x+25, y) && is(x, y-25) && is(x, y+25) {
					best, far = image.Pt(x, y), d*d+e*e
				}
			}
		}
		if far >= 0 {
			time.Sleep(500 * time.Millisecond)
			return best
		}
		time.Sleep(250 * time.Millisecond)
	}
	t.Fatalf("nothing of colour %06x came on the screen", colour)
	return image.Point{}
}
