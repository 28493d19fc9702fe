package platform

import (
	"os"

	"golang.org/x/sys/windows"
)

// A program built for windows (-H windowsgui) has no console, even when it is
// called in one: strata summary would print into nothing. So it takes part in the
// console of the program that started it, if that has one. Output that goes to a
// file or a pipe has a handle already and stays as it is.
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
	if ok, _, _ := kernel.NewProc("AttachConsole").Call(parent); ok == 0 {
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
