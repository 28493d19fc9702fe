package pickle

import (
	"encoding/binary"
	"math"
	"slices"
)

// A Dtype is the type of a number of numpy.
type Dtype struct {
	Name      string // its kind and its size in bytes, such as "i8"
	BigEndian bool
}

// Number reads the bytes of a number as [Heap.Num] returns it: NotNum if the type is none, or they do not fit it.
func (d Dtype) Number(b []byte) (bits uint64, kind NumKind) {
	if len(d.Name) != 2 || len(b) != int(d.Name[1]-'0') || len(b) == 0 || len(b) > 8 {
		return 0, NotNum
	}
	word := make([]byte, 8) // little-endian
	copy(word, b)
	if d.BigEndian {
		slices.Reverse(word[:len(b)])
	}
	u := binary.LittleEndian.Uint64(word)
	switch d.Name[0] {
	case 'i':
		unused := 64 - 8*len(b)
		return uint64(int64(u<<unused) >> unused), IntNum
	case 'u', 'b':
		return u, UintNum
	case 'f':
		switch len(b) {
		case 4:
			return math.Float64bits(float64(math.Float32frombits(uint32(u)))), FloatNum
		case 8:
			return u, FloatNum
		}
	}
	return 0, NotNum
}

// dtype is the value of a type of numpy, made of its name.
func (h *Heap) dtype(args Value) Value {
	if h.Len(args) == 0 {
		return Opaque
	}
	name, ok := h.At(args, 0).IsString()
	if !ok {
		return Opaque
	}
	h.Spend(32)
	h.dtypes = append(h.dtypes, Dtype{Name: h.strs[name]})
	return firstDtype + Value(len(h.dtypes)-1)
}

// asDtype is the type that a value stands for, nil if it is none.
func (h *Heap) asDtype(v Value) *Dtype {
	if v.tag() != tagPlain || v < firstDtype {
		return nil
	}
	return &h.dtypes[v-firstDtype]
}

// scalar is a number of numpy, made of its type and bytes; Opaque if they are none.
func (h *Heap) scalar(args Value) Value {
	if h.Len(args) != 2 {
		return Opaque
	}
	d := h.asDtype(h.At(args, 0))
	bytes, ok := h.At(args, 1).IsString()
	if d == nil || !ok {
		return Opaque
	}
	switch bits, kind := d.Number([]byte(h.strs[bytes])); kind {
	case IntNum:
		return h.Int(int64(bits))
	case UintNum:
		return h.Uint(bits)
	case FloatNum:
		return h.Float(math.Float64frombits(bits))
	}
	return Opaque
}

// buildDtype is BUILD of a type of numpy, whose state says its byte order. It returns false if it is none.
func (m *Machine) buildDtype() bool {
	if m.sp-2 < m.fence() {
		return false
	}
	d := m.h.asDtype(m.stack[m.sp-2])
	if d == nil {
		return false
	}
	if m.h.Len(m.stack[m.sp-1]) > 1 {
		order, ok := m.h.At(m.stack[m.sp-1], 1).IsString()
		d.BigEndian = ok && m.h.strs[order] == ">"
	}
	m.sp--
	return true
}
