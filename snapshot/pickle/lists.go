package pickle

// A list is a Python list or tuple.
type list struct {
	holders
	elems []Value
	first Value // of a run: the first record, when elems is nil and n > 0
	n     int
	tuple bool
}

type dict struct {
	holders
	pairs []Value // keys and values, in turns
}

// holders is what is known of who has a list or a dict.
type holders struct {
	sealed   Value  // the record that replaced it
	memo     uint32 // memo index + 1 of its first memo entry
	shared   bool   // somebody beside the stack and that memo entry has it
	consumed bool   // another container has it
}

// NewList makes an empty list.
func (h *Heap) NewList() Value {
	if n := len(h.freeLists); n > 0 {
		i := h.freeLists[n-1]
		h.freeLists = h.freeLists[:n-1]
		return tagList<<tagShift | Value(i)
	}
	h.Spend(listBytes)
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
	h.Spend(dictBytes)
	h.dicts = append(h.dicts, dict{})
	return tagDict<<tagShift | Value(len(h.dicts)-1)
}

// Tuple makes a tuple. It may return ErrMemory.
func (h *Heap) Tuple(items []Value) (Value, error) {
	if len(items) == 2 {
		if v := pair(items[0], items[1]); v != Absent {
			return v, nil
		}
	}
	v := h.NewList()
	err := h.Append(v, items)
	h.lists[v&payloadMask].tuple = true
	return v, err
}

// Append adds items to a list. It returns ErrMutated if the list was used before, or ErrMemory.
func (h *Heap) Append(v Value, items []Value) error {
	l := &h.lists[v&payloadMask]
	if l.consumed && !h.refilled || l.tuple || l.sealed != Absent {
		return ErrMutated
	}
	for i, x := range items {
		if t := x.tag(); t == tagDict || t == tagList {
			items[i] = h.consume(x, Absent)
		}
	}
	l = &h.lists[v&payloadMask]
	if l.consumed && !h.refilled || l.sealed != Absent { // it contains itself
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

// SetItems adds keys and values, in turns, to a dict, and returns the dict or the record that replaced it. complete
// says that no more are expected, so that the handler may take the dict at once; parentKey is for the handler. It
// returns ErrMutated if the dict was used before, or ErrMemory.
func (h *Heap) SetItems(v, parentKey Value, pairs []Value, complete bool) (Value, error) {
	d := &h.dicts[v&payloadMask]
	if d.consumed && !h.refilled || d.sealed != Absent {
		return v, ErrMutated
	}
	for i, x := range pairs {
		if t := x.tag(); t == tagDict || t == tagList {
			key := Absent
			if i&1 == 1 {
				key = pairs[i-1]
			}
			pairs[i] = h.consume(x, key)
		}
	}
	d = &h.dicts[v&payloadMask]
	if d.consumed && !h.refilled || d.sealed != Absent { // it contains itself
		return v, ErrMutated
	}
	if complete && len(d.pairs) == 0 {
		if rec := h.handler.Dict(h, parentKey, pairs); rec != Absent {
			h.SealDict(v, rec)
			return rec, nil
		}
		d = &h.dicts[v&payloadMask]
	}
	before := cap(d.pairs)
	d.pairs = append(d.pairs, pairs...)
	return v, h.Charge(8 * (cap(d.pairs) - before))
}

// consume is called when a container becomes part of another. It returns the container, or the record that replaced
// it.
func (h *Heap) consume(v, parentKey Value) Value {
	i := v & payloadMask
	if v.tag() == tagList {
		l := &h.lists[i]
		if l.sealed != Absent {
			return l.sealed
		}
		l.consumed = true
		return v
	}
	d := &h.dicts[i]
	if d.sealed != Absent {
		return d.sealed
	}
	if d.consumed || len(d.pairs) == 0 {
		d.consumed = true
		return v
	}
	d.consumed = true
	rec := h.handler.Dict(h, parentKey, d.pairs)
	if rec == Absent {
		return v
	}
	h.SealDict(v, rec)
	return rec
}

// SealDict replaces the dict v by a record, for everybody who has it.
func (h *Heap) SealDict(v, rec Value) {
	d := &h.dicts[v&payloadMask]
	if d.memo != 0 {
		h.memo.replace(d.memo-1, v, rec)
	}
	if d.shared {
		*d = dict{holders: holders{sealed: rec}}
		return
	}
	*d = dict{pairs: d.pairs[:0]}
	h.freeDicts = append(h.freeDicts, uint32(v&payloadMask))
}

// SealList replaces the list v by a record, for everybody who has it.
func (h *Heap) SealList(v, rec Value) {
	if v.tag() != tagList { // a pair in one value, which nothing replaces
		return
	}
	l := &h.lists[v&payloadMask]
	h.stacks.sealed(v, rec, l.n)
	if l.memo != 0 {
		h.memo.replace(l.memo-1, v, rec)
	}
	if l.shared {
		*l = list{holders: holders{sealed: rec}}
		return
	}
	*l = list{elems: l.elems[:0]}
	h.freeLists = append(h.freeLists, uint32(v&payloadMask))
}

// fresh reports whether v is an empty list that nothing else contains.
func (h *Heap) fresh(v Value) bool {
	if v.tag() != tagList {
		return false
	}
	l := &h.lists[v&payloadMask]
	return l.n == 0 && !l.consumed && !l.tuple && l.sealed == Absent
}

// Resolve returns the record that replaced v, or v.
func (h *Heap) Resolve(v Value) Value {
	if r := h.holdersOf(v); r != nil && r.sealed != Absent {
		return r.sealed
	}
	return v
}

// holdersOf returns what is known of who has a list or a dict, nil for other values.
func (h *Heap) holdersOf(v Value) *holders {
	switch v.tag() {
	case tagList:
		return &h.lists[v&payloadMask].holders
	case tagDict:
		return &h.dicts[v&payloadMask].holders
	}
	return nil
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

// Items returns the items of a list that is no run and no pair of numbers, else nil.
func (h *Heap) Items(v Value) []Value {
	if v.tag() != tagList {
		return nil
	}
	return h.lists[v&payloadMask].elems
}

// Run returns the first record and the number of records of a list that is a run of them.
func (h *Heap) Run(v Value) (first Value, n int, ok bool) {
	if v.tag() != tagList {
		return Absent, 0, false
	}
	l := &h.lists[v&payloadMask]
	return l.first, l.n, l.n > 0 && len(l.elems) == 0
}

// Pairs returns the keys and values of a dict, in turns. A key may occur twice; the later one counts.
func (h *Heap) Pairs(v Value) []Value {
	if v.tag() != tagDict {
		return nil
	}
	return h.dicts[v&payloadMask].pairs
}

// Share notes that v is held by one more than the stack and its memo entry, and returns the record that replaced v, or
// v.
func (h *Heap) Share(v Value) Value {
	if r := h.holdersOf(v); r != nil {
		r.shared = true
	}
	return h.Resolve(v)
}
