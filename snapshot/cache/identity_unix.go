//go:build unix

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
		Device: uint64(st.Dev), Inode: uint64(st.Ino), Size: st.Size,
		Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(),
	}, nil
}
