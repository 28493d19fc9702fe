package snapshot

import "strata/snapshot/pickle"

// A builder is the schema: the pickle machine hands it every complete dict, which it classifies by its keys and
// stores in columns and tables. finish makes a Snapshot of them. Every format goes through the same builder.
type builder struct {
	h *pickle.Heap
	m *pickle.Machine // that fills h; nil while gopickle's values are fed

	vals   [noKey + 1]pickle.Value // of the current dict, by key; valid where its keyset has the key
	shapes []dictShape
	extra  []uint32 // keys of the current dict that the schema does not have

	events      eventRows
	blocks      []blockRow
	segments    []segmentRow
	annotations []annotationRow
	history     []historyRow

	strs  table[StringID, string]
	strOf []StringID // by heap string id: StringID + 1, or 0 if it has none yet

	frames    Frames
	frameID   map[frameKey]FrameID
	textFrame map[uint32]FrameID // lines of forward_frames, by heap string id
	stacks    stackTable

	streams    table[StreamID, int64]
	lastStream int64
	lastSID    StreamID
	pools      table[PoolID, Pool]
	metas      table[MetaID, Meta]
	lastKeys   keyset  // of lastMeta
	lastRaw    rawMeta // of lastMeta
	lastMeta   MetaID

	evidence evidence
	root     rootParts
}

// A table holds distinct items, which IDs index.
type table[ID ~uint32, T comparable] struct {
	items []T
	id    map[T]ID
}

// add returns the id of an item. A new one takes so many bytes of the heap's budget.
func (t *table[ID, T]) add(h *pickle.Heap, item T, bytes int) ID {
	id, ok := t.id[item]
	if !ok {
		id = ID(len(t.items))
		t.items = append(t.items, item)
		t.id[item] = id
		h.Spend(bytes)
	}
	return id
}

type frameKey struct {
	name, file StringID
	line       int32
	fx         FX
}

type segmentRow struct {
	seg    Segment
	device int64
	blocks pickle.Value
	bad    bool
}

type annotationRow struct {
	a   Annotation
	bad bool
}

// evidence is what tells the PyTorch version (FORMAT.md, section 1.3) and what the findings need.
type evidence struct {
	compileContext, userMetadata, poolID, internalMetadata, annotate bool
	history, blockFrames, blockAddr, graphReuse, time                bool

	unknown map[unknownKey]int64 // dicts by keys that are no part of the schema

	unhashable int64 // end of the first dict with a list or dict as a key; 0 if there is none
}

// An unknownKey is a key that the schema does not have, in a dict of a class, 0 for the root.
type unknownKey struct {
	class uint8
	key   uint32 // id in the heap
}

func newBuilder() *builder {
	b := &builder{
		strs:      table[StringID, string]{[]string{""}, map[string]StringID{"": 0}},
		frameID:   map[frameKey]FrameID{},
		textFrame: map[uint32]FrameID{},
		streams:   table[StreamID, int64]{[]int64{0}, map[int64]StreamID{0: 0}},
		pools:     table[PoolID, Pool]{[]Pool{{}}, map[Pool]PoolID{}}, // (0,0) is not "not recorded"
		metas:     table[MetaID, Meta]{[]Meta{{}}, map[Meta]MetaID{{}: 0}},
	}
	b.evidence.unknown = map[unknownKey]int64{}
	b.frames = Frames{Name: []StringID{0}, File: []StringID{0}, Line: []int32{0}, FX: map[FrameID]FX{}}
	b.stacks = stackTable{start: []uint32{0, 0}, id: map[string]StackID{}} // stack 0 is the empty one
	return b
}

// Dict implements pickle.Handler.
func (b *builder) Dict(h *pickle.Heap, under pickle.Value, pairs []pickle.Value) pickle.Value {
	if id, ok := under.IsString(); ok && id == sUserMetadata {
		return pickle.Absent // the user's own dict, whatever its keys
	}
	var k keyset
	b.extra = b.extra[:0]
	for i := 0; i+1 < len(pairs); i += 2 {
		if id, ok := pairs[i].IsString(); ok && id < sKeys {
			k |= 1 << id
			b.vals[id] = pairs[i+1]
		} else if ok {
			b.extra = append(b.extra, id)
		} else if b.evidence.unhashable == 0 && h.Unhashable(pairs[i]) {
			b.evidence.unhashable = max(b.offset(), 1)
		}
	}
	class := classify(k)
	if class != 0 && class != classAnnotation && class != classHistory {
		b.evidence.unknownKeys(class, b.extra)
	}
	return b.store(class, k, pairs)
}

// store stores the current dict, which has the keys k, and returns its record, Absent if it is of no class.
func (b *builder) store(class uint8, k keyset, pairs []pickle.Value) pickle.Value {
	switch class {
	case classEvent:
		return b.event(k)
	case classFrame:
		return b.frame(k)
	case classBlock:
		return b.block(k)
	case classSegment:
		return b.segment(k)
	case classHistory:
		return b.historyEntry(k)
	case classAnnotation:
		return b.annotation(k, pairs)
	}
	return pickle.Absent
}

const maxUnknown = 1000

// unknownKeys counts keys of a dict that are no part of the schema.
func (e *evidence) unknownKeys(class uint8, keys []uint32) {
	for _, key := range keys {
		if k := (unknownKey{class, key}); len(e.unknown) < maxUnknown || e.unknown[k] > 0 {
			e.unknown[k]++
		}
	}
}

// A dictShape describes dicts with the same keys in the same order.
type dictShape struct {
	keys  keyset
	class uint8
	slots []uint8  // the known key at each position, noKey for other keys: the place of what nobody asks for
	extra []uint32 // other keys
}

const noKey = 255

// Shape implements pickle.ShapeHandler for the classes of which files have many.
func (b *builder) Shape(dictKeys, empty []pickle.Value) int {
	s := dictShape{slots: make([]uint8, len(dictKeys))}
	for i := len(dictKeys) - 1; i >= 0; i-- { // of equal keys the last one counts
		s.slots[i] = noKey
		if id, ok := dictKeys[i].IsString(); ok && id < sKeys && !s.keys.has(id) {
			s.slots[i] = uint8(id)
			s.keys |= 1 << id
			if id == sFrames || id == sForwardFrames {
				empty[i] = pickle.Record(classStack, 0)
			}
		} else if ok && id >= sKeys {
			s.extra = append(s.extra, id)
		}
	}
	switch s.class = classify(s.keys); s.class {
	case classEvent, classBlock, classFrame:
		b.shapes = append(b.shapes, s)
		return len(b.shapes) - 1
	}
	return -1
}

// Shaped implements pickle.ShapeHandler.
func (b *builder) Shaped(shape int, vals []pickle.Value) pickle.Value {
	s := &b.shapes[shape]
	vals = vals[:len(s.slots)]
	for i, key := range s.slots {
		b.vals[key] = vals[i]
	}
	if s.extra != nil {
		b.evidence.unknownKeys(s.class, s.extra)
	}
	return b.store(s.class, s.keys, nil)
}

// offset is the byte up to which the file has been read, or -1.
func (b *builder) offset() int64 {
	if b.m == nil {
		return -1
	}
	return b.m.Offset()
}

// val returns the value of a key, None if the dict lacks it.
func (b *builder) val(k keyset, s uint32) pickle.Value {
	if k.has(s) {
		return b.vals[s]
	}
	return pickle.None
}

// str returns the StringID of a value; 0 if it is no string.
func (b *builder) str(v pickle.Value) StringID {
	id, ok := v.IsString()
	if !ok {
		if class, n, isRec := v.Record(); isRec && class == classText {
			id = uint32(n)
		} else {
			return 0
		}
	}
	return b.heapStr(id)
}

func (b *builder) heapStr(id uint32) StringID {
	if int(id) < len(b.strOf) && b.strOf[id] != 0 {
		return b.strOf[id] - 1
	}
	for len(b.strOf) <= int(id) {
		b.strOf = append(b.strOf, make([]StringID, max(1024, int(id)+1-len(b.strOf)))...)
	}
	s := b.intern(clean(b.h.Text(id)))
	b.strOf[id] = s + 1
	return s
}

// intern returns the id of a clean string, whose bytes the heap has charged for.
func (b *builder) intern(s string) StringID { return b.strs.add(b.h, s, 0) }

// frame interns a frame dict (FORMAT.md, section 4.1).
func (b *builder) frame(k keyset) pickle.Value {
	key := frameKey{
		name: b.str(b.val(k, sName)),
		file: b.str(b.val(k, sFilename)),
		line: b.line(b.val(k, sLine)),
	}
	if k>>sFXOp&0xf != 0 {
		key.fx = FX{Op: b.str(b.val(k, sFXOp)), Node: b.str(b.val(k, sFXName)),
			Target: b.str(b.val(k, sFXTarget)), OriginalTrace: b.str(b.val(k, sFXTrace))}
	}
	return pickle.Record(classFrame, uint64(b.frameFor(key)))
}

func (b *builder) frameFor(key frameKey) FrameID {
	if id, ok := b.frameID[key]; ok {
		return id
	}
	id := FrameID(len(b.frames.Name))
	b.frames.Name = append(b.frames.Name, key.name)
	b.frames.File = append(b.frames.File, key.file)
	b.frames.Line = append(b.frames.Line, key.line)
	if key.fx != (FX{}) {
		b.frames.FX[id] = key.fx
	}
	b.frameID[key] = id
	b.h.Spend(96)
	return id
}

// line is 0 for none: an absent one, and the unsigned -1 of FORMAT.md, section 4.1.
func (b *builder) line(v pickle.Value) int32 {
	n, kind := b.h.Num(v)
	if kind == pickle.IntNum && int64(n) > 0 && int64(n) <= 1<<31-1 {
		return int32(n)
	}
	return 0
}

// integer returns v as an int64; floats are rounded.
func (b *builder) integer(v pickle.Value) (int64, bool) {
	if n, ok := v.Small(); ok {
		return n, true
	}
	n, kind := b.h.Num(v)
	switch kind {
	case pickle.IntNum:
		return int64(n), true
	case pickle.FloatNum:
		return roundFloat(n)
	}
	return 0, false
}

// maxTime bounds valid times: 73,000 years before and after the epoch, so that differences stay within 63 bits.
// Nanoseconds taken for microseconds are still valid.
const maxTime = 1 << 61

// time returns v as microseconds since the Unix epoch.
func (b *builder) time(v pickle.Value) (int64, bool) {
	n, ok := b.integer(v)
	return n, ok && n > -maxTime && n < maxTime
}

// truth returns Python's bool of a number; everything else is false.
func (b *builder) truth(v pickle.Value) bool {
	n, kind := b.h.Num(v)
	return kind != pickle.NotNum && n != 0
}

// size returns v as a number of bytes.
func (b *builder) size(v pickle.Value) (int64, bool) {
	n, ok := b.integer(v)
	return n, ok && n >= 0
}

// address returns v as an address: torch's C++ writer makes those beyond 2^63 negative (FORMAT.md, section 8.4).
func (b *builder) address(v pickle.Value) (uint64, bool) {
	if n, ok := v.Small(); ok {
		return uint64(n), true
	}
	n, kind := b.h.Num(v)
	switch kind {
	case pickle.IntNum, pickle.UintNum:
		return n, true
	case pickle.FloatNum:
		i, ok := roundFloat(n)
		return uint64(i), ok
	}
	return 0, false
}
