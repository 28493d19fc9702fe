package pickle

import (
	"bytes"
	"hash/maphash"
	"unsafe"
)

// Three quarters of a snapshot's bytes are memo gets: call stacks, spelled out
// frame by frame, the same few thousand ones again and again. A runCache
// remembers the bytes that spelled a stack, and which came after which. Where
// the bytes ahead are those that followed before, comparing them replaces
// decoding them.
//
// This is sound because the bytes only fetch from the memo, and what they
// fetched then they fetch now: memo entries are not stored twice (the cache is
// switched off when one is), and only lists that a handler replaced by a
// record get here, whose items can no longer change.
type runCache struct {
	off   bool
	runs  []run // 0 is none
	index map[uint64]uint32
	seed  maphash.Seed
	bytes int
	last  uint32

	missed *byte // where a run was looked for in vain

	// The last four runs, 16 bits of each, and what came after them. Training
	// loops repeat themselves: this is right about the next run almost always.
	trail uint64
	after []uint32

	// The list most recently built from one run of gets, until it is known
	// what record it became.
	list Value
	n    int // of its items
	raw  []byte
}

type run struct {
	raw  []byte
	rec  Value
	next [runNext]uint32 // the runs that followed, latest first
}

const (
	runNext     = 4
	trailBits   = 16
	trailMix    = 0x9e3779b97f4a7c15
	maxRunBytes = 64 << 20 // of all raws together
	maxRunItems = 1000     // a longer list comes in more than one batch
	minRunBytes = 16
)

// built notes that list v holds exactly what the n gets in raw fetched.
func (c *runCache) built(v Value, raw []byte, n int) {
	if c.off {
		return
	}
	if c.runs == nil {
		c.runs = make([]run, 1, 1024)
		c.index = map[uint64]uint32{}
		c.seed = maphash.MakeSeed()
		c.after = make([]uint32, 1<<trailBits)
	}
	c.list, c.n = v, n
	c.raw = append(c.raw[:0], raw...)
}

// sealed notes that the list v of n items became rec.
func (c *runCache) sealed(v, rec Value, n int) {
	if v != c.list || c.off {
		return
	}
	c.list = Absent
	if n != c.n { // more was added to it afterwards
		return
	}
	hash := maphash.Bytes(c.seed, c.raw)
	id, ok := c.index[hash]
	if !ok {
		id = uint32(len(c.runs))
		if c.bytes += len(c.raw) + 64; c.bytes > maxRunBytes {
			c.stop()
			return
		}
		c.runs = append(c.runs, run{raw: bytes.Clone(c.raw), rec: rec})
		c.index[hash] = id
	}
	c.follow(id)
}

// slot is where in after the trail is.
func (c *runCache) slot() uint64 { return c.trail * trailMix >> (64 - trailBits) }

// follow notes that run n came after the last one.
func (c *runCache) follow(n uint32) {
	c.after[c.slot()] = n
	c.trail = c.trail<<16 | uint64(n&0xffff)
	next := &c.runs[c.last].next
	c.last = n
	if next[0] == n {
		return
	}
	i := 1
	for i < runNext-1 && next[i] != n {
		i++
	}
	copy(next[1:i+1], next[:i])
	next[0] = n
}

// match returns the record whose bytes, and an APPENDS, come next in b, and
// how many bytes that are with the APPENDS.
func (c *runCache) match(b []byte) (Value, int) {
	if c.runs == nil {
		return Absent, 0
	}
	guess := c.after[c.slot()]
	if k := c.runs[guess].ahead(b); k > 0 {
		rec := c.runs[guess].rec
		c.follow(guess)
		return rec, k + 1
	}
	for _, n := range c.runs[c.last].next {
		if k := c.runs[n].ahead(b); k > 0 {
			c.follow(n)
			return c.runs[n].rec, k + 1
		}
	}
	return c.find(b)
}

// find is match for a run that nobody would have guessed. Each place is looked
// at once: a dict is tried in more than one way.
func (c *runCache) find(b []byte) (Value, int) {
	at := unsafe.SliceData(b)
	if at == c.missed {
		return Absent, 0
	}
	c.missed = at
	k := 0
	for k < len(b) && k < maxRunItems*5 && isGet(b[k]) {
		if k += 2; b[k-2] == opLongBinGet {
			k += 3
		}
	}
	if k < minRunBytes || k >= len(b) || b[k] != opAppends {
		return Absent, 0
	}
	id := c.index[maphash.Bytes(c.seed, b[:k])]
	if c.runs[id].ahead(b) != k {
		return Absent, 0
	}
	c.missed = nil
	c.follow(id)
	return c.runs[id].rec, k + 1
}

// ahead returns the length of r's bytes if they, and an APPENDS, come next in
// b, else 0.
func (r *run) ahead(b []byte) int {
	k := len(r.raw)
	if k == 0 || k >= len(b) || b[k] != opAppends || b[k-1] != r.raw[k-1] || !bytes.Equal(b[:k], r.raw) {
		return 0
	}
	return k
}

func (c *runCache) stop() { *c = runCache{off: true} }
