// Package search finds allocations by what a person remembers of them: a word of the code that made them, a size, a
// lifetime, an address, a phase.
//
// A search is terms between blanks, all of which must hold; one with a minus before it must not. Help lists them.
package search

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"strata/snapshot"
)

// A Query is a parsed search.
type Query struct {
	Text  string
	terms []term
}

// Empty reports whether it asks for nothing.
func (q *Query) Empty() bool { return len(q.terms) == 0 }

// Has reports whether there is a term of a key, such as "category".
func (q *Query) Has(key string) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return t.kind == keys[key] })
}

// An Error says what is wrong with a search, and where.
type Error struct {
	What           string
	Offset, Length int // bytes of the text
}

// Error is the sentence.
func (e *Error) Error() string { return e.What }

// A HelpLine explains a term.
type HelpLine struct{ Term, Meaning string }

// Help is every kind of term there is.
func Help() []HelpLine {
	return []HelpLine{
		{"attention", "a frame's file:line or function holds the text, in any case"},
		{`"two words"`, "the same with blanks in it"},
		{"/conv[12]d$/", "a frame matches the regular expression; /…/i in any case"},
		{"site:model.py:12", "the line of code that counts holds the text; all of it, if in quotes"},
		{"stack:7", "the call stack of that number"},
		{"size>=64MiB", "bytes asked for: > >= < <= =; KiB MiB GiB, kB MB GB"},
		{"live>1s", "lifetime: us ms s min h; what was never freed lives to the end"},
		{"addr:7f2a", "the address begins so, or lies inside"},
		{"stream:2", "CUDA stream"},
		{"pool:0,7", "memory pool"},
		{`phase:backward`, "made during an annotation whose name holds the text; all of it, if in quotes"},
		{"category:gradients", "what it is for, as recorded or inferred: parameters, gradients, optimizer state, …"},
		{"meta:backward", "what the program noted of it, its compile context, or the operator, module, step or " +
			"thread in a trace hold the text; all of it, if in quotes"},
		{"never-freed", "live after the last event"},
		{"before-recording", "live before the first event"},
		{"-term", "the term does not hold"},
	}
}

type kind uint8

const (
	inFrames kind = iota // the zero: it has no key
	inSite
	byStack
	bySize
	byLife
	byAddr
	byStream
	byPool
	byPhase
	byMeta
	byCategory
	neverFreed
	beforeRecording
)

// A term is one condition.
type term struct {
	kind           kind
	not            bool
	text           string // of inFrames, inSite, byPhase, byMeta and byCategory, in lower case; of byAddr the digits
	exact          bool   // text, in its own case, is all of it
	re             *regexp.Regexp
	least, most    int64 // of numbers
	pool           snapshot.Pool
	addr           uint64
	offset, length int
}

// keys are the terms that begin with a name.
var keys = map[string]kind{"size": bySize, "live": byLife, "addr": byAddr, "stream": byStream, "pool": byPool,
	"phase": byPhase, "site": inSite, "stack": byStack, "meta": byMeta,
	"category": byCategory}

// example is a term of a key.
func example(key string) string {
	lines := Help()
	return lines[slices.IndexFunc(lines, func(l HelpLine) bool { return strings.HasPrefix(l.Term, key) })].Term
}

var (
	keyForm = regexp.MustCompile(`^([A-Za-z]+)(>=|<=|!=|>|<|=|:)`)
	// patternForm is a regular expression: from a slash to one before a blank. A path such as /srv/model.py is none.
	patternForm = regexp.MustCompile(`^(?s)/(.*?[^\\])/(i?)(?:\s|$)`)
	quotedForm  = regexp.MustCompile(`^(?s)"((?:[^"\\]|\\.)*)"`)
	// mistaken is what was meant to be a term: no text of code looks so.
	mistaken = regexp.MustCompile(`^([A-Za-z-]+)(>=|<=|>|<|=)[0-9.]+[A-Za-z]*$`)

	unquoted = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
)

// maxTerms bounds a search, which a person types.
const maxTerms = 32

// Parse reads a search. The error is an *Error.
func Parse(text string) (*Query, error) {
	q := &Query{Text: text}
	p := parser{rest: text, length: len(text)}
	for {
		p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
		if p.rest == "" {
			return q, nil
		}
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		if q.terms = append(q.terms, t); len(q.terms) > maxTerms {
			return nil, &Error{fmt.Sprintf("a search has at most %d terms", maxTerms), t.offset, t.length}
		}
	}
}

type parser struct {
	rest   string // of the text, not read yet
	length int    // of all of it, bytes
	from   int    // where the term begins, bytes
}

// fail is an error about the text from the beginning of the term to where the parser is.
func (p *parser) fail(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), p.from, max(1, p.length-len(p.rest)-p.from)}
}

// term reads one term.
func (p *parser) term() (t term, err error) {
	p.from = p.length - len(p.rest)
	not := len(p.rest) > 1 && p.rest[0] == '-' && !unicode.IsSpace(rune(p.rest[1]))
	if not {
		p.rest = p.rest[1:]
	}
	if m := keyForm.FindStringSubmatch(p.rest); m != nil && keys[strings.ToLower(m[1])] != 0 {
		p.rest = p.rest[len(m[0]):]
		t, err = p.keyed(strings.ToLower(m[1]), m[2])
	} else {
		t, err = p.words()
	}
	t.not, t.offset, t.length = not, p.from, p.length-len(p.rest)-p.from
	return t, err
}

// word reads to the next blank, or what stands in quotes.
func (p *parser) word() (s string, quoted bool, err error) {
	if strings.HasPrefix(p.rest, `"`) {
		m := quotedForm.FindStringSubmatch(p.rest)
		if m == nil {
			p.from, p.rest = p.length-len(p.rest), ""
			return "", true, p.fail("a quote is not closed")
		}
		p.rest = p.rest[len(m[0]):]
		return unquoted.Replace(m[1]), true, nil
	}
	s = p.rest
	if end := strings.IndexFunc(s, unicode.IsSpace); end >= 0 {
		s = s[:end]
	}
	p.rest = p.rest[len(s):]
	return s, false, nil
}

// pattern reads a regular expression, if one stands here.
func (p *parser) pattern() (*regexp.Regexp, error) {
	m := patternForm.FindStringSubmatch(p.rest)
	if m == nil {
		return nil, nil
	}
	p.rest = p.rest[len("//")+len(m[1])+len(m[2]):]
	expr := m[1]
	if m[2] != "" {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, p.fail("the regular expression is wrong: %s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

// words reads a term without a key.
func (p *parser) words() (term, error) {
	if re, err := p.pattern(); re != nil || err != nil {
		return term{kind: inFrames, re: re}, err
	}
	s, quoted, err := p.word()
	switch {
	case err != nil:
		return term{}, err
	case s == "":
		return term{}, p.fail("there is nothing between the quotes")
	case quoted:
	case strings.EqualFold(s, "never-freed"):
		return term{kind: neverFreed}, nil
	case strings.EqualFold(s, "before-recording"):
		return term{kind: beforeRecording}, nil
	default:
		if m := mistaken.FindStringSubmatch(s); m != nil {
			return term{}, p.fail("there is no %q to compare; there are size and live. In quotes it is text to find",
				m[1])
		}
	}
	return term{kind: inFrames, text: strings.ToLower(s)}, nil
}

// keyed reads the value of a term with a key.
func (p *parser) keyed(key, op string) (t term, err error) {
	t.kind = keys[key]
	if op != ":" && op != "=" && t.kind != bySize && t.kind != byLife {
		return t, p.fail("%s cannot be compared by %s; write %s:…", key, op, key)
	}
	text := t.kind == byPhase || t.kind == inSite || t.kind == byMeta || t.kind == byCategory
	if text {
		if t.re, err = p.pattern(); t.re != nil || err != nil {
			return t, err
		}
	}
	s, quoted, err := p.word()
	switch {
	case err != nil:
		return t, err
	case s == "":
		return t, p.fail("%s%s needs a value, as in %s", key, op, example(key))
	case text && quoted:
		t.text, t.exact = s, true
		return t, nil
	case text:
		t.text = strings.ToLower(s)
		return t, nil
	}
	switch t.kind {
	case bySize, byLife:
		what, units := "size", sizes
		if t.kind == byLife {
			what, units = "time", times
		}
		n, ok := quantity(s, units)
		if !ok {
			return t, p.fail("%q is no %s; write it as in %s", s, what, example(key))
		}
		if t.least, t.most, ok = span(op, n); !ok {
			return t, p.fail("%s cannot be compared by %s; use > >= < <= or =", key, op)
		}
	case byAddr:
		digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s), "…"), "*")
		t.text = strings.TrimLeft(strings.TrimPrefix(digits, "0x"), "0")
		if t.addr, err = strconv.ParseUint(strings.TrimPrefix(digits, "0x"), 16, 64); err != nil {
			return t, p.fail("%q is no address; write some of its hexadecimal digits, as in addr:7f2a", s)
		}
	case byPool:
		a, b, ok := strings.Cut(strings.Trim(s, "()[]"), ",")
		x, err1 := strconv.ParseInt(strings.TrimSpace(a), 10, 64)
		y, err2 := strconv.ParseInt(strings.TrimSpace(b), 10, 64)
		if !ok || err1 != nil || err2 != nil {
			return t, p.fail("a pool is two numbers, as in pool:0,7")
		}
		t.pool = snapshot.Pool{A: x, B: y}
	default: // a stream may be the address of a handle
		n, err1 := strconv.ParseInt(s, 0, 64)
		u, err2 := strconv.ParseUint(s, 0, 64)
		if err1 != nil && err2 != nil {
			return t, p.fail("%s %q is no number", key, s)
		}
		if err1 != nil {
			n = int64(u)
		}
		t.least, t.most = n, n
	}
	return t, nil
}

// span is the numbers that compare so with n, which is no limit of int64; false if op compares nothing.
func span(op string, n int64) (least, most int64, ok bool) {
	switch op {
	case ">=":
		return n, math.MaxInt64, true
	case ">":
		return n + 1, math.MaxInt64, true
	case "<=":
		return math.MinInt64, n, true
	case "<":
		return math.MinInt64, n - 1, true
	case "=", ":":
		return n, n, true
	}
	return 0, 0, false
}

var sizes = map[string]float64{"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}

// times are in microseconds.
var times = map[string]float64{"": 1e6, "us": 1, "µs": 1, "μs": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "min": 60e6,
	"h": 3600e6}

// quantity reads a number with one of the units.
func quantity(s string, units map[string]float64) (int64, bool) {
	i := strings.LastIndexAny(s, "0123456789.") + 1
	unit, ok := units[strings.ToLower(s[i:])]
	if !ok || strings.Trim(s[:i], "0123456789.") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || f*unit >= 1<<62 {
		return 0, false
	}
	if n, err := strconv.ParseInt(s[:i], 10, 64); err == nil {
		return n * int64(unit), true // to the byte, where a float has not the digits
	}
	return int64(math.Round(f * unit)), true
}
