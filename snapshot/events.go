package snapshot

import (
	"math"

	"strata/snapshot/hugepages"
	"strata/snapshot/pickle"
)

// Reasons why a row is not an event of the trace, stored in its size column.
const (
	badSize int64 = -1 - iota
	badAddr
	badAction
)

// eventRows are the events in the order their dicts were read. The slices have room for more; n rows are in use.
type eventRows struct {
	action []Action // ActionOther: not an event; size is the reason, time the byte offset
	addr   []uint64 // the StringID of the action for badAction
	size   []int64
	stream []StreamID
	time   []int64
	stack  []StackID
	meta   []MetaID
	n      int
	growth pickle.Growth
}

const eventRowBytes = 1 + 8 + 8 + 4 + 8 + 4 + 4

// grow makes room for more rows. It returns false if the budget does not allow them.
func (r *eventRows) grow(h *pickle.Heap) bool {
	n := h.Estimate(&r.growth, r.n, eventRowBytes)
	cost := (n - r.n) * eventRowBytes
	if uint64(n) > math.MaxUint32 {
		cost = math.MaxInt
	}
	if h.Charge(cost) != nil {
		return false
	}
	var fresh hugepages.Fresh
	r.action = hugepages.Grow(&fresh, r.action, n)
	r.addr = hugepages.Grow(&fresh, r.addr, n)
	r.size = hugepages.Grow(&fresh, r.size, n)
	r.stream = hugepages.Grow(&fresh, r.stream, n)
	r.time = hugepages.Grow(&fresh, r.time, n)
	r.stack = hugepages.Grow(&fresh, r.stack, n)
	r.meta = hugepages.Grow(&fresh, r.meta, n)
	fresh.Prepare()
	return true
}

// event stores a trace event (FORMAT.md, section 3.1).
func (b *builder) event(k keyset) pickle.Value {
	c := &b.events
	i := c.n
	if i == len(c.action) && !c.grow(b.h) {
		return pickle.Absent
	}
	c.n++
	rec := pickle.Record(classEvent, uint64(i))
	name, isStr := b.vals[sAction].IsString()
	action := ActionOther
	if isStr && name < sKnown {
		action = actionOf[name]
	}
	if action == ActionOther {
		c.time[i] = b.offset()
		c.size[i], c.addr[i] = badAction, uint64(b.str(b.vals[sAction]))
		b.skipped(k)
		return rec
	}
	size, ok := b.size(b.val(k, sSize))
	c.size[i] = size
	if !ok && (k.has(sSize) || sized(action)) || size > maxSize && sized(action) && action != ActionOOM {
		c.size[i], c.time[i] = badSize, b.offset()
		b.skipped(k)
		return rec
	}
	where := sAddr
	if action == ActionOOM && k.has(sDeviceFree) {
		where = sDeviceFree
	}
	if c.addr[i], ok = b.address(b.val(k, where)); !ok && located(action) {
		c.size[i], c.time[i] = badAddr, b.offset()
		b.skipped(k)
		return rec
	}
	c.time[i] = NoTime
	if k.has(sTimeUS) {
		if t, ok := b.time(b.vals[sTimeUS]); ok {
			c.time[i] = t
			b.evidence.time = true
		}
	}
	if k.has(sStream) {
		c.stream[i] = b.stream(b.vals[sStream])
	}
	if k.has(sFrames) {
		c.stack[i] = b.stack(b.vals[sFrames])
	}
	if k&metaKeys != 0 {
		c.meta[i] = b.meta(k)
	}
	if action == ActionAnnotate {
		b.evidence.annotate = true
	}
	c.action[i] = action
	return rec
}

// skipped replaces the empty stacks of an event that is left out as those of any other: pickle.ShapeHandler wants it.
func (b *builder) skipped(k keyset) {
	for _, key := range [...]uint32{sFrames, sForwardFrames} {
		if v := b.h.Resolve(b.val(k, key)); v.IsList() && b.h.Len(v) == 0 {
			b.stack(v)
		}
	}
}

// maxSize is the largest valid size, a pebibyte, so that sums stay within 63 bits. The size of a request that failed
// has no bound.
const maxSize = 1 << 50

// sized reports whether an action means nothing without a size.
func sized(a Action) bool {
	return a != ActionSnapshot && a != ActionWorkspaceSnapshot && a != ActionUserDefined && a != ActionAnnotate
}

// located reports whether an action means nothing without an address.
func located(a Action) bool {
	return a != ActionSnapshot && a != ActionWorkspaceSnapshot && a != ActionUserDefined && a != ActionOOM
}

// roundFloat returns the integer nearest to the float64 with the given bits.
func roundFloat(bits uint64) (int64, bool) {
	f := math.Round(math.Float64frombits(bits))
	if f >= -1<<63 && f < 1<<63 {
		return int64(f), true
	}
	return 0, false
}
