package snapshot

import "strata/snapshot/pickle"

var (
	metaOrder = [...]uint32{sCompileContext, sUserMetadata, sInternalMetadata, sCategory, sPoolID, sForwardFrames}
	metaKeys  = keys(metaOrder[:]...)
)

// meta interns the metadata of the current event.
func (b *builder) meta(k keyset) (MetaID, error) {
	if id, ok := b.knownMeta(k); ok {
		return id, nil
	}
	raw, settled := b.rawMeta(k)
	id, err := b.newMeta(k)
	if err == nil && settled {
		if len(b.metaOf) == maxRecent {
			clear(b.metaOf)
		}
		b.metaOf[raw] = id
		b.lastRaw, b.lastMeta = raw, id
	}
	return id, err
}

// maxRecent bounds the metadata that are recognized by their raw values.
const maxRecent = 4096

// knownMeta is meta for recent metadata; it returns false for others.
func (b *builder) knownMeta(k keyset) (MetaID, bool) {
	raw, settled := b.rawMeta(k)
	if raw == b.lastRaw { // which is settled
		return b.lastMeta, true
	}
	if !settled {
		return 0, false
	}
	id, ok := b.metaOf[raw]
	if ok {
		b.lastRaw, b.lastMeta = raw, id
	}
	return id, ok
}

// rawMeta is the metadata of an event as in the file: its keys, and their values in metaOrder.
type rawMeta struct {
	keys keyset
	vals [len(metaOrder)]pickle.Value
}

// rawMeta collects the raw metadata of the current event. settled is false if a value can still change.
func (b *builder) rawMeta(k keyset) (raw rawMeta, settled bool) {
	raw.keys = k & metaKeys
	settled = true
	for i, key := range metaOrder {
		if k.has(key) {
			raw.vals[i] = b.vals[key]
			settled = settled && raw.vals[i].IsSettled()
		}
	}
	return raw, settled
}

// newMeta is meta for any metadata.
func (b *builder) newMeta(k keyset) (MetaID, error) {
	var m Meta
	var err error
	if k.has(sCompileContext) {
		b.evidence.compileContext = true
		if v := b.vals[sCompileContext]; v != b.na() {
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
	if k.has(sCategory) {
		m.Category = b.str(b.vals[sCategory])
	}
	if k.has(sPoolID) {
		b.evidence.poolID = true
		if m.Pool, err = b.pool(b.vals[sPoolID]); err != nil {
			return 0, err
		}
	}
	if k.has(sForwardFrames) {
		if m.Forward, err = b.stack(b.vals[sForwardFrames]); err != nil {
			return 0, err
		}
	}
	id, ok := b.metaID[m]
	if !ok {
		id = MetaID(len(b.metas))
		b.metas = append(b.metas, m)
		b.metaID[m] = id
		if err := b.h.Charge(80); err != nil {
			return 0, err
		}
	}
	return id, nil
}

func (b *builder) na() pickle.Value { return pickle.StringValue(sNA) }

// userText is the text of user metadata: a string, a dict as lines "key = value", or anything else as Python prints it.
func (b *builder) userText(v pickle.Value) StringID {
	v = b.h.Resolve(v)
	switch {
	case v == pickle.None:
		return 0
	case v.IsDict():
		t := textWriter{h: b.h, left: maxUserText}
		t.lines(b.h.Pairs(v))
		s := b.h.String([]byte(t.String()))
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
	t := textWriter{h: b.h, left: maxUserText}
	t.value(v, 0)
	return b.str(b.h.String([]byte(t.String()))) // interned in the heap, which charges for it
}
