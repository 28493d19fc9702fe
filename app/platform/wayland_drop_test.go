//go:build linux && !android && cgo && !nowayland

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
)

// A drag with the mouse between two Wayland programs, in a compositor that runs
// in a window of a virtual screen. It places windows as it likes, so they are
// found by their colours.
func TestDragOnWayland(t *testing.T) {
	need(t, "xdotool", "weston")
	python := gtk3(t)
	display := screen(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	weston := exec.Command("weston", "--backend=x11-backend.so", "--socket=strata-test", "--width=1000", "--height=700", "--no-config", "--idle-time=0", "--log="+filepath.Join(dir, "log"))
	weston.Env = append(os.Environ(), "DISPLAY="+display, "XDG_RUNTIME_DIR="+dir)
	start(t, weston)
	socket := filepath.Join(dir, "strata-test")
	for range 100 {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(2 * time.Second)
	env := []string{"DISPLAY=", "WAYLAND_DISPLAY=strata-test", "XDG_RUNTIME_DIR=" + dir, "GDK_BACKEND=wayland"}
	paths := []string{filepath.Join(dir, "run rank0 #1.pickle"), filepath.Join(dir, "été 100%.pickle")}
	source := exec.Command(python, append([]string{filepath.Join("testdata", "drag_gtk3.py")}, paths...)...)
	source.Env = append(os.Environ(), env...)
	source.Stderr = os.Stderr
	start(t, source)
	from := find(t, display, 0xff00ff, image.Point{})
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
	to := find(t, display, 0x0f1118, from)
	from = find(t, display, 0xff00ff, to) // what the new window has left of it
	move := func(from, to image.Point) {
		for i := range 20 {
			p := from.Add(to.Sub(from).Mul(i + 1).Div(20))
			mouse("mousemove", fmt.Sprint(p.X), fmt.Sprint(p.Y))
		}
	}
	move(from.Add(image.Pt(-3, -3)), from)
	mouse("mousedown", "1")
	move(from, to)
	time.Sleep(time.Second)
	move(to, from)
	hover, _ := w.until(t, Leave)
	if strings.Join(hover.Paths, "|") != strings.Join(paths, "|") {
		t.Errorf("while hovering the paths were %q, want %q", hover.Paths, paths)
	}
	move(from, to)
	time.Sleep(time.Second)
	mouse("mouseup", "1")
	_, drop := w.until(t, Drop)
	if strings.Join(drop.Paths, "|") != strings.Join(paths, "|") {
		t.Errorf("dropped %q, want %q", drop.Paths, paths)
	}
	time.Sleep(300 * time.Millisecond)
	if w.cmd.ProcessState != nil {
		t.Error("the window's process has ended")
	}
	w.quiet(t)
}

// find waits until a colour is on the screen and returns the point in it, well
// inside of its area, that is farthest from another point.
func find(t *testing.T, display string, colour uint32, from image.Point) image.Point {
	t.Helper()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	for range 60 {
		r, err := xproto.GetImage(conn, xproto.ImageFormatZPixmap, xproto.Drawable(root), 0, 0, 1000, 700, 0xffffffff).Reply()
		if err != nil {
			t.Fatal(err)
		}
		is := func(x, y int) bool {
			b := r.Data[4*(y*1000+x):]
			return uint32(b[2])<<16|uint32(b[1])<<8|uint32(b[0]) == colour
		}
		best, far := image.Point{}, -1
		for y := 30; y < 670; y += 5 {
			for x := 30; x < 970; x += 5 {
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
