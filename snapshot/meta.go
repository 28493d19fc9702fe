package snapshot

import "strata/snapshot/pickle"

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
