package display

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// session is what the environment says about the desktop.
type session struct {
	display        string // DISPLAY
	waylandDisplay string // WAYLAND_DISPLAY
	socket         string // what that names
	wayland        bool   // a Wayland compositor can be reached
	desktop        string // XDG_CURRENT_DESKTOP
}

func currentSession() session {
	s := session{display: os.Getenv("DISPLAY"), waylandDisplay: os.Getenv("WAYLAND_DISPLAY"),
		desktop: os.Getenv("XDG_CURRENT_DESKTOP")}
	socket := s.waylandDisplay
	if socket == "" {
		socket = "wayland-0"
	}
	if !filepath.IsAbs(socket) {
		socket = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), socket)
	}
	if filepath.IsAbs(socket) {
		s.socket = socket
	}
	info, err := os.Stat(socket)
	s.wayland = err == nil && info.Mode()&os.ModeSocket != 0 || os.Getenv("WAYLAND_SOCKET") != ""
	return s
}

// Choose decides between X11 and Wayland for all windows and must be called before the first. backend is "x11",
// "wayland", or "" for the better one of this session. The error says that there is no display to open a window on.
func Choose(backend string) error {
	choice, err := currentSession().choose(backend)
	if err == nil && choice == "x11" {
		outside = os.Getenv("WAYLAND_DISPLAY")
		err = os.Setenv("WAYLAND_DISPLAY", noWayland)
	}
	return err
}

// outside is WAYLAND_DISPLAY as the programs that we start should see it.
var outside string

// choose says which backend is meant and can be had.
//
// A Wayland session takes Wayland, which is sharp at fractional scales, but for GNOME's: its compositor draws no
// title bars for Wayland windows, only for X11 ones, and Gio's own looks foreign there.
func (s session) choose(backend string) (string, error) {
	haveX11, haveWayland := s.display != "", s.wayland
	switch {
	case backend != "" && backend != "x11" && backend != "wayland":
		return "", fmt.Errorf("there is no backend %q; there are x11 and wayland", backend)
	case !haveWayland && s.waylandDisplay != "" && (!haveX11 || backend == "wayland"):
		return "", &startError{lines: append([]string{
			fmt.Sprintf("WAYLAND_DISPLAY=%q names no socket: there is none at %s, so no window can open.",
				s.waylandDisplay, cmp.Or(s.socket, "any place, as XDG_RUNTIME_DIR is not set")),
			"Set it and XDG_RUNTIME_DIR as they are in a terminal of the session, or unset it and set DISPLAY for X11.",
		}, withoutWindow...)}
	case !haveX11 && !haveWayland:
		return "", errNoDisplay
	case backend == "x11" && !haveX11:
		return "", errors.New("no X11 display can be reached: DISPLAY is not set; try --backend wayland")
	case backend == "wayland" && !haveWayland:
		return "", errors.New("no Wayland compositor can be reached: WAYLAND_DISPLAY is not set; try " +
			"--backend x11")
	case backend != "":
		return backend, nil
	case haveX11 && (!haveWayland || strings.Contains(strings.ToUpper(s.desktop), "GNOME")):
		return "x11", nil
	}
	return "wayland", nil
}

var errNoDisplay = &startError{lines: append([]string{
	"there is no display here, neither DISPLAY nor WAYLAND_DISPLAY names one, so no window can open.",
	"Over ssh, ssh -X forwards a display.",
}, withoutWindow...)}

// ChildEnv is the environment for programs that show windows of their own.
func ChildEnv() []string {
	env := os.Environ()
	if !X11() {
		return env
	}
	for i, v := range env {
		if strings.HasPrefix(v, "WAYLAND_DISPLAY=") {
			env = append(env[:i], env[i+1:]...)
			break
		}
	}
	if outside != "" {
		env = append(env, "WAYLAND_DISPLAY="+outside)
	}
	return env
}
