package snapshot

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// Limits bound what a file may cost; 0 means the default.
type Limits struct {
	Depth  int   // nesting of containers; default 1000
	Memory int64 // bytes of columns, tables and memo; default by the file's size, at most 8 GiB
	Raw    int64 // bytes after decompression; default 64 GiB
}

// unpacking is how many times the memory limit a file may unpack to. A snapshot takes less than half its size in
// memory.
const unpacking = 16

// MemoryLimit is the Limits for a file that may take so many bytes of memory.
func MemoryLimit(bytes int64) Limits { return Limits{Memory: bytes, Raw: unpacking * bytes} }

const (
	defaultDepth = 1000
	maxMemory    = 8 << 30
	defaultRaw   = 64 << 30
	maxRatio     = 1200 // of compression; gzip alone reaches 1032 at most, snapshots 100
)

// forFile fills in the defaults for a file of size bytes. A snapshot takes half its size in memory if it is big, and a
// few megabytes more if it is small; compressed, it can be a hundred times bigger.
func (l Limits) forFile(size int64, packed bool) Limits {
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	if l.Memory <= 0 {
		factor := int64(8)
		if packed {
			factor = 200
		}
		l.Memory = maxMemory
		if size < maxMemory/factor {
			l.Memory = min(maxMemory, 256<<20+factor*size)
		}
	}
	if l.Raw <= 0 {
		l.Raw = defaultRaw
		if packed {
			l.Raw = min(l.Raw, 1<<30+maxRatio*size)
		}
	}
	return l
}

// held is the memory that all readings in progress may take together.
var held struct {
	sync.Mutex
	readings     int
	base, before int64 // of the process when the first began: its memory, and its limit
	sum          int64
}

// heldSlack is what a reading takes beside what [Limits.Memory] counts: buffers of decompression, and garbage.
const heldSlack = 64 << 20

// holdMemory lets the process grow by bytes until release is called, by the garbage collector's limit. Without it
// garbage takes as much again as what is in use, and a hostile file two or three times its limit. Snapshots come
// nowhere near the limit, so that it does not slow them down.
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
