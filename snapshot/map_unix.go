//go:build unix

package snapshot

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory. Page faults took a third of the reading
// time, so where the system can, its pages are made ready ahead of the reader.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, func() {}, err
	}
	_ = unix.Madvise(b, unix.MADV_SEQUENTIAL)
	stop := readAhead(b)
	return b, func() {
		go func() { // it takes a while, and nobody who cancelled is to wait for the disk
			stop()
			_ = unix.Munmap(b)
		}()
	}, nil
}
