//go:build (linux && !android && (!cgo || nowayland)) || freebsd || openbsd

package platform

import gioapp "gioui.org/app"

// waylandBuilt says whether Gio and this package know Wayland.
const waylandBuilt = false

type waylandDrop struct{}

func newWaylandDrop(gioapp.WaylandViewEvent, func(Event)) *waylandDrop { return nil }
func (*waylandDrop) frame(float32)                                     {}
func (*waylandDrop) close(bool)                                        {}
