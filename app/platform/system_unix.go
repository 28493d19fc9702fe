//go:build (linux && !android) || freebsd || openbsd

package platform

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	gioapp "gioui.org/app"
	"gioui.org/io/event"
)

// dropWait is how long the source of a drop may take to hand over its data, or
// the next part of them.
const dropWait = 10 * time.Second

var (
	errTooMuch      = fmt.Errorf("more was dropped than the names of files: over %d MiB; drop their folder instead", maxDropped>>20)
	errSilentSource = errors.New("the program that the files came from did not hand over their names")
)

// system is what X11 and Wayland need for a window.
type system struct {
	x11     *x11Drop
	wayland *waylandDrop
	xid     atomic.Uint32 // the X11 window, 0 where there is none
}

// windowID is the X11 window that a dialog belongs to, 0 for none.
func (s *system) windowID() uint32 { return s.xid.Load() }

func (p *Platform) listen(e event.Event) {
	switch e := e.(type) {
	case gioapp.X11ViewEvent:
		p.detach(false)
		if e.Valid() {
			p.sys.xid.Store(uint32(e.Window))
			p.sys.x11 = p.attached(newX11Drop(e, p.on))
		}
	case gioapp.WaylandViewEvent:
		p.detach(false)
		if e.Valid() {
			p.sys.wayland = newWaylandDrop(e, func(e Event) {
				p.on(e)
				p.w.Invalidate() // what is left to do waits for a frame
			})
		}
	case gioapp.FrameEvent:
		p.sys.wayland.frame(e.Metric.PxPerDp)
	}
}

// attached passes on a drop target, and tells why there is none: the window is
// as good as ever but for this.
func (p *Platform) attached(t *x11Drop, err error) *x11Drop {
	if err != nil {
		complain("files cannot be dropped on the window: ", err)
		return nil
	}
	return t
}

func (p *Platform) close() { p.detach(true) }

// detach lets go of the window's display; open says whether it still is: Gio
// closes it before it tells us by an invalid ViewEvent.
func (p *Platform) detach(open bool) {
	p.sys.xid.Store(0)
	p.sys.x11.close(open)
	p.sys.wayland.close(open)
	p.sys.x11, p.sys.wayland = nil, nil
}

func runMain(func(Event)) { gioapp.Main() }
