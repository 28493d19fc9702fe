package hub

import (
	"fmt"
	"strings"
)

// Kind sorts what can go wrong, for what the window offers.
type Kind uint8

// The kinds of problems.
const (
	BadID       Kind = iota + 1 // not a hub ID, and nothing here
	NotHere                     // a local path that holds no config.json
	Gated                       // the model asks for consent or a token
	Missing                     // no such model, revision or file
	Offline                     // the network was switched off by the settings
	Unreachable                 // no answer
	Slow                        // the answer took too long
	Refused                     // another answer than the file
	Malformed                   // the file is no config, or too large to be one
)

// An Error is a sentence about what went wrong and what to do. It never holds
// the token.
type Error struct {
	Kind  Kind
	Model string // as given
	what  string
	cause error
}

// Error is the sentence.
func (e *Error) Error() string { return e.what }

// Unwrap is what led to it; may be nil.
func (e *Error) Unwrap() error { return e.cause }

func problem(kind Kind, model, format string, args ...any) *Error {
	e := &Error{Kind: kind, Model: model}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.cause = err
		}
	}
	e.what = fmt.Sprintf(format, args...)
	return e
}

// clip shortens what others wrote, in one line, for a sentence.
func clip(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return s
}
