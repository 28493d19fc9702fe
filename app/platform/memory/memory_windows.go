// Package memory tells how much memory the machine has.
package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var installedMemory = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetPhysicallyInstalledSystemMemory")

// Physical is how much memory the machine has, in bytes; 0 if that cannot be told.
func Physical() int64 {
	var kib uint64
	if installedMemory.Find() != nil {
		return 0
	}
	if ok, _, _ := installedMemory.Call(uintptr(unsafe.Pointer(&kib))); ok == 0 {
		return 0
	}
	return int64(kib << 10)
}
