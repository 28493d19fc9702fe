package pickle

import (
	"bytes"
	"io"
)

// readAhead is how many bytes a stream keeps ready beyond the opcode at hand; longer strings are fetched specially.
const readAhead = 1 << 14

// chunk is how many bytes, at least, are asked of a stream at once.
const chunk = 1 << 18

// An input is the bytes being read: all of them when they are in memory, else a buffer of the next ones.
type input struct {
	buf  []byte
	p    int   // next byte in buf
	base int64 // offset of buf[0] in the stream
	r    io.Reader
	eof  bool
	err  error // why the stream ended, nil if it just did
}

// fill makes sure that at least n bytes are ready, if the stream has them.
func (in *input) fill(n int) {
	for !in.eof && len(in.buf)-in.p < n {
		if in.p > 0 {
			k := copy(in.buf, in.buf[in.p:])
			in.base += int64(in.p)
			in.buf, in.p = in.buf[:k], 0
		}
		// The buffer grows with what has come, never with what is announced.
		if cap(in.buf)-len(in.buf) < chunk {
			b := make([]byte, len(in.buf), max(2*chunk, 2*len(in.buf)))
			copy(b, in.buf)
			in.buf = b
		}
		k, err := in.r.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+k]
		in.ended(err)
	}
}

// ended notes the end of the stream if err says so; the bytes read before can still be used.
func (in *input) ended(err error) {
	if err == nil {
		return
	}
	in.eof = true
	if err != io.EOF {
		in.err = err
	}
}

// end is the error when the bytes end too early.
func (in *input) end() error {
	if in.err != nil {
		return in.err
	}
	return ErrTruncated
}

// take returns the next n bytes.
func (in *input) take(n int) ([]byte, error) {
	if len(in.buf)-in.p < n {
		in.fill(n)
		if len(in.buf)-in.p < n {
			return nil, in.end()
		}
	}
	b := in.buf[in.p : in.p+n : in.p+n]
	in.p += n
	return b, nil
}

// uint returns the little-endian number in the next n bytes, at most 8.
func (in *input) uint(n int) (x uint64, err error) {
	b, err := in.take(n)
	for i, c := range b {
		x |= uint64(c) << (8 * i)
	}
	return x, err
}

// maxLine bounds the text arguments of protocol 0.
const maxLine = 64 << 20

// line returns the bytes up to the next line feed, without it. They are valid until more bytes are read.
func (in *input) line() ([]byte, error) {
	for n := 0; ; {
		if i := bytes.IndexByte(in.buf[in.p+n:], '\n'); i >= 0 {
			b := in.buf[in.p : in.p+n+i]
			in.p += n + i + 1
			return b, nil
		}
		n = len(in.buf) - in.p
		if in.eof || n > maxLine {
			return nil, in.end()
		}
		in.fill(n + 1)
	}
}
