// Package objects reads pickles that need more than plain data by way of gopickle, and feeds its values to a heap of
// package pickle. Nothing that a pickle names is imported or called: objects become inert values.
package objects

import (
	"bytes"
	"fmt"
	"math/big"

	gopickle "github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"

	"strata/snapshot/pickle"
)

// An inert is what every class, call, instance and persistent id of a pickle becomes: it accepts whatever is done
// to it and does nothing. Items set or added are kept, so that a dict subclass still reads as a dict.
type inert struct {
	dict types.Dict
	list types.List
}

func (o *inert) Call(...any) (any, error)  { return &inert{}, nil }
func (o *inert) PyNew(...any) (any, error) { return &inert{}, nil }
func (o *inert) PySetState(any) error      { return nil }
func (o *inert) Set(k, v any)              { o.dict.Set(k, v) }
func (o *inert) Append(v any)              { o.list.Append(v) }
func (o *inert) Add(any)                   {}

// A function stands for one that a pickle calls and whose result is known without a call; nil is inert.
type function func(args []any) any

// Call implements gopickle's types.Callable.
func (f function) Call(args ...any) (any, error) {
	if v := f(args); v != nil {
		return v, nil
	}
	return &inert{}, nil
}

// known are those functions: torch's type tags, which return the container they wrap (FORMAT.md, section 8.4), the one
// by which Python writes bytes in protocols 0 to 2, and numpy's numbers, which are a type and bytes.
var known = map[string]function{
	"torch.jit._pickle.restore_type_tag": func(args []any) any {
		if len(args) == 0 {
			return nil
		}
		return args[0]
	},
	"_codecs.encode": func(args []any) any {
		if len(args) == 2 && args[1] == "latin1" {
			if text, ok := args[0].(string); ok {
				if b, ok := pickle.Latin1(text); ok {
					return b
				}
			}
		}
		return nil
	},
	"numpy.dtype":                   newDtype,
	"numpy.core.multiarray.scalar":  newScalar,
	"numpy._core.multiarray.scalar": newScalar,
}

// Load reads a pickle into gopickle's values.
func Load(data []byte) (root any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged pickle: %v", p)
		}
	}()
	u := gopickle.NewUnpickler(bytes.NewReader(data))
	u.FindClass = func(module, name string) (any, error) {
		if f := known[module+"."+name]; f != nil {
			return f, nil
		}
		return &inert{}, nil
	}
	u.PersistentLoad = func(any) (any, error) { return &inert{}, nil }
	u.GetExtension = func(int) (any, error) { return &inert{}, nil }
	u.NextBuffer = func() (any, error) { return &inert{}, nil }
	u.MakeReadOnly = func(v any) (any, error) { return v, nil }
	return u.Load()
}

// Feed puts a value of Load into the heap h, innermost containers first, as a pickle would. Shared containers stay
// shared; a container within itself, or deeper than maxDepth, is opaque. An error of check, which is called now and
// then, ends it.
func Feed(h *pickle.Heap, root any, maxDepth int, check func() error) (pickle.Value, error) {
	f := &feeder{h: h, done: map[any]pickle.Value{}, maxDepth: maxDepth, check: check}
	return f.feed(root, pickle.Absent)
}

type feeder struct {
	h        *pickle.Heap
	done     map[any]pickle.Value
	depth    int
	maxDepth int
	check    func() error
	n        int // values so far
}

// inWork is the value in feeder.done of a container that is being fed.
var inWork = pickle.Absent

func (f *feeder) feed(x any, under pickle.Value) (pickle.Value, error) {
	err := f.h.Charge(0)
	if f.n++; f.n&0xfff == 0 && err == nil {
		err = f.check()
	}
	if err != nil {
		return pickle.None, err
	}
	switch v := x.(type) {
	case nil:
		return pickle.None, nil
	case bool:
		return pickle.Bool(v), nil
	case int:
		return f.h.Int(int64(v)), nil
	case int64:
		return f.h.Int(v), nil
	case uint64:
		return f.h.Uint(v), nil
	case *big.Int:
		return f.bigInt(v), nil
	case float64:
		return f.h.Float(v), nil
	case string:
		return f.h.String([]byte(v)), nil
	case []byte:
		return f.h.Bytes(v), nil
	case *types.ByteArray:
		return f.h.Bytes(*v), nil
	case *types.List:
		return f.container(v, *v, false)
	case *types.Tuple:
		return f.container(v, *v, true)
	case *types.Dict:
		return f.dict(v, *v, under)
	case *types.OrderedDict:
		entries := make(types.Dict, 0, v.Len())
		for e := v.List.Front(); e != nil; e = e.Next() {
			entry := e.Value.(*types.OrderedDictEntry)
			entries = append(entries, types.DictEntry{Key: entry.Key, Value: entry.Value})
		}
		return f.dict(v, entries, under)
	case *inert:
		switch {
		case len(v.dict) > 0:
			return f.dict(v, v.dict, under)
		case len(v.list) > 0:
			return f.container(v, v.list, false)
		}
	}
	return pickle.Opaque, nil
}

func (f *feeder) bigInt(v *big.Int) pickle.Value {
	switch {
	case v.IsInt64():
		return f.h.Int(v.Int64())
	case v.IsUint64():
		return f.h.Uint(v.Uint64())
	}
	return f.h.Huge(v.Sign() < 0)
}

// enter returns the value of a container that has been met before.
func (f *feeder) enter(key any) (pickle.Value, bool) {
	if v, ok := f.done[key]; ok {
		if v == inWork {
			return pickle.Opaque, true
		}
		return f.h.Share(v), true
	}
	if f.depth >= f.maxDepth {
		return pickle.Opaque, true
	}
	f.depth++
	f.done[key] = inWork
	return pickle.None, false
}

// leave records the value of a container.
func (f *feeder) leave(key any, v pickle.Value) {
	f.depth--
	f.done[key] = v
	f.h.Share(v)
}

func (f *feeder) container(key any, items []any, tuple bool) (pickle.Value, error) {
	if v, ok := f.enter(key); ok {
		return v, nil
	}
	vals := make([]pickle.Value, len(items))
	for i, x := range items {
		v, err := f.feed(x, pickle.Absent)
		if err != nil {
			return v, err
		}
		vals[i] = v
	}
	var v pickle.Value
	var err error
	if tuple {
		v, err = f.h.Tuple(vals)
	} else {
		v = f.h.NewList()
		err = f.h.Append(v, vals)
	}
	f.leave(key, v)
	return v, err
}

func (f *feeder) dict(key any, entries types.Dict, under pickle.Value) (pickle.Value, error) {
	if v, ok := f.enter(key); ok {
		return v, nil
	}
	pairs := make([]pickle.Value, 0, 2*len(entries))
	for _, e := range entries {
		k, err := f.feed(e.Key, pickle.Absent)
		if err != nil {
			return k, err
		}
		v, err := f.feed(e.Value, k)
		if err != nil {
			return v, err
		}
		pairs = append(pairs, k, v)
	}
	v, err := f.h.SetItems(f.h.NewDict(), under, pairs, true)
	f.leave(key, v)
	return v, err
}
