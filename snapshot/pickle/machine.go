package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An Error is why a pickle could not be read to its end.
type Error struct {
	Offset int64 // of the opcode that failed
	What   string
	Err    error // ErrTruncated, ErrMemory, ErrNeedsObjects, ErrMutated, what the source said, or nil
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.Offset) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrTruncated is the cause when the bytes end before the pickle does.
var ErrTruncated = errors.New("the pickle ends too early")

// ErrNeedsObjects is the cause when a pickle needs more than plain data:
// classes, calls, persistent ids, extension codes, out-of-band buffers.
var ErrNeedsObjects = errors.New("the pickle needs more than plain data")

// typeTag stands for the function torch.jit._pickle.restore_type_tag, with
// which torch's C++ pickler can wrap containers, and which returns its first
// argument: the one call that is looked through.
const typeTag = mark + 1

// latin1 stands for the function _codecs.encode, with which Python writes
// bytes in protocols 0 to 2: the text whose Latin-1 they are, and "latin1".
const latin1 = mark + 2

// A Machine runs one pickle.
type Machine struct {
	// Lenient makes everything beyond plain data Opaque instead of an error.
	Lenient bool
	// Refilled says that dicts may be filled in several goes, so that the
	// handler is only given those that something else holds.
	Refilled bool
	// MaxDepth bounds the number of open marks.
	MaxDepth int
	// Tick, when not nil, is called about once for each megabyte read, with
	// the number of bytes; an error from it ends the run.
	Tick func(done int64) error

	// First is the first byte.
	First byte
	// Protocol is the highest one announced.
	Protocol int
	// Cost is, after a lenient run, about how many bytes of memory a reader
	// that makes an object of everything would take.
	Cost int64
	// TextArgs reports that numbers or strings came as text, as in protocol 0.
	TextArgs bool
	// Discarded reports that something was made and thrown away (POP,
	// POP_MARK): what it held is in the tables, though nothing names it.
	Discarded bool
	// Unfit reports what readers that believe everything choke on: a frame
	// that claims to reach beyond the end, a number of thousands of digits.
	Unfit bool

	h     *Heap
	in    input
	stack []Value
	sp    int
	marks []int
	start int64 // offset of the opcode at hand
}

// NewMachine makes a machine that reads from data.
func NewMachine(h *Heap, data []byte) *Machine {
	return &Machine{h: h, MaxDepth: 1000, in: input{buf: data, eof: true}, stack: make([]Value, 4096)}
}

// NewStreamMachine makes a machine that reads from r.
func NewStreamMachine(h *Heap, r io.Reader) *Machine {
	next, _ := r.(Pieces)
	return &Machine{h: h, MaxDepth: 1000, in: input{r: r, next: next}, stack: make([]Value, 4096)}
}

// Offset is how many bytes have been read.
func (m *Machine) Offset() int64 { return m.in.base + int64(m.in.p) }

// fail makes the error for the opcode at hand.
func (m *Machine) fail(cause error, format string, args ...any) error {
	return &Error{Offset: m.start, What: fmt.Sprintf(format, args...), Err: cause}
}

func (m *Machine) wrap(err error) error {
	if err == nil { // before there is an e, which lies on the heap
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Offset: m.start, What: err.Error(), Err: err}
}

// fence is the stack position below which no opcode may reach: the last mark.
func (m *Machine) fence() int {
	if n := len(m.marks); n > 0 {
		return m.marks[n-1]
	}
	return 0
}

func (m *Machine) push(v Value) error {
	if m.sp == len(m.stack) {
		if err := m.growStack(1); err != nil {
			return err
		}
	}
	m.stack[m.sp] = v
	m.sp++
	return nil
}

// growStack makes room for n more values.
func (m *Machine) growStack(n int) error {
	size := max(2*len(m.stack), m.sp+n)
	if err := m.h.Charge((size - len(m.stack)) * 8); err != nil {
		return m.wrap(err)
	}
	s := make([]Value, size)
	copy(s, m.stack[:m.sp])
	m.stack = s
	return nil
}

// underflow is the error when an opcode finds too few values.
func (m *Machine) underflow() error {
	return m.fail(nil, "opcode without its operands")
}

func (m *Machine) pop() (Value, error) {
	if m.sp <= m.fence() {
		return Absent, m.underflow()
	}
	m.sp--
	return m.stack[m.sp], nil
}

func (m *Machine) top() (Value, error) {
	if m.sp <= m.fence() {
		return Absent, m.underflow()
	}
	return m.stack[m.sp-1], nil
}

// popMark removes the last mark and returns its position; the items above it
// stay on the stack until the caller lowers sp.
func (m *Machine) popMark() (int, error) {
	n := len(m.marks)
	if n == 0 {
		return 0, m.fail(nil, "opcode without its mark")
	}
	at := m.marks[n-1]
	m.marks = m.marks[:n-1]
	return at, nil
}

// Run reads the pickle and returns its root.
func (m *Machine) Run() (Value, error) {
	in := &m.in
	m.h.lenient = m.Lenient
	next := in.p // where to leave the loop for Tick and for more bytes
	for {
		if in.p >= next {
			var err error
			if next, err = m.refill(); err != nil {
				return Absent, err
			}
		}
		if m.Lenient {
			m.Cost += 48
		} else if end := min(next, len(in.buf)-fastTail); in.p < end {
			if err := m.fast(end); err != nil {
				return Absent, m.wrap(err)
			}
			if in.p >= next {
				continue
			}
		}
		op := in.buf[in.p]
		m.start = in.base + int64(in.p)
		in.p++
		if op == opStop {
			return m.stop()
		}
		if err := m.step(op); err != nil {
			return Absent, m.wrap(err)
		}
	}
}

// step runs one opcode, whose byte has been read.
func (m *Machine) step(op byte) error {
	switch op {
	case opBinGet, opLongBinGet:
		m.in.p--
		return m.gets()
	case opMemoize:
		v, err := m.top()
		if err != nil {
			return err
		}
		return m.h.memoSet(m.h.memo.count, v)
	case opMark:
		if len(m.marks) >= m.MaxDepth {
			return m.fail(ErrDepth, "nested more than %d deep", m.MaxDepth)
		}
		m.marks = append(m.marks, m.sp)
		m.Cost += 300
		return nil
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
	}
	return m.rare(op)
}

// ErrDepth is the cause when containers are nested too deep.
var ErrDepth = errors.New("too deeply nested")

const tickBytes = 1 << 20

// refill gets more bytes if few are left, calls Tick, and returns the position
// at which it wants to be called again.
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

// setItems is SETITEMS: a dict, a mark, keys and values.
func (m *Machine) setItems() error {
	at, err := m.popMark()
	if err != nil {
		return err
	}
	if at <= m.fence() {
		return m.underflow()
	}
	if (m.sp-at)&1 != 0 {
		return m.fail(nil, "a key without its value")
	}
	d := m.stack[at-1]
	if !d.IsDict() {
		m.sp = at
		return m.onto(d, "items set on what is no dict")
	}
	m.h.shapes.emptied = Absent
	v, err := m.h.SetItems(d, m.under(at-1), m.stack[at:m.sp], !m.Refilled)
	if v.tag() == tagRecord {
		m.learn(m.stack[at:m.sp])
	}
	m.stack[at-1] = v
	m.sp = at
	return m.lenient(err)
}

// under is the value below position at, if it belongs to the same container:
// the key, when a dict is being filled.
func (m *Machine) under(at int) Value {
	for at > m.fence() && m.stack[at-1] == typeTag {
		at--
	}
	if at <= m.fence() {
		return Absent
	}
	return m.stack[at-1]
}

// onto decides what happens when items are added to v, which is no container
// of the heap.
func (m *Machine) onto(v Value, what string) error {
	switch {
	case v.tag() == tagRecord:
		if m.Lenient {
			return nil
		}
		return ErrMutated
	case v == Opaque:
		return nil
	}
	return m.fail(nil, "%s", what)
}

// appends is APPENDS: a list, a mark, items.
func (m *Machine) appends() error {
	at, err := m.popMark()
	if err != nil {
		return err
	}
	if at <= m.fence() {
		return m.underflow()
	}
	l := m.stack[at-1]
	if l.tag() != tagList {
		m.sp = at
		return m.onto(l, "items appended to what is no list")
	}
	err = m.h.Append(l, m.stack[at:m.sp])
	m.sp = at
	return m.lenient(err)
}

func (m *Machine) tuple(n int) error {
	at := m.sp - n
	if at < m.fence() {
		return m.underflow()
	}
	if in := &m.in; n == 2 && at > m.fence() && m.stack[at-1] == typeTag && in.p < len(in.buf) && in.buf[in.p] == opReduce {
		in.p++ // the tagged value itself; it is in no tuple really
		m.stack[at-1] = m.h.Resolve(m.stack[at])
		m.sp = at
		return nil
	}
	v, err := m.h.Tuple(m.stack[at:m.sp])
	if err != nil {
		return err
	}
	m.sp = at
	return m.push(v)
}

// stop is STOP. A pickle whose STOP leaves anything else on the stack was
// not written so.
func (m *Machine) stop() (Value, error) {
	if len(m.marks) > 0 || m.sp != 1 {
		m.in.p--
		return Absent, m.fail(nil, "the pickle stops in the middle of something")
	}
	return m.h.Resolve(m.stack[0]), nil
}

// Put, Begin and End let other formats of the same shape build the same
// values, so that limits and salvage hold for them as well.

// Put pushes a value.
func (m *Machine) Put(v Value) error { return m.wrap(m.push(v)) }

// Begin opens a list or a dict.
func (m *Machine) Begin(dict bool) error {
	if len(m.marks) >= m.MaxDepth {
		return m.fail(ErrDepth, "nested more than %d deep", m.MaxDepth)
	}
	v := Absent
	if dict {
		v = m.h.NewDict()
	} else {
		v = m.h.NewList()
	}
	err := m.push(v)
	m.marks = append(m.marks, m.sp)
	return err
}

// Flush adds what has been put into an open list so far.
func (m *Machine) Flush() error {
	err := m.appends()
	m.marks = append(m.marks, m.sp)
	return m.wrap(err)
}

// End closes the innermost list or dict.
func (m *Machine) End(dict bool) error {
	if dict {
		return m.wrap(m.setItems())
	}
	return m.wrap(m.appends())
}

// Root is the one value on the stack at the end.
func (m *Machine) Root() (Value, error) { return m.stop() }

// At sets the offset that errors name.
func (m *Machine) At(offset int64) { m.start = offset }
