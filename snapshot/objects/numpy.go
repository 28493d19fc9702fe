package objects

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/nlpodyssey/gopickle/types"
)

// A dtype is the type of a number of numpy: its kind and its size in bytes, such as "i8".
type dtype struct {
	name      string
	bigEndian bool
}

// PySetState takes what numpy keeps of a type: a version, the byte order and what scalars do not have.
func (d *dtype) PySetState(state any) error {
	if t, ok := state.(*types.Tuple); ok && t.Len() > 1 {
		d.bigEndian = t.Get(1) == ">"
	}
	return nil
}

// newDtype makes a type of its name, such as "i8".
func newDtype(args []any) any {
	if len(args) > 0 {
		if name, ok := args[0].(string); ok {
			return &dtype{name: name}
		}
	}
	return nil
}

// newScalar makes an int64, uint64, bool or float64 of a type and bytes; nil if they are no number.
func newScalar(args []any) any {
	if len(args) != 2 {
		return nil
	}
	d, ok1 := args[0].(*dtype)
	b, ok2 := args[1].([]byte)
	if !ok1 || !ok2 {
		return nil
	}
	return d.number(b)
}

// number reads the bytes of a number, nil if the type is none or the bytes do not fit it.
func (d *dtype) number(b []byte) any {
	if len(d.name) != 2 || len(b) != int(d.name[1]-'0') || len(b) == 0 || len(b) > 8 {
		return nil
	}
	word := make([]byte, 8) // little-endian
	copy(word, b)
	if d.bigEndian {
		slices.Reverse(word[:len(b)])
	}
	u := binary.LittleEndian.Uint64(word)
	switch d.name[0] {
	case 'i':
		unused := 64 - 8*len(b)
		return int64(u<<unused) >> unused
	case 'u':
		return u
	case 'b':
		return u != 0
	case 'f':
		switch len(b) {
		case 4:
			return float64(math.Float32frombits(uint32(u)))
		case 8:
			return math.Float64frombits(u)
		}
	}
	return nil
}
