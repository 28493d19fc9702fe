// Package memory tells how much memory the machine has.
package memory

import "golang.org/x/sys/unix"

// Physical is how much memory the machine has, in bytes; 0 if that cannot be told.
func Physical() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
