//go:build unix

package raster

import "golang.org/x/sys/unix"

// cpuTime is the processor time of this process, nanoseconds: what a busy machine does not blur as it does the clock.
func cpuTime() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
