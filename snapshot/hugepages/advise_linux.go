package hugepages

import "golang.org/x/sys/unix"

// advise asks for huge pages for b. It is advice: nothing is lost where the system does not take it.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// populate makes the pages of b ready to be written and leaves what is in them. It reports whether the system can do
// that (Linux 5.14).
func populate(b []byte) bool { return unix.Madvise(b, unix.MADV_POPULATE_WRITE) == nil }
