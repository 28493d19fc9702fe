package pickle

import (
	"runtime"
	"sync"
	"unsafe"
)

// A Growth is how a slice that grows while a file is read has grown so far:
// its length, and the share of the file that had been read, the last time.
type Growth struct {
	n    int
	done float64
}

// Estimate says to what length a slice of n items should grow, if items of
// size bytes keep coming as they did since the last time. It never trusts a
// number in the file, never asks for more than 64 times of few items, nor for
// more than a quarter of the budget that is left. Many items are trusted to
// tell what comes: to grow once more near the end of a giant would take its
// memory twice.
func (h *Heap) Estimate(g *Growth, n, size int) int {
	done := 0.0
	if h.Progress != nil {
		done = h.Progress()
	}
	before := *g
	*g = Growth{n, done}
	if n < 4096 {
		return 4096
	}
	more := float64(n) / 2
	if done > before.done && n > before.n {
		rate := float64(n-before.n) / (done - before.done)
		if more = rate * (1 - done) * 1.02; n < 100_000 {
			more = min(more, 63*float64(n))
		}
	}
	more = min(more, float64(max(h.budget, 0)/4)/float64(size))
	return n + max(int(more), n/8) + 1024
}

const hugePage = 2 << 20

// hugeFrom is the size from which memory is asked for in huge pages.
const hugeFrom = 8 << 20

// Grow returns s with length n, its contents kept and zeros after them. Big
// slices lie on huge pages where the system has them, and another core makes
// these ready: touching fresh pages one by one takes longer than filling them.
func Grow[T any](s []T, n int) []T {
	t := make([]T, n)
	var x T
	if size := uintptr(n) * unsafe.Sizeof(x); size >= hugeFrom {
		p := unsafe.Pointer(unsafe.SliceData(t))
		adviseHuge(p, size)
		if runtime.GOMAXPROCS(0) > 1 {
			go touchPages(p, size)
		}
	}
	copy(t, s)
	return t
}

// touching lets one slice at a time be made ready: more would only take the
// cores away from those who fill them.
var touching sync.Mutex

// touchPages has the system make the pages of size bytes at p ready.
func touchPages(p unsafe.Pointer, size uintptr) {
	touching.Lock()
	defer touching.Unlock()
	first := -uintptr(p) & (hugePage - 1)
	for at := first; at+hugePage <= size; at += hugePage {
		if !touchPage(unsafe.Add(p, at)) {
			return
		}
	}
}
