package platform

import "golang.org/x/sys/unix"

// PhysicalMemory is how much memory the machine has, in bytes; 0 if that
// cannot be told.
func PhysicalMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
