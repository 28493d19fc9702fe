package snapshot

import (
	"math/bits"

	"strata/snapshot/pickle"
)

var (
	metaOrder = [...]uint32{sCompileContext, sUserMetadata, sInternalMetadata, sCategory, sPoolID, sForwardFrames}
	metaKeys  = keys(metaOrder[:]...)
)

// metaVals are the values of metaKeys, whose ids are consecutive.
type metaVals [sCategory - sCompileContext + 1]pickle.Value

var _ = [1]int{}[sCategory-sCompileContext-5] // equal compares so many

// meta interns the metadata of the current event.
func (b *builder) meta(k keyset) (MetaID, error) {
	if id, ok := b.knownMeta(k); ok {
		return id, nil
	}
	raw, ok := b.rawMeta(k)
	id, err := b.newMeta(k)
	if err == nil && ok {
		seen := metaOf{raw, id}
		b.recent[raw.slot()] = seen
		b.lastMeta, b.lastVals = seen, metaVals(b.vals[sCompileContext:])
	}
	return id, err
}

// knownMeta is meta for recent metadata; it returns false for others.
func (b *builder) knownMeta(k keyset) (MetaID, bool) {
	if b.likeLast(k) {
		return b.lastMeta.id, true
	}
	raw, ok := b.rawMeta(k)
	seen := &b.recent[raw.slot()]
	if !ok || seen.rawMeta != raw {
		return 0, false
	}
	b.lastMeta, b.lastVals = *seen, metaVals(b.vals[sCompileContext:])
	return seen.id, true
}

// likeLast reports whether the raw metadata of the current event equal those of the last one.
func (b *builder) likeLast(k keyset) bool {
	if k&metaKeys != b.lastMeta.keys {
		return false
	}
	if equal((*metaVals)(b.vals[sCompileContext:]), &b.lastVals) { // absent keys mostly keep the last values
		return true
	}
	for left := uint64(k & metaKeys); left != 0; left &= left - 1 {
		if i := bits.TrailingZeros64(left); b.vals[i] != b.lastVals[uint32(i)-sCompileContext] {
			return false
		}
	}
	return true
}

// equal is v == w without branches, in a third of the time.
func equal(v, w *metaVals) bool {
	return (v[0]^w[0])|(v[1]^w[1])|(v[2]^w[2])|(v[3]^w[3])|(v[4]^w[4])|(v[5]^w[5]) == 0
}

// rawMeta is the metadata of an event as in the file: its keys, and their values in metaOrder.
type rawMeta struct {
	keys keyset
	vals [len(metaOrder)]pickle.Value
}

// metaOf is raw metadata with the id it was interned as.
type metaOf struct {
	rawMeta
	id MetaID
}

// rawMeta collects the raw metadata of the current event. ok is false if a value can still change.
func (b *builder) rawMeta(k keyset) (raw rawMeta, ok bool) {
	raw.keys = k & metaKeys
	ok = true
	for i, key := range metaOrder {
		if k.has(key) {
			raw.vals[i] = b.vals[key]
			ok = ok && raw.vals[i].IsSettled()
		}
	}
	return raw, ok
}

// slot is the index in builder.recent. A sum of products is well distributed in its upper bits, and its terms are
// computed independently.
func (r *rawMeta) slot() uint64 {
	h := uint64(r.keys) * 0x9e3779b97f4a7c15
	for i, v := range r.vals {
		h += (uint64(v) ^ uint64(v)>>32) * metaMix[i]
	}
	return h >> (64 - metaBits)
}

var metaMix = [len(metaOrder)]uint64{
	0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
	0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3,
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
