// Package memory tells how much memory the machine has.
package memory

import (
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Physical is how much memory there is for us, in bytes: the machine's, or what a container, or the session,
// may take of it; 0 if that cannot be told.
func Physical() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	n := int64(uint64(info.Totalram) * uint64(info.Unit))
	own, _ := os.ReadFile("/proc/self/cgroup")
	if limit := groupLimit("/sys/fs/cgroup", string(own)); limit > 0 {
		n = min(n, limit)
	}
	return n
}

// groupLimit is the least limit that the control groups set which a process is in, by its /proc/self/cgroup; 0 if
// none does. Version 2 is one tree, in version 1 memory has a tree of its own. In a container the mounted tree
// begins at its own group, whatever the file says: then only its root is there.
func groupLimit(root, own string) (least int64) {
	take := func(file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			return
		}
		// "max", and in version 1 a number near 2^63, is no limit.
		n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		tree, name := root, "memory.max"
		if parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			tree, name = path.Join(root, "memory"), "memory.limit_in_bytes"
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			take(path.Join(tree, group, name))
			if group == "/" {
				break
			}
		}
	}
	return least
}
