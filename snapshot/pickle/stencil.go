package pickle

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// Dicts of one shape are mostly also spelled alike: the same opcodes, gets of
// the same keys, numbers of the same lengths. A stencil is what one dict was
// spelled with: the bytes that are always the same, and holes where values
// are. Laid on another dict, a few comparisons of eight bytes tell whether it
// fits, and then the values lie where the holes are, and go right to where the
// handler wants them.
//
// What makes [shapes] sound makes stencils sound; and as with a [runCache], the
// same gets fetch the same keys, since no memo entry is stored twice as long as
// stencils are in use.
type stencil struct {
	shape int
	like  []value // the shape's
	parts []part
	puts  []uint8 // the slots of the values that are stored in the memo, in turn
}

// A part of a stencil is of fixed length: bytes that are always the same, and
// holes. Each kind of hole is a loop of its own: a loop over all of them would
// hold more in hand than a processor has registers.
type part struct {
	bytes   []byte // with more after them, so that there are a multiple of sixteen
	same    []byte // the bits of those that are always the same
	size    int    // of the part, without the bytes after it
	numbers []hole // not negative ones of up to seven bytes
	pairs   []hole // the second numbers of tuples, as usual as the first, which are among numbers
	gets    []hole
	rest    []hole
	fixed   []fixed

	then uint8 // what follows the part
	key  uint8 // whose value that is
	slot uint8 // of that key
	last bool  // after it only the dict's end comes

	puts, inside uint8 // before a dict that follows, and in it
	first        uint8 // slot of what those in it store
}

// What follows a part.
const (
	thenEnd      = iota
	thenRun      // a list's items, gets that have been seen before, and APPENDS
	thenText     // a string's length in one byte, and its text
	thenLongText // the same with a length in four
	thenPlain    // a get, a number, None, True or False
	thenDict     // a dict that has been seen before
)

// A hole is where the value of a key lies, or the index of a put.
type hole struct {
	mask uint64 // the bits that belong to it
	sign uint64 // the bit that says that it is negative, 0 if it never is
	at   uint16 // byte in the part
	slot uint8  // of the value
	kind uint8
	key  uint8
}

// The kinds of holes; those from holeSigned on are in the rest of a part, but
// for the pairs that are not.
const (
	holeGet    = iota // an index of the memo
	holeNumber        // a number
	holeSigned        // any number
	holeWide          // a number of eight bytes, not negative
	holePair          // the second number of a tuple; the first is in the slot
	holePut           // where in the memo key, the first index of the dict being 0, is stored
	holeEmpty         // an empty list
)

// A fixed value is the same in each dict.
type fixed struct {
	value Value
	slot  uint8
}

const (
	maxStencils  = 64
	maxPartBytes = 1 << 10
	literalText  = 8 // shorter strings are taken to be always the same, until another one is met

	holeSize = unsafe.Sizeof(hole{})

	ownSlot = 255 // of the dict itself
)

// eight is the eight bytes at p.
func eight(p unsafe.Pointer) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(p)[:]) }

// read reports whether the bytes at p, of which left are readable, begin with
// the part, and the values in its holes are usual ones, and puts those into
// their slots.
func (t *part) read(p unsafe.Pointer, left int, slots *Slots, m *memo) bool {
	n := len(t.bytes)
	if left < n+8 {
		return false
	}
	// From here on, eight bytes can be read from any byte of the part on. Loops
	// over offsets take a third fewer instructions than loops over indices.
	bytes, same := unsafe.Pointer(unsafe.SliceData(t.bytes)), unsafe.Pointer(unsafe.SliceData(t.same))
	for i := 0; i < n; i += 16 { // n is a multiple of that
		if (eight(unsafe.Add(p, i))^eight(unsafe.Add(bytes, i)))&eight(unsafe.Add(same, i))|
			(eight(unsafe.Add(p, i+8))^eight(unsafe.Add(bytes, i+8)))&eight(unsafe.Add(same, i+8)) != 0 {
			return false
		}
	}
	var odd uint64 // negative numbers, and ones too big for a pair
	holes, size := unsafe.Pointer(unsafe.SliceData(t.numbers)), uintptr(len(t.numbers))*holeSize
	for i := uintptr(0); i < size; i += holeSize {
		o := (*hole)(unsafe.Add(holes, i))
		x := eight(unsafe.Add(p, o.at)) & o.mask
		odd |= x & o.sign
		slots[o.slot] = tagInt<<tagShift | Value(x)
	}
	pairs := t.pairs
	for i := range pairs {
		o := &pairs[i]
		x := eight(unsafe.Add(p, o.at)) & o.mask
		first := uint64(slots[o.slot] & payloadMask)
		odd |= (first | x) >> 28
		slots[o.slot] = tagPair<<tagShift | Value(first<<28|x)
	}
	array := m.array
	holes, size = unsafe.Pointer(unsafe.SliceData(t.gets)), uintptr(len(t.gets))*holeSize
	for i := uintptr(0); i < size; i += holeSize {
		o := (*hole)(unsafe.Add(holes, i))
		x := eight(unsafe.Add(p, o.at)) & o.mask
		if x >= uint64(len(array)) {
			return false
		}
		v := array[x]
		if v.tag() != tagString && !v.settled() {
			return false
		}
		slots[o.slot] = v
	}
	fixed := t.fixed
	for i := range fixed {
		slots[fixed[i].slot] = fixed[i].value
	}
	return odd == 0
}

// readRest does what read does for the rest of the holes of a part that was
// read, n being the first memo index of the dict.
func (t *part) readRest(p unsafe.Pointer, slots *Slots, n uint32, like []value, h *Heap) bool {
	for i := range t.rest {
		o := &t.rest[i]
		v := &slots[o.slot]
		x := eight(unsafe.Add(p, o.at)) & o.mask
		if x&o.sign != 0 {
			x |= ^o.mask
		}
		switch o.kind {
		case holeSigned:
			*v = h.Int(int64(x))
		case holeWide:
			*v = h.Uint(x)
		case holePair:
			*v = pair(*v, small(x))
		case holePut:
			if x != uint64(n)+uint64(o.key) {
				return false
			}
			continue
		case holeEmpty:
			*v = like[o.key].empty
		}
		if *v == Absent {
			return false
		}
	}
	return true
}

// small is an integer in a Value, Absent if it does not fit.
func small(x uint64) Value {
	if i := int64(x); i<<4>>4 != i {
		return Absent
	}
	return tagInt<<tagShift | Value(x)&payloadMask
}

// A stencils is a set of them.
type stencils struct {
	all    []stencil
	latest []uint8 // their indices, those that fitted lately first, where another was guessed

	// What fitted when the trail of runs was the same, as many dicts after it
	// had changed, by the hash of both; failed where the dict was left to the
	// general way, noStencil where that came twice in a row: anything can begin
	// in the midst of a dict, a frame in particular.
	guess    [1 << guessBits]uint8
	trail    uint64
	since    uint64
	slot     uint64 // of the dict at hand, in guess
	hopeless int    // dicts for which noStencil was guessed
}

const (
	guessBits = 14
	noStencil = 255
	failed    = 254
	patience  = 16 // one in so many hopeless dicts is tried all the same, and one in so many that fit may be traced
)

// next is told of each dict before it is tried. It reports whether there is
// hope: dicts within dicts, say, are tried in vain each time.
func (s *stencils) next(trail uint64) (hope bool) {
	if s.trail == trail {
		s.since++
	} else {
		s.trail, s.since = trail, 0
	}
	s.slot = (s.trail + s.since) * trailMix >> (64 - guessBits)
	if s.guess[s.slot] != noStencil {
		return true
	}
	s.hopeless++
	return s.hopeless%patience == 0
}

// stencilled reads the dict at p with the stencil that fits. It leaves its
// values in their slots, and returns where the dict ends, and the stencil; 0 if
// none fits. Nothing is stored in the memo.
func (m *Machine) stencilled(p int) (int, *stencil) {
	s := &m.h.shapes.stencils
	if guess := int(s.guess[s.slot]); guess < len(s.all) {
		st := &s.all[guess]
		if q := m.lay(st, p); q > 0 {
			return q, st
		}
	}
	for at, i := range s.latest {
		st := &s.all[i]
		if q := m.lay(st, p); q > 0 {
			s.guess[s.slot] = i
			s.first(at)
			return q, st
		}
	}
	return 0, nil
}

// first puts latest[at] in front of the others.
func (s *stencils) first(at int) {
	i := s.latest[at]
	copy(s.latest[1:at+1], s.latest[:at])
	s.latest[0] = i
}

// add takes in a stencil, for the one that fitted longest ago if there are too
// many.
func (s *stencils) add(st stencil) {
	if len(s.all) < maxStencils {
		s.latest = append(s.latest, uint8(len(s.all)))
		s.all = append(s.all, st)
	} else {
		s.all[s.latest[len(s.latest)-1]] = st
	}
	s.first(len(s.latest) - 1)
	s.guess[s.slot] = s.latest[0]
}

// drop lets go of the stencils of a shape.
func (s *stencils) drop(shape int) {
	s.all = slices.DeleteFunc(s.all, func(st stencil) bool { return st.shape == shape })
	s.latest = s.latest[:0]
	for i := range s.all {
		s.latest = append(s.latest, uint8(i))
	}
}

// lay reads the dict at p with a stencil. It returns where the dict ends, 0 if
// the stencil does not fit: then no run was met, either, or the next ones would
// be guessed wrong, and no number was made.
func (m *Machine) lay(st *stencil, p int) int {
	h := m.h
	trail, last, wide := h.runs.trail, h.runs.last, h.wide.len()
	q := m.laid(st, p)
	if q == 0 {
		h.runs.trail, h.runs.last = trail, last
		h.budget += numberBytes * int64(h.wide.len()-wide)
		h.wide.cut(wide)
	}
	return q
}

func (m *Machine) laid(st *stencil, p int) int {
	h := m.h
	n := h.memo.count
	if uint64(n)+uint64(len(st.puts)) > uint64(len(h.memo.array)) {
		return 0
	}
	slots := h.shapes.slots
	buf := m.in.buf
	base := unsafe.Pointer(unsafe.SliceData(buf))
	parts := st.parts
	for i := range parts {
		t := &parts[i]
		if p >= len(buf) || !t.read(unsafe.Add(base, p), len(buf)-p, slots, &h.memo) {
			return 0
		}
		if len(t.rest) > 0 && !t.readRest(unsafe.Add(base, p), slots, n, st.like, h) {
			return 0
		}
		p += t.size
		v, k := Absent, 0
		switch t.then {
		case thenEnd:
			return p
		case thenPlain:
			v, k = m.plain(p)
		case thenRun:
			v, k = h.runs.match(buf[p:])
			k += p
		case thenDict:
			v, k = m.laidInner(t, p, n, &st.like[t.key])
		default:
			v, k = m.shapedText(p, t.then == thenLongText, &st.like[t.key])
		}
		if v == Absent {
			return 0
		}
		slots[t.slot] = v
		if p = k; t.last {
			if p < len(buf) && buf[p] == opSetItems {
				return p + 1
			}
			return 0
		}
	}
	return 0
}

// store puts into the memo what the dict just read with the stencil has there,
// rec being the dict itself.
func (m *Machine) store(st *stencil, rec Value) {
	slots, memo := m.h.shapes.slots, &m.h.memo
	slots[ownSlot] = rec
	places := memo.array[memo.count:][:len(st.puts)] // lay has seen that there are so many
	memo.count += uint32(len(places))
	for i, slot := range st.puts {
		places[i] = slots[slot]
	}
}

// mayTrace reports whether a dict of shape sh may be traced, and counts that it
// is: to trace one takes longer than to read it as it comes.
func (sh *shape) mayTrace(runs *runCache) bool {
	if runs.off || sh.traced-maxStencils > sh.fitted/patience {
		return false
	}
	sh.traced++
	return true
}

// spell makes a stencil of the dict b, which was just read as one of the last
// shape without one, to be tried first the next time.
func (s *shapes) spell(b []byte, runs *runCache) {
	if !s.known[s.last].mayTrace(runs) {
		return
	}
	st, ok := s.trace(b)
	if !ok {
		return
	}
	if sh := &s.known[s.last]; sh.respelled {
		sh.respelled = false
		s.stencils.drop(s.last)
	}
	s.stencils.add(st)
}
