package platform

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// withoutWindow is what can be done where no window opens.
const withoutWindow = "Without a window, strata summary FILE prints the figures and strata render FILE -o OUT.png\ndraws the timeline into a picture."

// StartError says what to do about a window that could not be opened: err is that
// of the window's DestroyEvent, which tells what failed in the words of the
// system's libraries. It may come after the first FrameEvent.
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
	switch {
	case has("wl_display_connect", "cannot connect to the x server", "xopendisplay", "cannot open display"):
		return fmt.Errorf("no window could be opened: the display (DISPLAY=%q, WAYLAND_DISPLAY=%q) cannot be reached: %w.\n%s",
			os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY"), err, withoutWindow)
	case has("egl", "opengl", "vulkan", "glx", "d3d11", "metal", "no available gpu"):
		return fmt.Errorf("no window could be opened, because the system draws no 3D graphics: %w.\n%s%s", err, drivers(runtime.GOOS), withoutWindow)
	}
	return fmt.Errorf("no window could be opened: %w.\n%s", err, withoutWindow)
}

// drivers says what is to be installed for drawing.
func drivers(system string) string {
	if system != "linux" {
		return "Installing the graphics card's driver may help. "
	}
	return "Installing Mesa may help, also where there is no graphics card:\n" +
		"    Debian, Ubuntu   apt install libegl1 libgles2 libgl1-mesa-dri\n" +
		"    Fedora           dnf install mesa-libEGL libglvnd-gles mesa-dri-drivers\n" +
		"    Arch             pacman -S mesa libglvnd\n"
}
