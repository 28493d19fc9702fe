package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"strata/snapshot/pickle"
)

// asIs is a handler that takes nothing.
type asIs struct{}

func (asIs) Dict(*pickle.Heap, pickle.Value, []pickle.Value) pickle.Value { return pickle.Absent }

// readJSON reads JSON with our own reader into what encoding/json would make of it.
func readJSON(r io.Reader) (any, error) {
	h := pickle.NewHeap(asIs{}, nil, 64<<20)
	m := pickle.NewMachine(h, nil)
	m.MaxDepth = 1000
	if _, err := Read(r, h, m, func(int64) error { return nil }); err != nil {
		return nil, err
	}
	root, err := m.Root()
	return plainValue(h, root), err
}

func plainValue(h *pickle.Heap, v pickle.Value) any {
	if id, ok := v.IsString(); ok {
		return string([]rune(h.Text(id)))
	}
	bits, kind := h.Num(v)
	switch {
	case v == pickle.None:
		return nil
	case v == pickle.True || v == pickle.False:
		return v == pickle.True
	case kind == pickle.IntNum:
		return strconv.FormatInt(int64(bits), 10)
	case kind == pickle.UintNum:
		return strconv.FormatUint(bits, 10)
	case kind == pickle.FloatNum:
		return math.Float64frombits(bits)
	case kind == pickle.HugeNum:
		return "huge"
	case v.IsList():
		list := []any{}
		for i := range h.Len(v) {
			list = append(list, plainValue(h, h.At(v, i)))
		}
		return list
	}
	dict := map[string]any{}
	pairs := h.Pairs(v)
	for i := 0; i < len(pairs); i += 2 {
		dict[plainValue(h, pairs[i]).(string)] = plainValue(h, pairs[i+1])
	}
	return dict
}

// likeOurs turns what encoding/json made into what readJSON makes.
func likeOurs(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, ok := new(big.Int).SetString(string(x), 10); ok {
			if !n.IsInt64() && !n.IsUint64() {
				return "huge"
			}
			return n.String()
		}
		f, err := x.Float64()
		if err != nil {
			return "huge"
		}
		return f
	case []any:
		for i := range x {
			x[i] = likeOurs(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = likeOurs(x[k])
		}
	}
	return v
}

// sameJSON fails t unless we read data as encoding/json does.
func sameJSON(t *testing.T, data []byte) {
	t.Helper()
	if b := bytes.TrimLeft(data, " \t\r\n"); len(b) == 0 || b[0] != '[' && b[0] != '{' {
		return // no container: nobody asks
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var want any
	wantErr := dec.Decode(&want)
	want = likeOurs(want)
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(data),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(data))} {
		got, err := readJSON(r)
		if errors.Is(err, pickle.ErrDepth) || errors.Is(err, pickle.ErrMemory) {
			continue
		}
		for _, word := range []string{"NaN", "Infinity"} {
			if wantErr != nil && err == nil && bytes.Contains(data, []byte(word)) {
				return
			}
		}
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s, %.200q: %v, %v, want %v, %v", name, data, got, err, want, wantErr)
		}
		if errors.Is(wantErr, io.ErrUnexpectedEOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s, %.200q: %v, want %v", name, data, err, wantErr)
		}
	}
}

// jsonSamples are what a reader of JSON may stumble over.
var jsonSamples = []string{
	`[]`, `{}`, ` [ ] `, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1,"b":[{}],"a":2}`, `{"a"}`, `{"a":}`, `{"a":1,}`,
	`{,}`, `{1:2}`, `[1}`, `{"a":1]`, `[[]`, `[:1]`, `{"a",1}`, `{"a":1:2}`,
	`["\u00e9\ud83d\ude00\ud800x\n\\\"\/"]`, `["\x"]`, `["\u12"]`, `["\`, `["a\"`, "[\"a\nb\"]", "[\"\xff\xc3\"]",
	`["a`, `[""]`, `[tru`, `[true,false,null]`, `[truth]`, `[nul]`, `[x]`,
	`[0,-0,-1,10,01,-,+1,1.5,-1.5e3,1e5,1E+2,1e400,1.,.5,1e]`, `[0]`, `[-0]`, `[-1]`, `[01]`, `[-]`, `[+1]`, `[1.5]`,
	`[-1.5e3]`, `[1e5]`, `[1E+2]`, `[1e400]`, `[-1e400]`, `[1.]`, `[.5]`, `[1e]`, `[1-2]`,
	`[999999999999999999]`, `[9223372036854775807]`, `[9223372036854775808]`, `[18446744073709551615]`,
	`[18446744073709551616]`, `[-9223372036854775808]`, `[-9223372036854775809]`, `[1`, `[12]x`,
	`{"a":[1,{"b":null}]} trailing`,
}

// TestJSON: every sample, and every beginning of one, is read as encoding/json reads it.
func TestJSON(t *testing.T) {
	for _, s := range jsonSamples {
		for n := range len(s) + 1 {
			sameJSON(t, []byte(s[:n]))
		}
	}
	long := `["` + strings.Repeat("long ", 50_000) + `", ` + strings.Repeat(" ", 200_000) + strings.Repeat("1,", 5000) +
		`1]`
	sameJSON(t, []byte(long))
}

// FuzzJSON is TestJSON on any bytes.
func FuzzJSON(f *testing.F) {
	for _, s := range jsonSamples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1<<16 {
			sameJSON(t, data)
		}
	})
}

// TestJSONWords: what Python's json writes and JSON does not have, wherever a read ends, and only as a word of its
// own.
func TestJSONWords(t *testing.T) {
	for in, want := range map[string]any{
		`[NaN,-Infinity, Infinity,1]`:         []any{"", "huge", "huge", "1"},
		`{"NaN":"-Infinity \" NaN","x": NaN}`: map[string]any{"NaN": `-Infinity " NaN`, "x": ""},
		`[N]`:                                 nil, `[NaNa]`: nil, `[Inf]`: nil, `[-NaN]`: nil, `[+Infinity]`: nil,
		`[NaN`: nil, `[-Infin`: nil,
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in),
			"byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
			if got, err := readJSON(r); (err == nil) != (want != nil) || err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %v, %v, want %v", in, name, got, err, want)
			}
		}
	}
}
