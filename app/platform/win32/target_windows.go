// Package win32 lets files be dropped on Gio's windows on Windows.
package win32

import (
	"fmt"
	"unsafe"

	"strata/app/platform/drops"
)

// dropTarget is the drop target of a window. Its methods are called on the window's thread.
type dropTarget struct {
	queue chan drops.Event
	paths []string // of the drag in progress
}

// targets keeps what OLE has the addresses of. A window's entry stays after its end, because OLE may still let go
// of it then.
var targets = map[uintptr]*comTarget{}

// AcceptDrops makes a window a drop target. It must run on the window's thread.
func AcceptDrops(hwnd uintptr, on func(drops.Event)) error {
	// S_FALSE: done before.
	if code, _, _ := oleInitialize.Call(0); int32(code) < 0 {
		return fmt.Errorf("OleInitialize: error %#08x", uint32(code))
	}
	d := &dropTarget{queue: make(chan drops.Event, 256)}
	go func() { // the window's thread must not wait for the program
		for e := range d.queue {
			on(e)
		}
	}()
	t := &comTarget{methods: &targetMethods, drop: d}
	targets[hwnd] = t
	if code, _, _ := registerDragDrop.Call(hwnd, uintptr(unsafe.Pointer(t))); int32(code) < 0 {
		return fmt.Errorf("RegisterDragDrop: error %#08x", uint32(code))
	}
	return nil
}

// effect says what a drop would do, of what the source allows.
func (d *dropTarget) effect(allowed uint32) uint32 {
	switch {
	case len(d.paths) == 0:
		return dropEffectNone
	case allowed&dropEffectCopy != 0:
		return dropEffectCopy
	}
	return allowed & dropEffectLink
}

func (d *dropTarget) enter(data *comData, allowed uint32) uint32 {
	d.paths = data.paths()
	return d.over(allowed)
}

func (d *dropTarget) over(allowed uint32) uint32 {
	effect := d.effect(allowed)
	if effect != dropEffectNone {
		select {
		case d.queue <- drops.Event{Kind: drops.Hover, Paths: d.paths}:
		default: // the program is behind; there will be more of these
		}
	}
	return effect
}

func (d *dropTarget) leave() {
	if len(d.paths) > 0 {
		d.queue <- drops.Event{Kind: drops.Leave}
	}
	d.paths = nil
}

func (d *dropTarget) drop(data *comData, allowed uint32) uint32 {
	d.paths = data.paths()
	effect := d.effect(allowed)
	if effect == dropEffectNone {
		d.paths = nil
	}
	d.queue <- drops.Dropped(d.paths, nil)
	d.paths = nil
	return effect
}
