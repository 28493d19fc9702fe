//go:build unix && !aix

package cache

import (
	"os"

	"golang.org/x/sys/unix"
)

// identityOf returns what the system knows a file by.
func identityOf(f *os.File) (identity, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return identity{}, err
	}
	return identity{
		device: uint64(st.Dev), inode: uint64(st.Ino), size: st.Size,
		modified: st.Mtim.Nano(), changed: st.Ctim.Nano(),
	}, nil
}
