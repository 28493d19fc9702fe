package state

import (
	"slices"
	"sort"
)

// A placed block is one in use at a moment of the walk forward.
type placed struct {
	addr      uint64
	requested int64
	block     int32 // -1: of no state
}

// addresses holds blocks by address, in chunks, so that putting one in moves few others.
type addresses struct{ chunks [][]placed }

// chunkSize is how many blocks a chunk has at most; a full one becomes two.
const chunkSize = 256

// chunk is the index of the last chunk that begins at or before an address, else of the first.
func (a *addresses) chunk(addr uint64) int {
	return max(0, sort.Search(len(a.chunks), func(i int) bool { return a.chunks[i][0].addr > addr })-1)
}

// find is where a block at an address is, or would be, in a chunk.
func find(chunk []placed, addr uint64) (int, bool) {
	i := sort.Search(len(chunk), func(i int) bool { return chunk[i].addr >= addr })
	return i, i < len(chunk) && chunk[i].addr == addr
}

// put puts a block in, in place of another at its address.
func (a *addresses) put(b placed) {
	if len(a.chunks) == 0 {
		a.chunks = append(a.chunks, []placed{b})
		return
	}
	c := a.chunk(b.addr)
	i, found := find(a.chunks[c], b.addr)
	if found {
		a.chunks[c][i] = b
		return
	}
	chunk := slices.Insert(a.chunks[c], i, b)
	a.chunks[c] = chunk
	if len(chunk) > chunkSize {
		a.chunks = slices.Insert(a.chunks, c+1, slices.Clone(chunk[chunkSize/2:]))
		a.chunks[c] = chunk[:chunkSize/2]
	}
}

// remove takes the block at an address away, if there is one.
func (a *addresses) remove(addr uint64) {
	if len(a.chunks) == 0 {
		return
	}
	c := a.chunk(addr)
	i, found := find(a.chunks[c], addr)
	if !found {
		return
	}
	if a.chunks[c] = slices.Delete(a.chunks[c], i, i+1); len(a.chunks[c]) == 0 {
		a.chunks = slices.Delete(a.chunks, c, c+1)
	}
}

// before is the last block that begins below an address.
func (a *addresses) before(addr uint64) (placed, bool) {
	for c := a.chunk(addr); c >= 0 && c < len(a.chunks); c-- {
		if i, _ := find(a.chunks[c], addr); i > 0 {
			return a.chunks[c][i-1], true
		}
	}
	return placed{}, false
}

// behind is the first block that begins above an address.
func (a *addresses) behind(addr uint64) (placed, bool) {
	for c := a.chunk(addr); c < len(a.chunks); c++ {
		i, found := find(a.chunks[c], addr)
		if found {
			i++
		}
		if i < len(a.chunks[c]) {
			return a.chunks[c][i], true
		}
	}
	return placed{}, false
}
