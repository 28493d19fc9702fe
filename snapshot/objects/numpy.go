package objects

import (
	"math"

	"github.com/nlpodyssey/gopickle/types"

	"strata/snapshot/pickle"
)

// A dtype is the type of a number of numpy.
type dtype struct{ pickle.Dtype }

// PySetState takes what numpy keeps of a type: a version, the byte order and what scalars do not have.
func (d *dtype) PySetState(state any) error {
	if t, ok := state.(*types.Tuple); ok && t.Len() > 1 {
		d.BigEndian = t.Get(1) == ">"
	}
	return nil
}

// newDtype makes a type of its name, such as "i8".
func newDtype(args []any) any {
	if len(args) > 0 {
		if name, ok := args[0].(string); ok {
			return &dtype{pickle.Dtype{Name: name}}
		}
	}
	return nil
}

// newScalar makes an int64, uint64 or float64 of a type and bytes; nil if they are no number.
func newScalar(args []any) any {
	if len(args) != 2 {
		return nil
	}
	d, ok1 := args[0].(*dtype)
	b, ok2 := args[1].([]byte)
	if !ok1 || !ok2 {
		return nil
	}
	switch bits, kind := d.Number(b); kind {
	case pickle.IntNum:
		return int64(bits)
	case pickle.UintNum:
		return bits
	case pickle.FloatNum:
		return math.Float64frombits(bits)
	}
	return nil
}
