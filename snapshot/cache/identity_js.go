package cache

import (
	"os"
	"syscall"
	"time"
)

// identityOf returns what the page's file system knows a file by; nothing but the page changes it.
func identityOf(f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	id := identity{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(st.Dev), st.Ino
		id.Changed = st.Ctime*int64(time.Second) + st.CtimeNsec
	}
	return id, nil
}
