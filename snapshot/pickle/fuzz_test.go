package pickle

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// FuzzMachine runs any bytes, from memory and from a stream: the outcomes must be the same, and nothing may panic
// or take unbounded memory.
func FuzzMachine(f *testing.F) {
	for _, s := range []string{
		"\x80\x04](}(\x8c\x03recNu}(\x8c\x03recNue.", "(lp0\n(dp1\nVrec\np2\nNsa.",
		"]q\x00(}q\x01(X\x03\x00\x00\x00recNuh\x01h\x01e.",
		"ctorch.jit._pickle\nrestore_type_tag\n](K\x01e\x8c\x01x\x86R.",
		"\x80\x05\x95\x00\x00\x00\x00\x00\x00\x00\x00]\x94h\x00a.",
		"](N\x940](h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00ee.", "S'a'\nL12L\nF1\n.",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, refilled bool) {
		h := NewHeap(&keep{}, nil, 1<<24)
		m := NewMachine(h, data)
		m.Refilled = refilled
		v, err := m.Run()
		h2 := NewHeap(&keep{}, nil, 1<<24)
		var r io.Reader = bytes.NewReader(data)
		if len(data)%2 == 1 {
			r = iotest.HalfReader(r)
		}
		m2 := NewStreamMachine(h2, r)
		m2.Refilled = refilled
		v2, err2 := m2.Run()
		if (err == nil) != (err2 == nil) {
			t.Fatalf("from memory %v, from a stream %v", err, err2)
		}
		if err == nil {
			if a, b := text(h, v, 0), text(h2, v2, 0); a != b {
				t.Fatalf("from memory %s, from a stream %s", a, b)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(data)) {
			t.Fatalf("%v", err)
		}
		if r := m.Salvage(); r != Absent {
			_ = text(h, r, 0)
		}
	})
}
