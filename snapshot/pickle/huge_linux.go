package pickle

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

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
