package unpack

import (
	"io"
	"os"
)

// readBytes is how much of a file is asked for at a time: each piece is a trip to the browser's process, and a copy
// there before it is one of ours.
const readBytes = 64 << 20

// mapFile reads a file whole, into one piece of memory of the right size: what grows takes two to three times as much,
// which WebAssembly never gives back.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	b := make([]byte, size)
	for at := int64(0); at < size; at += readBytes {
		if _, err := io.ReadFull(f, b[at:min(at+readBytes, size)]); err != nil {
			return nil, func() {}, err
		}
	}
	return b, func() {}, nil
}
