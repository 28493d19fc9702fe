//go:build linux && !android && cgo && !nowayland

package platform

/*
#cgo pkg-config: wayland-client
#include <stdlib.h>
#include "wayland_drop.h"
*/
import "C"

import (
	"errors"
	"image"
	"io"
	"os"
	"runtime/cgo"
	"sync"
	"time"

	gioapp "gioui.org/app"
)

// waylandBuilt says whether Gio and this package know Wayland.
const waylandBuilt = true

// waylandTypes are the types in wayland_drop.c, in its order.
var waylandTypes = []string{uriList, "text/plain;charset=utf-8", "text/plain"}

// waylandDrop takes drops on a window on Wayland, by a data device of its own on
// Gio's connection. The C part and all callbacks run on the goroutine that calls
// the window's Event, and may only use the connection there; the data of a drag
// come through a pipe that a goroutine reads. That goroutine leaves what is to be
// said on the connection to the next frame.
type waylandDrop struct {
	on     func(Event) // also asks for a frame, even for an event that changes nothing
	c      *C.struct_strata_drop
	handle cgo.Handle

	mu    sync.Mutex
	scale float32 // pixels for each of Wayland's units
	drag  *waylandDrag
	// What the next frame has to say.
	refuse, finish, taken bool
}

// waylandDrag is a drag over the window.
type waylandDrag struct {
	kind    string
	pos     image.Point
	have    bool // the data have been read: paths
	paths   []string
	err     error
	dropped bool
	hovered bool
}

func newWaylandDrop(view gioapp.WaylandViewEvent, on func(Event)) *waylandDrop {
	t := &waylandDrop{on: on, scale: 1}
	t.handle = cgo.NewHandle(t)
	t.c = C.strata_drop_new(view.Display, view.Surface, C.uintptr_t(t.handle))
	if t.c == nil {
		t.handle.Delete()
		complain("files cannot be dropped on the window: the Wayland connection is broken")
		return nil
	}
	return t
}

// close ends it; open says whether Gio's display still is.
func (t *waylandDrop) close(open bool) {
	if t == nil {
		return
	}
	var o C.int
	if open {
		o = 1
	}
	C.strata_drop_free(t.c, o)
	t.handle.Delete()
	t.mu.Lock()
	t.drag = nil
	t.mu.Unlock()
}

// frame says what is to be said; it is called with each frame.
func (t *waylandDrop) frame(pixelsPerDp float32) {
	if t == nil {
		return
	}
	t.mu.Lock()
	refuse, finish, taken := t.refuse, t.finish, t.taken
	t.refuse, t.finish = false, false
	t.scale = pixelsPerDp
	t.mu.Unlock()
	if refuse {
		C.strata_drop_accept(t.c, 0)
	}
	if finish {
		var ok C.int
		if taken {
			ok = 1
		}
		C.strata_drop_finish(t.c, ok)
	}
}

// point makes pixels of Wayland's units.
func (t *waylandDrop) point(x, y C.double) image.Point {
	return image.Pt(int(float32(x)*t.scale), int(float32(y)*t.scale))
}

// step changes the drag under the lock, and then tells what f returns.
func (t *waylandDrop) step(f func() []Event) {
	t.mu.Lock()
	events := f()
	t.mu.Unlock()
	for _, e := range events {
		t.on(e)
	}
}

// hover tells of the drag, once it is known to be one of files.
func (d *waylandDrag) hover() []Event {
	if d.have && len(d.paths) == 0 || !d.have && d.kind != uriList {
		return nil
	}
	d.hovered = true
	return []Event{{Kind: Hover, Paths: d.paths, Pos: d.pos}}
}

//export strataWaylandEnter
func strataWaylandEnter(h C.uintptr_t, x, y C.double, kind, fd C.int) {
	t := cgo.Handle(h).Value().(*waylandDrop)
	t.step(func() []Event {
		t.drag = &waylandDrag{kind: waylandTypes[kind], pos: t.point(x, y)}
		go t.read(t.drag, int(fd))
		return t.drag.hover()
	})
}

//export strataWaylandMotion
func strataWaylandMotion(h C.uintptr_t, x, y C.double) {
	t := cgo.Handle(h).Value().(*waylandDrop)
	t.step(func() []Event {
		if t.drag == nil {
			return nil
		}
		t.drag.pos = t.point(x, y)
		return t.drag.hover()
	})
}

//export strataWaylandLeave
func strataWaylandLeave(h C.uintptr_t) {
	t := cgo.Handle(h).Value().(*waylandDrop)
	t.step(func() []Event {
		d := t.drag
		if d == nil || d.dropped {
			return nil
		}
		t.drag = nil
		if !d.hovered {
			return nil
		}
		return []Event{{Kind: Leave}}
	})
}

//export strataWaylandDrop
func strataWaylandDrop(h C.uintptr_t) {
	t := cgo.Handle(h).Value().(*waylandDrop)
	t.step(func() []Event {
		if t.drag == nil {
			return nil
		}
		t.drag.dropped = true
		return t.end()
	})
}

// read reads the data of a drag.
func (t *waylandDrop) read(d *waylandDrag, fd int) {
	data, err := readDropped(fd)
	t.step(func() []Event {
		if t.drag != d {
			return nil // it has left
		}
		d.have, d.err = true, err
		if err == nil {
			d.paths = parseDropped(d.kind, data)
		}
		switch {
		case d.dropped:
			return t.end()
		case len(d.paths) > 0:
			return d.hover()
		}
		t.refuse = true
		events := []Event{{Kind: Leave}} // also when it is none, for the frame
		d.hovered = false
		return events
	})
}

// readDropped reads what the source of a drag writes into a pipe.
func readDropped(fd int) ([]byte, error) {
	if fd < 0 {
		return nil, errors.New("no pipe could be made for what was dropped")
	}
	f := os.NewFile(uintptr(fd), "drop")
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(dropWait))
	data, err := io.ReadAll(io.LimitReader(f, maxDropped+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errSilentSource
	case err == nil && len(data) > maxDropped:
		return nil, errTooMuch
	}
	return data, err
}

// end ends a drop if all has come.
func (t *waylandDrop) end() []Event {
	d := t.drag
	if !d.have {
		return nil
	}
	t.drag = nil
	t.finish, t.taken = true, len(d.paths) > 0
	switch {
	case d.err != nil:
		return []Event{{Kind: Failed, Pos: d.pos, Err: d.err}}
	case len(d.paths) == 0:
		return []Event{{Kind: Failed, Pos: d.pos, Err: errNoFiles}}
	}
	return []Event{{Kind: Drop, Paths: d.paths, Pos: d.pos}}
}
