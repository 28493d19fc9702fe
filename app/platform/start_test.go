package platform

import (
	"errors"
	"strings"
	"testing"
)

func TestStartError(t *testing.T) {
	for in, want := range map[string]string{
		"eglInitialize failed: 0x3001":                                  "3D graphics",
		"eglGetDisplay failed: 0x300c":                                  "3D graphics",
		"wayland: wl_display_connect failed: no such file or directory": "cannot be reached",
		"x11: cannot connect to the X server":                           "cannot be reached",
		"something else":                                                "something else",
	} {
		cause := errors.New(in)
		err := StartError(cause)
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "strata render") {
			t.Errorf("%q became %q", in, err)
		}
	}
}

// The window's process ends with an error, not in silence or a panic, where there
// is nothing to draw with.
func TestNothingToDrawWith(t *testing.T) {
	need(t, "Xvfb")
	display := screen(t)
	out, err := runWindow(t, "DISPLAY="+display, "WAYLAND_DISPLAY=none", "__EGL_VENDOR_LIBRARY_DIRS=/nonexistent", "VK_ICD_FILENAMES=/nonexistent", "VK_DRIVER_FILES=/nonexistent")
	if err == nil || !strings.Contains(out, "3D graphics") || strings.Contains(out, "panic") {
		t.Errorf("it ended with %v and said\n%s", err, out)
	}
}
