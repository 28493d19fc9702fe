//go:build unix

package snapshot

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory. Page faults took a third of the reading
// time, so the pages are asked for ahead.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE|mapPopulate)
	if err != nil {
		return nil, func() {}, err
	}
	_ = unix.Madvise(b, unix.MADV_SEQUENTIAL)
	return b, func() { _ = unix.Munmap(b) }, nil
}
