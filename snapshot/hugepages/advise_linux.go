package hugepages

import "golang.org/x/sys/unix"

// advise asks for huge pages for b. It is advice: nothing is lost where the system does not take it.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
