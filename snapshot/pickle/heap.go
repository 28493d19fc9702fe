package pickle

import "errors"

// A Handler takes the dicts it knows out of the heap while a file is read.
type Handler interface {
	// Dict is given the keys and values of a complete dict, in turns. It returns the record that replaces the dict
	// from now on, or Absent to leave it in the heap. parentKey is the key of the dict in another dict, or any
	// other value if it is not in one. Dict must not keep pairs, and may be called again for a dict that it left.
	// What it keeps it charges by [Heap.Spend].
	Dict(h *Heap, parentKey Value, pairs []Value) Value
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

	handler  Handler
	refilled bool // containers may change after their use

	strs     []string
	stringID map[string]uint32

	wide   []uint64 // integers that do not fit into a Value
	floats []uint64 // their bits

	lists     []list
	freeLists []uint32
	dicts     []dict
	freeDicts []uint32

	memo   memo
	dtypes []Dtype
	stacks stackCache
	shapes shapes

	budget int64 // bytes left; negative once all are spent
}

// NewHeap makes a heap. The strings of known get the ids 0, 1, 2… in turn; budget bounds the bytes it and its
// handler may [Heap.Spend].
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

// Spend takes n bytes off the budget. A Machine ends with ErrMemory after the opcode that spends the last.
func (h *Heap) Spend(n int) { h.budget = max(h.budget-int64(n), -1) }

// Charge is Spend for what is about to be allocated. It returns ErrMemory once nothing is left.
func (h *Heap) Charge(n int) error {
	h.Spend(n)
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
		h.Spend(len(b) + 64)
	}
	return StringValue(id)
}

// Bytes makes a bytes object.
func (h *Heap) Bytes(b []byte) Value { return h.String(b) | 1<<32 }

// Text returns the string or bytes with the given id.
func (h *Heap) Text(id uint32) string { return h.strs[id] }

// Strings is the number of different strings.
func (h *Heap) Strings() int { return len(h.strs) }

// A Growth remembers how a slice grows while a file is read: its length, and the share of the file that had been
// read, the last time it grew.
type Growth struct {
	n    int
	done float64
}

// Estimate says to what length a slice of n items should grow, if items of size bytes keep coming as they did since
// the last time. It trusts no number in the file, and asks for no more than 64 times of few items, nor for more than a
// quarter of the budget that is left. The rate of many items is trusted: to grow once more near the end of a giant
// would need its memory twice.
func (h *Heap) Estimate(g *Growth, n, size int) int {
	done := 0.0
	if h.Progress != nil {
		done = h.Progress()
	}
	before := *g
	*g = Growth{n, done}
	if n < 4096 {
		return 4096
	}
	more := float64(n) / 2
	if done > before.done && n > before.n {
		rate := float64(n-before.n) / (done - before.done)
		if more = rate * (1 - done) * 1.02; n < 100_000 {
			more = min(more, 63*float64(n))
		}
	}
	more = min(more, float64(max(h.budget, 0)/4)/float64(size))
	return n + max(int(more), n/8) + 1024
}
