package pickle

import (
	"errors"
	"hash/maphash"
)

// A Handler takes the dicts it knows out of the heap while a file is read.
type Handler interface {
	// Dict is given the keys and values of a dict that is complete, in turns.
	// It returns the record that stands for the dict from now on, or Absent
	// to leave it in the heap. under is the key under which the dict lies in
	// another dict, or any other value if it lies elsewhere. Dict must not
	// keep pairs, and may be called again for a dict that it left.
	Dict(h *Heap, under Value, pairs []Value) (Value, error)
}

// ErrMutated is returned when a container changes after something else has
// looked at it, which only files with cycles do.
var ErrMutated = errors.New("a container changes after its use")

// ErrMemory is returned when the heap's budget is exhausted.
var ErrMemory = errors.New("the memory limit is reached")

// A Heap holds the values of one file: strings interned by content, and the
// lists and dicts that no handler took.
type Heap struct {
	// Progress, when not nil, tells what share of the file has been read, 0
	// when that is unknown.
	Progress func() float64

	handler Handler
	lenient bool // containers may change after their use

	strs     []string
	strHash  []uint32
	strTable []uint32 // open addressing, id+1
	seed     maphash.Seed

	wide   numbers
	floats numbers

	lists     []list
	freeLists []uint32
	dicts     []dict
	freeDicts []uint32

	memo   memo
	runs   runCache
	shapes shapes

	budget int64 // bytes left; see Charge
}

type list struct {
	elems    []Value
	first    Value // run: the first record, when elems is nil and n > 0
	n        int
	sealed   Value
	memo     uint32 // memo index + 1 of its first memo entry
	shared   bool   // somebody beside the stack and that memo entry has it
	consumed bool   // another container holds it
	tuple    bool
}

type dict struct {
	pairs    []Value
	sealed   Value
	memo     uint32
	shared   bool
	consumed bool
}

// NewHeap makes a heap. The strings of known get the ids 0, 1, 2… in turn;
// budget bounds the bytes it and its handler may [Heap.Charge].
func NewHeap(handler Handler, known []string, budget int64) *Heap {
	h := &Heap{handler: handler, seed: maphash.MakeSeed(), budget: budget}
	h.strTable = make([]uint32, 1024)
	if s, ok := handler.(ShapeHandler); ok {
		h.shapes.handler, h.shapes.slots = s, s.Slots()
	}
	for i, s := range known {
		if v := h.String([]byte(s)); uint32(v) != uint32(i) {
			panic("pickle: the same known string twice: " + s)
		}
	}
	return h
}

// Charge takes n bytes off the budget.
func (h *Heap) Charge(n int) error {
	h.budget -= int64(n)
	if h.budget < 0 {
		return ErrMemory
	}
	return nil
}

// String makes a string, equal ones with equal ids. It copies b.
func (h *Heap) String(b []byte) Value {
	hash := uint32(maphash.Bytes(h.seed, b))
	m := uint32(len(h.strTable) - 1)
	i := hash & m
	for h.strTable[i] != 0 {
		id := h.strTable[i] - 1
		if h.strHash[id] == hash && h.strs[id] == string(b) {
			return tagString<<tagShift | Value(id)
		}
		i = (i + 1) & m
	}
	id := uint32(len(h.strs))
	h.budget -= int64(len(b)) + 32
	h.strs = append(h.strs, string(b))
	h.strHash = append(h.strHash, hash)
	h.strTable[i] = id + 1
	if len(h.strs)*2 > len(h.strTable) {
		h.growStrings()
	}
	return tagString<<tagShift | Value(id)
}

func (h *Heap) growStrings() {
	t := make([]uint32, len(h.strTable)*2)
	m := uint32(len(t) - 1)
	for id, hash := range h.strHash {
		i := hash & m
		for t[i] != 0 {
			i = (i + 1) & m
		}
		t[i] = uint32(id) + 1
	}
	h.strTable = t
}

// Bytes makes a bytes object.
func (h *Heap) Bytes(b []byte) Value { return h.String(b) | 1<<32 }

// Text returns the content of the string id.
func (h *Heap) Text(id uint32) string { return h.strs[id] }

// Strings is the number of different strings.
func (h *Heap) Strings() int { return len(h.strs) }

// NewList makes an empty list.
func (h *Heap) NewList() Value {
	if n := len(h.freeLists); n > 0 {
		i := h.freeLists[n-1]
		h.freeLists = h.freeLists[:n-1]
		return tagList<<tagShift | Value(i)
	}
	h.budget -= listBytes
	h.lists = append(h.lists, list{})
	return tagList<<tagShift | Value(len(h.lists)-1)
}

// NewDict makes an empty dict.
func (h *Heap) NewDict() Value {
	if n := len(h.freeDicts); n > 0 {
		i := h.freeDicts[n-1]
		h.freeDicts = h.freeDicts[:n-1]
		return tagDict<<tagShift | Value(i)
	}
	h.budget -= dictBytes
	h.dicts = append(h.dicts, dict{})
	return tagDict<<tagShift | Value(len(h.dicts)-1)
}

// Tuple makes a tuple.
func (h *Heap) Tuple(items []Value) (Value, error) {
	if len(items) == 2 {
		if v := pair(items[0], items[1]); v != Absent {
			return v, nil
		}
	}
	v := h.NewList()
	if err := h.Append(v, items); err != nil {
		return v, err
	}
	h.lists[v&payloadMask].tuple = true
	return v, nil
}

// Append adds items to a list.
func (h *Heap) Append(v Value, items []Value) error {
	l := &h.lists[v&payloadMask]
	if l.consumed && !h.lenient || l.tuple || l.sealed != Absent {
		return ErrMutated
	}
	for i, x := range items {
		if t := x.tag(); t == tagDict || t == tagList {
			r, err := h.consume(x, Absent)
			if err != nil {
				return err
			}
			items[i] = r
		}
	}
	l = &h.lists[v&payloadMask]
	if l.consumed && !h.lenient || l.sealed != Absent { // it contains itself
		return ErrMutated
	}
	if len(items) == 0 {
		return nil
	}
	if len(l.elems) == 0 {
		if h.extendRun(l, items) {
			return nil
		}
		for i := range l.n {
			l.elems = append(l.elems, l.first+Value(i))
		}
	}
	before := cap(l.elems)
	l.elems = append(l.elems, items...)
	l.n = len(l.elems)
	return h.Charge(8 * (cap(l.elems) - before))
}

// extendRun adds items to l as a run of records, if they are one.
func (h *Heap) extendRun(l *list, items []Value) bool {
	const runs = tagRecord<<tagShift | RunClass<<52
	first := l.first
	if l.n == 0 {
		first = items[0]
	}
	if first < runs || first.tag() != tagRecord {
		return false
	}
	next := first + Value(l.n)
	for _, x := range items {
		if x != next {
			return false
		}
		next++
	}
	l.first = first
	l.n += len(items)
	return true
}

// SetItems adds keys and values, in turns, to a dict, and returns the dict or
// the record that stands for it now. complete says that no more are expected,
// so that the handler may take the dict at once; under is for the handler.
func (h *Heap) SetItems(v, under Value, pairs []Value, complete bool) (Value, error) {
	d := &h.dicts[v&payloadMask]
	if d.consumed && !h.lenient || d.sealed != Absent {
		return v, ErrMutated
	}
	for i, x := range pairs {
		if t := x.tag(); t == tagDict || t == tagList {
			under := Absent
			if i&1 == 1 {
				under = pairs[i-1]
			}
			r, err := h.consume(x, under)
			if err != nil {
				return v, err
			}
			pairs[i] = r
		}
	}
	d = &h.dicts[v&payloadMask]
	if d.consumed && !h.lenient || d.sealed != Absent { // it contains itself
		return v, ErrMutated
	}
	if complete && len(d.pairs) == 0 {
		rec, err := h.handler.Dict(h, under, pairs)
		if err != nil {
			return v, err
		}
		if rec != Absent {
			h.sealDict(v, rec)
			return rec, nil
		}
		d = &h.dicts[v&payloadMask]
	}
	before := cap(d.pairs)
	d.pairs = append(d.pairs, pairs...)
	return v, h.Charge(8 * (cap(d.pairs) - before))
}

// consume is called when a container becomes part of another, and returns
// what stands for it.
func (h *Heap) consume(v, under Value) (Value, error) {
	i := v & payloadMask
	if v.tag() == tagList {
		l := &h.lists[i]
		if l.sealed != Absent {
			return l.sealed, nil
		}
		l.consumed = true
		return v, nil
	}
	d := &h.dicts[i]
	if d.sealed != Absent {
		return d.sealed, nil
	}
	if d.consumed {
		return v, nil
	}
	d.consumed = true
	if len(d.pairs) == 0 {
		return v, nil
	}
	rec, err := h.handler.Dict(h, under, d.pairs)
	if err != nil || rec == Absent {
		return v, err
	}
	h.sealDict(v, rec)
	return rec, nil
}

// sealDict replaces a dict by a record.
func (h *Heap) sealDict(v, rec Value) {
	d := &h.dicts[v&payloadMask]
	if d.memo != 0 {
		h.memo.replace(d.memo-1, v, rec)
	}
	if d.shared {
		*d = dict{sealed: rec}
		return
	}
	*d = dict{pairs: d.pairs[:0]}
	h.freeDicts = append(h.freeDicts, uint32(v&payloadMask))
}

// SealDict replaces the dict v by a record.
func (h *Heap) SealDict(v, rec Value) {
	if v.tag() == tagDict {
		h.shapes.became(v, rec, len(h.dicts[v&payloadMask].pairs)/2)
		h.sealDict(v, rec)
	}
}

// SealList replaces the list v by a record.
func (h *Heap) SealList(v, rec Value) {
	if v.tag() != tagList {
		return
	}
	l := &h.lists[v&payloadMask]
	h.runs.sealed(v, rec, l.n)
	if l.n == 0 {
		h.shapes.emptied, h.shapes.empty = v, rec
	}
	if l.memo != 0 {
		h.memo.replace(l.memo-1, v, rec)
	}
	if l.shared {
		*l = list{sealed: rec}
		return
	}
	*l = list{elems: l.elems[:0]}
	h.freeLists = append(h.freeLists, uint32(v&payloadMask))
}

// fresh reports whether there is an empty list at position at of the stack
// that nothing else contains.
func (h *Heap) fresh(stack []Value, at int) bool {
	if at < 0 || stack[at].tag() != tagList {
		return false
	}
	l := &h.lists[stack[at]&payloadMask]
	return l.n == 0 && !l.consumed && !l.tuple && l.sealed == Absent
}

// Resolve returns the record that stands for v, or v.
func (h *Heap) Resolve(v Value) Value {
	var r Value
	switch v.tag() {
	case tagList:
		r = h.lists[v&payloadMask].sealed
	case tagDict:
		r = h.dicts[v&payloadMask].sealed
	}
	if r != Absent {
		return r
	}
	return v
}

// share notes that v is held by one more than the stack and its memo entry.
func (h *Heap) share(v Value) {
	switch v.tag() {
	case tagList:
		h.lists[v&payloadMask].shared = true
	case tagDict:
		h.dicts[v&payloadMask].shared = true
	}
}

// Len is the number of items of a list or tuple.
func (h *Heap) Len(v Value) int {
	switch v.tag() {
	case tagPair:
		return 2
	case tagList:
		return h.lists[v&payloadMask].n
	}
	return 0
}

// At returns item i of a list or tuple.
func (h *Heap) At(v Value, i int) Value {
	if v.tag() == tagPair {
		return tagInt<<tagShift | v>>(28*(1-i))&(1<<28-1)
	}
	l := &h.lists[v&payloadMask]
	if len(l.elems) > 0 {
		return l.elems[i]
	}
	return l.first + Value(i)
}

// Items returns the items of a list that is no run and no pair, else nil.
func (h *Heap) Items(v Value) []Value {
	if v.tag() != tagList {
		return nil
	}
	return h.lists[v&payloadMask].elems
}

// Run returns the first record and the number of a list that is a run.
func (h *Heap) Run(v Value) (first Value, n int, ok bool) {
	if v.tag() != tagList {
		return Absent, 0, false
	}
	l := &h.lists[v&payloadMask]
	return l.first, l.n, l.n > 0 && len(l.elems) == 0
}

// Pairs returns the keys and values of a dict, in turns. A key may occur
// twice; the later one counts.
func (h *Heap) Pairs(v Value) []Value {
	if v.tag() != tagDict {
		return nil
	}
	return h.dicts[v&payloadMask].pairs
}

// Share notes that the caller keeps v beside the place it puts it in, and
// returns what stands for v now.
func (h *Heap) Share(v Value) Value {
	h.share(v)
	return h.Resolve(v)
}
