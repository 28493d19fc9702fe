package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"strata/snapshot/pickle"
)

// jsonBatch is how many items of a list wait on the stack before they are added to it.
const jsonBatch = 1000

// json reads JSON of the shape of a snapshot, token by token. encoding/json's decoder took ten times as long, most
// of it for memory.
func (d *decoding) json(r io.Reader) error {
	d.reset()
	d.src.Reader = "json"
	j := &jsonReader{d: d, m: pickle.NewMachine(d.b.h, nil), in: jsonInput{r: r}}
	j.m.MaxDepth = d.lim.Depth
	err := j.read()
	d.raw = j.in.offset()
	if err == nil {
		d.root, err = j.m.Root()
		return err
	}
	if d.ctx.Err() != nil || errors.Is(err, errRaw) || errors.Is(err, errToken) || errors.Is(err, pickle.ErrMemory) || errors.Is(err, pickle.ErrDepth) {
		return err
	}
	d.end = &pickle.Error{Offset: d.raw, What: err.Error(), Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		d.end.What, d.end.Err = "the JSON ends too early", pickle.ErrTruncated
	}
	d.root = j.m.Salvage()
	return nil
}

// A jsonReader builds values of the JSON it reads.
type jsonReader struct {
	d    *decoding
	m    *pickle.Machine
	in   jsonInput
	open []int // for each open container: -1 for a dict, else items waiting
	want uint8
	tick int64 // offset of the next tick
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
func (j *jsonReader) read() error {
	for {
		c, err := j.in.next()
		if err != nil {
			return err
		}
		if at := j.in.offset(); at >= j.tick {
			j.tick = at + 1<<16
			j.m.At(at)
			if err := j.d.tick(at); err != nil {
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
func (j *jsonReader) then(may bool, c byte, want uint8) error {
	if !may {
		return j.unexpected(c)
	}
	j.in.p++
	j.want = want
	return nil
}

func (j *jsonReader) unexpected(c byte) error {
	what := [...]string{"a value", "a key", "a colon", "a comma or an end", "a value", "a key"}[j.want]
	return fmt.Errorf("damaged JSON: %s where %s should be", strconv.QuoteRune(rune(c)), what)
}

func (j *jsonReader) inDict() bool { return len(j.open) > 0 && j.open[len(j.open)-1] < 0 }

func (j *jsonReader) comma() error {
	if j.inDict() {
		return j.then(j.want == wantComma, ',', wantKey)
	}
	return j.then(j.want == wantComma, ',', wantValue)
}

func (j *jsonReader) begin(c byte) error {
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

func (j *jsonReader) end(c byte) error {
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
func (j *jsonReader) added() error {
	j.want = wantComma
	if len(j.open) == 0 {
		return nil
	}
	n := &j.open[len(j.open)-1]
	if *n < 0 {
		return nil
	}
	if *n++; *n == jsonBatch {
		*n = 0
		return j.m.Flush()
	}
	return nil
}

// text reads a key or a text.
func (j *jsonReader) text() error {
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
	if err := j.m.Put(j.d.b.h.String(b)); err != nil {
		return err
	}
	if key {
		j.want = wantColon
		return nil
	}
	return j.added()
}

// scalar reads any other value, which begins with c.
func (j *jsonReader) scalar(c byte) error {
	if j.want != wantValue && j.want != wantFirst {
		return j.unexpected(c)
	}
	b, err := j.in.word()
	if err != nil {
		return err
	}
	v, ok := jsonScalar(j.d.b.h, b)
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

// jsonScalar is the value of a number or a word. Python's json module writes numbers that JSON does not have: one
// beyond all bounds is skipped and counted like one in a pickle, and NaN is no number at all, as an empty text.
func jsonScalar(h *pickle.Heap, b []byte) (pickle.Value, bool) {
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
