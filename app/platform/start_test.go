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
