package pickle

import (
	"encoding/binary"
	"slices"
)

// A ShapeHandler is a [Handler] that takes the values alone of dicts whose
// keys it knows from before.
type ShapeHandler interface {
	Handler
	// Slots is where Shaped wants its values, the same each time.
	Slots() *Slots
	// Shape is told the keys of a dict of which Dict has just made a record.
	// It returns the number by which Shaped names dicts of just these keys in
	// this order, or -1 to go on getting them through Dict. It writes to
	// slots[i] in which of the first [KeySlots] the value of key i goes, each
	// at most once, and leaves those alone it does not want. It must not keep
	// keys and slots.
	Shape(keys []Value, slots []uint8) int
	// Shaped is Dict for a dict of a known shape, whose values are in the
	// slots. None of them is a list or a dict that can still change, and the dict
	// does not lie under a key of another one. Where it returns Absent, it must
	// have done nothing, and Dict is asked. Where Dict replaces an empty list
	// ([Heap.SealList]), or a dict of plain values ([Heap.SealDict]), by a record,
	// it must do so for every dict of that shape, and equal dicts must become the
	// same record.
	Shaped(h *Heap, shape int) (Value, error)
}

// KeySlots is how many slots are the handler's to give to keys.
const KeySlots = 64

// Slots hold the values of a dict of known shape: the first [KeySlots] as the
// handler asked, the others what it does not want.
type Slots [256]Value

// Nearly all dicts of a snapshot are events, with the same keys in the same
// order again and again, fetched from the memo, and with plain values. Shapes
// are the key lists seen so far. A dict that follows one is read in one go:
// no key and no value goes over the stack, and nothing looks the keys up.
//
// This is sound because reading ahead changes nothing that counts until the
// whole dict has been seen: memo entries are taken back, strings that were
// interned will be interned again. Whatever is unusual (a container that can
// still change, an opcode that is not among the frequent ones, memo indices
// out of turn, the end of the bytes) leaves the dict to the general way.
type shapes struct {
	handler ShapeHandler // nil if it takes no shapes
	known   []shape
	last    int // the shape of the dict before
	vals    [maxShapeKeys]Value

	slots *Slots // the handler's

	stencils stencils

	lists []memoEntry // of the dict at hand, and of dicts in it, to be stored when it is complete

	within []*inner // the dicts in the one at hand, in turn
	opened []opened // since the last dict that became a record
	inners int      // of all keys

	// The empty list that was replaced last, and by what.
	emptied, empty Value

	// After misses in a row, so many dicts go the general way untried.
	wait, skip int
}

type memoEntry struct {
	i uint32
	v Value
}

type shape struct {
	keys  []Value
	id    int     // the handler's number, -1 if it wants none
	slots []uint8 // by key
	like  []value // by key

	respelled bool // a value has begun to vary in how it is spelled
	fitted    int  // dicts that a stencil fitted
	traced    int  // dicts of which one was made, or tried to be made
}

// A value is what was last spelled out as the value of a key.
type value struct {
	text  []byte
	str   Value    // text as a string, Absent if there was none
	texts bool     // there was another one before
	empty Value    // what an empty list became, Absent if none was replaced
	inner []*inner // the dicts seen, latest first

	how    uint16 // a plain value was spelled: its opcode, and the length of a LONG1
	varies bool   // other dicts had it otherwise
}

const (
	maxShapes    = 32
	maxShapeKeys = 32
	maxWait      = 255
	shapeTail    = 24 // more bytes than a key and its value have, but for strings and lists
)

// learn notes the keys of a dict that became a record, and what became of an
// empty list in it. It returns the dict's shape if that was known before.
func (s *shapes) learn(pairs []Value) *shape {
	n := len(pairs) / 2
	if s.handler == nil || n == 0 || n > maxShapeKeys {
		return nil
	}
	for i := range s.known {
		if s.known[i].is(pairs) {
			s.known[i].emptied(pairs, s.emptied, s.empty)
			return &s.known[i]
		}
	}
	if len(s.known) == maxShapes {
		return nil
	}
	keys := make([]Value, n)
	for i := range keys {
		if keys[i] = pairs[2*i]; keys[i].tag() != tagString {
			return nil
		}
	}
	slots := make([]uint8, n)
	for i := range slots {
		slots[i] = uint8(KeySlots + i)
	}
	s.known = append(s.known, shape{keys: keys, id: s.handler.Shape(keys, slots), slots: slots, like: make([]value, n)})
	return nil
}

// emptied notes under which keys list, which was empty, became rec.
func (s *shape) emptied(pairs []Value, list, rec Value) {
	at := -1
	for i := range s.keys {
		if list == Absent || pairs[2*i+1] != list {
			continue
		}
		if at >= 0 { // under two keys: it is not said for which of them it was replaced
			return
		}
		at = i
	}
	if at >= 0 {
		s.like[at].empty = rec
	}
}

// is reports whether pairs have just the keys of s.
func (s *shape) is(pairs []Value) bool {
	if len(pairs) != 2*len(s.keys) {
		return false
	}
	for i, k := range s.keys {
		if pairs[2*i] != k {
			return false
		}
	}
	return true
}

// other finds a shape that agrees with the last one in the first n keys, and
// then has key, or ends there if key is Absent; -1 if there is none.
func (s *shapes) other(n int, key Value) int {
	last := s.known[s.last].keys
	for j := range s.known {
		t := &s.known[j]
		if t.id < 0 || n > len(last) || n > len(t.keys) || !slices.Equal(t.keys[:n], last[:n]) {
			continue
		}
		if key == Absent && n == len(t.keys) || key != Absent && n < len(t.keys) && t.keys[n] == key {
			return j
		}
	}
	return -1
}

// shaped reads dicts of known shapes as long as they start before end. It
// reports whether it left one to the general way: then in.p stands on it.
func (m *Machine) shaped(end int) (left bool, err error) {
	h, in := m.h, &m.in
	s := &h.shapes
	if s.skip > 0 {
		s.skip--
		return true, nil
	}
	if len(s.known) == 0 || h.memo.sparse != nil || h.memo.gaps || m.Refilled || len(m.marks)+2 >= m.MaxDepth || m.under(m.sp).tag() == tagString {
		return true, nil
	}
	buf, slots := in.buf, s.slots
	for in.p < end && buf[in.p] == opEmptyDict && m.sp < len(m.stack) {
		at := in.p
		if !s.stencils.next(h.runs.trail) {
			return true, nil
		}
		if q, st := m.stencilled(at); st != nil {
			m.start, in.p = in.base+int64(q)-1, q
			s.last = st.shape
			sh := &s.known[st.shape]
			sh.fitted++
			rec, err := s.handler.Shaped(h, sh.id)
			if err != nil {
				return false, err
			}
			if rec == Absent {
				in.p = at
				return s.left(), nil
			}
			m.store(st, rec)
			m.stack[m.sp] = rec
			m.sp++
			s.wait = 0
			continue
		}
		first := h.memo.count
		q, n := m.shapedDict(at, first)
		rec := Absent
		if q > 0 {
			for i, slot := range s.known[s.last].slots {
				slots[slot] = s.vals[i]
			}
			m.start, in.p = in.base+int64(q)-1, q
			if rec, err = s.handler.Shaped(h, s.known[s.last].id); err != nil {
				return false, err
			}
		}
		if rec == Absent {
			in.p = at
			clear(h.memo.array[min(int(first), len(h.memo.array)):min(int(n), len(h.memo.array))])
			return s.left(), nil
		}
		s.wait = 0
		for _, l := range s.lists {
			h.memo.array[l.i] = l.v
		}
		if n > first && h.memo.array[first] == Absent {
			h.memo.array[first] = rec
		}
		h.memo.count = n
		m.stack[m.sp] = rec
		m.sp++
		s.spell(buf[at:q], &h.runs)
	}
	return false, nil
}

// left notes that a dict is left to the general way.
func (s *shapes) left() bool {
	s.wait = min(2*s.wait+1, maxWait)
	s.skip = s.wait >> 2
	if guess := &s.stencils.guess[s.stencils.slot]; *guess >= failed {
		*guess = noStencil
	} else {
		*guess = failed
	}
	return true
}

// shapedDict reads the dict at p, whose first memo index is n, and leaves its
// values in s.vals and its shape in s.last. It returns where the dict ends, 0
// if it fits no shape, and the next memo index; the memo entries from n on are
// set, but for those of the dict itself and of its lists.
func (m *Machine) shapedDict(p int, n uint32) (int, uint32) {
	s, buf, array := &m.h.shapes, m.in.buf, m.h.memo.array
	if p >= len(buf)-shapeTail {
		return 0, n
	}
	s.lists, s.within = s.lists[:0], s.within[:0]
	// The dict's own entry stays empty for now, so that nobody can fetch it.
	p, n, ok := m.shapedPut(p+1, n, Absent)
	if !ok || buf[p] != opMark {
		return 0, n
	}
	p++
	sh := &s.known[s.last]
	for i := 0; ; i++ {
		b := buf[p:]
		if len(b) < shapeTail {
			return 0, n
		}
		var k Value
		switch b[0] {
		case opBinGet:
			k = Value(b[1])
			b = b[2:]
		case opLongBinGet:
			k = Value(binary.LittleEndian.Uint32(b[1:]))
			b = b[5:]
		default:
			if b[0] != opSetItems || i == 0 || !s.ends(i) {
				return 0, n
			}
			return p + 1, n
		}
		if k >= Value(len(array)) {
			return 0, n
		}
		if k = array[k]; i >= len(sh.keys) || sh.keys[i] != k {
			j := s.other(i, k)
			if j < 0 || k == Absent {
				return 0, n
			}
			s.last, sh = j, &s.known[j]
		}
		if s.vals[i], p, n = m.shapedValue(len(buf)-len(b), n, &sh.like[i]); s.vals[i] == Absent {
			return 0, n
		}
	}
}

// ends reports whether there is a shape with the first n keys of the last one
// and no others, and makes it the last one.
func (s *shapes) ends(n int) bool {
	if n == len(s.known[s.last].keys) && s.known[s.last].id >= 0 {
		return true
	}
	j := s.other(n, Absent)
	if j >= 0 {
		s.last = j
	}
	return j >= 0
}

// shapedPut stores v under memo index n if the opcode at p says so. It returns
// the position behind, and the next index; ok is false if that is not as usual.
func (m *Machine) shapedPut(p int, n uint32, v Value) (next int, index uint32, ok bool) {
	buf, array := m.in.buf, m.h.memo.array
	switch buf[p] {
	case opMemoize:
		p++
	case opBinPut:
		if uint32(buf[p+1]) != n {
			return p, n, false
		}
		p += 2
	case opLongBinPut:
		if binary.LittleEndian.Uint32(buf[p+1:]) != n {
			return p, n, false
		}
		p += 5
	default:
		return p, n, true
	}
	if uint64(n) >= uint64(len(array)) || array[n] != Absent {
		return p, n, false
	}
	array[n] = v
	return p, n + 1, true
}

// shapedValue reads the value at p, n being the next memo index. It returns
// the value, Absent if it is not a usual one, what follows it, and the next
// index.
func (m *Machine) shapedValue(p int, n uint32, like *value) (Value, int, uint32) {
	buf, h := m.in.buf, m.h
	if p >= len(buf)-shapeTail {
		return Absent, p, n
	}
	var v Value
	ok := true
	switch op := buf[p]; op {
	case opBinGet, opLongBinGet, opNone, opNewTrue, opNewFalse:
		v, p = m.plain(p)
		return v, p, n
	case opShortBinUnicode, opBinUnicode:
		if v, p = m.shapedText(p+1, op == opBinUnicode, like); v == Absent {
			return Absent, p, n
		}
		p, n, ok = m.shapedPut(p, n, v)
	case opEmptyDict:
		return m.shapedInner(p, n, like)
	case opEmptyList: // that stays empty, or of one run of gets that has been seen before
		i := n
		if p, n, ok = m.shapedPut(p+1, n, Absent); !ok {
			return Absent, p, n
		}
		v = like.empty
		if buf[p] == opMark {
			var k int
			v, k = h.runs.match(buf[p+1:])
			p += 1 + k
		}
		if n > i { // as for the dict itself
			h.shapes.lists = append(h.shapes.lists, memoEntry{i, v})
		}
		return v, p, n
	default:
		i := p
		if v, i = m.plain(p); v.tag() != tagInt || i > len(buf)-shapeTail {
			return v, i, n
		}
		second, c := shapedInt(buf[i:])
		if second == Absent {
			return v, i, n
		}
		if v = pair(v, second); v == Absent || c[0] != opTuple2 {
			return Absent, p, n
		}
		p, n, ok = m.shapedPut(len(buf)-len(c)+1, n, v)
	}
	if !ok {
		return Absent, p, n
	}
	return v, p, n
}

// plain reads a value that is no container. It returns it, Absent if it is
// none or not a usual one, and what follows it.
func (m *Machine) plain(p int) (Value, int) {
	buf := m.in.buf
	if p >= len(buf)-shapeTail {
		return Absent, p
	}
	x := binary.LittleEndian.Uint64(buf[p:])
	i, k := x>>8&0xff, 2
	switch byte(x) {
	case opBinGet:
	case opLongBinGet:
		i, k = x>>8&(1<<32-1), 5
	case opBinInt1:
		return tagInt<<tagShift | Value(i), p + 2
	case opBinInt2:
		return tagInt<<tagShift | Value(x>>8&0xffff), p + 3
	case opBinInt:
		return tagInt<<tagShift | Value(int32(x>>8))&payloadMask, p + 5
	case opNone:
		return None, p + 1
	case opNewTrue:
		return True, p + 1
	case opNewFalse:
		return False, p + 1
	default:
		v, b := shapedInt(buf[p:])
		if n := p + 2 + int(buf[p+1]); v == Absent && buf[p] == opLong1 && n < len(buf)-shapeTail {
			return m.h.long(buf[p+2 : n]), n // an address beyond 2^59
		}
		return v, len(buf) - len(b)
	}
	if array := m.h.memo.array; i < uint64(len(array)) {
		if v := array[i]; v.settled() {
			return v, p + k
		}
	}
	return Absent, p
}

// shapedText reads a string, its length, which is at p and takes four bytes if
// long, and its text. It returns it, Absent if it is not a short one or the
// bytes end, and what follows it.
func (m *Machine) shapedText(p int, long bool, like *value) (Value, int) {
	buf := m.in.buf
	if p >= len(buf)-shapeTail {
		return Absent, p
	}
	k := uint32(buf[p])
	if p++; long {
		k = binary.LittleEndian.Uint32(buf[p-1:])
		p += 3
	}
	if k >= 256 || p+int(k) >= len(buf)-shapeTail {
		return Absent, p
	}
	raw := buf[p : p+int(k)]
	if like.str == Absent || string(like.text) != string(raw) {
		like.texts = like.texts || like.str != Absent
		like.str, like.text = m.h.String(raw), append(like.text[:0], raw...)
	}
	return like.str, p + int(k)
}

// shapedInt reads the integer that b, of at least shapeTail bytes, begins with.
// It returns it, Absent if there is none, or a giant one, and what follows it.
func shapedInt(b []byte) (Value, []byte) {
	switch b[0] {
	case opBinInt1:
		return tagInt<<tagShift | Value(b[1]), b[2:]
	case opBinInt2:
		return tagInt<<tagShift | Value(binary.LittleEndian.Uint16(b[1:])), b[3:]
	case opBinInt:
		return tagInt<<tagShift | Value(int64(int32(binary.LittleEndian.Uint32(b[1:]))))&payloadMask, b[5:]
	case opLong1:
		if k := int(b[1]); k > 0 && k <= 8 {
			shift := 64 - 8*k
			i := int64(binary.LittleEndian.Uint64(b[2:])<<shift) >> shift
			if i<<4>>4 == i {
				return tagInt<<tagShift | Value(i)&payloadMask, b[2+k:]
			}
		}
	}
	return Absent, b
}
