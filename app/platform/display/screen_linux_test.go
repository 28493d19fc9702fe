package display

import (
	"os"
	"testing"

	"github.com/jezek/xgb"
)

// TestScreenLeavesOthersAlone: the screen is asked for while other connections read what xgb shares among all.
func TestScreenLeavesOthersAlone(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("needs an X server")
	}
	t.Setenv("WAYLAND_DISPLAY", noWayland)
	events, errors := len(xgb.NewEventFuncs), len(xgb.NewErrorFuncs)
	if size := Screen(); size.X <= 0 || size.Y <= 0 {
		t.Errorf("the screen is %v", size)
	}
	if len(xgb.NewEventFuncs) != events || len(xgb.NewErrorFuncs) != errors {
		t.Error("the maps that all connections share were written to")
	}
}
