package session

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata/layout/units"
	"strata/snapshot"
	"strata/widgets/describe"
)

// problemOf returns the problem of a file that could not be opened.
func problemOf(path string, err error) *describe.Problem {
	p := &describe.Problem{Title: filepath.Base(path) + " could not be opened", Path: path}
	e, ok := errors.AsType[*snapshot.Error](err)
	if !ok {
		p.What = Sentence(err.Error())
		return p
	}
	what := e.What
	if e.Offset >= 0 {
		what += " at byte " + units.Count(e.Offset)
	}
	p.What, p.Advice = Sentence(what), Sentence(e.Advice)
	return p
}

// Sentence gives a text a capital and a full stop.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}
