package snapshot

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// held is what all the readings under way may take together.
var held struct {
	sync.Mutex
	readings     int
	base, before int64 // of the process when the first began: its memory, and its limit
	sum          int64
}

// heldSlack is what a reading takes beside what its [Limits.Memory] counts: buffers of the decompression, and
// garbage on its way out.
const heldSlack = 64 << 20

// holdMemory has the garbage collector keep the process within bytes more than it took before, until release is
// called. Without that the garbage may take as much again as what is in use, and a file made to reach the limit
// would take twice or three times the memory that the person is told of. An honest file comes nowhere near its
// limit, and is read as if there were none.
func holdMemory(bytes int64) (release func()) {
	held.Lock()
	defer held.Unlock()
	if held.readings == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		held.base, held.before, held.sum = int64(m.Sys-m.HeapReleased), debug.SetMemoryLimit(-1), 0
	}
	held.readings++
	bytes = min(bytes, math.MaxInt64/1024) + heldSlack
	held.sum += bytes
	debug.SetMemoryLimit(min(held.before, held.base+held.sum))
	return func() {
		held.Lock()
		defer held.Unlock()
		held.readings--
		held.sum -= bytes
		limit := held.before
		if held.readings > 0 {
			limit = min(limit, held.base+held.sum)
		}
		debug.SetMemoryLimit(limit)
	}
}
