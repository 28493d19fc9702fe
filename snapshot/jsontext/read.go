// Package jsontext reads JSON into the values of package pickle, token by token. It takes what Python's json module
// writes beyond JSON, too: NaN and Infinity.
package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/snapshot/pickle"
)

// maxToken bounds the bytes of one text or number, which is kept in memory.
const maxToken = 64 << 20

// ErrToken is the error for a text, a number or blanks that take too much memory.
var ErrToken = fmt.Errorf("one text, number or gap of the JSON takes more than %d MiB", maxToken>>20)

// Read reads one JSON value into the machine m, which fills h, and calls tick now and then with the bytes read so far.
// It returns how many bytes it read. The error is io.ErrUnexpectedEOF if the JSON ends too early.
func Read(r io.Reader, h *pickle.Heap, m *pickle.Machine, tick func(int64) error) (int64, error) {
	in := &input{r: r, m: m, tick: tick}
	in.dec = jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := read(in.dec, h, m)
	if in.err != nil {
		err = in.err
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("damaged JSON: %w", syntax.Err)
	} else if errors.Is(err, io.EOF) || syntax != nil {
		err = io.ErrUnexpectedEOF
	}
	return in.dec.InputOffset(), err
}

// read reads one value with all that is in it.
func read(dec *jsontext.Decoder, h *pickle.Heap, m *pickle.Machine) error {
	for {
		kind := dec.PeekKind()
		var err error
		switch kind {
		case '{', '[', '}', ']':
			if _, err = dec.ReadToken(); err != nil {
				return err
			}
			if kind == '{' || kind == '[' {
				err = m.Begin(kind == '{')
			} else {
				err = m.End(kind == '}')
			}
		default:
			err = scalar(dec, h, m)
		}
		if err != nil || dec.StackDepth() == 0 {
			return err
		}
	}
}

// scalar reads a text, a number or a word.
func scalar(dec *jsontext.Decoder, h *pickle.Heap, m *pickle.Machine) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case 'n':
		return m.Put(pickle.None)
	case 't', 'f':
		return m.Put(pickle.Bool(raw.Kind() == 't'))
	case '"':
		text := []byte(raw[1 : len(raw)-1])
		if bytes.IndexByte(text, '\\') >= 0 {
			text, _ = jsontext.AppendUnquote(nil, raw)
		}
		return m.Put(h.String(text))
	}
	if v, ok := h.Decimal(raw); ok {
		return m.Put(v)
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return m.Put(h.Float(f))
	}
	return m.Put(h.Huge(raw[0] == '-')) // beyond all bounds: skipped and counted like one in a pickle
}

// An input hands bytes to the decoder, in which Python's words for what JSON has no numbers for are replaced by such of
// the same length: NaN by an empty text, Infinity by a number that is too large.
type input struct {
	r    io.Reader
	m    *pickle.Machine
	dec  *jsontext.Decoder
	tick func(int64) error
	read int64 // bytes
	err  error // of tick, or ErrToken

	text, escaped bool
	word, as      string // what is left of a word of Python's, and its replacement
}

// Read implements io.Reader.
func (in *input) Read(b []byte) (int, error) {
	at := in.dec.InputOffset()
	in.m.At(at)
	if in.err = in.tick(at); in.err == nil && in.read-at > maxToken {
		in.err = ErrToken
	}
	if in.err != nil {
		return 0, in.err
	}
	n, err := in.r.Read(b)
	in.read += int64(n)
	for i, c := range b[:n] {
		switch {
		case in.word != "":
			if b[i] = in.as[0]; c != in.word[0] {
				b[i] = 0 // another word, which nothing can make JSON
			}
			in.word, in.as = in.word[1:], in.as[1:]
		case in.escaped:
			in.escaped = false
		case c == '"':
			in.text = !in.text
		case in.text:
			in.escaped = c == '\\'
		case c == 'N':
			b[i], in.word, in.as = '"', "aN", `" `
		case c == 'I':
			b[i], in.word, in.as = '1', "nfinity", "e999   "
		}
	}
	return n, err
}
