package pickle

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name  string
		big   bool
		bytes string
		kind  NumKind
		want  uint64
	}{
		{"i8", false, "\xa0\x28\x00\x00\x00\x00\x00\x00", IntNum, 10400},
		{"i8", true, "\x00\x00\x00\x00\x00\x00\x28\xa0", IntNum, 10400},
		{"i4", false, "\xff\xff\xff\xff", IntNum, 1<<64 - 1},
		{"u4", false, "\xff\xff\xff\xff", UintNum, 1<<32 - 1},
		{"u8", false, "\xff\xff\xff\xff\xff\xff\xff\xff", UintNum, 1<<64 - 1},
		{"b1", false, "\x01", UintNum, 1},
		{"f4", false, "\x00\x00\xc0\x3f", FloatNum, math.Float64bits(1.5)},
		{"f8", true, "\x3f\xf8\x00\x00\x00\x00\x00\x00", FloatNum, math.Float64bits(1.5)},
		{"i8", false, "\x01", NotNum, 0},
		{"f2", false, "\x00\x3c", NotNum, 0},
		{"O8", false, "\x00\x00\x00\x00\x00\x00\x00\x00", NotNum, 0},
		{"", false, "", NotNum, 0},
	} {
		if got, kind := (Dtype{c.name, c.big}).Number([]byte(c.bytes)); got != c.want || kind != c.kind {
			t.Errorf("%s, big-endian %v, %q: %v (%v), want %v (%v)", c.name, c.big, c.bytes, got, kind, c.want, c.kind)
		}
	}
}

// TestNumpyScalars: numbers of numpy in a pickle are plain numbers, whenever their type learns its byte order.
func TestNumpyScalars(t *testing.T) {
	const (
		scalar = "cnumpy.core.multiarray\nscalar\nq\x00"
		dtype  = "cnumpy\ndtype\nq\x01\x8c\x02"
		state  = "\x88\x89\x87Rq\x02(K\x03\x8c\x01"
	)
	for _, c := range []struct{ order, bytes, want string }{
		{"<", "C\x02\x01\x02", "513"}, {">", "C\x02\x01\x02", "258"}, {"<", "C\x01\x01", "opaque"},
		{"<", "N", "opaque"},
	} {
		data := "\x80\x04](" + scalar + dtype + "u2" + state + c.order + "NNtb" + c.bytes + "\x86R" +
			"h\x00h\x02" + c.bytes + "\x86Re."
		want := "[" + c.want + " " + c.want + "]"
		if got, err := runText(data, false); err != nil || got != want {
			t.Errorf("%s %q: %s, %v, want %s", c.order, c.bytes, got, err, want)
		}
		m := NewMachine(NewHeap(&keep{}, nil, 1<<20), []byte(data))
		if _, err := m.Run(); err != nil || m.Objects {
			t.Errorf("%s %q: %v, objects %v", c.order, c.bytes, err, m.Objects)
		}
	}
}
