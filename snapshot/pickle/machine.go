// Package pickle reads Python pickles of plain data without building Python's objects.
//
// A [Machine] runs the opcodes on a stack of 8-byte [Value]s. Strings, lists and dicts lie in a [Heap]. Every
// complete dict is handed to a [Handler], which usually stores its contents and replaces it by a record number.
//
// Three things make it fast: dicts with the keys of an earlier one are read in one go (shapes.go), call stacks are
// recognized by their encoded bytes (stackcache.go), and big arrays grow to a size estimated from what was read.
package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An Error says why and where a pickle could not be read to its end.
type Error struct {
	Offset int64 // of the opcode that failed
	What   string
	Err    error // ErrTruncated, ErrMemory, ErrDepth, ErrMutated, an error of the source, or nil
}

// Error returns what failed, and at which byte.
func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.Offset) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrTruncated is the cause when the bytes end before the pickle does.
var ErrTruncated = errors.New("the pickle ends too early")

// ErrDepth is the cause when containers are nested too deep.
var ErrDepth = errors.New("too deeply nested")

// A Machine runs one pickle.
type Machine struct {
	// Refilled says that containers may change after their use, which is an error otherwise, and that dicts may be
	// filled in several steps, so that the handler is only given those that another container holds.
	Refilled bool
	// MaxDepth bounds the number of open marks.
	MaxDepth int
	// Tick, when not nil, is called about once for each megabyte read, with the number of bytes; an error from it
	// ends the run.
	Tick func(done int64) error

	// First is the first byte.
	First byte
	// Protocol is the highest one announced.
	Protocol int
	// Objects reports that there was more than plain data: classes, calls, persistent ids, extension codes,
	// out-of-band buffers. All of that is Opaque.
	Objects bool
	// Cost is about how many bytes of memory a reader takes that makes an object of everything.
	Cost int64
	// TextArgs reports that numbers or strings came as text, as in protocol 0.
	TextArgs bool
	// Discarded reports that something was made and thrown away (POP, POP_MARK), so that the handler may have records
	// of dicts that the root does not contain.
	Discarded bool
	// Unfit reports input that would exhaust a naive reader: a frame longer than the file, a number of thousands of
	// digits.
	Unfit bool

	h     *Heap
	in    input
	stack []Value // the first sp values are in use
	sp    int
	marks []int // stack positions
	start int64 // offset of the current opcode
}

// NewMachine makes a machine that reads from data.
func NewMachine(h *Heap, data []byte) *Machine {
	return &Machine{h: h, MaxDepth: 1000, in: input{buf: data, eof: true}, stack: make([]Value, 4096)}
}

// NewStreamMachine makes a machine that reads from r.
func NewStreamMachine(h *Heap, r io.Reader) *Machine {
	return &Machine{h: h, MaxDepth: 1000, in: input{r: r}, stack: make([]Value, 4096)}
}

// Offset is how many bytes have been read.
func (m *Machine) Offset() int64 { return m.in.base + int64(m.in.p) }

// fail makes an error for the current opcode.
func (m *Machine) fail(cause error, format string, args ...any) error {
	return &Error{Offset: m.start, What: fmt.Sprintf(format, args...), Err: cause}
}

// wrap makes an [Error] for the current opcode of any error, and of a budget that is spent.
func (m *Machine) wrap(err error) error {
	if err == nil && m.h.budget < 0 {
		err = ErrMemory
	}
	if err == nil { // before e is declared, which is allocated on the heap
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Offset: m.start, What: err.Error(), Err: err}
}

// underflow is the error when an opcode finds too few values.
func (m *Machine) underflow() error { return m.fail(nil, "opcode without its operands") }

// fence is the stack position of the last mark: no opcode may take values below it.
func (m *Machine) fence() int {
	if n := len(m.marks); n > 0 {
		return m.marks[n-1]
	}
	return 0
}

func (m *Machine) push(v Value) error {
	if m.sp == len(m.stack) {
		if err := m.growStack(); err != nil {
			return err
		}
	}
	m.stack[m.sp] = v
	m.sp++
	return nil
}

func (m *Machine) growStack() error {
	n := len(m.stack)
	if err := m.h.Charge(n * 8); err != nil {
		return m.wrap(err)
	}
	m.stack = append(m.stack, make([]Value, n)...)
	return nil
}

func (m *Machine) top() (Value, error) {
	if m.sp <= m.fence() {
		return Absent, m.underflow()
	}
	return m.stack[m.sp-1], nil
}

// popMark removes the last mark and returns its position; the items above it stay on the stack until the caller
// lowers sp.
func (m *Machine) popMark() (int, error) {
	n := len(m.marks)
	if n == 0 {
		return 0, m.fail(nil, "opcode without its mark")
	}
	at := m.marks[n-1]
	m.marks = m.marks[:n-1]
	return at, nil
}

// popItems is popMark for an opcode that adds the items above the mark to the container below it.
func (m *Machine) popItems() (at int, err error) {
	if at, err = m.popMark(); err == nil && at <= m.fence() {
		err = m.underflow()
	}
	return at, err
}

// Run reads the pickle and returns its root.
func (m *Machine) Run() (Value, error) {
	in := &m.in
	m.h.refilled = m.Refilled
	next := in.p // position at which more bytes are needed, or Tick
	for {
		if in.p >= next || m.h.budget < 0 {
			var err error
			if next, err = m.refill(); err != nil {
				return Absent, err
			}
		}
		op := in.buf[in.p]
		if op == opEmptyDict && m.shapedDict() {
			continue
		}
		m.start = in.base + int64(in.p)
		in.p++
		if op == opStop {
			return m.stop()
		}
		m.Cost += 48
		if err := m.step(op); err != nil {
			return Absent, m.wrap(err)
		}
	}
}

const tickBytes = 1 << 20

// refill gets more bytes if few are left, calls Tick, and returns the position at which it is to be called again.
func (m *Machine) refill() (int, error) {
	in := &m.in
	m.start = in.base + int64(in.p)
	if m.Tick != nil {
		if err := m.Tick(m.start); err != nil {
			return 0, err
		}
	}
	if m.h.budget < 0 {
		return 0, m.fail(ErrMemory, "the memory limit is reached")
	}
	in.fill(readAhead)
	if in.p >= len(in.buf) {
		return 0, m.wrap(in.end())
	}
	if m.start == 0 {
		m.First = in.buf[in.p]
	}
	if in.eof {
		return min(in.p+tickBytes, len(in.buf)), nil
	}
	return min(in.p+tickBytes, len(in.buf)-readAhead/2), nil
}

// step runs one opcode, whose byte has been read.
func (m *Machine) step(op byte) error {
	switch op {
	case opBinGet, opLongBinGet, opGet:
		return m.get(op)
	case opBinInt1, opBinInt2, opBinInt:
		return m.binInt(op)
	case opLong1, opLong4:
		return m.long(op)
	case opMark:
		return m.mark()
	case opMemoize:
		v, err := m.top()
		if err != nil {
			return err
		}
		return m.h.memoSet(m.h.memo.count, v)
	case opPut, opBinPut, opLongBinPut:
		return m.put(op)
	case opSetItems:
		return m.setItems()
	case opAppends:
		return m.appends()
	case opEmptyDict:
		m.Cost += 200
		return m.push(m.h.NewDict())
	case opEmptyList:
		m.Cost += 120
		return m.push(m.h.NewList())
	case opFrame:
		b, err := m.in.take(8)
		if err == nil && m.in.eof && binary.LittleEndian.Uint64(b) > uint64(len(m.in.buf)-m.in.p) {
			m.Unfit = true
		}
		return err
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
	case opInt, opLong, opFloat:
		return m.decimal(op)
	case opBinFloat:
		return m.binFloat()
	case opString, opUnicode, opBinString, opShortBinString, opBinUnicode, opShortBinUnicode, opBinUnicode8,
		opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		return m.text(op)
	case opPop, opPopMark, opDup:
		return m.shuffle(op)
	case opEmptyTuple:
		return m.tuple(0)
	case opTuple1, opTuple2, opTuple3:
		return m.tuple(int(op-opTuple1) + 1)
	case opAppend, opSetItem:
		return m.addOne(op)
	case opList, opDict, opTuple, opAddItems, opFrozenSet:
		return m.container(op)
	}
	return m.object(op)
}

// shuffle runs POP, POP_MARK and DUP.
func (m *Machine) shuffle(op byte) error {
	switch {
	case op == opDup:
		v, err := m.top()
		if err != nil {
			return err
		}
		return m.push(m.h.Share(v))
	case op == opPop && m.sp > m.fence():
		m.sp--
		m.Discarded = true
		return nil
	}
	at, err := m.popMark() // which POP removes where nothing lies above it
	if err == nil {
		m.Discarded = m.Discarded || m.sp > at
		m.sp = at
	}
	return err
}

// stop is STOP, which leaves exactly one value on the stack.
func (m *Machine) stop() (Value, error) {
	if len(m.marks) > 0 || m.sp != 1 {
		m.in.p--
		return Absent, m.fail(nil, "the pickle stops in the middle of something")
	}
	return m.h.Resolve(m.stack[0]), nil
}

// Behind is how many bytes follow the pickle after Run, if they begin as another pickle does; else 0. It reads a stream
// to its end, or until Tick fails.
func (m *Machine) Behind() int64 {
	in := &m.in
	in.fill(2)
	rest := in.buf[in.p:]
	if len(rest) < 2 || rest[0] != opProto || rest[1] < 2 || rest[1] > 5 {
		return 0
	}
	n := int64(len(rest))
	for b := make([]byte, chunk); !in.eof && (m.Tick == nil || m.Tick(m.Offset()+n) == nil); {
		k, err := in.r.Read(b)
		in.ended(err)
		n += int64(k)
	}
	return n
}
