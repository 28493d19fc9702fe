// Package hugepages makes big slices on huge pages where the system has them: to touch fresh pages of 4 KiB one by
// one takes longer than to fill them.
package hugepages

import (
	"runtime"
	"unsafe"
)

// pageSize is the size of a huge page on the systems that are asked for them.
const pageSize = 2 << 20

// minBytes is the size from which huge pages are asked for.
const minBytes = 8 << 20

// Make returns a slice of n zeros.
func Make[T any](n int) []T {
	s, _ := make2[T](n)
	return s
}

// make2 is Make, and the whole huge pages that the slice lies on.
func make2[T any](n int) (s []T, pages []byte) {
	s = make([]T, n)
	var x T
	if size := uintptr(n) * unsafe.Sizeof(x); size >= minBytes {
		p := unsafe.Pointer(unsafe.SliceData(s))
		skip := -uintptr(p) & (pageSize - 1)
		pages = unsafe.Slice((*byte)(unsafe.Add(p, skip)), (size-skip)&^(pageSize-1))
		advise(pages)
	}
	return s, pages
}

// Fresh are the pages of slices that are filled side by side.
type Fresh [][]byte

// Grow returns s with length n, its contents kept and zeros after them. New huge pages are added to fresh.
func Grow[T any](fresh *Fresh, s []T, n int) []T {
	t, pages := make2[T](n)
	if pages != nil {
		*fresh = append(*fresh, pages)
	}
	copy(t, s)
	return t
}

// Prepare has the system clear the pages ahead of who fills the slices, from their beginnings on, in a goroutine of its
// own.
func (f Fresh) Prepare() {
	if len(f) == 0 || runtime.GOMAXPROCS(0) == 1 {
		return
	}
	steps := 0
	for _, pages := range f {
		steps = max(steps, len(pages)/pageSize)
	}
	go func() {
		for i := range steps {
			for _, pages := range f {
				n := len(pages) / pageSize
				from, to := n*i/steps, n*(i+1)/steps
				if from < to && !populate(pages[from*pageSize:to*pageSize]) {
					return
				}
			}
		}
	}()
}
