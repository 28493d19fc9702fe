package pickle

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// long reads a little-endian two's complement integer of any length.
func (h *Heap) long(b []byte) Value {
	if len(b) == 0 {
		return h.Int(0)
	}
	negative := b[len(b)-1]&0x80 != 0
	var sign byte
	if negative {
		sign = 0xff
	}
	for len(b) > 8 && b[len(b)-1] == sign {
		b = b[:len(b)-1]
	}
	if len(b) > 8 || len(b) == 8 && negative && b[7]&0x80 == 0 {
		return h.Huge(negative)
	}
	eight := [8]byte{sign, sign, sign, sign, sign, sign, sign, sign}
	copy(eight[:], b)
	u := binary.LittleEndian.Uint64(eight[:])
	if negative {
		return h.Int(int64(u))
	}
	return h.Uint(u)
}

// maxDigits is more than any number has that means something.
const maxDigits = 1000

// binInt runs BININT1, BININT2 and BININT.
func (m *Machine) binInt(op byte) error {
	n := 1
	switch op {
	case opBinInt2:
		n = 2
	case opBinInt:
		n = 4
	}
	u, err := m.in.uint(n)
	if err != nil {
		return err
	}
	x := int64(u)
	if op == opBinInt {
		x = int64(int32(u))
	}
	return m.push(m.h.Int(x))
}

// long runs LONG1 and LONG4.
func (m *Machine) long(op byte) error {
	n := 1
	if op == opLong4 {
		n = 4
	}
	b, err := m.counted(n)
	if err != nil {
		return err
	}
	m.Unfit = m.Unfit || len(b) > maxDigits
	return m.push(m.h.long(b))
}

// binFloat runs BINFLOAT.
func (m *Machine) binFloat() error {
	b, err := m.in.take(8)
	if err != nil {
		return err
	}
	return m.push(m.h.Float(math.Float64frombits(binary.BigEndian.Uint64(b))))
}

// decimal runs INT, LONG and FLOAT, whose argument is text.
func (m *Machine) decimal(op byte) error {
	m.TextArgs = true
	b, err := m.in.line()
	if err != nil {
		return err
	}
	b = bytes.TrimSpace(b)
	m.Unfit = m.Unfit || len(b) > maxDigits
	switch {
	case op == opFloat:
		f, err := strconv.ParseFloat(string(b[:min(len(b), 400)]), 64)
		if err != nil && !math.IsInf(f, 0) {
			return m.fail(nil, "bad float %.20q", b)
		}
		return m.push(m.h.Float(f))
	case op == opInt && string(b) == "00":
		return m.push(False)
	case op == opInt && string(b) == "01":
		return m.push(True)
	}
	v, ok := m.h.Decimal(bytes.TrimSuffix(b, []byte("L")))
	if !ok {
		return m.fail(nil, "bad integer %.20q", b)
	}
	return m.push(v)
}

// Decimal makes the integer that b has in decimal digits. It returns false if b has anything else.
func (h *Heap) Decimal(b []byte) (Value, bool) {
	if i, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return h.Int(i), true
	}
	digits, negative := strings.CutPrefix(string(b), "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return Absent, false
	}
	if u, err := strconv.ParseUint(digits, 10, 64); err == nil && !negative {
		return h.Uint(u), true
	}
	return h.Huge(negative), true
}
