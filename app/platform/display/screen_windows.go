package display

import (
	"image"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32               = windows.NewLazySystemDLL("user32.dll")
	systemParametersInfo = user32.NewProc("SystemParametersInfoW")
	dpiForSystem         = user32.NewProc("GetDpiForSystem") // since Windows 10
)

// Screen is the size of the main screen without its taskbar, in device independent pixels, as Gio counts them; zero
// where it cannot be known.
func Screen() image.Point {
	const workArea = 0x30
	var r struct{ left, top, right, bottom int32 }
	if ok, _, _ := systemParametersInfo.Call(workArea, 0, uintptr(unsafe.Pointer(&r)), 0); ok == 0 {
		return image.Point{}
	}
	dpi := uintptr(96)
	if dpiForSystem.Find() == nil {
		if d, _, _ := dpiForSystem.Call(); d > 0 {
			dpi = d
		}
	}
	return image.Pt(int(r.right-r.left)*96/int(dpi), int(r.bottom-r.top)*96/int(dpi))
}
