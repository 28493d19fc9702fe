// Package display chooses between X11 and Wayland, and says why no window opens.
package display

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// withoutWindow is what can be done where no window opens.
var withoutWindow = []string{
	"Without a window, strata summary FILE prints the figures and strata render FILE -o OUT.png",
	"draws the timeline into a picture.",
}

// startError is why no window opens, and what to do about it.
type startError struct {
	lines []string // the first says what is wrong
	cause error    // nil if it is our own finding
}

// Error is all of it.
func (e *startError) Error() string { return strings.Join(e.lines, "\n") }

// Lines are what to print on a terminal.
func (e *startError) Lines() []string { return slices.Clone(e.lines) }

// Unwrap is the system's error.
func (e *startError) Unwrap() error { return e.cause }

// StartError says what to do about a window that could not be opened: err is that of the window's DestroyEvent,
// which tells what failed in the words of the system's libraries. It may come after the first FrameEvent.
func StartError(err error) error {
	text := strings.ToLower(err.Error())
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	what, advice := fmt.Sprintf("no window could be opened: %v.", err), []string(nil)
	switch {
	case has("wl_display_connect", "cannot connect to the x server", "xopendisplay", "cannot open display"):
		what = unreachable(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY"), err)
	case has("egl", "opengl", "vulkan", "glx", "d3d11", "metal", "no available gpu"):
		what = fmt.Sprintf("no window could be opened, because the system draws no 3D graphics: %v.", err)
		advice = drivers(runtime.GOOS)
	}
	return &startError{slices.Concat([]string{what}, advice, withoutWindow), err}
}

// noWayland is a value of WAYLAND_DISPLAY that names no socket. Leaving the variable unset would not do: libwayland
// then tries the socket "wayland-0". A whole path keeps it from complaining on the terminal where there is no
// XDG_RUNTIME_DIR.
const noWayland = "/none"

// X11 reports that windows are X11's, once Choose has decided.
func X11() bool { return os.Getenv("WAYLAND_DISPLAY") == noWayland }

// unreachable says which display did not answer. Where only X11 was meant, the system's error is about Wayland,
// which is tried first, and of no use.
func unreachable(display, wayland string, err error) string {
	if wayland == noWayland {
		return fmt.Sprintf("no window could be opened, because the X server of DISPLAY=%q cannot be reached.", display)
	}
	return fmt.Sprintf("no window could be opened, because the display (DISPLAY=%q, WAYLAND_DISPLAY=%q) cannot be "+
		"reached: %v.", display, wayland, err)
}

// drivers says what is to be installed for drawing.
func drivers(system string) []string {
	if system != "linux" {
		return []string{"Installing the graphics card's driver may help."}
	}
	return []string{
		"Installing Mesa may help, also where there is no graphics card:",
		"    Debian, Ubuntu   apt install libegl1 libgles2 libgl1-mesa-dri",
		"    Fedora           dnf install mesa-libEGL libglvnd-gles mesa-dri-drivers",
		"    Arch             pacman -S mesa libglvnd",
	}
}
