package pickle

import "unsafe"

// Estimate says to what length a slice of n items should grow, if items keep
// coming as they did so far: what is read of the file tells how much is to
// come. It never trusts a number in the file, and never asks for more than
// eight times of what has come. Pages nobody touches cost nothing.
func (h *Heap) Estimate(n int) int {
	if n < 4096 {
		return 4096
	}
	want := n + n/2
	if h.Progress != nil {
		if done := h.Progress(); done > 0 {
			want = int(min(float64(n)/done*1.02, float64(8*n)))
		}
	}
	return max(want, n+n/8) + 1024
}

// hugeFrom is the size from which memory is asked for in huge pages.
const hugeFrom = 8 << 20

// Grow returns s with length n, its contents kept and zeros after them. Big
// slices lie on huge pages where the system has them: touching fresh pages
// one by one takes longer than filling them.
func Grow[T any](s []T, n int) []T {
	t := make([]T, n)
	var x T
	if size := uintptr(n) * unsafe.Sizeof(x); size >= hugeFrom {
		adviseHuge(unsafe.Pointer(unsafe.SliceData(t)), size)
	}
	copy(t, s)
	return t
}
