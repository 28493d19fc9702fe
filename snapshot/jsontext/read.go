// Package jsontext reads JSON into the values of package pickle, token by token. It takes what Python's json module
// writes beyond JSON, too: NaN and Infinity.
package jsontext

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"strata/snapshot/pickle"
)

// batch is how many items of a list wait on the machine's stack before they are added to the list.
const batch = 1000

// tickBytes is how many bytes are read between two ticks.
const tickBytes = 64 << 10

// Read reads one JSON value into the machine m, which fills h, and calls tick now and then with the bytes read so far.
// It returns how many bytes it read. The error is io.ErrUnexpectedEOF if the JSON ends too early.
func Read(r io.Reader, h *pickle.Heap, m *pickle.Machine, tick func(int64) error) (int64, error) {
	j := &reader{h: h, m: m, in: input{r: r}, tick: tick}
	err := j.read()
	return j.in.offset(), err
}

// A reader builds values of the JSON it reads.
type reader struct {
	h    *pickle.Heap
	m    *pickle.Machine
	in   input
	open []int // for each open container: -1 for a dict, else items waiting
	want uint8
	tick func(int64) error
	next int64 // offset of the next tick
}

// What may come next.
const (
	wantValue = iota
	wantKey
	wantColon
	wantComma // or the end of the container
	wantFirst // a value, or the end of the list
	wantEntry // a key, or the end of the dict
)

// read reads one value with all that is in it.
func (j *reader) read() error {
	for {
		c, err := j.in.next()
		if err != nil {
			return err
		}
		if at := j.in.offset(); at >= j.next {
			j.next = at + tickBytes
			j.m.At(at)
			if err := j.tick(at); err != nil {
				return err
			}
		}
		switch c {
		case ',':
			err = j.comma()
		case ':':
			err = j.then(j.want == wantColon, c, wantValue)
		case '"':
			err = j.text()
		case '{', '[':
			err = j.begin(c)
		case '}', ']':
			err = j.end(c)
		default:
			err = j.scalar(c)
		}
		if err != nil {
			return err
		}
		if len(j.open) == 0 {
			return nil
		}
	}
}

// then takes the character c if it may come.
func (j *reader) then(may bool, c byte, want uint8) error {
	if !may {
		return j.unexpected(c)
	}
	j.in.p++
	j.want = want
	return nil
}

func (j *reader) unexpected(c byte) error {
	what := [...]string{"a value", "a key", "a colon", "a comma or an end", "a value", "a key"}[j.want]
	return fmt.Errorf("damaged JSON: %s where %s should be", strconv.QuoteRune(rune(c)), what)
}

func (j *reader) inDict() bool { return len(j.open) > 0 && j.open[len(j.open)-1] < 0 }

func (j *reader) comma() error {
	if j.inDict() {
		return j.then(j.want == wantComma, ',', wantKey)
	}
	return j.then(j.want == wantComma, ',', wantValue)
}

func (j *reader) begin(c byte) error {
	may := j.want == wantValue || j.want == wantFirst
	if c == '{' {
		if err := j.then(may, c, wantEntry); err != nil {
			return err
		}
		j.open = append(j.open, -1)
	} else {
		if err := j.then(may, c, wantFirst); err != nil {
			return err
		}
		j.open = append(j.open, 0)
	}
	return j.m.Begin(c == '{')
}

func (j *reader) end(c byte) error {
	first := uint8(wantFirst)
	if c == '}' {
		first = wantEntry
	}
	may := (c == '}') == j.inDict() && (j.want == wantComma || j.want == first)
	if err := j.then(may, c, wantComma); err != nil {
		return err
	}
	if err := j.m.End(c == '}'); err != nil {
		return err
	}
	j.open = j.open[:len(j.open)-1]
	return j.added()
}

// added notes that a value is complete.
func (j *reader) added() error {
	j.want = wantComma
	if len(j.open) == 0 {
		return nil
	}
	n := &j.open[len(j.open)-1]
	if *n < 0 {
		return nil
	}
	if *n++; *n == batch {
		*n = 0
		return j.m.Flush()
	}
	return nil
}

// text reads a key or a text.
func (j *reader) text() error {
	key := j.want == wantKey || j.want == wantEntry
	if !key && j.want != wantValue && j.want != wantFirst {
		return j.unexpected('"')
	}
	b, plain, err := j.in.text()
	if err != nil {
		return err
	}
	if plain {
		b = b[1 : len(b)-1]
	} else {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return fmt.Errorf("damaged JSON: the text %.40q has a wrong escape", b)
		}
		b = []byte(s)
	}
	if err := j.m.Put(j.h.String(b)); err != nil {
		return err
	}
	if key {
		j.want = wantColon
		return nil
	}
	return j.added()
}

// scalar reads any other value, which begins with c.
func (j *reader) scalar(c byte) error {
	if j.want != wantValue && j.want != wantFirst {
		return j.unexpected(c)
	}
	b, err := j.in.word()
	if err != nil {
		return err
	}
	v, ok := scalarValue(j.h, b)
	if !ok {
		if len(b) == 0 {
			return j.unexpected(c)
		}
		return fmt.Errorf("damaged JSON: %.40q is no value", b)
	}
	j.in.p += len(b)
	if err := j.m.Put(v); err != nil {
		return err
	}
	return j.added()
}

// scalarValue is the value of a number or a word. Python's json module writes numbers that JSON does not have: one
// beyond all bounds is skipped and counted like one in a pickle, and NaN is no number at all, as an empty text.
func scalarValue(h *pickle.Heap, b []byte) (pickle.Value, bool) {
	switch string(b) {
	case "null":
		return pickle.None, true
	case "true", "false":
		return pickle.Bool(b[0] == 't'), true
	case "NaN":
		return h.String(nil), true
	case "Infinity", "-Infinity":
		return h.Huge(b[0] == '-'), true
	}
	// Nearly all are small integers, which need not be scanned three times.
	if n := len(b); n > 0 && n <= 18 && b[0] >= '1' && b[0] <= '9' {
		var u int64
		for _, c := range b {
			if c -= '0'; c > 9 {
				u = -1
				break
			}
			u = 10*u + int64(c)
		}
		if u >= 0 {
			return h.Int(u), true
		}
	}
	if !json.Valid(b) {
		return pickle.Absent, false
	}
	if v, ok := h.Decimal(b); ok {
		return v, true
	}
	if f, err := strconv.ParseFloat(string(b), 64); err == nil {
		return h.Float(f), true
	}
	return h.Huge(b[0] == '-'), true
}
