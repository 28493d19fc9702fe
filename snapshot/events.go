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

// metaKeys are those of metadata; they follow one another.
var metaKeys = keys(sCompileContext, sUserMetadata, sInternalMetadata, sPoolID, sForwardFrames, sCategory)

// meta interns the metadata of the current event, which mostly are those of the event before.
func (b *builder) meta(k keyset) MetaID {
	raw := (*rawMeta)(b.vals[sCompileContext:])
	if k&metaKeys == b.lastKeys && raw.equal(&b.lastRaw) {
		return b.lastMeta
	}
	was, settled := *raw, true
	for key := sCompileContext; key <= sCategory; key++ {
		settled = settled && (!k.has(key) || b.vals[key].IsSettled())
	}
	id := b.newMeta(k)
	if settled {
		b.lastKeys, b.lastRaw, b.lastMeta = k&metaKeys, was, id
	}
	return id
}

// rawMeta are the values of metaKeys as in the file; where an event lacks one, it is left from a dict before it.
type rawMeta [sCategory - sCompileContext + 1]pickle.Value

// equal is ==, in a third of its time.
func (r *rawMeta) equal(s *rawMeta) bool {
	return (r[0]^s[0])|(r[1]^s[1])|(r[2]^s[2])|(r[3]^s[3])|(r[4]^s[4])|(r[5]^s[5]) == 0
}

// newMeta is meta for any metadata.
func (b *builder) newMeta(k keyset) MetaID {
	var m Meta
	if k.has(sCompileContext) {
		b.evidence.compileContext = true
		if v := b.vals[sCompileContext]; v != pickle.StringValue(sNA) {
			m.CompileContext = b.str(v)
		}
	}
	if k.has(sUserMetadata) {
		b.evidence.userMetadata = true
		m.User = b.userText(b.vals[sUserMetadata])
	}
	if k.has(sInternalMetadata) {
		b.evidence.internalMetadata = true
		m.Internal = b.userText(b.vals[sInternalMetadata])
	}
	m.Category = b.str(b.val(k, sCategory))
	if k.has(sPoolID) {
		b.evidence.poolID = true
		m.Pool = b.pool(b.vals[sPoolID])
	}
	m.Forward = b.stack(b.val(k, sForwardFrames))
	return b.metas.add(b.h, m, 80)
}

// userText is the text of user metadata: a string, a dict as lines "key = value", or anything else as Python prints it.
func (b *builder) userText(v pickle.Value) StringID {
	v = b.h.Resolve(v)
	switch {
	case v == pickle.None:
		return 0
	case v.IsDict():
		s := b.linesText(b.h.Pairs(v))
		id, _ := s.IsString()
		b.h.SealDict(v, pickle.Record(classText, uint64(id)))
		return b.str(s)
	}
	if id := b.str(v); id != 0 {
		return id
	}
	if class, _, ok := v.Record(); ok && class == classText { // of an empty dict
		return 0
	}
	if _, ok := v.IsString(); ok {
		return 0
	}
	return b.str(b.h.String([]byte(b.valueText(v)))) // interned in the heap, which charges for it
}

// stream interns a raw stream value, a signed 64-bit pointer (FORMAT.md, section 2.1).
func (b *builder) stream(v pickle.Value) StreamID {
	u, ok := b.address(v)
	if !ok {
		return 0
	}
	s := int64(u)
	if s == b.lastStream {
		return b.lastSID
	}
	b.lastStream, b.lastSID = s, b.streams.add(b.h, s, 32)
	return b.lastSID
}

// pool interns a pool id, a tuple or list of two numbers (FORMAT.md, section 2.1).
func (b *builder) pool(v pickle.Value) PoolID {
	if b.h.Len(v) != 2 {
		return 0
	}
	x, okx := b.address(b.h.At(v, 0))
	y, oky := b.address(b.h.At(v, 1))
	if !okx || !oky {
		return 0
	}
	return b.pools.add(b.h, Pool{int64(x), int64(y)}, 48)
}

// annotation stores an external annotation (FORMAT.md, section 5.1).
func (b *builder) annotation(k keyset, pairs []pickle.Value) pickle.Value {
	var row annotationRow
	stage, _ := b.val(k, sStage).IsString()
	switch stage {
	case sStart:
		row.a.Start = true
	case sEnd:
	default:
		row.bad = true
	}
	row.a.Name = b.str(b.val(k, sName))
	if n, ok := b.integer(b.val(k, sDevice)); ok && n >= -1<<31 && n < 1<<31 {
		row.a.Device = int32(n)
	}
	var ok bool
	if row.a.Time, ok = b.time(b.val(k, sTimeUS)); !ok {
		row.bad = true
	}
	var extra []pickle.Value
	for i := 0; i+1 < len(pairs); i += 2 {
		if id, ok := pairs[i].IsString(); !ok || id >= sKeys || annotationKeys>>id&1 == 0 {
			extra = append(extra, pairs[i], pairs[i+1])
		}
	}
	if extra != nil {
		row.a.Extra = b.str(b.linesText(extra))
	}
	b.annotations = append(b.annotations, row)
	b.h.Spend(32)
	return pickle.Record(classAnnotation, uint64(len(b.annotations)-1))
}
