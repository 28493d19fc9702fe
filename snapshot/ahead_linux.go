package snapshot

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// aheadBytes is how much of a mapped file is made ready in one go: little
// enough for stop to return at once.
const aheadBytes = 4 << 20

// readAhead has another core make the pages of a mapped file ready, from its
// beginning on, several times faster than they are decoded. stop ends that and
// waits for it, which may take seconds where the disk or the network is slow.
// Having mmap do it instead (MAP_POPULATE) made everybody wait for the whole
// file, without progress or cancelling, when it came from a disk.
func readAhead(b []byte) (stop func()) {
	var quit atomic.Bool
	over := make(chan struct{})
	go func() {
		defer close(over)
		for at := 0; at < len(b) && !quit.Load(); at += aheadBytes {
			// Linux before 5.14 does not know it, and a file that got shorter has no
			// more pages; the reader finds out for itself.
			if unix.Madvise(b[at:min(at+aheadBytes, len(b))], unix.MADV_POPULATE_READ) != nil {
				return
			}
		}
	}()
	return func() {
		quit.Store(true)
		<-over
	}
}
