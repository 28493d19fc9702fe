package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// A node is a Python container for the test's own pickler; sharing a pointer shares the object.
type node struct {
	kind  byte // 'd', 'l', 't'
	items []any
}

func dictOf(kv ...any) *node  { return &node{'d', kv} }
func listOf(xs ...any) *node  { return &node{'l', xs} }
func tupleOf(xs ...any) *node { return &node{'t', xs} }

// A form is a way of writing pickles.
type form int

const (
	form0   form = 0   // Python, protocol 0: text
	form1   form = 1   // Python, protocol 1: SETITEM by SETITEM
	form2   form = 2   // Python, protocol 2
	form4   form = 4   // Python, protocol 4
	formCPP form = 100 // torch's C++ pickler
	formTag form = 101 // the same with type tags (FORMAT.md, section 8.4)
	formGap form = 102 // as formCPP, with memo indices left out, which nobody does
)

var allForms = []form{form0, form1, form2, form4, formCPP, formTag}

func (f form) String() string {
	switch f {
	case formCPP:
		return "C++"
	case formTag:
		return "C++ tagged"
	case formGap:
		return "C++ with gaps"
	}
	return fmt.Sprintf("protocol %d", int(f))
}

// encode pickles v.
func encode(v any, f form) []byte {
	e := &encoder{form: f, memo: map[any]int{}, shared: map[*node]int{}}
	switch f {
	case form2, formCPP, formTag, formGap:
		e.WriteString("\x80\x02")
	case form4:
		e.WriteString("\x80\x04")
	}
	e.count(v)
	e.put(v)
	e.WriteByte('.')
	return e.Bytes()
}

type encoder struct {
	bytes.Buffer
	form   form
	memo   map[any]int
	shared map[*node]int
	next   int
}

func (e *encoder) cpp() bool { return e.form >= formCPP }

func (e *encoder) count(v any) {
	n, ok := v.(*node)
	if !ok {
		return
	}
	e.shared[n]++
	if e.shared[n] == 1 {
		for _, x := range n.items {
			e.count(x)
		}
	}
}

func (e *encoder) memoize(key any) {
	i := e.next
	e.next++
	if e.form == formGap && i%7 == 3 {
		e.next++
	}
	if key != nil {
		e.memo[key] = i
	}
	switch {
	case e.form == form0:
		fmt.Fprintf(e, "p%d\n", i)
	case e.form == form4:
		e.WriteByte(0x94)
	case i < 256:
		e.Write([]byte{'q', byte(i)})
	default:
		e.WriteByte('r')
		_ = binary.Write(e, binary.LittleEndian, uint32(i))
	}
}

func (e *encoder) get(i int) {
	switch {
	case e.form == form0:
		fmt.Fprintf(e, "g%d\n", i)
	case i < 256:
		e.Write([]byte{'h', byte(i)})
	default:
		e.WriteByte('j')
		_ = binary.Write(e, binary.LittleEndian, uint32(i))
	}
}

func (e *encoder) put(v any) {
	switch x := v.(type) {
	case nil:
		e.WriteByte('N')
	case bool:
		switch {
		case e.form < form2:
			e.WriteString(map[bool]string{true: "I01\n", false: "I00\n"}[x])
		case x:
			e.WriteByte(0x88)
		default:
			e.WriteByte(0x89)
		}
	case int:
		e.integer(big.NewInt(int64(x)))
	case int64:
		e.integer(big.NewInt(x))
	case uint64:
		e.integer(new(big.Int).SetUint64(x))
	case *big.Int:
		e.integer(x)
	case float64:
		if e.form == form0 {
			fmt.Fprintf(e, "F%v\n", x)
			return
		}
		e.WriteByte('G')
		_ = binary.Write(e, binary.BigEndian, math.Float64bits(x))
	case string:
		e.text(x)
	case *node:
		e.node(x)
	default:
		panic(fmt.Sprintf("cannot pickle %T", v))
	}
}

func (e *encoder) text(s string) {
	if i, ok := e.memo[s]; ok && (e.cpp() || len(s) > 3) {
		e.get(i)
		return
	}
	switch {
	case e.form == form0:
		e.WriteByte('V') // raw-unicode-escape
		for _, r := range s {
			if r < 256 && r != '\\' && r != '\n' {
				e.WriteByte(byte(r))
			} else {
				fmt.Fprintf(e, `\u%04x`, r)
			}
		}
		e.WriteByte('\n')
	case e.form == form4 && len(s) < 256:
		e.Write([]byte{0x8c, byte(len(s))})
		e.WriteString(s)
	default:
		e.WriteByte('X')
		_ = binary.Write(e, binary.LittleEndian, uint32(len(s)))
		e.WriteString(s)
	}
	e.memoize(s)
}

func (e *encoder) integer(x *big.Int) {
	if e.cpp() && !x.IsInt64() { // C++ casts to int64
		x = big.NewInt(int64(x.Uint64()))
	}
	switch {
	case e.form == form0:
		if x.IsInt64() && x.Int64() == int64(int32(x.Int64())) {
			fmt.Fprintf(e, "I%s\n", x)
		} else {
			fmt.Fprintf(e, "L%sL\n", x)
		}
	case x.IsInt64() && x.Int64() >= 0 && x.Int64() < 256:
		e.Write([]byte{'K', byte(x.Int64())})
	case x.IsInt64() && x.Int64() >= 0 && x.Int64() < 65536:
		e.WriteByte('M')
		_ = binary.Write(e, binary.LittleEndian, uint16(x.Int64()))
	case x.IsInt64() && x.Int64() == int64(int32(x.Int64())):
		e.WriteByte('J')
		_ = binary.Write(e, binary.LittleEndian, int32(x.Int64()))
	case e.form == form1:
		fmt.Fprintf(e, "L%sL\n", x)
	case e.cpp():
		e.Write([]byte{0x8a, 8})
		_ = binary.Write(e, binary.LittleEndian, x.Int64())
	default:
		b := twos(x)
		e.Write([]byte{0x8a, byte(len(b))})
		e.Write(b)
	}
}

// twos is the shortest little-endian two's complement.
func twos(x *big.Int) []byte {
	n := x.BitLen()/8 + 1
	m := new(big.Int).Set(x)
	if m.Sign() < 0 {
		m.Add(m, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	b := m.FillBytes(make([]byte, n))
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return b
}

func (e *encoder) node(n *node) {
	if i, ok := e.memo[n]; ok {
		e.get(i)
		return
	}
	if e.cpp() {
		e.cppNode(n)
		return
	}
	if n.kind == 't' {
		e.tuple(n)
		return
	}
	open := map[byte]string{'d': "}", 'l': "]"}[n.kind]
	if e.form == form0 {
		open = map[byte]string{'d': "(d", 'l': "(l"}[n.kind]
	}
	e.WriteString(open)
	e.memoize(n)
	step, one, many := 1, byte('a'), byte('e')
	if n.kind == 'd' {
		step, one, many = 2, 's', 'u'
	}
	for rest := n.items; len(rest) > 0; {
		batch := min(len(rest), 1000*step)
		if e.form == form0 || batch == step {
			batch = step
		} else {
			e.WriteByte('(')
		}
		for _, x := range rest[:batch] {
			e.put(x)
		}
		if batch == step {
			e.WriteByte(one)
		} else {
			e.WriteByte(many)
		}
		rest = rest[batch:]
	}
}

func (e *encoder) tuple(n *node) {
	if e.form < form2 || len(n.items) > 3 {
		e.WriteByte('(')
	}
	for _, x := range n.items {
		e.put(x)
	}
	switch {
	case e.form < form2 || len(n.items) > 3:
		e.WriteByte('t')
	case len(n.items) == 0:
		e.WriteByte(')')
		return
	default:
		e.WriteByte(byte(0x84 + len(n.items)))
	}
	e.memoize(n)
}

func (e *encoder) cppNode(n *node) {
	tag := e.form == formTag && n.kind != 't'
	if tag {
		const global = "ctorch.jit._pickle\nrestore_type_tag\n"
		if i, ok := e.memo[global]; ok {
			e.get(i)
		} else {
			e.WriteString(global)
			e.memoize(global)
		}
	}
	switch n.kind {
	case 'd', 'l':
		e.WriteString(map[byte]string{'d': "}(", 'l': "]("}[n.kind])
		for _, x := range n.items {
			e.put(x)
		}
		e.WriteByte(map[byte]byte{'d': 'u', 'l': 'e'}[n.kind])
	case 't':
		for _, x := range n.items {
			e.put(x)
		}
		e.WriteByte(byte(0x84 + len(n.items)))
	}
	if tag {
		e.text(map[byte]string{'d': "Dict[Any, Any]", 'l': "List[Any]"}[n.kind])
		e.Write([]byte{0x86, 'R'})
	}
	if e.shared[n] > 1 {
		e.memoize(n)
	}
}
