package platform

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// silent says that what is written to standard error is seen by nobody.
var silent bool

var messageBox = windows.NewLazySystemDLL("user32.dll").NewProc("MessageBoxW")

// ShowError shows why the program cannot go on to somebody who started it without a terminal, and waits until they
// have read it. Elsewhere it does nothing: there the terminal gets to see the error.
func ShowError(err error) {
	if !silent {
		return
	}
	text, e1 := windows.UTF16PtrFromString(err.Error())
	title, e2 := windows.UTF16PtrFromString("Strata")
	if e1 == nil && e2 == nil {
		const iconError = 0x10
		messageBox.Call(0, uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(title)), iconError)
	}
}

// A program built for windows (-H windowsgui) has no console, even when it is called in one: strata summary would
// print into nothing. So it takes part in the console of the program that started it, if that has one. Output that
// goes to a file or a pipe has a handle already and stays as it is.
func init() {
	const parent = ^uintptr(0) // ATTACH_PARENT_PROCESS
	missing := func(f *os.File) bool {
		kind, err := windows.GetFileType(windows.Handle(f.Fd()))
		return err != nil || kind == windows.FILE_TYPE_UNKNOWN
	}
	out, err := missing(os.Stdout), missing(os.Stderr)
	if !out && !err {
		return
	}
	if ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole").Call(parent); ok == 0 {
		silent = err
		return
	}
	console, e := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if e != nil {
		return
	}
	if out {
		os.Stdout = console
	}
	if err {
		os.Stderr = console
	}
}
