// Package wayland lets files be dropped on Gio's windows on Wayland.
package wayland

/*
#cgo pkg-config: wayland-client
#include <stdlib.h>
#include "drop.h"
*/
import "C"

import (
	"errors"
	"io"
	"os"
	"runtime/cgo"
	"sync"
	"time"

	gioapp "gioui.org/app"

	"strata/app/platform/debuglog"
	"strata/app/platform/drops"
)

// types are the types in drop.c, in its order.
var types = []string{drops.URIList, "text/plain;charset=utf-8", "text/plain"}

// Target takes drops on a window on Wayland, by a data device of its own on Gio's connection. The C part and all
// callbacks run on the goroutine that calls the window's Event, and may only use the connection there; the data of
// a drag come through a pipe that a goroutine reads. That goroutine leaves what is to be said on the connection to
// the next frame.
type Target struct {
	on     func(drops.Event) // also asks for a frame, even for an event that changes nothing
	c      *C.struct_strata_drop
	handle cgo.Handle

	mu   sync.Mutex
	drag *drag
	// What the next frame has to say.
	refuse, finish, taken bool
}

// drag is a drag over the window.
type drag struct {
	kind    string
	have    bool // the data have been read: paths
	paths   []string
	err     error
	dropped bool
	hovered bool
}

// New lets files be dropped on a window; nil where that cannot be. on is called with each event, and must ask for a
// frame.
func New(view gioapp.WaylandViewEvent, on func(drops.Event)) *Target {
	t := &Target{on: on}
	t.handle = cgo.NewHandle(t)
	t.c = C.strata_drop_new(view.Display, view.Surface, C.uintptr_t(t.handle))
	if t.c == nil {
		t.handle.Delete()
		debuglog.Print("files cannot be dropped on the window: the Wayland connection is broken")
		return nil
	}
	return t
}

// Close ends it, after Gio has closed its display. t may be nil.
func (t *Target) Close() {
	if t == nil {
		return
	}
	C.strata_drop_free(t.c)
	t.handle.Delete()
	t.mu.Lock()
	t.drag = nil
	t.mu.Unlock()
}

// Frame must be called with each frame. It says on the connection what was left to be said.
func (t *Target) Frame() {
	if t == nil {
		return
	}
	t.mu.Lock()
	refuse, finish, taken := t.refuse, t.finish, t.taken
	t.refuse, t.finish = false, false
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

// step changes the drag under the lock, and then tells what f returns.
func (t *Target) step(f func() []drops.Event) {
	t.mu.Lock()
	events := f()
	t.mu.Unlock()
	for _, e := range events {
		t.on(e)
	}
}

// hover tells of the drag, once it is known to be one of files.
func (d *drag) hover() []drops.Event {
	if d.have && len(d.paths) == 0 || !d.have && d.kind != drops.URIList {
		return nil
	}
	d.hovered = true
	return []drops.Event{{Kind: drops.Hover, Paths: d.paths}}
}

//export strataWaylandEnter
func strataWaylandEnter(h C.uintptr_t, kind, fd C.int) {
	t := cgo.Handle(h).Value().(*Target)
	t.step(func() []drops.Event {
		t.drag = &drag{kind: types[kind]}
		go t.read(t.drag, int(fd))
		return t.drag.hover()
	})
}

//export strataWaylandLeave
func strataWaylandLeave(h C.uintptr_t) {
	t := cgo.Handle(h).Value().(*Target)
	t.step(func() []drops.Event {
		d := t.drag
		if d == nil || d.dropped {
			return nil
		}
		t.drag = nil
		if !d.hovered {
			return nil
		}
		return []drops.Event{{Kind: drops.Leave}}
	})
}

//export strataWaylandDrop
func strataWaylandDrop(h C.uintptr_t) {
	t := cgo.Handle(h).Value().(*Target)
	t.step(func() []drops.Event {
		if t.drag == nil {
			return nil
		}
		t.drag.dropped = true
		return t.end()
	})
}

// read reads the data of a drag.
func (t *Target) read(d *drag, fd int) {
	data, err := readDropped(fd)
	t.step(func() []drops.Event {
		if t.drag != d {
			return nil // it has left
		}
		d.have, d.err = true, err
		if err == nil {
			d.paths = drops.Parse(d.kind, data)
		}
		switch {
		case d.dropped:
			return t.end()
		case len(d.paths) > 0:
			return d.hover()
		}
		t.refuse = true
		events := []drops.Event{{Kind: drops.Leave}} // also when it is none, for the frame
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
	f.SetReadDeadline(time.Now().Add(drops.Wait))
	data, err := io.ReadAll(io.LimitReader(f, drops.MaxBytes+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, drops.ErrSilent
	case err == nil && len(data) > drops.MaxBytes:
		return nil, drops.ErrTooMuch
	}
	return data, err
}

// end ends a drop if all has come.
func (t *Target) end() []drops.Event {
	d := t.drag
	if !d.have {
		return nil
	}
	t.drag = nil
	e := drops.Dropped(d.paths, d.err)
	t.finish, t.taken = true, e.Kind == drops.Drop
	return []drops.Event{e}
}
