package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"strata/snapshot/pickle"
)

// jsonBatch is how many items of a list wait on the stack before they are
// added to it.
const jsonBatch = 1000

// json reads JSON of the shape of a snapshot, token by token.
func (d *decoding) json(r io.Reader) error {
	d.reset()
	d.src.Reader = "json"
	m := pickle.NewMachine(d.b.h, nil)
	m.MaxDepth = d.lim.Depth
	lim := &tokenLimit{r: newPythonJSON(r)}
	dec := json.NewDecoder(lim)
	dec.UseNumber()
	err := d.tokens(m, dec, lim)
	d.raw = dec.InputOffset()
	if err == nil {
		d.root, err = m.Root()
		return err
	}
	if d.ctx.Err() != nil || errors.Is(err, errRaw) || errors.Is(err, errToken) || errors.Is(err, pickle.ErrMemory) || errors.Is(err, pickle.ErrDepth) {
		return err
	}
	d.end = &pickle.Error{Offset: d.raw, What: jsonCause(err), Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		d.end.Err = pickle.ErrTruncated
	}
	d.root = m.Salvage()
	return nil
}

// maxToken bounds the bytes of one token, and of the white space before it,
// which the decoder keeps in memory and looks at again for every piece read.
const maxToken = 64 << 20

var errToken = &containerError{fmt.Sprintf("one text of the JSON, or the blanks between two, takes more than %d MiB", maxToken>>20),
	"If the file is an honest one, leave that text out", nil}

// A tokenLimit ends with an error when more than maxToken bytes are read
// without a token.
type tokenLimit struct {
	r          io.Reader
	read, done int64
}

func (l *tokenLimit) Read(p []byte) (int, error) {
	if l.read-l.done > maxToken {
		return 0, errToken
	}
	n, err := l.r.Read(p)
	l.read += int64(n)
	return n, err
}

func jsonCause(err error) string {
	var s *json.SyntaxError
	if errors.As(err, &s) {
		return "damaged JSON: " + s.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the JSON ends too early"
	}
	return err.Error()
}

func (d *decoding) tokens(m *pickle.Machine, dec *json.Decoder, lim *tokenLimit) error {
	var open []int // for each open container: -1 for a dict, else items waiting
	next := int64(0)
	for {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		at := dec.InputOffset()
		lim.done = at
		if at >= next {
			next = at + 1<<16
			m.At(at)
			if err := d.tick(at); err != nil {
				return err
			}
		}
		switch t := tok.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				err = m.Begin(t == '{')
				open = append(open, 0)
				if t == '{' {
					open[len(open)-1] = -1
				}
			default:
				err = m.End(t == '}')
				open = open[:len(open)-1]
			}
			if t == '{' || t == '[' {
				if err != nil {
					return err
				}
				continue
			}
		default:
			err = m.Put(d.jsonScalar(tok))
		}
		if err != nil {
			return err
		}
		if len(open) == 0 {
			return nil
		}
		if n := &open[len(open)-1]; *n >= 0 {
			if *n++; *n == jsonBatch {
				*n = 0
				if err := m.Flush(); err != nil {
					return err
				}
			}
		}
	}
}

func (d *decoding) jsonScalar(tok json.Token) pickle.Value {
	switch t := tok.(type) {
	case bool:
		return pickle.Bool(t)
	case string:
		return d.b.h.String([]byte(t))
	case json.Number:
		if v, ok := d.b.h.Decimal([]byte(t)); ok {
			return v
		}
		if f, err := t.Float64(); err == nil {
			return d.b.h.Float(f)
		}
		return d.b.h.Huge(t[0] == '-')
	}
	return pickle.None
}
