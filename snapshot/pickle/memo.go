package pickle

import "fmt"

// memoAhead is how far beyond the number of entries an index may lie and still
// get a place in the array; anything wilder goes into a map, so that a
// five-byte opcode cannot claim gigabytes.
const memoAhead = 1 << 16

// memo maps the indices of MEMOIZE and PUT to values. Writers number them
// 0, 1, 2…, so it is an array.
type memo struct {
	array  []Value // Absent where nothing is stored
	count  uint32  // number of indices in use, and the index of the next MEMOIZE
	sparse map[uint32]Value
	gaps   bool // an index was used before a lower one
	growth Growth
}

func (m *memo) get(i uint32) Value {
	if uint64(i) < uint64(len(m.array)) {
		if v := m.array[i]; v != Absent {
			return v
		}
	}
	return m.sparse[i]
}

func (m *memo) replace(i uint32, old, v Value) {
	if uint64(i) < uint64(len(m.array)) {
		if p := &m.array[i]; *p == old {
			*p = v
			return
		}
	}
	if m.sparse[i] == old {
		m.sparse[i] = v
	}
}

// memoSet stores v under index i.
func (h *Heap) memoSet(i uint32, v Value) error {
	m := &h.memo
	h.remember(i, v)
	if uint64(i) >= uint64(len(m.array)) {
		if i > m.count+memoAhead {
			return h.memoSparse(i, v)
		}
		n := max(h.Estimate(&m.growth, len(m.array), 8), int(i)+1)
		if err := h.Charge((n - len(m.array)) * 8); err != nil {
			return err
		}
		if h.budget < int64(len(m.array))*8 { // while it is copied, it is there twice
			return ErrMemory
		}
		m.array = Grow(m.array, n)
	}
	m.gaps = m.gaps || i > m.count
	p := &m.array[i]
	if *p == Absent && (m.sparse == nil || m.sparse[i] == Absent) {
		m.count++
	} else {
		h.overwritten()
	}
	*p = v
	return nil
}

// overwritten notes that a memo entry is stored twice: what gets fetched once
// they may not fetch again.
func (h *Heap) overwritten() {
	h.runs.stop()
	h.shapes.stencils.all, h.shapes.stencils.latest = nil, nil
}

// remember notes at a container under which index it is stored.
func (h *Heap) remember(i uint32, v Value) {
	switch v.tag() {
	case tagList:
		if l := &h.lists[v&payloadMask]; l.memo == 0 {
			l.memo = i + 1
		} else {
			l.shared = true
		}
	case tagDict:
		if d := &h.dicts[v&payloadMask]; d.memo == 0 {
			d.memo = i + 1
		} else {
			d.shared = true
		}
	}
}

func (h *Heap) memoSparse(i uint32, v Value) error {
	m := &h.memo
	if m.sparse == nil {
		m.sparse = map[uint32]Value{}
	}
	if m.sparse[i] == Absent {
		m.count++
	} else {
		h.overwritten()
	}
	m.sparse[i] = v
	return h.Charge(40)
}

// memoGet returns the value stored under index i and notes that it is shared.
func (h *Heap) memoGet(i uint32) (Value, error) {
	v := h.memo.get(i)
	if v == Absent {
		return v, fmt.Errorf("nothing is stored under memo index %d", i)
	}
	h.share(v)
	return v, nil
}
