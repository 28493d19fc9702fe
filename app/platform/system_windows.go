package platform

import (
	"sync/atomic"

	gioapp "gioui.org/app"
	"gioui.org/io/event"

	"strata/app/platform/debuglog"
	"strata/app/platform/win32"
)

// system is what Windows needs for a window.
type system struct {
	handle atomic.Uintptr // HWND, 0 while there is none
}

func (s *system) window() uintptr { return s.handle.Load() }

func (p *Platform) listen(e event.Event) {
	v, ok := e.(gioapp.Win32ViewEvent)
	if !ok {
		return
	}
	p.sys.handle.Store(v.HWND)
	if !v.Valid() {
		return
	}
	// Registering sends messages to the window's thread, which waits for us while we handle an event: it must
	// happen on that thread, and not be waited for.
	go p.w.Run(func() {
		if err := win32.AcceptDrops(v.HWND, p.on); err != nil {
			debuglog.Print("files cannot be dropped on the window: ", err)
		}
	})
}

func runMain(func(Event)) { gioapp.Main() }
