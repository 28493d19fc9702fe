//go:build (linux && !android && (!cgo || nox11)) || freebsd || openbsd

package platform

import gioapp "gioui.org/app"

// x11Built says whether Gio and this package know X11.
const x11Built = false

type x11Drop struct{}

func newX11Drop(gioapp.X11ViewEvent, func(Event)) (*x11Drop, error) { return nil, nil }
func (*x11Drop) close(bool)                                         {}
