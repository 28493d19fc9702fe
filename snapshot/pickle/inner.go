package pickle

import (
	"encoding/binary"
	"unsafe"
)

// An inner is a dict of plain values that lies in dicts of a shape and that the
// handler replaced by a record: user metadata, say. It is known by the bytes
// that spelled it. What makes a [runCache] sound makes this sound: the bytes
// fetch from the memo what they fetched then, nothing in the dict can change,
// and the handler makes the same record of the same dict.
type inner struct {
	part part    // the bytes, with holes where the indices of puts are
	puts []Value // what is stored in the memo, in turn
	rec  Value
}

const (
	maxInner   = 8                       // that are remembered of one key
	maxInners  = 256                     // in all
	maxOpened  = 4                       // that are noted in one dict
	innerSlots = KeySlots + maxShapeKeys // the first slot for what inner dicts store
)

// An opened is a dict that began as the value of a key, read opcode by opcode.
type opened struct {
	v     Value
	rec   Value  // what it became, Absent if it did not
	items int    // that it had then
	at    int64  // offset
	first uint32 // memo index
}

// opens notes that the dict v begins.
func (s *shapes) opens(v Value, at int64, first uint32) {
	if s.handler == nil {
		return
	}
	if len(s.opened) == maxOpened {
		s.opened = append(s.opened[:0], s.opened[1:]...)
	}
	s.opened = append(s.opened, opened{v: v, at: at, first: first})
}

// became notes what the dict v of so many items became.
func (s *shapes) became(v, rec Value, items int) {
	for i := len(s.opened) - 1; i >= 0; i-- {
		if o := &s.opened[i]; o.v == v {
			o.rec, o.items = rec, items
			return
		}
	}
}

// learn notes the keys of a dict that became a record, and what its values
// became.
func (m *Machine) learn(pairs []Value) {
	s := &m.h.shapes
	sh := s.learn(pairs)
	if sh != nil && sh.id >= 0 {
		for _, o := range s.opened {
			m.learnInner(sh, pairs, o)
		}
	}
	s.opened = s.opened[:0]
}

// learnInner remembers a dict under one key of a dict of shape sh.
func (m *Machine) learnInner(sh *shape, pairs []Value, o opened) {
	s, in := &m.h.shapes, &m.in
	if !o.rec.settled() || o.at < in.base || !sh.mayTrace(&m.h.runs) {
		return
	}
	at := 0 // under other keys, it is fetched
	for at < len(sh.keys) && pairs[2*at+1] != o.v {
		at++
	}
	if at == len(sh.keys) {
		return
	}
	like := &sh.like[at]
	full := len(like.inner) == maxInner
	if !full && s.inners == maxInners {
		return
	}
	p := int(o.at - in.base)
	t, ok := m.traceInner(in.buf[p:], o)
	if !ok {
		return
	}
	if full {
		like.inner = like.inner[:maxInner-1]
	} else {
		s.inners++
	}
	like.inner = append(like.inner, t)
	like.recent(len(like.inner) - 1)
}

// recent puts inner[at] in front of the others.
func (v *value) recent(at int) {
	t := v.inner[at]
	copy(v.inner[1:at+1], v.inner[:at])
	v.inner[0] = t
}

// traceInner makes an inner of the dict that b begins with.
func (m *Machine) traceInner(b []byte, o opened) (*inner, bool) {
	t := tracer{b: b, shape: &shape{slots: make([]uint8, 1)}, memo: &m.h.memo}
	if !t.dict(o.items) {
		return nil, false
	}
	t.end(thenEnd, 0)
	in := &inner{part: t.stencil.parts[0], rec: o.rec}
	if in.part.size > maxPartBytes || len(t.stencil.puts) >= ownSlot-innerSlots {
		return nil, false
	}
	for i := range t.stencil.puts {
		v := m.h.memo.get(o.first + uint32(i))
		if !v.settled() {
			return nil, false
		}
		in.puts = append(in.puts, v)
	}
	return in, true
}

// is reports whether b begins with the dict, n being its first memo index.
func (t *inner) is(b []byte, n uint32, h *Heap) bool {
	p := unsafe.Pointer(unsafe.SliceData(b))
	return t.part.read(p, len(b), h.shapes.slots, &h.memo) && (len(t.part.rest) == 0 || t.part.readRest(p, h.shapes.slots, n, nil, h))
}

// innerAt finds the dict at p, whose first memo index is n, among those that
// like has seen.
func (m *Machine) innerAt(p int, n uint32, like *value) *inner {
	if p >= len(m.in.buf) || m.h.runs.off {
		return nil
	}
	for i, t := range like.inner {
		if t.is(m.in.buf[p:], n, m.h) {
			if i > 0 {
				like.recent(i)
			}
			return t
		}
	}
	return nil
}

// shapedInner does what shapedValue does for a dict.
func (m *Machine) shapedInner(p int, n uint32, like *value) (Value, int, uint32) {
	t := m.innerAt(p, n, like)
	if t == nil || uint64(n)+uint64(len(t.puts)) > uint64(len(m.h.memo.array)) {
		return Absent, p, n
	}
	for i, v := range t.puts { // nobody can fetch them before the dict around is complete
		m.h.shapes.lists = append(m.h.shapes.lists, memoEntry{n + uint32(i), v})
	}
	m.h.shapes.within = append(m.h.shapes.within, t)
	return t.rec, p + t.part.size, n + uint32(len(t.puts))
}

// laidInner does what shapedInner does where a stencil's part ends, n being the
// first memo index of the dict around.
func (m *Machine) laidInner(end *part, p int, n uint32, like *value) (Value, int) {
	t := m.innerAt(p, n+uint32(end.puts), like)
	if t == nil || len(t.puts) != int(end.inside) {
		return Absent, p
	}
	for i, v := range t.puts {
		m.h.shapes.slots[int(end.first)+i] = v
	}
	return t.rec, p + t.part.size
}

// dict takes a dict of so many items. It returns false if one of them is not
// plain. All of its bytes have been run.
func (t *tracer) dict(items int) bool {
	t.take(1)
	t.put(-1)
	end := byte(opSetItem)
	if t.b[0] == opMark {
		t.take(1)
		end = opSetItems
	}
	for range items {
		if !t.item() || len(t.bytes) > maxPartBytes {
			return false
		}
	}
	if items == 0 && end == opSetItem {
		return true
	}
	if t.b[0] != end {
		return false
	}
	t.take(1)
	return true
}

// item takes a key and its value.
func (t *tracer) item() bool {
	for range 2 {
		if !t.plain() {
			return false
		}
	}
	return true
}

// plain takes a value that is no container. It returns false if it is another
// one.
func (t *tracer) plain() bool {
	if len(t.b) < 6 { // a get and its operand, or the head of a string, and what follows: the bytes end
		return false
	}
	switch t.b[0] {
	case opNone, opNewTrue, opNewFalse:
		t.take(1)
		return true
	case opShortBinUnicode, opBinUnicode:
		n := 2 + int(t.b[1])
		if t.b[0] == opBinUnicode {
			if n = 5 + int(t.b[1]); t.b[2]|t.b[3]|t.b[4] != 0 {
				return false
			}
		}
		if n >= len(t.b) {
			return false
		}
		t.take(n)
		t.put(-1)
		return true
	}
	head, n, _ := operand(t.b)
	if head == 0 || head+n >= len(t.b) {
		return false
	}
	if isGet(t.b[0]) {
		i := uint32(t.b[1])
		if t.b[0] == opLongBinGet {
			i = binary.LittleEndian.Uint32(t.b[1:])
		}
		if !t.memo.get(i).settled() {
			return false
		}
	}
	t.take(head + n)
	return true
}
