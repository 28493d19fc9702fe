package snapshot

import (
	"math"
	"strconv"
	"strings"

	"strata/snapshot/pickle"
)

const (
	maxUserText  = 64 << 10 // bytes of text made of one dict of user metadata
	maxTextDepth = 8
)

// A textWriter writes values as text for people, bounded in depth and length because shared and cyclic containers
// may stand for endless text.
type textWriter struct {
	strings.Builder
	h    *pickle.Heap
	left int
}

func (t *textWriter) put(s string) {
	if len(s) > t.left {
		s = s[:t.left]
	}
	t.left -= len(s)
	t.WriteString(s)
}

// lines writes a dict as one line "key = value" for each entry.
func (t *textWriter) lines(v pickle.Value) {
	for i, kv := range t.entries(v) {
		if t.left <= 0 {
			return
		}
		if i > 0 {
			t.put("\n")
		}
		t.value(kv[0], 0)
		t.put(" = ")
		t.value(kv[1], 0)
	}
}

// entries returns a dict's entries. Looking at them is charged for: a small file can name one big dict very often.
func (t *textWriter) entries(v pickle.Value) [][2]pickle.Value {
	if t.h.Charge(8*len(t.h.Pairs(v))) != nil {
		t.left = 0
		return nil
	}
	return dictEntries(t.h, v)
}

// dictEntries returns a dict's entries in order of first sight, each key once with its last value.
func dictEntries(h *pickle.Heap, v pickle.Value) [][2]pickle.Value {
	pairs := h.Pairs(v)
	out := make([][2]pickle.Value, 0, len(pairs)/2)
	at := make(map[pickle.Value]int, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		if j, ok := at[pairs[i]]; ok {
			out[j][1] = pairs[i+1]
			continue
		}
		at[pairs[i]] = len(out)
		out = append(out, [2]pickle.Value{pairs[i], pairs[i+1]})
	}
	return out
}

func (t *textWriter) value(v pickle.Value, depth int) {
	if t.left <= 0 {
		return
	}
	if depth > maxTextDepth {
		t.put("…")
		return
	}
	v = t.h.Resolve(v)
	if id, ok := v.IsString(); ok {
		t.put(t.h.Text(id))
		return
	}
	switch {
	case v == pickle.None:
		t.put("None")
	case v == pickle.True:
		t.put("True")
	case v == pickle.False:
		t.put("False")
	case v.IsList():
		t.put("[")
		for i := range t.h.Len(v) {
			if t.left <= 0 {
				return
			}
			if i > 0 {
				t.put(", ")
			}
			t.value(t.h.At(v, i), depth+1)
		}
		t.put("]")
	case v.IsDict():
		t.put("{")
		for i, kv := range t.entries(v) {
			if t.left <= 0 {
				return
			}
			if i > 0 {
				t.put(", ")
			}
			t.value(kv[0], depth+1)
			t.put(": ")
			t.value(kv[1], depth+1)
		}
		t.put("}")
	default:
		t.put(t.number(v))
	}
}

func (t *textWriter) number(v pickle.Value) string {
	bits, kind := t.h.Num(v)
	switch kind {
	case pickle.IntNum:
		return strconv.FormatInt(int64(bits), 10)
	case pickle.UintNum:
		return strconv.FormatUint(bits, 10)
	case pickle.HugeNum:
		return "(a huge number)"
	case pickle.FloatNum:
		f := math.Float64frombits(bits)
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if f == math.Trunc(f) && math.Abs(f) < 1e16 {
			s = strconv.FormatFloat(f, 'f', 1, 64)
		}
		return s
	}
	return "(an object)"
}
