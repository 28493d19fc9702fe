package unpack

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"unsafe"
)

// A File is the bytes of a file.
type File struct {
	Data    []byte
	Mapped  bool   // into memory, and read from the disk when needed
	Release func() // gives the memory back
}

// mapFrom is the size from which on a file is mapped rather than read.
const mapFrom = 1 << 20

// maxRead bounds what is read into memory rather than mapped.
const maxRead = 4 << 30

// Load maps a big regular file into memory and reads any other.
func Load(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	regular := st.Mode().IsRegular()
	if st.IsDir() {
		return nil, errors.New("it is a directory")
	}
	if regular && st.Size() >= mapFrom && st.Size() <= math.MaxInt {
		if data, release, err := mapFile(f, st.Size()); err == nil {
			return &File{Data: data, Mapped: true, Release: release}, nil
		}
	}
	if !regular && st.Mode()&os.ModeNamedPipe == 0 {
		return nil, errors.New("it is no regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if int64(len(data)) > maxRead {
		err = fmt.Errorf("it has more than %d GiB and cannot be mapped into memory", int64(maxRead)>>30)
	}
	if err != nil {
		return nil, err
	}
	return &File{Data: data, Release: func() {}}, nil
}

// ErrFault is the error for a memory fault while a mapped file is read.
var ErrFault = errors.New("the file changed, or its disk failed, while it was read")

// Guard calls do and returns its error, or ErrFault if do causes a memory fault in data. Other panics go on.
func Guard(data []byte, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			lo := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
			e, ok := p.(interface{ Addr() uintptr })
			if !ok || e.Addr() < lo || e.Addr() >= lo+uintptr(len(data)) {
				panic(p)
			}
			err = ErrFault
		}
	}()
	return do()
}
