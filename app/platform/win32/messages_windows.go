package win32

import (
	"image"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"strata/app/platform/drops"
)

// The older way to receive files, by WM_DROPFILES: no word of a drag before the
// drop, but it needs no OLE.

var (
	callWindowProc      = user32.NewProc("CallWindowProcW")
	setWindowLongPtr    = user32.NewProc("SetWindowLongPtrW") // there is none on 32-bit systems
	changeMessageFilter = user32.NewProc("ChangeWindowMessageFilterEx")
	dragAcceptFiles     = shell32.NewProc("DragAcceptFiles")
	dragQueryPoint      = shell32.NewProc("DragQueryPoint")
	dragFinish          = shell32.NewProc("DragFinish")
)

const (
	wmDropFiles   = 0x0233
	wmCopyData    = 0x004a
	wmCopyGlobal  = 0x0049
	wmNCDestroy   = 0x0082
	gwlpWndProc   = ^uintptr(3) // -4
	messageAllow  = 1
	errorNoWindow = 0
)

// dropWindow is a window whose messages we see first.
type dropWindow struct {
	before uintptr // its own window procedure
	on     func(drops.Event)
}

var (
	dropWindowsLock sync.Mutex
	dropWindows     = map[uintptr]*dropWindow{}
	dropProcedure   = sync.OnceValue(func() uintptr { return windows.NewCallback(dropMessage) })
)

// acceptDropMessages must run on the window's thread.
func acceptDropMessages(hwnd uintptr, on func(drops.Event)) error {
	w := &dropWindow{on: on}
	dropWindowsLock.Lock()
	dropWindows[hwnd] = w
	before, _, err := setWindowLongPtr.Call(hwnd, gwlpWndProc, dropProcedure())
	w.before = before
	if before == errorNoWindow {
		delete(dropWindows, hwnd)
	}
	dropWindowsLock.Unlock() // what follows sends messages
	if before == errorNoWindow {
		return err
	}
	dragAcceptFiles.Call(hwnd, 1)
	for _, m := range []uintptr{wmDropFiles, wmCopyData, wmCopyGlobal} {
		changeMessageFilter.Call(hwnd, m, messageAllow, 0) // from an Explorer with fewer rights too
	}
	return nil
}

func dropMessage(hwnd, message, wParam, lParam uintptr) uintptr {
	dropWindowsLock.Lock()
	w := dropWindows[hwnd]
	if message == wmNCDestroy {
		delete(dropWindows, hwnd)
	}
	dropWindowsLock.Unlock()
	if w == nil {
		return 0
	}
	if message == wmDropFiles {
		var p winPoint
		dragQueryPoint.Call(wParam, uintptr(unsafe.Pointer(&p)))
		paths := droppedFiles(wParam)
		dragFinish.Call(wParam)
		if len(paths) > 0 { // not on this thread, which the program may be waiting for
			go w.on(drops.Dropped(paths, image.Pt(int(p.X), int(p.Y)), nil))
		}
		return 0
	}
	r, _, _ := callWindowProc.Call(w.before, hwnd, message, wParam, lParam)
	return r
}
