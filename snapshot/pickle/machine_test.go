package pickle

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// keep leaves every dict in the heap, but for those with a key "rec", which become records that count up.
type keep struct{ n uint64 }

func (k *keep) Dict(h *Heap, under Value, pairs []Value) Value {
	for i := 0; i < len(pairs); i += 2 {
		if id, ok := pairs[i].IsString(); ok && h.Text(id) == "rec" {
			k.n++
			return Record(RunClass, k.n-1)
		}
	}
	return Absent
}

// text writes a value for comparison, as much of it as is enough to tell: a list that holds itself sixteen times
// has no end.
func text(h *Heap, v Value, depth int) string {
	left := 20_000
	return textUpTo(h, v, depth, &left)
}

// textUpTo writes as many values as are left.
func textUpTo(h *Heap, v Value, depth int, left *int) string {
	if *left--; depth > 6 || *left < 0 {
		return "…"
	}
	v = h.Resolve(v)
	if id, ok := v.IsString(); ok {
		return fmt.Sprintf("%q", h.Text(id))
	}
	if c, n, ok := v.Record(); ok {
		return fmt.Sprintf("rec%d:%d", c, n)
	}
	switch {
	case v.IsList():
		var s []string
		for i := 0; i < h.Len(v) && *left > 0; i++ {
			s = append(s, textUpTo(h, h.At(v, i), depth+1, left))
		}
		return "[" + strings.Join(s, " ") + "]"
	case v.IsDict():
		var s []string
		for _, x := range h.Pairs(v) {
			s = append(s, textUpTo(h, x, depth+1, left))
		}
		return "{" + strings.Join(s, " ") + "}"
	}
	bits, kind := h.Num(v)
	switch {
	case v == True || v == False:
		return map[Value]string{True: "true", False: "false"}[v]
	case kind == IntNum:
		return fmt.Sprint(int64(bits))
	case kind == UintNum:
		return fmt.Sprint(bits)
	case kind == FloatNum:
		return fmt.Sprintf("%gf", math.Float64frombits(bits))
	case kind == HugeNum:
		return fmt.Sprintf("huge%d", bits)
	}
	return map[Value]string{None: "none", Opaque: "opaque"}[v]
}

func runText(data string, refilled bool) (string, error) {
	h := NewHeap(&keep{}, nil, 1<<28)
	m := NewMachine(h, []byte(data))
	m.Refilled = refilled
	v, err := m.Run()
	if err != nil {
		return "", err
	}
	return text(h, v, 0), nil
}

// TestOpcodes runs small pickles: one for every opcode at least.
func TestOpcodes(t *testing.T) {
	for _, c := range []struct{ pickle, want string }{
		{"N.", "none"}, {"\x88.", "true"}, {"\x89.", "false"}, {"I01\n.", "true"}, {"I00\n.", "false"},
		{"K\xff.", "255"}, {"M\xff\xff.", "65535"}, {"J\xff\xff\xff\xff.", "-1"},
		{"J\x00\x00\x00\x80.", "-2147483648"},
		{"I-7\n.", "-7"}, {"I99999999999999999999\n.", "huge0"},
		{"L18446744073709551615L\n.", "18446744073709551615"}, {"L5\n.", "5"},
		{"L-9223372036854775808L\n.", "-9223372036854775808"}, {"L-9223372036854775809L\n.", "huge1"},
		{"\x8a\x00.", "0"}, {"\x8a\x01\xff.", "-1"},
		{"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.", "9223372036854775808"},
		{"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.", "18446744073709551615"},
		{"\x8a\x05\x00\x00\x00\x80\x00.", "2147483648"},
		{"\x8a\x07\x00\x00\x00\x00\x00\x80\x00.", "140737488355328"},
		{"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", "-9223372036854775808"},
		{"\x8b\x02\x00\x00\x00\x00\x01.", "256"}, {"\x8b\x00\x00\x00\x00.", "0"},
		{"F1.5\n.", "1.5f"}, {"G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "1.5f"}, {"F1e999\n.", "+Inff"},
		{"S'a\\x41\\n\\'\\q'\n.", `"aA\n'\\q"`}, {"S\"b\"\n.", `"b"`},
		{"Va\\u00e9\\U0001F600\xe9\\n\n.", `"aé😀é\\n"`}, {"V\\ud800\n.", `"�"`},
		{"T\x02\x00\x00\x00ab.", `"ab"`}, {"U\x02ab.", `"ab"`}, {"X\x02\x00\x00\x00ab.", `"ab"`},
		{"\x8c\x02ab.", `"ab"`},
		{"\x8d\x02\x00\x00\x00\x00\x00\x00\x00ab.", `"ab"`}, {"B\x02\x00\x00\x00ab.", `"ab"`}, {"C\x02ab.", `"ab"`},
		{"\x8e\x02\x00\x00\x00\x00\x00\x00\x00ab.", `"ab"`}, {"\x96\x02\x00\x00\x00\x00\x00\x00\x00ab.", `"ab"`},
		{"].", "[]"}, {"(l.", "[]"}, {"(K\x01K\x02l.", "[1 2]"}, {"]K\x01a.", "[1]"}, {"](K\x01K\x02e.", "[1 2]"},
		{"](e.", "[]"},
		{").", "[]"}, {"K\x01\x85.", "[1]"}, {"K\x01K\x02\x86.", "[1 2]"}, {"K\x01K\x02K\x03\x87.", "[1 2 3]"},
		{"(K\x01K\x02K\x03K\x04t.", "[1 2 3 4]"},
		{"K\x01J\xff\xff\xff\xff\x86.", "[1 -1]"}, {"K\x01J\xff\xff\xff\x0f\x86.", "[1 268435455]"},
		{"K\x01J\x00\x00\x00\x10\x86.", "[1 268435456]"},
		{"}.", "{}"}, {"(d.", "{}"}, {"(K\x01K\x02d.", "{1 2}"}, {"}K\x01K\x02s.", "{1 2}"},
		{"}(K\x01K\x02u.", "{1 2}"}, {"}(u.", "{}"},
		{"\x8f(K\x01\x90.", "opaque"}, {"(K\x01\x91.", "opaque"},
		{"K\x01K\x020.", "1"}, {"K\x01(K\x02K\x031.", "1"}, {"K\x01(0.", "1"}, {"]K\x012a\x30.", ""},
		{"K\x012\x86.", "[1 1]"},
		{"]q\x050h\x05.", "[]"}, {"]r\x05\x00\x00\x000j\x05\x00\x00\x00.", "[]"}, {"]p12\n0g12\n.", "[]"},
		{"]\x940h\x00.", "[]"},
		{"\x80\x05\x95\x01\x00\x00\x00\x00\x00\x00\x00N.", "none"}, {"\x80\x04N.rest", "none"},
		{"ctorch.jit._pickle\nrestore_type_tag\n](K\x01e\x8c\x01x\x86R.", "[1]"},
		{"\x8c\x11torch.jit._pickle\x8c\x10restore_type_tag\x93]\x8c\x01x\x86q\x00R.", "[]"},
		{"](}(\x8c\x03recNu}(\x8c\x03recNue.", "[rec8:0 rec8:1]"},
		{"(l(d\x8c\x03recNsa(d\x8c\x03recNsa.", "[rec8:0 rec8:1]"},
		{"]q\x00(}q\x01(\x8c\x03recNuh\x01h\x01e.", "[rec8:0 rec8:0 rec8:0]"},
		{"](}(\x8c\x03recNuK\x05}(\x8c\x03recNue.", "[rec8:0 5 rec8:1]"},
		{"}(\x8c\x01a}(\x8c\x03recNu\x8c\x01a}(\x8c\x01bNuu.", `{"a" rec8:0 "a" {"b" none}}`},
	} {
		got, err := runText(c.pickle, false)
		if c.want == "" {
			if err == nil {
				t.Errorf("%q: %s, want an error", c.pickle, got)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.pickle, got, err, c.want)
		}
	}
}

// TestErrors: what is wrong, and at which byte.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		pickle string
		at     int64
		cause  error
	}{
		{"", 0, ErrTruncated}, {"\x80", 0, ErrTruncated}, {"\x80\x04", 2, ErrTruncated},
		{"NX\x05\x00\x00\x00ab", 1, ErrTruncated}, {"I12", 0, ErrTruncated},
		{"NK", 1, ErrTruncated}, {"N\x8a\x05ab", 1, ErrTruncated}, {"](Nh", 3, ErrTruncated},
		{"](Nj\x00\x00", 3, ErrTruncated},
		{"\xff", 0, nil}, {"N\x00", 1, nil}, {".", 0, nil}, {"NN.", 2, nil}, {"(N.", 2, nil}, {"Ne", 1, nil},
		{"(e", 1, nil}, {"N(e", 2, nil}, {"a", 0, nil}, {"Na", 1, nil},
		{"NNa", 2, nil}, {"NNNs", 3, nil}, {"}Ns", 2, nil}, {"}(Nu", 3, nil}, {"(Nd", 2, nil}, {"N(Nu", 3, nil},
		{"0", 0, nil}, {"1", 0, nil}, {"2", 0, nil}, {"\x94", 0, nil},
		{"q\x00", 0, nil}, {"h\x00", 0, nil}, {"Nh\x05", 1, nil}, {"g5\n", 0, nil}, {"gx\n", 0, nil},
		{"\x85", 0, nil}, {"N\x86", 1, nil}, {"Ix\n", 0, nil}, {"L1x\n", 0, nil}, {"Fx\n", 0, nil},
		{"Sx\n", 0, nil}, {"(N\x85a", 3, nil}, {"NN\x93", 2, nil}, {"(\x90", 1, nil}, {"\x91", 0, nil}, {"t", 0, nil},
		{"ctorch.jit._pickle\nrestore_type_tag\n)R", 37, nil},
		{"NR", 1, nil}, {"N\x81", 1, nil}, {"b", 0, nil}, {"Nb", 1, nil}, {"(ia\n", 1, ErrTruncated},
		{"]q\x00h\x00a", 5, ErrMutated},
		{"}q\x00Nh\x00s", 6, ErrMutated}, {"]q\x00h\x00\x85h\x00Na", 9, ErrMutated},
		{"}q\x00(\x8c\x03recNuh\x00NNs", 15, ErrMutated},
	} {
		_, err := runText(c.pickle, false)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v is no *Error", c.pickle, err)
			continue
		}
		if e.Offset != c.at || c.cause != nil && !errors.Is(err, c.cause) || e.What == "" {
			t.Errorf("%q: %v (%v), want byte %d, %v", c.pickle, err, e.Err, c.at, c.cause)
		}
	}
}

// TestObjects: what is beyond plain data is opaque, and nothing else suffers.
func TestObjects(t *testing.T) {
	for _, c := range []struct{ pickle, want string }{
		{"(K\x01cos\nsystem\n\x8c\x02ls\x85RK\x02l.", "[1 opaque 2]"},
		{"(K\x01\x8c\x02os\x8c\x06system\x93)\x81}bK\x02l.", "[1 opaque 2]"},
		{"(Px\n\x82\x01\x83\x01\x02\x84\x01\x02\x03\x04\x97l.", "[opaque opaque opaque opaque opaque]"},
		{"(NQN\x98l.", "[opaque opaque]"},
		{"(K\x01(Nia\nb\nK\x02l.", "[1 opaque 2]"}, {"(cx\ny\n(cx\ny\nNol.", "[opaque opaque]"},
		{"(cx\ny\n)}\x92K\x01l.", "[opaque 1]"},
		{"cc\nOrderedDict\n)R(K\x01K\x02u.", "opaque"}, {"cc\nx\n)R(K\x01K\x02e.", "opaque"},
		{"cc\nx\n)RK\x01a.", "opaque"}, {"cc\nx\n)RK\x01K\x02s.", "opaque"},
	} {
		if got, err := runText(c.pickle, true); err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.pickle, got, err, c.want)
		}
		if got, err := runText(c.pickle, false); err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.pickle, got, err, c.want)
		}
	}
	if got, err := runText("]q\x00(K\x01h\x00e.", true); err != nil || !strings.HasPrefix(got, "[1 [1 [1") {
		t.Errorf("a list in itself: %s, %v", got, err)
	}
}

// TestLongs compares integers of all lengths with math/big.
func TestLongs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := NewHeap(&keep{}, nil, 1<<30)
	for range 20000 {
		b := make([]byte, rng.IntN(20))
		for i := range b {
			b[i] = []byte{0, 0xff, 0x80, 0x7f, byte(rng.Uint32())}[rng.IntN(5)]
		}
		x := new(big.Int)
		for i := len(b) - 1; i >= 0; i-- {
			x.Or(x.Lsh(x, 8), big.NewInt(int64(b[i])))
		}
		if len(b) > 0 && b[len(b)-1]&0x80 != 0 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		want := x.String()
		if !x.IsInt64() && !x.IsUint64() {
			want = map[int]string{1: "huge0", -1: "huge1"}[x.Sign()]
		}
		if got := text(h, h.long(b), 0); got != want {
			t.Fatalf("% x: %s, want %s", b, got, want)
		}
		v, ok := h.Decimal([]byte(x.String()))
		if got := text(h, v, 0); !ok || got != want {
			t.Fatalf("%s: %s, want %s", x, got, want)
		}
		got, err := runText(fmt.Sprintf("\x8a%c%s.", len(b), b)+strings.Repeat(" ", 300), false)
		if err != nil || got != want {
			t.Fatalf("% x in the fast loop: %s, %v, want %s", b, got, err, want)
		}
	}
}

// TestStream reads from memory and, in pieces of all sizes, from a stream.
func TestStream(t *testing.T) {
	var b strings.Builder
	b.WriteString("\x80\x04]\x94(X\x00\x00\x08\x00" + strings.Repeat("long", 1<<17)) // half a megabyte
	for i := range 3000 {
		fmt.Fprintf(&b, "}\x94(\x8c\x01k%s\x8c\x04name\x94X\x03\x01\x00\x00%su", "K\x01", strings.Repeat("x", 259))
		if i%100 == 99 {
			b.WriteString("e(")
		}
	}
	b.WriteString("](" + strings.Repeat("h\x02j\x02\x00\x00\x00", 60_000) + "ee.")
	data := b.String()
	want, err := runText(data, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(data), "half": iotest.HalfReader(strings.NewReader(data)),
		"byte":            iotest.OneByteReader(strings.NewReader(data)),
		"data with error": iotest.DataErrReader(strings.NewReader(data)),
	} {
		h := NewHeap(&keep{}, nil, 1<<28)
		v, err := NewStreamMachine(h, r).Run()
		if err != nil || text(h, v, 0) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("the disk broke")
	h := NewHeap(&keep{}, nil, 1<<28)
	m := NewStreamMachine(h, io.MultiReader(strings.NewReader(data[:len(data)/2]), iotest.ErrReader(broken)))
	_, err = m.Run()
	var e *Error
	half := int64(len(data) / 2)
	if !errors.As(err, &e) || !errors.Is(err, broken) || e.Offset < half-300 || e.Offset > half {
		t.Errorf("%v", err)
	}
	if v := m.Salvage(); h.Len(v) < 1000 {
		t.Errorf("%d items salvaged", h.Len(v))
	}
}

// TestTickEnds: an error from Tick ends the run, and limits hold.
func TestTickEnds(t *testing.T) {
	data := "\x80\x04]\x94(" + strings.Repeat("h\x00", 4<<20)
	stop := errors.New("stop")
	m := NewMachine(NewHeap(&keep{}, nil, 1<<30), []byte(data))
	var last int64
	m.Tick = func(n int64) error {
		if n < last || n-last > 2*tickBytes {
			t.Errorf("tick at %d after %d", n, last)
		}
		if last = n; n > 3<<20 {
			return stop
		}
		return nil
	}
	if _, err := m.Run(); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	m = NewMachine(NewHeap(&keep{}, nil, 1<<20), []byte(data))
	if _, err := m.Run(); !errors.Is(err, ErrMemory) {
		t.Errorf("%v", err)
	}
	m = NewMachine(NewHeap(&keep{}, nil, 1<<30), []byte(strings.Repeat("(", 20)))
	m.MaxDepth = 10
	if _, err := m.Run(); !errors.Is(err, ErrDepth) {
		t.Errorf("%v", err)
	}
}
