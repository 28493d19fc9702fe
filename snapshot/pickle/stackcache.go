package pickle

import (
	"bytes"
	"hash/maphash"
)

// A stackCache recognizes call stacks by the bytes that encode them. Three quarters of a snapshot's bytes are memo
// gets: stacks, spelled out frame by frame, the same few thousand again and again. Comparing the bytes with those
// of the stack that is expected next replaces decoding them.
//
// This is sound because the bytes only fetch from the memo, and what they fetched then they fetch now: memo entries
// are not stored twice (the cache is switched off when one is), and only lists that a handler replaced by a record
// get here, whose items can no longer change.
type stackCache struct {
	off   bool
	known []encoding // 0 is none
	index map[uint64]uint32
	seed  maphash.Seed
	bytes int // of all encodings

	// The last four stacks, 16 bits of each, and which stack followed what. Training loops repeat themselves: this
	// predicts the next stack almost always.
	trail uint64
	after []uint32

	// The list being read that is encoded by raw alone, until its record is known.
	list Value
	n    int // of its items
	raw  []byte
}

// An encoding is the gets that encode the items of a list, and the record that the list became.
type encoding struct {
	raw []byte
	rec Value
}

const (
	trailBits     = 16 // of the index of after
	trailMix      = 0x9e3779b97f4a7c15
	maxCacheBytes = 64 << 20
	maxStackItems = 1000 // a longer list comes in more than one batch
	minStackBytes = 16   // below, decoding takes no longer
)

// expect notes that list, if it is encoded by gets alone, is encoded by what b begins with.
func (c *stackCache) expect(list Value, b []byte) {
	size, n := scanStack(b)
	if size == 0 || c.off {
		return
	}
	if c.known == nil {
		c.known = make([]encoding, 1, 1024)
		c.index = map[uint64]uint32{}
		c.seed = maphash.MakeSeed()
		c.after = make([]uint32, 1<<trailBits)
	}
	c.list, c.n = list, n
	c.raw = append(c.raw[:0], b[:size]...)
}

// scanStack returns how many bytes of gets b begins with, and how many gets they are, if APPENDS follows and they
// are not too many or too few; else zeros.
func scanStack(b []byte) (size, n int) {
	for size < len(b) && n < maxStackItems && (b[size] == opBinGet || b[size] == opLongBinGet) {
		if n++; b[size] == opLongBinGet {
			size += 3
		}
		size += 2
	}
	if size < minStackBytes || size >= len(b) || b[size] != opAppends {
		return 0, 0
	}
	return size, n
}

// sealed stores the encoding of the list, which has n items and became rec.
func (c *stackCache) sealed(list, rec Value, n int) {
	if list != c.list || c.off {
		return
	}
	c.list = Absent
	if n != c.n { // more was added to it afterwards
		return
	}
	hash := maphash.Bytes(c.seed, c.raw)
	id, ok := c.index[hash]
	if !ok {
		if c.bytes += len(c.raw) + 64; c.bytes > maxCacheBytes {
			c.stop()
			return
		}
		id = uint32(len(c.known))
		c.known = append(c.known, encoding{bytes.Clone(c.raw), rec})
		c.index[hash] = id
	}
	c.follow(id)
}

// slot is the place in after that belongs to the trail.
func (c *stackCache) slot() uint64 { return c.trail * trailMix >> (64 - trailBits) }

// follow notes that stack id came after the trail.
func (c *stackCache) follow(id uint32) {
	c.after[c.slot()] = id
	c.trail = c.trail<<16 | uint64(id&0xffff)
}

// match returns the record of the stack whose encoding, and an APPENDS, b begins with, and how many bytes that are
// with the APPENDS; zeros if it is not known.
func (c *stackCache) match(b []byte) (rec Value, size int) {
	if c.known == nil {
		return Absent, 0
	}
	id := c.after[c.slot()]
	size = c.known[id].begins(b)
	if size == 0 {
		if size, _ = scanStack(b); size == 0 {
			return Absent, 0
		}
		id = c.index[maphash.Bytes(c.seed, b[:size])]
		if c.known[id].begins(b) != size {
			return Absent, 0
		}
	}
	c.follow(id)
	return c.known[id].rec, size + 1
}

// begins returns the encoding's length if b begins with it and an APPENDS, else 0.
func (e *encoding) begins(b []byte) int {
	k := len(e.raw)
	if k == 0 || k >= len(b) || b[k] != opAppends || b[k-1] != e.raw[k-1] || !bytes.Equal(b[:k], e.raw) {
		return 0
	}
	return k
}

func (c *stackCache) stop() { *c = stackCache{off: true} }
