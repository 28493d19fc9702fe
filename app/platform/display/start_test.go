package display

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
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "strata render") {
			t.Errorf("%q became %q", in, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	cause := errors.New("wayland: wl_display_connect failed: no such file or directory")
	if got := unreachable(":77", noWayland, cause); !strings.Contains(got, `DISPLAY=":77"`) ||
		strings.Contains(strings.ToLower(got), "wayland") {
		t.Errorf("where only X11 was meant: %s", got)
	}
	if got := unreachable("", "wayland-3", cause); !strings.Contains(got, "wayland-3") ||
		!strings.Contains(got, "no such file") {
		t.Errorf("where Wayland was meant: %s", got)
	}
}
