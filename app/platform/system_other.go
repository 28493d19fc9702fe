//go:build !(linux && !android) && !freebsd && !openbsd && !windows && !darwin

package platform

import (
	gioapp "gioui.org/app"
	"gioui.org/io/event"
)

type system struct{}

func (*system) window() uintptr      { return 0 }
func (*Platform) listen(event.Event) {}

func runMain(func(Event)) { gioapp.Main() }
