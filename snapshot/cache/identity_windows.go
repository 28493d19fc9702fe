package cache

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// basicInfo is FILE_BASIC_INFO: times in units of 100 ns since 1601.
type basicInfo struct {
	creation, access, write, change int64
	attributes                      uint32
	_                               uint32
}

// identityOf returns what the system knows a file by. File systems that keep no time of change leave it 0.
func identityOf(f *os.File) (identity, error) {
	h := windows.Handle(f.Fd())
	var st windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &st); err != nil {
		return identity{}, err
	}
	id := identity{
		Device: uint64(st.VolumeSerialNumber), Inode: uint64(st.FileIndexHigh)<<32 | uint64(st.FileIndexLow),
		Size: int64(st.FileSizeHigh)<<32 | int64(st.FileSizeLow), Modified: st.LastWriteTime.Nanoseconds(),
	}
	var b basicInfo
	p := (*byte)(unsafe.Pointer(&b))
	err := windows.GetFileInformationByHandleEx(h, windows.FileBasicInfo, p, uint32(unsafe.Sizeof(b)))
	if err == nil && b.change > 0 {
		t := windows.Filetime{LowDateTime: uint32(b.change), HighDateTime: uint32(b.change >> 32)}
		id.Changed = t.Nanoseconds()
	}
	return id, nil
}
