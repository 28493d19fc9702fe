package jsontext

import (
	"fmt"
	"io"
	"slices"
)

// maxToken bounds the bytes of one text or number, which is kept in memory.
const maxToken = 64 << 20

// ErrToken is the error for a text or number that takes too much memory.
var ErrToken = fmt.Errorf("one text or number of the JSON takes more than %d MiB", maxToken>>20)

// An input is a window on the bytes of JSON.
type input struct {
	r    io.Reader
	buf  []byte
	p    int   // next byte in buf
	base int64 // offset of buf[0]
	err  error // why no more bytes come
}

// chunk is how many bytes, at least, are asked for at once.
const chunk = 64 << 10

// offset is how many bytes have been read.
func (x *input) offset() int64 { return x.base + int64(x.p) }

// more gets more bytes behind those from p on. The error is io.ErrUnexpectedEOF if there are none.
func (x *input) more() error {
	if x.p > 0 {
		n := copy(x.buf, x.buf[x.p:])
		x.base += int64(x.p)
		x.buf, x.p = x.buf[:n], 0
	}
	if len(x.buf) > maxToken {
		return ErrToken
	}
	if cap(x.buf)-len(x.buf) < chunk {
		x.buf = slices.Grow(x.buf, max(chunk, len(x.buf)))
	}
	for range 100 {
		if x.err != nil {
			return x.err
		}
		n, err := x.r.Read(x.buf[len(x.buf):cap(x.buf)])
		x.buf = x.buf[:len(x.buf)+n]
		if x.err = err; err == io.EOF {
			x.err = io.ErrUnexpectedEOF
		}
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// next skips blanks and returns the byte that comes then, without taking it.
func (x *input) next() (byte, error) {
	for {
		for ; x.p < len(x.buf); x.p++ {
			switch c := x.buf[x.p]; c {
			case ' ', '\t', '\n', '\r':
			default:
				return c, nil
			}
		}
		if err := x.more(); err != nil {
			return 0, err
		}
	}
}

// special are the bytes that end a run of plain bytes in a text.
var special = func() (t [256]bool) {
	for i := range ' ' {
		t[i] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// text takes the text at p, with its quotes; plain says that it has no escapes. The bytes are good until the next
// ones are read.
func (x *input) text() (b []byte, plain bool, err error) {
	plain = true
	for i := 1; ; {
		b := x.buf[x.p:]
		for i < len(b) && !special[b[i]] {
			i++
		}
		if i+1 >= len(b) && (i == len(b) || b[i] == '\\') {
			if err := x.more(); err != nil {
				return nil, false, err
			}
			continue
		}
		switch b[i] {
		case '"':
			x.p += i + 1
			return b[:i+1], plain, nil
		case '\\':
			plain = false
			i += 2
		default:
			x.p += i
			return nil, false, fmt.Errorf("damaged JSON: the control character %q in a text", b[i])
		}
	}
}

// inWord are the bytes of numbers and words.
var inWord = func() (t [256]bool) {
	for c := range 128 {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '.'
	}
	return t
}()

// word returns the number or word at p, without taking it. The bytes are good until the next ones are read.
func (x *input) word() ([]byte, error) {
	for i := 0; ; {
		b := x.buf[x.p:]
		for i < len(b) && inWord[b[i]] {
			i++
		}
		if i < len(b) {
			return b[:i], nil
		}
		if err := x.more(); err != nil { // if they end here, there may have been more of this one
			return nil, err
		}
	}
}
