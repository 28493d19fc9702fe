package pickle

import (
	"fmt"
	"strconv"

	"strata/snapshot/hugepages"
)

// memoAhead is how far beyond the number of entries an index may lie, so that a five-byte opcode cannot claim
// gigabytes.
const memoAhead = 1 << 16

// memo maps the indices of MEMOIZE and PUT to values. Writers number them 0, 1, 2…, so it is an array.
type memo struct {
	array  []Value // Absent where nothing is stored
	count  uint32  // number of indices in use, and the index of the next MEMOIZE
	gaps   bool    // an index was used before a lower one
	growth Growth
}

func (m *memo) get(i uint32) Value {
	if uint64(i) < uint64(len(m.array)) {
		return m.array[i]
	}
	return Absent
}

func (m *memo) replace(i uint32, old, v Value) {
	if m.array[i] == old {
		m.array[i] = v
	}
}

// memoSet stores v under index i.
func (h *Heap) memoSet(i uint32, v Value) error {
	m := &h.memo
	if r := h.holdersOf(v); r != nil {
		if r.memo == 0 {
			r.memo = i + 1
		} else {
			r.shared = true
		}
	}
	if uint64(i) >= uint64(len(m.array)) {
		if i > m.count+memoAhead {
			return fmt.Errorf("the memo index %d is out of turn", i)
		}
		if err := h.growMemo(i); err != nil {
			return err
		}
	}
	m.gaps = m.gaps || i > m.count
	p := &m.array[i]
	if *p == Absent {
		m.count++
	} else {
		h.stacks.stop()
	}
	*p = v
	return nil
}

// growMemo makes the array long enough for index i.
func (h *Heap) growMemo(i uint32) error {
	m := &h.memo
	n := max(h.Estimate(&m.growth, len(m.array), 8), int(i)+1)
	if err := h.Charge((n - len(m.array)) * 8); err != nil {
		return err
	}
	if h.budget < int64(len(m.array))*8 { // it exists twice while it is copied
		return ErrMemory
	}
	var fresh hugepages.Fresh
	m.array = hugepages.Grow(&fresh, m.array, n)
	fresh.Prepare()
	return nil
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

// get runs GET, BINGET and LONG_BINGET: most of a snapshot's opcodes.
func (m *Machine) get(op byte) error {
	i, err := m.memoIndex(op)
	if err != nil {
		return err
	}
	v := m.h.memo.get(i)
	if v == Absent {
		return fmt.Errorf("nothing is stored under memo index %d", i)
	}
	return m.push(m.h.Share(v))
}

// memoIndex reads the argument of a get or a put.
func (m *Machine) memoIndex(op byte) (uint32, error) {
	switch op {
	case opBinPut, opBinGet:
		i, err := m.in.uint(1)
		return uint32(i), err
	case opLongBinPut, opLongBinGet:
		i, err := m.in.uint(4)
		return uint32(i), err
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
