package pickle

// typeTag stands for the function torch.jit._pickle.restore_type_tag, in which torch's C++ pickler can wrap
// containers, and which returns its first argument.
const typeTag = Opaque + 1

// latin1 stands for the function _codecs.encode, with which Python writes bytes in protocols 0 to 2: its arguments
// are the text whose Latin-1 they are, and "latin1".
const latin1 = Opaque + 2

// newDtype and newScalar stand for the functions that make numpy's types and numbers of these. Types follow.
const (
	newDtype   = Opaque + 3
	newScalar  = Opaque + 4
	firstDtype = Opaque + 5
)

// known are the only functions that may be named. None is ever called: the machine knows what they return.
var known = map[[2]string]Value{
	{"torch.jit._pickle", "restore_type_tag"}: typeTag,
	{"_codecs", "encode"}:                     latin1,
	{"numpy", "dtype"}:                        newDtype,
	{"numpy.core.multiarray", "scalar"}:       newScalar,
	{"numpy._core.multiarray", "scalar"}:      newScalar,
}

// object runs the opcodes beyond plain data, whose results are opaque.
func (m *Machine) object(op byte) error {
	drop, skip, lines := 0, 0, 0 // values on the stack, bytes and lines of the argument
	switch op {
	case opGlobal, opStackGlobal:
		return m.global(op)
	case opReduce:
		if m.sp-2 >= m.fence() {
			if f := m.stack[m.sp-2]; f >= typeTag && f <= newScalar {
				return m.call(f)
			}
		}
		drop = 2
	case opNewObj:
		drop = 2
	case opNewObjEx:
		drop = 3
	case opBinPersID, opReadonlyBuffer:
		drop = 1
	case opExt1, opExt2, opExt4:
		skip = 1 << (op - opExt1)
	case opBuild:
		if m.buildDtype() {
			return nil
		}
		drop = 2
	case opInst, opObj:
		at, err := m.popMark()
		if err != nil {
			return err
		}
		drop = m.sp - at
		if op == opInst {
			lines = 2
		}
	case opPersID:
		lines = 1
	case opNextBuffer:
	default:
		return m.fail(nil, "unknown opcode 0x%02x", op)
	}
	m.Objects = true
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
	v := Opaque
	if op == opBuild { // the object keeps what was put into it
		v = m.stack[m.sp-2]
	}
	m.sp -= drop
	return m.push(v)
}

// global runs GLOBAL and STACK_GLOBAL: all names but two are opaque.
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
		m.Objects, v = true, Opaque
	}
	if op == opStackGlobal {
		m.sp -= 2
	}
	return m.push(v)
}

// call is REDUCE of one of the known functions.
func (m *Machine) call(f Value) error {
	args := m.stack[m.sp-1]
	v := Opaque
	switch {
	case f == typeTag:
		if m.h.Len(args) == 0 {
			return m.fail(nil, "a type tag without a value")
		}
		v = m.h.At(args, 0)
	case f == newDtype:
		v = m.h.dtype(args)
	case f == newScalar:
		v = m.h.scalar(args)
	case args.tag() != tagList || m.h.Len(args) != 2:
		return m.fail(nil, "bytes without their text and encoding")
	default: // another encoding, or text without a Latin-1 form, was not written by Python: it stays opaque
		text, ok1 := m.h.At(args, 0).IsString()
		encoding, ok2 := m.h.At(args, 1).IsString()
		if ok1 && ok2 && m.h.strs[encoding] == "latin1" {
			if b, ok := Latin1(m.h.strs[text]); ok {
				v = m.h.Bytes(b)
			}
		}
	}
	if args.tag() == tagList && m.h.lists[args&payloadMask].sealed == Absent {
		m.h.SealList(args, Opaque)
	}
	m.sp -= 2
	return m.push(m.h.Resolve(v))
}

// Latin1 encodes text in Latin-1. It returns false if some of it has no such form.
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
