package platform

import (
	"sync/atomic"

	gioapp "gioui.org/app"
	"gioui.org/io/event"

	"strata/app/platform/debuglog"
	"strata/app/platform/wayland"
	"strata/app/platform/x11"
)

// system is what X11 and Wayland need for a window.
type system struct {
	x11     *x11.Target
	wayland *wayland.Target
	xid     atomic.Uint32 // the X11 window, 0 where there is none
}

// window is the X11 window that a dialog belongs to, 0 for none.
func (s *system) window() uintptr { return uintptr(s.xid.Load()) }

func (p *Platform) listen(e event.Event) {
	switch e := e.(type) {
	case gioapp.X11ViewEvent:
		p.detach()
		if e.Valid() {
			p.sys.xid.Store(uint32(e.Window))
			var err error
			if p.sys.x11, err = x11.New(e, p.on); err != nil {
				debuglog.Print("files cannot be dropped on the window: ", err)
			}
		}
	case gioapp.WaylandViewEvent:
		p.detach()
		if e.Valid() {
			p.sys.wayland = wayland.New(e, func(e Event) {
				p.on(e)
				p.w.Invalidate() // what is left to do waits for a frame
			})
		}
	case gioapp.FrameEvent:
		p.sys.wayland.Frame()
	}
}

// detach lets go of the window's display, which Gio closes before it tells us by an invalid ViewEvent.
func (p *Platform) detach() {
	p.sys.xid.Store(0)
	p.sys.x11.Close()
	p.sys.wayland.Close()
	p.sys.x11, p.sys.wayland = nil, nil
}

func runMain(func(Event)) { gioapp.Main() }
