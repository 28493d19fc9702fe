package pickle

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages for the whole ones among size bytes at p.
func adviseHuge(p unsafe.Pointer, size uintptr) {
	skip := -uintptr(p) & (hugePage - 1)
	if size < skip+hugePage {
		return
	}
	n := (size - skip) &^ (hugePage - 1)
	// It is advice: nothing is lost where the system does not take it.
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), n), unix.MADV_HUGEPAGE)
}

// touchPage makes the pages of a huge page ready to be written, and leaves
// what is in them. It reports whether the system can do that (Linux 5.14).
func touchPage(p unsafe.Pointer) bool {
	return unix.Madvise(unsafe.Slice((*byte)(p), hugePage), unix.MADV_POPULATE_WRITE) == nil
}
