//go:build (linux && !android && (!cgo || nowayland)) || freebsd || openbsd

// Package wayland lets files be dropped on Gio's windows on Wayland. This build has no Wayland.
package wayland

import (
	gioapp "gioui.org/app"

	"strata/app/platform/drops"
)

// Built says whether Gio and this package know Wayland.
const Built = false

// Target is the drop target of a window.
type Target struct{}

// New returns nil.
func New(gioapp.WaylandViewEvent, func(drops.Event)) *Target { return nil }

// Frame does nothing.
func (*Target) Frame(float32) {}

// Close does nothing.
func (*Target) Close() {}
