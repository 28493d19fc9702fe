package platform

import "golang.org/x/sys/unix"

// PhysicalMemory is how much memory the machine has, in bytes; 0 if that cannot be told.
func PhysicalMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
