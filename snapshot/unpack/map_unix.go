//go:build unix

package unpack

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory. Page faults took a third of the reading time, so another goroutine populates its
// pages ahead of the reader where the system can.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, func() {}, err
	}
	_ = unix.Madvise(b, unix.MADV_SEQUENTIAL)
	stop := prefetch(b)
	return b, func() {
		go func() { // prefetching may take seconds to stop when the disk is slow
			stop()
			_ = unix.Munmap(b)
		}()
	}, nil
}
