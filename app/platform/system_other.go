//go:build !(linux && !android) && !freebsd && !openbsd && !windows && !darwin

package platform

import (
	"context"

	gioapp "gioui.org/app"
	"gioui.org/io/event"
)

type system struct{}

func (*Platform) listen(event.Event) {}
func (*Platform) close()             {}
func (*Platform) dialog(context.Context, Dialog) ([]string, error) {
	return nil, ErrNoDialog
}

func runMain(func(Event)) { gioapp.Main() }

// Choose has nothing to choose from on this system.
func Choose(string) error { return nil }
