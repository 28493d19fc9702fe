package pickle

import (
	"encoding/binary"
	"math"
	"slices"
)

// What the known functions and classes stand for on the stack. None is ever called: the machine knows what they
// return.
const (
	typeTag     = Opaque + 1 + iota // torch.jit._pickle.restore_type_tag: returns its first argument (FORMAT.md, section 8.4)
	latin1                          // _codecs.encode, with which Python writes bytes in protocols 0 to 2
	numpyDtype                      // numpy.dtype: a type, by its name
	numpyScalar                     // a number: a type and its bytes
)

var known = map[[2]string]Value{
	{"torch.jit._pickle", "restore_type_tag"}: typeTag,
	{"_codecs", "encode"}:                     latin1,
	{"numpy", "dtype"}:                        numpyDtype,
	{"numpy.core.multiarray", "scalar"}:       numpyScalar,
	{"numpy._core.multiarray", "scalar"}:      numpyScalar,
}

// object runs the opcodes beyond plain data. Classes, functions, persistent ids and out-of-band buffers are opaque;
// an instance is whatever its maker puts into it: a dict, a list, or opaque.
func (m *Machine) object(op byte) error {
	drop, skip, lines := 0, 0, 0 // values on the stack, bytes and lines of the argument
	v := Opaque
	switch op {
	case opGlobal, opStackGlobal:
		return m.global(op)
	case opBuild:
		return m.build()
	case opReduce:
		if m.sp-2 >= m.fence() && m.stack[m.sp-2] > Opaque && m.stack[m.sp-2] <= numpyScalar {
			return m.call(m.stack[m.sp-2], m.stack[m.sp-1])
		}
		drop, v = 2, m.h.instance()
	case opNewObj:
		drop, v = 2, m.h.instance()
	case opNewObjEx:
		drop, v = 3, m.h.instance()
	case opInst, opObj:
		at, err := m.popMark()
		if err != nil {
			return err
		}
		drop, v = m.sp-at, m.h.instance()
		if op == opInst {
			lines = 2
		}
	case opBinPersID, opReadonlyBuffer:
		drop = 1
	case opExt1, opExt2, opExt4:
		skip = 1 << (op - opExt1)
	case opPersID:
		lines = 1
	case opNextBuffer:
	default:
		return m.fail(nil, "unknown opcode 0x%02x", op)
	}
	for range lines {
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
	return m.push(v)
}

// instance makes an object of an unknown class.
func (h *Heap) instance() Value {
	v := h.NewDict()
	h.dicts[v&payloadMask].instance = true
	return v
}

// build runs BUILD, which gives the object below it a state. Only the byte order of a numpy type matters.
func (m *Machine) build() error {
	if m.sp-2 < m.fence() {
		return m.underflow()
	}
	m.sp--
	state, object := m.stack[m.sp], m.stack[m.sp-1]
	if object.tag() == tagList && m.h.Len(object) == 1 && m.h.Len(state) > 1 {
		return m.h.Append(object, []Value{m.h.At(state, 1)})
	}
	return nil
}

// global runs GLOBAL and STACK_GLOBAL.
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
		m.sp -= 2
	}
	v, ok := known[[2]string{module, name}]
	if !ok {
		v = Opaque
	}
	return m.push(v)
}

// call is REDUCE of one of the known functions.
func (m *Machine) call(f, args Value) error {
	h, n := m.h, m.h.Len(args)
	if n == 0 {
		return m.fail(nil, "a call without its arguments")
	}
	v := h.At(args, 0)
	switch f {
	case latin1:
		v = h.latin1(args)
	case numpyDtype:
		name := v
		v = h.NewList()
		if err := h.Append(v, []Value{name}); err != nil {
			return err
		}
	case numpyScalar:
		v = h.numpyScalar(args)
	}
	if args.tag() == tagList && h.lists[args&payloadMask].sealed == Absent {
		h.SealList(args, Opaque)
	}
	m.sp -= 2
	return m.push(h.Resolve(v))
}

// latin1 is the bytes that _codecs.encode makes of a text. What Python would not have written stays opaque: another
// encoding, or text without a Latin-1 form.
func (h *Heap) latin1(args Value) Value {
	if h.Len(args) != 2 || h.At(args, 1) != h.String([]byte("latin1")) {
		return Opaque
	}
	id, ok := h.At(args, 0).IsString()
	if !ok {
		return Opaque
	}
	var b []byte
	for _, r := range h.strs[id] {
		if r > 0xff {
			return Opaque
		}
		b = append(b, byte(r))
	}
	return h.Bytes(b)
}

// numpyScalar is the number that numpy's scalar makes of a type and bytes, Opaque where they are no number.
func (h *Heap) numpyScalar(args Value) Value {
	if h.Len(args) != 2 || h.Len(h.At(args, 0)) == 0 {
		return Opaque
	}
	dtype := h.At(args, 0)
	name, ok1 := h.At(dtype, 0).IsString()
	data, ok2 := h.At(args, 1).IsString()
	if !ok1 || !ok2 || len(h.strs[name]) != 2 || len(h.strs[data]) != int(h.strs[name][1]-'0') {
		return Opaque
	}
	b := []byte(h.strs[data])
	if h.Len(dtype) > 1 && h.At(dtype, 1) == h.String([]byte(">")) {
		slices.Reverse(b)
	}
	kind, size := h.strs[name][0], len(b)
	switch kind {
	case 'i':
		return h.long(b)
	case 'u':
		return h.long(append(b, 0))
	case 'b':
		return Bool(size > 0 && b[0] != 0)
	case 'f':
		switch size {
		case 4:
			return h.Float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		case 8:
			return h.Float(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return Opaque
}
