//go:build unix

package snapshot

import (
	"time"

	"golang.org/x/sys/unix"
)

// busy is the processor time that this process has taken. What is bounded in tests is bounded in it: the clock goes
// on while other processes run.
func busy() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
