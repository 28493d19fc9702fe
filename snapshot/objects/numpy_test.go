package objects

import "testing"

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name  string
		big   bool
		bytes string
		want  any
	}{
		{"i8", false, "\xa0\x28\x00\x00\x00\x00\x00\x00", int64(10400)},
		{"i8", true, "\x00\x00\x00\x00\x00\x00\x28\xa0", int64(10400)},
		{"i4", false, "\xff\xff\xff\xff", int64(-1)},
		{"u4", false, "\xff\xff\xff\xff", uint64(1<<32 - 1)},
		{"u8", false, "\xff\xff\xff\xff\xff\xff\xff\xff", uint64(1<<64 - 1)},
		{"b1", false, "\x01", true},
		{"f4", false, "\x00\x00\xc0\x3f", 1.5},
		{"f8", true, "\x3f\xf8\x00\x00\x00\x00\x00\x00", 1.5},
		{"i8", false, "\x01", nil},
		{"f2", false, "\x00\x3c", nil},
		{"O8", false, "\x00\x00\x00\x00\x00\x00\x00\x00", nil},
		{"", false, "", nil},
	} {
		if got := (&dtype{name: c.name, bigEndian: c.big}).number([]byte(c.bytes)); got != c.want {
			t.Errorf("%s, big-endian %v, %q: %v (%T), want %v", c.name, c.big, c.bytes, got, got, c.want)
		}
	}
}
