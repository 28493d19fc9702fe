package pickle

import (
	"encoding/binary"
	"math"
	"strconv"
)

// rare runs the opcodes that no hot path needs.
func (m *Machine) rare(op byte) error {
	switch op {
	case opProto:
		b, err := m.in.take(1)
		if err == nil {
			m.Protocol = max(m.Protocol, int(b[0]))
		}
		return err
	case opNone:
		return m.push(None)
	case opNewTrue:
		return m.push(True)
	case opNewFalse:
		return m.push(False)
	case opEmptySet:
		return m.push(Opaque)
	case opBinInt1, opBinInt2, opBinInt:
		return m.binInt(op)
	case opInt, opLong, opFloat:
		return m.number(op)
	case opBinFloat:
		b, err := m.in.take(8)
		if err != nil {
			return err
		}
		return m.push(m.h.Float(math.Float64frombits(binary.BigEndian.Uint64(b))))
	case opLong1, opLong4:
		b, err := m.counted(map[byte]int{opLong1: 1, opLong4: 4}[op])
		if err != nil {
			return err
		}
		m.Unfit = m.Unfit || len(b) > maxDigits
		return m.push(m.h.long(b))
	case opPut, opBinPut, opLongBinPut:
		return m.put(op)
	case opGet:
		return m.get()
	case opString, opUnicode, opBinString, opShortBinString, opBinUnicode, opShortBinUnicode, opBinUnicode8,
		opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		return m.text(op)
	case opPop, opPopMark, opDup:
		return m.shuffle(op)
	case opEmptyTuple:
		return m.tuple(0)
	case opTuple1:
		return m.tuple(1)
	case opTuple2:
		return m.tuple(2)
	case opTuple3:
		return m.tuple(3)
	case opAppend, opSetItem, opList, opDict, opTuple, opAddItems, opFrozenSet:
		return m.container(op)
	}
	return m.object(op)
}

// container runs the opcodes that fill or make containers, apart from the two
// frequent ones.
func (m *Machine) container(op byte) error {
	fence := m.fence()
	switch op {
	case opAppend:
		if m.sp-2 < fence {
			return m.underflow()
		}
		l := m.stack[m.sp-2]
		m.sp--
		if l.tag() != tagList {
			return m.onto(l, "an item appended to what is no list")
		}
		return m.lenient(m.h.Append(l, m.stack[m.sp:m.sp+1]))
	case opSetItem:
		if m.sp-3 < fence {
			return m.underflow()
		}
		d := m.stack[m.sp-3]
		m.sp -= 2
		if !d.IsDict() {
			return m.onto(d, "an item set on what is no dict")
		}
		_, err := m.h.SetItems(d, Absent, m.stack[m.sp:m.sp+2], false)
		return m.lenient(err)
	}
	at, err := m.popMark()
	if err != nil {
		return err
	}
	items := m.stack[at:m.sp]
	v := Opaque
	switch op {
	case opList:
		v = m.h.NewList()
		err = m.h.Append(v, items)
	case opDict:
		if len(items)&1 != 0 {
			return m.fail(nil, "a key without its value")
		}
		v, err = m.h.SetItems(m.h.NewDict(), m.under(at), items, !m.Refilled)
	case opTuple:
		v, err = m.h.Tuple(items)
	case opAddItems:
		m.sp = at
		_, err := m.top()
		return err
	}
	if err != nil {
		return err
	}
	m.sp = at
	return m.push(v)
}

func (m *Machine) lenient(err error) error {
	if m.Lenient && err == ErrMutated {
		return nil
	}
	return err
}

// shuffle runs POP, POP_MARK and DUP.
func (m *Machine) shuffle(op byte) error {
	switch op {
	case opPop:
		if m.sp > m.fence() {
			m.sp--
			m.Discarded = true
			return nil
		}
		_, err := m.popMark()
		return err
	case opPopMark:
		at, err := m.popMark()
		if err == nil {
			m.Discarded = m.Discarded || m.sp > at
			m.sp = at
		}
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	m.h.share(v)
	return m.push(v)
}

// put runs PUT, BINPUT and LONG_BINPUT.
func (m *Machine) put(op byte) error {
	i, err := m.memoIndex(op)
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	return m.h.memoSet(i, v)
}

func (m *Machine) get() error {
	i, err := m.memoIndex(opPut)
	if err != nil {
		return err
	}
	v, err := m.h.memoGet(i)
	if err != nil {
		return err
	}
	return m.push(v)
}

func (m *Machine) memoIndex(op byte) (uint32, error) {
	switch op {
	case opBinPut:
		b, err := m.in.take(1)
		if err != nil {
			return 0, err
		}
		return uint32(b[0]), nil
	case opLongBinPut:
		b, err := m.in.take(4)
		if err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint32(b), nil
	}
	b, err := m.in.line()
	if err != nil {
		return 0, err
	}
	i, err := strconv.ParseUint(string(b[:min(len(b), 20)]), 10, 32)
	if err != nil {
		return 0, m.fail(nil, "bad memo index %q", b[:min(len(b), 20)])
	}
	return uint32(i), nil
}

// object runs the opcodes beyond plain data: refused, or opaque when lenient.
func (m *Machine) object(op byte) error {
	switch op {
	case opGlobal, opStackGlobal:
		return m.global(op)
	case opReduce:
		if m.sp-2 >= m.fence() {
			switch m.stack[m.sp-2] {
			case typeTag:
				return m.untag()
			case latin1:
				return m.latin1Bytes()
			}
		}
	case opNewObj, opNewObjEx, opBuild, opInst, opObj, opPersID, opBinPersID, opExt1, opExt2, opExt4, opNextBuffer, opReadonlyBuffer:
	default:
		return m.fail(nil, "unknown opcode 0x%02x", op)
	}
	if !m.Lenient {
		return m.fail(ErrNeedsObjects, "an opcode (0x%02x) that needs more than plain data", op)
	}
	drop, skip := 0, 0
	switch op {
	case opReduce, opNewObj:
		drop = 2
	case opNewObjEx:
		drop = 3
	case opBuild:
		_, err := m.pop()
		return err
	case opBinPersID, opReadonlyBuffer:
		drop = 1
	case opExt1, opExt2, opExt4:
		skip = 1 << (op - opExt1)
	case opInst, opObj:
		at, err := m.popMark()
		if err != nil {
			return err
		}
		drop = m.sp - at
		if op == opInst {
			if _, err := m.in.line(); err != nil {
				return err
			}
			if _, err := m.in.line(); err != nil {
				return err
			}
		}
	case opPersID:
		if _, err := m.in.line(); err != nil {
			return err
		}
	}
	if _, err := m.in.take(skip); err != nil {
		return err
	}
	if m.sp-drop < m.fence() {
		return m.underflow()
	}
	m.sp -= drop
	return m.push(Opaque)
}

// known are the only functions that may be named, and what stands for them.
// Neither is ever called: the machine knows what they return.
var known = map[[2]string]Value{
	{"torch.jit._pickle", "restore_type_tag"}: typeTag,
	{"_codecs", "encode"}:                     latin1,
}

// global runs GLOBAL and STACK_GLOBAL: all names but two are refused.
func (m *Machine) global(op byte) error {
	var module, name string
	if op == opGlobal {
		b, err := m.in.line()
		if err != nil {
			return err
		}
		module = string(b)
		if b, err = m.in.line(); err != nil {
			return err
		}
		name = string(b)
	} else {
		if m.sp-2 < m.fence() {
			return m.underflow()
		}
		x, ok1 := m.stack[m.sp-2].IsString()
		y, ok2 := m.stack[m.sp-1].IsString()
		if !ok1 || !ok2 {
			return m.fail(nil, "a name that is no string")
		}
		module, name = m.h.strs[x], m.h.strs[y]
	}
	v, ok := known[[2]string{module, name}]
	if !ok {
		if !m.Lenient {
			return m.fail(ErrNeedsObjects, "the class or function %.60s.%.60s is named", module, name)
		}
		v = Opaque
	}
	if op == opStackGlobal {
		m.sp -= 2
	}
	return m.push(v)
}

// untag is REDUCE of restore_type_tag: the first item of its argument tuple.
func (m *Machine) untag() error {
	t := m.stack[m.sp-1]
	if m.h.Len(t) == 0 || !t.IsList() {
		return m.fail(nil, "a type tag without a value")
	}
	v := m.h.At(t, 0)
	if t.tag() == tagList && m.h.lists[t&payloadMask].sealed == Absent {
		m.h.SealList(t, Opaque)
	}
	m.sp -= 2
	return m.push(m.h.Resolve(v))
}

// latin1Bytes is REDUCE of _codecs.encode. Another encoding than Latin-1, and
// text that has none, are no bytes Python wrote: they stay opaque.
func (m *Machine) latin1Bytes() error {
	t := m.stack[m.sp-1]
	if t.tag() != tagList || m.h.Len(t) != 2 {
		return m.fail(nil, "bytes without their text and encoding")
	}
	v := Opaque
	text, ok1 := m.h.At(t, 0).IsString()
	encoding, ok2 := m.h.At(t, 1).IsString()
	if ok1 && ok2 && m.h.strs[encoding] == "latin1" {
		if b, ok := Latin1(m.h.strs[text]); ok {
			v = m.h.Bytes(b)
		}
	}
	if m.h.lists[t&payloadMask].sealed == Absent {
		m.h.SealList(t, Opaque)
	}
	m.sp -= 2
	return m.push(v)
}

// Latin1 encodes text, if it can be.
func Latin1(text string) ([]byte, bool) {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, false
		}
		b = append(b, byte(r))
	}
	return b, true
}
