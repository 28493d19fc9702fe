package snapshot

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"strata/snapshot/pickle"
)

const (
	maxUserText  = 64 << 10 // bytes of text for one value
	maxTextDepth = 8
)

// A textWriter writes values as Python prints them. Depth and length are limited, as the text of shared and cyclic
// containers can be endless.
type textWriter struct {
	strings.Builder
	h    *pickle.Heap
	left int
}

// valueText is a value as Python prints it.
func (b *builder) valueText(v pickle.Value) string {
	t := textWriter{h: b.h, left: maxUserText}
	t.value(v, 0)
	return t.String()
}

// linesText is the text of a dict's keys and values as lines "key = value".
func (b *builder) linesText(pairs []pickle.Value) pickle.Value {
	t := textWriter{h: b.h, left: maxUserText}
	t.lines(pairs)
	return b.h.String([]byte(t.String()))
}

func (t *textWriter) put(s string) {
	if len(s) > t.left {
		s = s[:t.left]
	}
	t.left -= len(s)
	t.WriteString(s)
}

// lines writes the keys and values of a dict as lines "key = value".
func (t *textWriter) lines(pairs []pickle.Value) {
	for i, kv := range t.entries(pairs) {
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

// entries is dictEntries, charged for: a small file can refer to one big dict very often.
func (t *textWriter) entries(pairs []pickle.Value) [][2]pickle.Value {
	if t.h.Charge(8*len(pairs)) != nil {
		t.left = 0
		return nil
	}
	return dictEntries(pairs)
}

// dictEntries returns a dict's entries in order of first appearance, each key once with its last value.
func dictEntries(pairs []pickle.Value) [][2]pickle.Value {
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
		t.sequence("[", "]", t.h.Len(v), func(i int) { t.value(t.h.At(v, i), depth+1) })
	case v.IsDict():
		entries := t.entries(t.h.Pairs(v))
		t.sequence("{", "}", len(entries), func(i int) {
			t.value(entries[i][0], depth+1)
			t.put(": ")
			t.value(entries[i][1], depth+1)
		})
	default:
		t.put(t.number(v))
	}
}

// sequence writes n items between brackets, as far as there is room.
func (t *textWriter) sequence(open, end string, n int, item func(i int)) {
	t.put(open)
	for i := range n {
		if t.left <= 0 {
			return
		}
		if i > 0 {
			t.put(", ")
		}
		item(i)
	}
	t.put(end)
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

// clean replaces what cannot be shown by U+FFFD: invalid UTF-8 (lone surrogates among it) and control characters but
// tab and line feed.
func clean(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return cleanSlow(s)
		}
	}
	return s
}

func cleanSlow(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
}

// readSettings flattens allocator_settings and finds the overflow flags, which may lie at the top or among the
// settings (FORMAT.md, section 1.2).
func (b *builder) readSettings(s *Snapshot, parts [sKeys]pickle.Value) error {
	v := parts[sAllocatorSettings]
	b.root.hasSettings = v.IsDict()
	if err := b.flatten(s, "", v, 0); err != nil {
		return err
	}
	b.overflowFlags(parts[sOverflowed], parts[sMaxEntries])
	for _, kv := range dictEntries(b.h.Pairs(v)) {
		switch id, _ := kv[0].IsString(); id {
		case sOverflowed:
			b.overflowFlags(kv[1], pickle.None)
		case sMaxEntries:
			b.overflowFlags(pickle.None, kv[1])
		}
	}
	return nil
}

const maxSettings = 10_000

func (b *builder) flatten(s *Snapshot, prefix string, v pickle.Value, depth int) error {
	if err := b.h.Charge(8 * len(b.h.Pairs(v))); err != nil {
		return err
	}
	for _, kv := range dictEntries(b.h.Pairs(v)) {
		if len(s.Settings) >= maxSettings {
			return nil
		}
		key := prefix + clean(b.valueText(kv[0]))
		if key == "graph_capture_record_stream_reuse" {
			b.evidence.graphReuse = true
		}
		if val := b.h.Resolve(kv[1]); val.IsDict() && depth < maxTextDepth && len(b.h.Pairs(val)) > 0 {
			if err := b.flatten(s, key+".", val, depth+1); err != nil {
				return err
			}
			continue
		}
		set := Setting{Key: key, Value: clean(b.valueText(kv[1]))}
		if err := b.h.Charge(len(set.Key) + len(set.Value) + 32); err != nil {
			return err
		}
		s.Settings = append(s.Settings, set)
	}
	return nil
}

func (b *builder) overflowFlags(over, entries pickle.Value) {
	switch {
	case over.IsList():
		for i := range min(b.h.Len(over), 4096) {
			b.root.overflowed = append(b.root.overflowed, b.truth(b.h.At(over, i)))
		}
	case b.truth(over):
		b.root.overflowed = []bool{true}
	}
	if entries.IsList() && b.h.Len(entries) > 0 {
		entries = b.h.At(entries, 0)
	}
	if n, ok := b.size(entries); ok && n > 0 {
		b.root.maxEntries = n
	}
}

// overflow reports whether the file says that device i's ring wrapped.
func (r *rootParts) overflow(i int) bool {
	if len(r.overflowed) == 1 {
		return r.overflowed[0]
	}
	return i >= 0 && i < len(r.overflowed) && r.overflowed[i]
}

// ShortFunction returns the name of a C++ function without its parameters, template arguments, return type and
// anonymous namespaces: "at::native::empty_cuda". A node of autograd is named as PyTorch prints it: "AddmmBackward0".
// Other names stay as they are.
func ShortFunction(name string) string {
	if !strings.Contains(name, "::") && !strings.HasSuffix(name, ")") {
		return name
	}
	full := name
	name, _, _ = strings.Cut(name, " [clone ")
	name = strings.ReplaceAll(name, "(anonymous namespace)::", "")
	var short strings.Builder
	depth := 0 // of brackets that are left out
	for i := 0; i < len(name); i++ {
		if rest, ok := operator(name[i:]); ok && depth == 0 {
			short.WriteString(name[i : i+rest])
			i += rest - 1
			continue
		}
		switch c := name[i]; c {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				short.WriteByte(c)
			}
		}
	}
	s := strings.TrimSpace(short.String())
	for _, end := range [...]string{" const", " &", " volatile"} {
		s = strings.TrimSuffix(s, end)
	}
	if !strings.Contains(s, "operator ") {
		s = s[strings.LastIndexByte(s, ' ')+1:] // the return type stands before
	}
	s = strings.TrimLeft(s, "*&")
	if node, ok := strings.CutPrefix(s, "torch::autograd::generated::"); ok {
		s, _ = strings.CutSuffix(node, "::apply")
	}
	if s == "" {
		return full
	}
	return s
}

// operator returns how long the name of an operator at the begin of a text is: its signs are no brackets.
func operator(s string) (length int, ok bool) {
	rest, ok := strings.CutPrefix(s, "operator")
	if !ok {
		return 0, false
	}
	for _, sign := range [...]string{"()", "[]", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "->", "<", ">"} {
		if strings.HasPrefix(rest, sign) {
			return len(s) - len(rest) + len(sign), true
		}
	}
	return 0, false
}
