package platform

import (
	"errors"
	"fmt"
	"image"
	"sync/atomic"
	"unsafe"

	gioapp "gioui.org/app"
	"gioui.org/io/event"
)

// system is what Windows needs for a window.
type system struct {
	handle atomic.Uintptr // HWND, 0 while there is none
}

func (p *Platform) listen(e event.Event) {
	v, ok := e.(gioapp.Win32ViewEvent)
	if !ok {
		return
	}
	p.sys.handle.Store(v.HWND)
	if !v.Valid() {
		return
	}
	// Registering sends messages to the window's thread, which waits for us while
	// we handle an event: it must happen on that thread, and not be waited for.
	go p.w.Run(func() {
		if err := acceptDrops(v.HWND, p.on); err != nil {
			complain("files cannot be dropped on the window: ", err)
		}
	})
}

// close has nothing to do: OLE forgets the window with its thread.
func (p *Platform) close() {}

func runMain(func(Event)) { gioapp.Main() }

// Choose has nothing to choose from on Windows.
func Choose(backend string) error {
	if backend != "" {
		return errors.New("--backend is for Linux, where there are x11 and wayland")
	}
	return nil
}

// windowsDrop is the drop target of a window. Its methods are called on the
// window's thread.
type windowsDrop struct {
	hwnd  uintptr
	queue chan Event
	paths []string // of the drag in progress
}

// targets keeps what OLE has the addresses of. A window's entry stays after its
// end, because OLE may still let go of it then.
var targets = map[uintptr]*comTarget{}

// acceptDrops makes a window a drop target. It must run on the window's thread.
func acceptDrops(hwnd uintptr, on func(Event)) error {
	// S_FALSE: done before. A thread of another apartment kind cannot have OLE's
	// drag and drop; it gets the older messages.
	if code, _, _ := oleInitialize.Call(0); int32(code) < 0 {
		complain("drop: OleInitialize: ", hresult(code))
		return acceptDropMessages(hwnd, on)
	}
	d := &windowsDrop{hwnd: hwnd, queue: make(chan Event, 256)}
	go func() { // the window's thread must not wait for the program
		for e := range d.queue {
			on(e)
		}
	}()
	t := &comTarget{methods: &targetMethods, drop: d}
	targets[hwnd] = t
	if code, _, _ := registerDragDrop.Call(hwnd, uintptr(unsafe.Pointer(t))); int32(code) < 0 {
		complain("drop: RegisterDragDrop: ", hresult(code))
		return acceptDropMessages(hwnd, on)
	}
	return nil
}

type hresult uint32

func (h hresult) String() string { return fmt.Sprintf("error %#08x", uint32(h)) }

// effect says what a drop would do, of what the source allows.
func (d *windowsDrop) effect(allowed uint32) uint32 {
	switch {
	case len(d.paths) == 0:
		return dropEffectNone
	case allowed&dropEffectCopy != 0:
		return dropEffectCopy
	}
	return allowed & dropEffectLink
}

func (d *windowsDrop) enter(data *comData, at uintptr, allowed uint32) uint32 {
	d.paths = data.paths()
	return d.over(at, allowed)
}

func (d *windowsDrop) over(at uintptr, allowed uint32) uint32 {
	effect := d.effect(allowed)
	if effect != dropEffectNone {
		select {
		case d.queue <- Event{Kind: Hover, Paths: d.paths, Pos: d.client(at)}:
		default: // the program is behind; there will be more of these
		}
	}
	return effect
}

func (d *windowsDrop) leave() {
	if len(d.paths) > 0 {
		d.queue <- Event{Kind: Leave}
	}
	d.paths = nil
}

func (d *windowsDrop) drop(data *comData, at uintptr, allowed uint32) uint32 {
	d.paths = data.paths()
	effect := d.effect(allowed)
	if effect == dropEffectNone {
		d.queue <- Event{Kind: Failed, Pos: d.client(at), Err: errNoFiles}
	} else {
		d.queue <- Event{Kind: Drop, Paths: d.paths, Pos: d.client(at)}
	}
	d.paths = nil
	return effect
}

// client makes a point of the window of a POINTL of the screen.
func (d *windowsDrop) client(at uintptr) image.Point {
	p := winPoint{int32(at), int32(at >> 32)}
	screenToClient.Call(d.hwnd, uintptr(unsafe.Pointer(&p)))
	return image.Pt(int(p.X), int(p.Y))
}
