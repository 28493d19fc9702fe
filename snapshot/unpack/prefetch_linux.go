package unpack

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// prefetchBytes is how much of a mapped file is populated by one call: little enough for stop to return at once.
const prefetchBytes = 4 << 20

// prefetch populates the pages of a mapped file from its beginning on, in a goroutine of its own, several times
// faster than they are decoded. stop ends that and waits for it, which takes seconds where the disk or the network
// is slow. MAP_POPULATE is no alternative: mmap then returns only when the whole file has been read.
func prefetch(b []byte) (stop func()) {
	var quit atomic.Bool
	over := make(chan struct{})
	go func() {
		defer close(over)
		for at := 0; at < len(b) && !quit.Load(); at += prefetchBytes {
			// It fails on Linux before 5.14, and where a file got shorter; the reader finds out for itself.
			if unix.Madvise(b[at:min(at+prefetchBytes, len(b))], unix.MADV_POPULATE_READ) != nil {
				return
			}
		}
	}()
	return func() {
		quit.Store(true)
		<-over
	}
}
