package pickle

import "errors"

// A Handler takes the dicts it knows out of the heap while a file is read.
type Handler interface {
	// Dict is given the keys and values of a complete dict, in turns. It returns the record that replaces the dict
	// from now on, or Absent to leave it in the heap. parentKey is the key of the dict in another dict, or any
	// other value if it is not in one. Dict must not keep pairs, and may be called again for a dict that it left.
	Dict(h *Heap, parentKey Value, pairs []Value) (Value, error)
}

// ErrMutated is the cause when a container changes after another one or the handler has used it, which only files
// with cycles do.
var ErrMutated = errors.New("a container changes after its use")

// ErrMemory is the cause when the heap's budget is exhausted.
var ErrMemory = errors.New("the memory limit is reached")

// A Heap holds the values of one file: strings interned by content, and the lists and dicts that no handler took.
type Heap struct {
	// Progress, when not nil, tells what share of the file has been read, 0 when that is unknown.
	Progress func() float64

	handler Handler
	lenient bool // containers may change after their use

	strs     []string
	stringID map[string]uint32

	wide   []uint64 // integers that do not fit into a Value
	floats []uint64 // their bits

	lists     []list
	freeLists []uint32
	dicts     []dict
	freeDicts []uint32

	memo   memo
	stacks stackCache
	shapes shapes

	budget int64 // bytes left, which Charge takes from
}

// NewHeap makes a heap. The strings of known get the ids 0, 1, 2… in turn; budget bounds the bytes it and its
// handler may [Heap.Charge].
func NewHeap(handler Handler, known []string, budget int64) *Heap {
	h := &Heap{handler: handler, stringID: map[string]uint32{}, budget: budget}
	if s, ok := handler.(ShapeHandler); ok {
		h.shapes.handler = s
	}
	for i, s := range known {
		if v := h.String([]byte(s)); uint32(v) != uint32(i) {
			panic("pickle: the same known string twice: " + s)
		}
	}
	return h
}

// Charge takes n bytes off the budget. It returns ErrMemory once nothing is left.
func (h *Heap) Charge(n int) error {
	h.budget -= int64(n)
	if h.budget < 0 {
		return ErrMemory
	}
	return nil
}

// String makes a string, equal ones with equal ids. It copies b.
func (h *Heap) String(b []byte) Value {
	id, ok := h.stringID[string(b)]
	if !ok {
		id = uint32(len(h.strs))
		s := string(b)
		h.strs = append(h.strs, s)
		h.stringID[s] = id
		h.budget -= int64(len(b)) + 64
	}
	return StringValue(id)
}

// Bytes makes a bytes object.
func (h *Heap) Bytes(b []byte) Value { return h.String(b) | 1<<32 }

// Text returns the string or bytes with the given id.
func (h *Heap) Text(id uint32) string { return h.strs[id] }

// Strings is the number of different strings.
func (h *Heap) Strings() int { return len(h.strs) }
