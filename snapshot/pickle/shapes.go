package pickle

import (
	"encoding/binary"
	"slices"
)

// A ShapeHandler is a [Handler] that takes the values alone of dicts whose keys it knows from before.
type ShapeHandler interface {
	Handler
	// Shape is told the keys of a dict of which Dict has just made a record. It returns the number by which Shaped
	// names dicts of just these keys in this order, or -1 to go on getting them through Dict. It writes to empty[i]
	// the record by which it replaces every empty list under key i ([Heap.SealList]), and leaves the others. It
	// must not keep keys and empty.
	Shape(keys, empty []Value) int
	// Shaped is Dict for a dict of a known shape, given the values in the order of its keys. None of them is a list
	// or a dict that can still change, and the dict does not lie under a key of another one. Where it returns
	// Absent, it must have done nothing, and Dict is asked. It must not keep vals.
	Shaped(shape int, vals []Value) Value
}

// Nearly all dicts of a snapshot are events, with the same keys in the same order again and again, fetched from the
// memo, and with plain values. Shapes are the key lists seen so far. A dict that follows one is read in one go: no
// key and no value goes over the stack, and nothing looks the keys up.
//
// This is sound because reading ahead changes nothing until the whole dict has been seen. Whatever is unusual (a
// container that can still change, a rare opcode, memo indices out of turn, the end of the bytes) leaves the dict
// to the general way.
type shapes struct {
	handler ShapeHandler // nil if it takes no shapes
	known   []shape
	last    int                 // the shape of the dict before
	vals    [maxShapeKeys]Value // of the current dict
	puts    []Value             // what the current dict stores in the memo, Absent for itself
}

type shape struct {
	keys  []Value
	empty []Value // by key, the record of an empty list; Absent if none is known
	text  []Value // by key, the last string that was spelled out; Absent if none was
	id    int     // the handler's number, -1 if it wants none
}

const (
	maxShapes    = 32
	maxShapeKeys = 32
	shapeTail    = 40 // more bytes than a key and its value have, but for strings and lists
)

// learn notes the keys of a dict that became a record.
func (s *shapes) learn(pairs []Value) {
	n := len(pairs) / 2
	if s.handler == nil || n == 0 || n > maxShapeKeys || len(s.known) == maxShapes {
		return
	}
	keys := make([]Value, 0, maxShapeKeys)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].tag() != tagString {
			return
		}
		keys = append(keys, pairs[i])
	}
	for i := range s.known {
		if slices.Equal(s.known[i].keys, keys) {
			return
		}
	}
	t := shape{keys: slices.Clone(keys), empty: make([]Value, n), text: make([]Value, n)}
	t.id = s.handler.Shape(t.keys, t.empty)
	s.known = append(s.known, t)
}

// change makes a shape the last one that agrees with it in the first n keys, and then has key, or ends there if key
// is Absent. It returns false if there is none.
func (s *shapes) change(n int, key Value) bool {
	last := s.known[s.last].keys
	for j := range s.known {
		t := &s.known[j]
		if t.id < 0 || n > len(last) || n > len(t.keys) || !slices.Equal(t.keys[:n], last[:n]) {
			continue
		}
		if n == len(t.keys) && key == Absent || n < len(t.keys) && t.keys[n] == key {
			s.last = j
			return true
		}
	}
	return false
}

// shapedDict reads the dict that comes next if it has a known shape. It returns false if it has none: then nothing
// was read.
func (m *Machine) shapedDict() bool {
	h, in := m.h, &m.in
	s := &h.shapes
	if len(s.known) == 0 || h.memo.gaps || m.Refilled ||
		m.sp == len(m.stack) || len(m.marks)+2 >= m.MaxDepth || m.parentKey(m.sp).tag() == tagString {
		return false
	}
	at := in.p
	end := m.scanDict(at)
	if end > 0 && len(h.memo.array)-int(h.memo.count) >= len(s.puts) {
		m.start, in.p = in.base+int64(end)-1, end
		t := &s.known[s.last]
		if rec := s.handler.Shaped(t.id, s.vals[:len(t.keys)]); rec != Absent {
			if len(s.puts) > 0 && s.puts[0] == Absent {
				s.puts[0] = rec
			}
			copy(h.memo.array[h.memo.count:], s.puts)
			h.memo.count += uint32(len(s.puts))
			m.stack[m.sp] = rec
			m.sp++
			m.Cost += 300 + 12*int64(end-at)
			return true
		}
		in.p = at
	}
	return false
}

// scanDict reads the dict at p, and leaves its shape in s.last and its values in s.vals. It returns where the dict
// ends, 0 if it fits no shape. The frequent values are read right here: a call for each took a third longer.
func (m *Machine) scanDict(p int) (end int) {
	s, buf, array := &m.h.shapes, m.in.buf, m.h.memo.array
	limit := len(buf) - shapeTail
	s.puts = s.puts[:0]
	if p >= limit {
		return 0
	}
	if p = m.scanPut(p+1, Absent); p == 0 || buf[p] != opMark {
		return 0
	}
	p++
	t := &s.known[s.last]
	for i := 0; p < limit; i++ {
		x := binary.LittleEndian.Uint64(buf[p:])
		k, n := getArg(x)
		if n == 0 {
			if byte(x) != opSetItems || i == 0 || (i < len(t.keys) || t.id < 0) && !s.change(i, Absent) {
				return 0
			}
			return p + 1
		}
		p += n
		if k >= uint64(len(array)) {
			return 0
		}
		if key := array[k]; i >= len(t.keys) || t.keys[i] != key {
			if key == Absent || !s.change(i, key) {
				return 0
			}
			t = &s.known[s.last]
		}
		v := Absent
		x = binary.LittleEndian.Uint64(buf[p:])
		if k, n := getArg(x); n > 0 {
			if k >= uint64(len(array)) || !array[k].IsSettled() {
				return 0
			}
			v = array[k]
			p += n
		} else if v, n = scanInt(buf[p:], x); n > 0 {
			p += n
			if _, n := getArg(uint64(buf[p])); n == 0 && buf[p] != opSetItems {
				v, p = m.scanPair(v, p)
			}
		} else {
			v, p = m.scanOther(p, t, i)
		}
		if v == Absent {
			return 0
		}
		s.vals[i] = v
	}
	return 0
}

// getArg returns the memo index of the get that the bytes of x begin with, and the get's length; zeros for other
// opcodes.
func getArg(x uint64) (i uint64, size int) {
	switch byte(x) {
	case opBinGet:
		return x >> 8 & 0xff, 2
	case opLongBinGet:
		return x >> 8 & (1<<32 - 1), 5
	}
	return 0, 0
}

// scanInt returns the integer that b, which begins with the bytes of x, begins with, and its length; zeros for
// other opcodes and integers of 8 bytes and more.
func scanInt(b []byte, x uint64) (v Value, size int) {
	switch byte(x) {
	case opBinInt1:
		return tagInt<<tagShift | Value(x>>8&0xff), 2
	case opBinInt2:
		return tagInt<<tagShift | Value(x>>8&0xffff), 3
	case opBinInt:
		return tagInt<<tagShift | Value(int32(x>>8))&payloadMask, 5
	case opLong1:
		if n := x >> 8 & 0xff; n-1 < 7 {
			shift := 64 - 8*n
			i := int64(binary.LittleEndian.Uint64(b[2:])<<shift) >> shift
			return tagInt<<tagShift | Value(i)&payloadMask, 2 + int(n)
		}
	}
	return Absent, 0
}

// scanPut notes that v is stored in the memo if the opcode at p says so. It returns the position behind, 0 if the
// memo index is not the next one.
func (m *Machine) scanPut(p int, v Value) int {
	s, buf := &m.h.shapes, m.in.buf
	next := m.h.memo.count + uint32(len(s.puts))
	switch buf[p] {
	case opMemoize:
		p++
	case opBinPut:
		if uint32(buf[p+1]) != next {
			return 0
		}
		p += 2
	case opLongBinPut:
		if binary.LittleEndian.Uint32(buf[p+1:]) != next {
			return 0
		}
		p += 5
	default:
		return p
	}
	s.puts = append(s.puts, v)
	return p
}

// scanPair reads what follows a number at p if they are a tuple of two numbers. It returns the tuple, Absent if
// they are not, and what follows it.
func (m *Machine) scanPair(first Value, p int) (Value, int) {
	buf := m.in.buf
	second, n := scanInt(buf[p:], binary.LittleEndian.Uint64(buf[p:]))
	v := pair(first, second)
	if v == Absent || buf[p+n] != opTuple2 {
		return Absent, p
	}
	if p = m.scanPut(p+n+1, v); p == 0 {
		return Absent, p
	}
	return v, p
}

// scanOther reads the value of key i of a dict of shape t at p: None, True, False, a big integer, a string, or a
// list that is empty or a known stack. It returns the value, Absent if it is another one, and what follows it.
func (m *Machine) scanOther(p int, t *shape, i int) (Value, int) {
	buf, puts := m.in.buf, &m.h.shapes.puts
	n, head := int(buf[p+1]), 2
	switch op := buf[p]; op {
	case opNone:
		return None, p + 1
	case opNewTrue:
		return True, p + 1
	case opNewFalse:
		return False, p + 1
	case opShortBinUnicode, opBinUnicode, opLong1:
		if op == opBinUnicode {
			n, head = int(binary.LittleEndian.Uint32(buf[p+1:])), 5
		}
		p += head
		if n >= len(buf)-shapeTail-p {
			return Absent, p
		}
		b := buf[p : p+n]
		p += n
		if op == opLong1 {
			return m.h.long(b), p
		}
		last := &t.text[i] // mostly the same text again: no need to hash it
		if *last == Absent || m.h.strs[uint32(*last)] != string(b) {
			*last = m.h.String(b)
		}
		if p = m.scanPut(p, *last); p == 0 {
			return Absent, p
		}
		return *last, p
	case opEmptyList:
		v, at := t.empty[i], len(*puts)
		if p = m.scanPut(p+1, Absent); p == 0 {
			return Absent, p
		}
		if buf[p] == opMark {
			v, n = m.h.stacks.match(buf[p+1:])
			p += 1 + n
		}
		if len(*puts) > at {
			(*puts)[at] = v
		}
		return v, p
	}
	return Absent, p
}
