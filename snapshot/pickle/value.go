package pickle

import "math"

// A Value is one Python value in 8 bytes: a tag in the top four bits, and below it the value itself or its index in
// a table of the [Heap]. The zero Value is Absent, no value.
type Value uint64

// The values without a payload. Opaque stands for everything that is accepted but not kept: sets, instances,
// results of calls.
const (
	Absent Value = iota
	None
	False
	True
	Opaque
)

const (
	tagShift    = 60
	payloadMask = 1<<tagShift - 1
)

const (
	tagPlain  Value = iota
	tagInt          // signed 60 bits
	tagWide         // index into Heap.wide, kind in bits 56..57
	tagFloat        // index into Heap.floats
	tagString       // string id; bit 32 set for bytes
	tagList         // index into Heap.lists; tuples too
	tagDict         // index into Heap.dicts
	tagPair         // a tuple of two ints of 0..2^28-1, inline
	tagRecord       // class in bits 52..59, number below
)

const (
	wideInt = iota
	wideUint
	wideHuge
)

func (v Value) tag() Value { return v >> tagShift }

// IsSettled reports whether v can no longer change: it is no list or dict of the heap, and none of the machine's own
// values.
func (v Value) IsSettled() bool {
	return v >= None && v <= True || v >= tagInt<<tagShift && v < tagList<<tagShift || v >= tagPair<<tagShift
}

// pair is the tuple of two ints in one value, Absent where they do not fit.
func pair(a, b Value) Value {
	const lim = tagInt<<tagShift + 1<<28
	if a.tag() != tagInt || b.tag() != tagInt || a >= lim || b >= lim {
		return Absent
	}
	return tagPair<<tagShift | a&(1<<28-1)<<28 | b&(1<<28-1)
}

// Record is the value by which a [Handler] replaces a dict or a list. Lists of records whose class is at least
// [RunClass] and whose numbers count up by one take no memory.
func Record(class uint8, n uint64) Value {
	return tagRecord<<tagShift | Value(class)<<52 | Value(n&(1<<52-1))
}

// RunClass is the first class whose records are kept as runs in lists.
const RunClass = 8

// Record returns the class and the number of a record; ok is false for other values.
func (v Value) Record() (class uint8, n uint64, ok bool) {
	return uint8(v >> 52), uint64(v) & (1<<52 - 1), v.tag() == tagRecord
}

// IsString reports whether v is a string or bytes, and its id in the heap.
func (v Value) IsString() (id uint32, ok bool) { return uint32(v), v.tag() == tagString }

// IsList reports whether v is a list or a tuple.
func (v Value) IsList() bool { return v.tag() == tagList || v.tag() == tagPair }

// Unhashable reports whether v cannot be a key in Python: a list, a dict, or a record that stands for one.
func (h *Heap) Unhashable(v Value) bool {
	return v.tag() == tagDict || v.tag() == tagRecord || v.tag() == tagList && !h.lists[v&payloadMask].tuple
}

// IsDict reports whether v is a dict that no handler took.
func (v Value) IsDict() bool { return v.tag() == tagDict }

// NumKind says how the bits of a number are to be read.
type NumKind uint8

// The kinds of [Heap.Num].
const (
	NotNum   NumKind = iota
	IntNum           // int64, two's complement
	UintNum          // an integer of 2^63 to 2^64-1
	FloatNum         // the bits of a float64
	HugeNum          // an integer outside of -2^63 to 2^64-1; bits is 1 if it is negative
)

// Small returns the integer v holds, if it fits into the Value itself as nearly all do.
func (v Value) Small() (n int64, ok bool) { return int64(v<<4) >> 4, v.tag() == tagInt }

// Num returns the number v holds. True and False count as 1 and 0.
func (h *Heap) Num(v Value) (bits uint64, kind NumKind) {
	switch v.tag() {
	case tagInt:
		return uint64(int64(v<<4) >> 4), IntNum
	case tagWide:
		k, i := v>>56&3, v&(1<<56-1)
		switch k {
		case wideInt:
			return h.wide[i], IntNum
		case wideUint:
			return h.wide[i], UintNum
		}
		return uint64(i), HugeNum
	case tagFloat:
		return h.floats[v&payloadMask], FloatNum
	case tagPlain:
		if v == True {
			return 1, IntNum
		}
		if v == False {
			return 0, IntNum
		}
	}
	return 0, NotNum
}

// What a value in a table is charged: its entry, and its share of the bigger table to which this one is copied when
// it is full.
const (
	numberBytes = 8 * tableGrowth / 4 // a number that does not fit into a Value
	listBytes   = 56 * tableGrowth / 4
	dictBytes   = 48 * tableGrowth / 4
	tableGrowth = 9 // in quarters: one table, and another a quarter bigger
)

// Int makes an integer.
func (h *Heap) Int(i int64) Value {
	if i<<4>>4 == i {
		return tagInt<<tagShift | Value(i)&payloadMask
	}
	h.Spend(numberBytes)
	h.wide = append(h.wide, uint64(i))
	return tagWide<<tagShift | wideInt<<56 | Value(len(h.wide)-1)
}

// Uint makes an integer of up to 2^64-1.
func (h *Heap) Uint(u uint64) Value {
	if u <= math.MaxInt64 {
		return h.Int(int64(u))
	}
	h.Spend(numberBytes)
	h.wide = append(h.wide, u)
	return tagWide<<tagShift | wideUint<<56 | Value(len(h.wide)-1)
}

// Huge makes an integer too big for 64 bits; only its sign is kept.
func (h *Heap) Huge(negative bool) Value {
	v := tagWide<<tagShift | Value(wideHuge)<<56
	if negative {
		v |= 1
	}
	return v
}

// Float makes a float.
func (h *Heap) Float(f float64) Value {
	h.Spend(numberBytes)
	h.floats = append(h.floats, math.Float64bits(f))
	return tagFloat<<tagShift | Value(len(h.floats)-1)
}

// Bool makes True or False.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// StringValue is the string with the given id.
func StringValue(id uint32) Value { return tagString<<tagShift | Value(id) }
