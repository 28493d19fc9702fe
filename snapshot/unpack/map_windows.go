package unpack

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapFile maps a file into memory.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	addr, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		_ = windows.CloseHandle(h)
		return nil, nil, err
	}
	// The view lies outside of Go's heap; the indirection tells vet so.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return unsafe.Slice((*byte)(p), size), func() {
		_ = windows.UnmapViewOfFile(addr)
		_ = windows.CloseHandle(h)
	}, nil
}
