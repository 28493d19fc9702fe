package pickle

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"
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
		v, err = m.h.SetItems(m.h.NewDict(), m.under(at), items, true)
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
			return nil
		}
		_, err := m.popMark()
		return err
	case opPopMark:
		at, err := m.popMark()
		if err == nil {
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

// binInt runs BININT1, BININT2 and BININT.
func (m *Machine) binInt(op byte) error {
	b, err := m.in.take(map[byte]int{opBinInt1: 1, opBinInt2: 2, opBinInt: 4}[op])
	if err != nil {
		return err
	}
	x := int64(b[0])
	switch op {
	case opBinInt2:
		x = int64(binary.LittleEndian.Uint16(b))
	case opBinInt:
		x = int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return m.push(m.h.Int(x))
}

// number runs INT, LONG and FLOAT, whose argument is text.
func (m *Machine) number(op byte) error {
	m.TextArgs = true
	b, err := m.in.line()
	if err != nil {
		return err
	}
	b = bytes.TrimSpace(b)
	if op == opFloat {
		f, err := strconv.ParseFloat(string(b[:min(len(b), 400)]), 64)
		if err != nil && !math.IsInf(f, 0) {
			return m.fail(nil, "bad float %.20q", b)
		}
		return m.push(m.h.Float(f))
	}
	if op == opInt && string(b) == "00" {
		return m.push(False)
	}
	if op == opInt && string(b) == "01" {
		return m.push(True)
	}
	v, ok := m.h.Decimal(bytes.TrimSuffix(b, []byte("L")))
	if !ok {
		return m.fail(nil, "bad integer %.20q", b)
	}
	return m.push(v)
}

// Decimal makes the integer that b spells.
func (h *Heap) Decimal(b []byte) (Value, bool) {
	if len(b) > 30 {
		for i, c := range b {
			if (c < '0' || c > '9') && (i > 0 || c != '-' && c != '+') {
				return Absent, false
			}
		}
		if len(b) > 400 { // no need to know
			return h.Huge(b[0] == '-'), true
		}
	}
	if i, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return h.Int(i), true
	}
	n, ok := new(big.Int).SetString(string(b), 10)
	if !ok {
		return Absent, false
	}
	if n.IsInt64() {
		return h.Int(n.Int64()), true
	}
	if n.IsUint64() {
		return h.Uint(n.Uint64()), true
	}
	return h.Huge(n.Sign() < 0), true
}

// counted returns the bytes whose number is given in the n bytes before them.
func (m *Machine) counted(n int) ([]byte, error) {
	b, err := m.in.take(n)
	if err != nil {
		return nil, err
	}
	var k uint64
	for i, x := range b {
		k |= uint64(x) << (8 * i)
	}
	if left := len(m.in.buf) - m.in.p; m.in.eof && k > uint64(left) {
		if left > readAhead { // no cut does that
			return nil, m.fail(nil, "a length of %d where %d bytes are left", k, left)
		}
		return nil, m.in.end()
	}
	if k > uint64(max(m.h.budget, 0)) {
		return nil, ErrMemory
	}
	return m.in.take(int(k))
}

// text runs the opcodes of strings and bytes.
func (m *Machine) text(op byte) error {
	var b []byte
	var err error
	switch op {
	case opString, opUnicode:
		m.TextArgs = true
		if b, err = m.in.line(); err != nil {
			return err
		}
		if op == opUnicode {
			return m.push(m.h.String(rawUnicode(b)))
		}
		s, ok := unquote(b)
		if !ok {
			return m.fail(nil, "a string without quotes")
		}
		return m.push(m.h.String(s))
	case opShortBinString, opShortBinBytes, opShortBinUnicode:
		b, err = m.counted(1)
	case opBinString, opBinUnicode, opBinBytes:
		b, err = m.counted(4)
	default:
		b, err = m.counted(8)
	}
	if err != nil {
		return err
	}
	switch op {
	case opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		return m.push(m.h.Bytes(b))
	}
	return m.push(m.h.String(b))
}

// rawUnicode decodes Python's raw-unicode-escape: Latin-1 with \uXXXX and
// \UXXXXXXXX. Escaped surrogates become U+FFFD unless they pair up.
func rawUnicode(b []byte) []byte {
	plain := true
	for _, c := range b {
		if c == '\\' || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return b
	}
	out := make([]byte, 0, len(b)+8)
	for i := 0; i < len(b); {
		if b[i] == '\\' && i+1 < len(b) {
			n := 0
			switch b[i+1] {
			case 'u':
				n = 4
			case 'U':
				n = 8
			}
			if n > 0 && i+2+n <= len(b) {
				if r, err := strconv.ParseUint(string(b[i+2:i+2+n]), 16, 32); err == nil {
					out = utf8.AppendRune(out, rune(min(r, utf8.MaxRune+1)))
					i += 2 + n
					continue
				}
			}
		}
		out = utf8.AppendRune(out, rune(b[i]))
		i++
	}
	return out
}

// unquote decodes the argument of STRING, a Python 2 string literal.
func unquote(b []byte) ([]byte, bool) {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != b[len(b)-1] || b[0] != '\'' && b[0] != '"' {
		return nil, false
	}
	b = b[1 : len(b)-1]
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch c := b[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case '\\', '\'', '"':
			out = append(out, c)
		case 'x':
			if i+2 < len(b) {
				if x, err := strconv.ParseUint(string(b[i+1:i+3]), 16, 8); err == nil {
					out = append(out, byte(x))
					i += 2
					continue
				}
			}
			out = append(out, '\\', c)
		default:
			out = append(out, '\\', c)
		}
	}
	return out, true
}

// object runs the opcodes beyond plain data: refused, or opaque when lenient.
func (m *Machine) object(op byte) error {
	switch op {
	case opGlobal, opStackGlobal:
		return m.global(op)
	case opReduce:
		if m.sp-2 >= m.fence() && m.stack[m.sp-2] == typeTag {
			return m.untag()
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

const (
	tagModule = "torch.jit._pickle"
	tagName   = "restore_type_tag"
)

// global runs GLOBAL and STACK_GLOBAL: all names but one are refused.
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
	if module != tagModule || name != tagName {
		if !m.Lenient {
			return m.fail(ErrNeedsObjects, "the class or function %.60s.%.60s is named", module, name)
		}
		if op == opStackGlobal {
			m.sp -= 2
		}
		return m.push(Opaque)
	}
	if op == opStackGlobal {
		m.sp -= 2
	}
	return m.push(typeTag)
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
