package pickle

import "fmt"

const (
	memoBits  = 14
	memoChunk = 1 << memoBits
	// memoAhead is how far beyond the densely filled part an index may lie
	// and still get a slot in the chunks; anything wilder goes into a map, so
	// that a five-byte opcode cannot claim gigabytes.
	memoAhead = 1 << 16
)

// memo maps the indices of MEMOIZE and PUT to values. Writers number them
// 0, 1, 2…, so it is an array, in chunks because it grows to millions.
type memo struct {
	chunks []*[memoChunk]Value
	count  uint32 // number of indices in use, and the index of the next MEMOIZE
	sparse map[uint32]Value
}

func (m *memo) get(i uint32) Value {
	if c := i >> memoBits; int(c) < len(m.chunks) {
		if v := m.chunks[c][i&(memoChunk-1)]; v != Absent {
			return v
		}
	}
	return m.sparse[i]
}

func (m *memo) replace(i uint32, old, v Value) {
	if c := i >> memoBits; int(c) < len(m.chunks) {
		if p := &m.chunks[c][i&(memoChunk-1)]; *p == old {
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
	c := int(i >> memoBits)
	if c >= len(m.chunks) {
		if i > m.count+memoAhead {
			if m.sparse == nil {
				m.sparse = map[uint32]Value{}
			}
			if m.sparse[i] == Absent {
				m.count++
			}
			m.sparse[i] = v
			return h.Charge(40)
		}
		for c >= len(m.chunks) {
			if err := h.Charge(memoChunk * 8); err != nil {
				return err
			}
			m.chunks = append(m.chunks, new([memoChunk]Value))
		}
	}
	p := &m.chunks[c][i&(memoChunk-1)]
	if *p == Absent && (m.sparse == nil || m.sparse[i] == Absent) {
		m.count++
	}
	*p = v
	return nil
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
