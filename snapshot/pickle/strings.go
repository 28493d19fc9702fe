package pickle

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// cutTail tells truncated files from wrong lengths: where a length reaches beyond the end of the file, and at most
// cutTail bytes are left, the file counts as truncated.
const cutTail = 1 << 16

// counted returns the bytes whose number is given in the n bytes before them.
func (m *Machine) counted(n int) ([]byte, error) {
	k, err := m.in.uint(n)
	if err != nil {
		return nil, err
	}
	left := uint64(len(m.in.buf) - m.in.p)
	if m.in.eof && k > left {
		if left > cutTail && m.in.err == nil {
			return nil, m.fail(nil, "a length of %d where %d bytes are left", k, left)
		}
		return nil, m.in.end()
	}
	if room := max(m.h.budget, 0); k > uint64(room) {
		if !m.in.eof && room > 0 {
			return nil, m.fail(nil, "a length of %d where %d bytes of memory are left", k, room)
		}
		return nil, ErrMemory
	}
	return m.in.take(int(k))
}

// text runs the opcodes of strings and bytes.
func (m *Machine) text(op byte) error {
	var b []byte
	var err error
	switch op {
	case opString, opUnicode:
		m.TextArgs = true
		if b, err = m.in.line(); err != nil {
			return err
		}
		if op == opUnicode {
			return m.push(m.h.String(rawUnicode(b)))
		}
		s, ok := unquote(b)
		if !ok {
			return m.fail(nil, "a string without quotes")
		}
		return m.push(m.h.String(s))
	case opShortBinString, opShortBinBytes, opShortBinUnicode:
		b, err = m.counted(1)
	case opBinString, opBinUnicode, opBinBytes:
		b, err = m.counted(4)
	default:
		b, err = m.counted(8)
	}
	if err != nil {
		return err
	}
	switch op {
	case opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		return m.push(m.h.Bytes(b))
	}
	return m.push(m.h.String(b))
}

// rawUnicode decodes Python's raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX. Escaped surrogates become
// U+FFFD unless they pair up.
func rawUnicode(b []byte) []byte {
	out := make([]byte, 0, len(b)+8)
	for i := 0; i < len(b); {
		if b[i] == '\\' && i+1 < len(b) {
			n := 0
			switch b[i+1] {
			case 'u':
				n = 4
			case 'U':
				n = 8
			}
			if n > 0 && i+2+n <= len(b) {
				if r, err := strconv.ParseUint(string(b[i+2:i+2+n]), 16, 32); err == nil {
					out = utf8.AppendRune(out, rune(min(r, utf8.MaxRune+1)))
					i += 2 + n
					continue
				}
			}
		}
		out = utf8.AppendRune(out, rune(b[i]))
		i++
	}
	return out
}

// unquote decodes the argument of STRING, a Python 2 string literal.
func unquote(b []byte) ([]byte, bool) {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != b[len(b)-1] || b[0] != '\'' && b[0] != '"' {
		return nil, false
	}
	out := make([]byte, 0, len(b))
	for rest := string(b[1 : len(b)-1]); rest != ""; {
		c, wide, tail, err := strconv.UnquoteChar(rest, 0)
		switch {
		case len(rest) > 1 && rest[0] == '\\' && (rest[1] == '\'' || rest[1] == '"'):
			out, rest = append(out, rest[1]), rest[2:]
		case err != nil || wide && rest[0] == '\\': // as Python 2 leaves what it does not know
			out, rest = append(out, rest[0]), rest[1:]
		case wide:
			out, rest = utf8.AppendRune(out, c), tail
		default:
			out, rest = append(out, byte(c)), tail
		}
	}
	return out, true
}
