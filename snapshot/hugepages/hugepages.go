// Package hugepages makes big slices on huge pages where the system has them: to touch fresh pages of 4 KiB one by
// one takes longer than to fill them.
package hugepages

import "unsafe"

// pageSize is the size of a huge page on the systems that are asked for them.
const pageSize = 2 << 20

// minBytes is the size from which huge pages are asked for.
const minBytes = 8 << 20

// Make returns a slice of n zeros.
func Make[T any](n int) []T {
	s := make([]T, n)
	var x T
	if size := uintptr(n) * unsafe.Sizeof(x); size >= minBytes {
		p := unsafe.Pointer(unsafe.SliceData(s))
		skip := -uintptr(p) & (pageSize - 1)
		advise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), (size-skip)&^(pageSize-1)))
	}
	return s
}

// Grow returns s with length n, its contents kept and zeros after them.
func Grow[T any](s []T, n int) []T {
	t := Make[T](n)
	copy(t, s)
	return t
}
