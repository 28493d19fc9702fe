//go:build (linux && !android && (!cgo || nox11)) || freebsd || openbsd

// Package x11 lets files be dropped on Gio's windows on X11. This build has no X11.
package x11

import (
	gioapp "gioui.org/app"

	"strata/app/platform/drops"
)

// Built says whether Gio and this package know X11.
const Built = false

// Target is the drop target of a window.
type Target struct{}

// New does nothing.
func New(gioapp.X11ViewEvent, func(drops.Event)) (*Target, error) { return nil, nil }

// Close does nothing.
func (*Target) Close() {}
