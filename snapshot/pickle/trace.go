package pickle

// A tracer makes a stencil of a dict that has been read.
type tracer struct {
	vals        []Value // of the dict, by key
	shape       *shape
	b           []byte // what is left of the dict
	bytes, same []byte // of the part at hand
	part        part
	stencil     stencil
	odd         bool     // something was met that a stencil cannot have
	within      []*inner // the dicts that are to come
	inside      int      // puts in those that came
	memo        *memo    // to look at what an inner dict fetches
}

// trace makes a stencil of the dict b, which was read as one of the last shape.
func (s *shapes) trace(b []byte) (st stencil, ok bool) {
	t := tracer{vals: s.vals[:], shape: &s.known[s.last], b: b, within: s.within, stencil: stencil{shape: s.last, like: s.known[s.last].like}}
	t.take(1)
	t.put(-1)
	t.take(1) // the mark
	for key := range t.shape.keys {
		head, n, _ := operand(t.b) // of a get
		t.take(head + n)
		t.value(key)
		t.odd = t.odd || len(t.bytes) > maxPartBytes
	}
	if n := len(t.stencil.parts); n > 0 && len(t.bytes)+len(t.part.fixed)+len(t.part.rest) == 0 {
		t.stencil.parts[n-1].last = true
		t.b = t.b[1:]
	} else {
		t.take(1)
		t.end(thenEnd, 0)
	}
	return t.stencil, len(t.b) == 0 && !t.odd
}

// take takes n bytes that are always the same.
func (t *tracer) take(n int) {
	for _, c := range t.b[:n] {
		t.bytes, t.same = append(t.bytes, c), append(t.same, 0xff)
	}
	t.b = t.b[n:]
}

// hole takes n bytes that differ.
func (t *tracer) hole(kind uint8, key, n int, signed bool) {
	o := hole{at: uint16(len(t.bytes)), kind: kind, key: uint8(key), mask: 1<<(8*n) - 1}
	usual := true // for a number
	if signed {
		o.sign = 1 << (8*n - 1)
		usual = n < 8 && t.b[n-1] < 0x80
	}
	if kind != holePut {
		o.slot = t.shape.slots[key]
	}
	part := &t.part
	switch {
	case kind == holeNumber && usual:
		part.numbers = append(part.numbers, o)
	case kind == holeNumber:
		o.kind = holeSigned
		part.rest = append(part.rest, o)
	case kind == holePair && usual && len(part.numbers) > 0 && part.numbers[len(part.numbers)-1].key == o.key:
		part.pairs = append(part.pairs, o)
	case kind == holeGet:
		part.gets = append(part.gets, o)
	default:
		part.rest = append(part.rest, o)
	}
	for range n {
		t.bytes, t.same = append(t.bytes, 0), append(t.same, 0)
	}
	t.b = t.b[n:]
}

// always notes that the value of a key is the one of this dict in all of them.
func (t *tracer) always(key int) {
	t.part.fixed = append(t.part.fixed, fixed{t.vals[key], t.shape.slots[key]})
}

// end ends a part; the value of key follows it.
func (t *tracer) end(then uint8, key int) {
	t.part.size, t.part.then, t.part.key, t.part.slot = len(t.bytes), then, uint8(key), t.shape.slots[key]
	for len(t.bytes)%16 != 0 {
		t.bytes, t.same = append(t.bytes, 0), append(t.same, 0)
	}
	t.part.bytes, t.part.same = t.bytes, t.same
	t.stencil.parts = append(t.stencil.parts, t.part)
	t.part, t.bytes, t.same = part{}, nil, nil
}

// put takes the opcode that stores the value of a key in the memo, if there
// is one; key is -1 for the dict itself.
func (t *tracer) put(key int) {
	n := 0
	switch t.b[0] {
	case opBinPut:
		n = 1
	case opLongBinPut:
		n = 4
	case opMemoize:
	default:
		return
	}
	t.take(1)
	if n > 0 {
		t.hole(holePut, len(t.stencil.puts), n, false)
	}
	slot := uint8(ownSlot)
	if key >= 0 {
		slot = t.shape.slots[key]
	}
	t.stencil.puts = append(t.stencil.puts, slot)
}

// value takes the value of a key, of the kinds that shapedValue knows.
func (t *tracer) value(key int) {
	if n := t.varies(key); n > 0 {
		t.end(thenPlain, key)
		t.b = t.b[n:]
		return
	}
	switch t.b[0] {
	case opBinGet, opLongBinGet:
		head, n, _ := operand(t.b)
		t.take(head)
		t.hole(holeGet, key, n, false)
	case opNone, opNewTrue, opNewFalse:
		t.take(1)
		t.always(key)
	case opShortBinUnicode, opBinUnicode:
		n, k, then := 1, int(t.b[1]), uint8(thenText)
		if t.b[0] == opBinUnicode {
			n, then = 4, thenLongText // k is the length still: it is below 256
		}
		if k < literalText && !t.shape.like[key].texts {
			t.take(1 + n + k)
			t.always(key)
		} else {
			t.take(1)
			t.end(then, key)
			t.b = t.b[n+k:]
		}
		t.put(key)
	case opEmptyDict:
		t.inner(key)
	case opEmptyList:
		t.list(key)
	default:
		t.number(holeNumber, key)
		switch t.b[0] {
		case opBinInt1, opBinInt2, opBinInt, opLong1:
			t.number(holePair, key)
			t.take(1)
			t.put(key)
		}
	}
}

// inner takes a dict.
func (t *tracer) inner(key int) {
	in := t.within[0]
	t.within = t.within[1:]
	t.end(thenDict, key)
	part := &t.stencil.parts[len(t.stencil.parts)-1]
	part.puts, part.inside, part.first = uint8(len(t.stencil.puts)), uint8(len(in.puts)), uint8(innerSlots+t.inside)
	for i := range in.puts {
		t.stencil.puts = append(t.stencil.puts, part.first+uint8(i))
	}
	t.inside += len(in.puts)
	t.odd = t.odd || t.inside >= ownSlot-innerSlots
	t.b = t.b[in.part.size:]
}

// list takes an empty list, or one of gets.
func (t *tracer) list(key int) {
	t.take(1)
	t.put(key)
	if t.b[0] != opMark {
		t.part.rest = append(t.part.rest, hole{kind: holeEmpty, at: uint16(len(t.bytes) - 1), key: uint8(key), slot: t.shape.slots[key]})
		return
	}
	t.take(1)
	t.end(thenRun, key)
	for t.b[0] != opAppends {
		head, n, _ := operand(t.b)
		t.b = t.b[head+n:]
	}
	t.b = t.b[1:]
}

// number takes an integer.
func (t *tracer) number(kind uint8, key int) {
	head, n, signed := operand(t.b)
	t.take(head)
	switch {
	case n == 9 && kind == holeNumber && t.b[8] == 0: // 2^63 and more: what comes after eight bytes is the same
		t.hole(holeWide, key, 8, false)
		t.take(1)
	case n == 0 || n > 8:
		t.odd = true
		t.take(n)
	default:
		t.hole(kind, key, n, signed)
	}
}

// varies returns the length of the value of a key if it is spelled in more
// than one way in the dicts of the shape, each of them plain; else 0.
func (t *tracer) varies(key int) int {
	how := uint16(t.b[0])
	head, n, _ := operand(t.b)
	switch t.b[0] {
	case opNone, opNewTrue, opNewFalse:
		head = 1
	case opLong1:
		how |= uint16(n) << 8
	default:
		if head == 0 {
			return 0
		}
	}
	n += head
	if !isGet(t.b[n]) && t.b[n] != opSetItems { // the first of a pair
		return 0
	}
	like := &t.shape.like[key]
	if like.how != 0 && like.how != how && !like.varies {
		like.varies, t.shape.respelled = true, true
	}
	if like.how = how; like.varies {
		return n
	}
	return 0
}

// operand says of the get or the integer that b begins with how many bytes come
// before its operand, how many the operand has, and whether it can be
// negative; zeros for anything else.
func operand(b []byte) (head, n int, signed bool) {
	switch b[0] {
	case opBinGet, opBinInt1:
		return 1, 1, false
	case opBinInt2:
		return 1, 2, false
	case opLongBinGet:
		return 1, 4, false
	case opBinInt:
		return 1, 4, true
	case opLong1:
		return 2, int(b[1]), true
	}
	return 0, 0, false
}

func isGet(op byte) bool { return op == opBinGet || op == opLongBinGet }
