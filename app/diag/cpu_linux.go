package diag

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor's time of this thread. Unlike the clock's, it leaves out when others had the processor.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
