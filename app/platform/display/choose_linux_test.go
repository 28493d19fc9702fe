package display

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		s       session
		backend string
		want    string // "" for an error
	}{
		{session{display: ":0"}, "", "x11"},
		{session{wayland: true}, "", "wayland"},
		{session{display: ":0", wayland: true, desktop: "KDE"}, "", "wayland"},
		{session{display: ":0", wayland: true, desktop: "ubuntu:GNOME"}, "", "x11"},
		{session{wayland: true, desktop: "GNOME"}, "", "wayland"},
		{session{display: ":0", wayland: true}, "x11", "x11"},
		{session{display: ":0", wayland: true, desktop: "GNOME"}, "wayland", "wayland"},
		{session{display: ":0"}, "wayland", ""},
		{session{wayland: true}, "x11", ""},
		{session{display: ":0"}, "mir", ""},
		{session{}, "", ""},
		{session{}, "x11", ""},
		{session{waylandDisplay: "wayland-3"}, "", ""},
		{session{display: ":0", waylandDisplay: "wayland-3"}, "", "x11"},
		{session{display: ":0", waylandDisplay: "wayland-3"}, "wayland", ""},
	} {
		got, err := c.s.choose(c.backend)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v with %q: %q, %v; want %q", c.s, c.backend, got, err, c.want)
		}
	}
}

func TestChooseSetsTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("WAYLAND_DISPLAY", "wayland-7")
	t.Setenv("WAYLAND_SOCKET", "")
	t.Setenv("DISPLAY", ":5")
	socket := `WAYLAND_DISPLAY="wayland-7" names no socket: there is none at ` + filepath.Join(dir, "wayland-7")
	if err := Choose("wayland"); err == nil || !strings.Contains(err.Error(), socket) {
		t.Errorf("a socket that is not there: %v", err)
	}
	if err := Choose(""); err != nil || os.Getenv("WAYLAND_DISPLAY") != noWayland || !X11() {
		t.Errorf("WAYLAND_DISPLAY is %q, %v", os.Getenv("WAYLAND_DISPLAY"), err)
	}
	if env := ChildEnv(); !slices.Contains(env, "WAYLAND_DISPLAY=wayland-7") ||
		slices.Contains(env, "WAYLAND_DISPLAY="+noWayland) {
		t.Error("programs that we start do not see the session's own WAYLAND_DISPLAY")
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if err := Choose(""); !errors.Is(err, errNoDisplay) || !strings.Contains(err.Error(), "strata render") {
		t.Errorf("without a display: %v", err)
	}
}
