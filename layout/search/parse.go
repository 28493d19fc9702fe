// Package search finds allocations by what a person remembers of them: a word of the code that made them, a size, a
// lifetime, an address, a phase.
//
// A search is terms between blanks, all of which must hold; one with a minus before it must not. Help lists them.
package search

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata/snapshot"
)

// A Query is a parsed search.
type Query struct {
	Text  string
	terms []term
}

// Empty reports whether it asks for nothing.
func (q *Query) Empty() bool { return len(q.terms) == 0 }

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
		{"never-freed", "live after the last event"},
		{"before-recording", "live before the first event"},
		{"-term", "the term does not hold"},
	}
}

type kind uint8

const (
	inFrames kind = iota
	inSite
	byStack
	bySize
	byLife
	byAddr
	byStream
	byPool
	byPhase
	neverFreed
	beforeRecording
)

// A term is one condition.
type term struct {
	kind           kind
	not            bool
	text           string // of inFrames, inSite and byPhase, in lower case; of byAddr the digits
	exact          bool   // text, in its own case, is all of it
	re             *regexp.Regexp
	least, most    int64 // of numbers
	pool           snapshot.Pool
	addr           uint64
	hasAddr        bool
	offset, length int
}

// maxTerms bounds a search, which a person types.
const maxTerms = 32

// Parse reads a search. The error is an *Error.
func Parse(text string) (*Query, error) {
	q := &Query{Text: text}
	p := parser{text: text}
	for {
		p.blank()
		if p.at >= len(p.text) {
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
	text string
	at   int
}

func (p *parser) blank() {
	for p.at < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return
		}
		p.at += n
	}
}

// fail is an error about the text from a place to where the parser is.
func (p *parser) fail(from int, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), from, max(1, p.at-from)}
}

// term reads one term.
func (p *parser) term() (t term, err error) {
	from := p.at
	not := strings.HasPrefix(p.text[p.at:], "-") && len(p.text) > p.at+1 && !unicode.IsSpace(rune(p.text[p.at+1]))
	if not {
		p.at++
	}
	key, op := p.key()
	if key == "" {
		t, err = p.words()
	} else {
		p.at += len(key) + len(op)
		t, err = p.keyed(from, strings.ToLower(key), op)
	}
	t.not, t.offset, t.length = not, from, p.at-from
	return t, err
}

var (
	keyForm = regexp.MustCompile(`^(?i)(size|live|addr|stream|pool|phase|site|stack)(>=|<=|!=|>|<|=|:)`)
	// mistaken is what was meant to be a term: no text of code looks so.
	mistaken = regexp.MustCompile(`^([A-Za-z-]+)(>=|<=|>|<|=)[0-9.]+[A-Za-z]*$`)
)

// key is the name of a term and what follows it, "" for text.
func (p *parser) key() (key, op string) {
	m := keyForm.FindStringSubmatch(p.text[p.at:])
	if m == nil {
		return "", ""
	}
	return m[1], m[2]
}

// word reads to the next blank, or what stands in quotes.
func (p *parser) word() (s string, quoted bool, err error) {
	from := p.at
	if strings.HasPrefix(p.text[p.at:], `"`) {
		var b strings.Builder
		for p.at++; p.at < len(p.text); p.at++ {
			switch c := p.text[p.at]; {
			case c == '\\' && p.at+1 < len(p.text) && (p.text[p.at+1] == '"' || p.text[p.at+1] == '\\'):
				p.at++
				b.WriteByte(p.text[p.at])
			case c == '"':
				p.at++
				return b.String(), true, nil
			default:
				b.WriteByte(c)
			}
		}
		return "", true, p.fail(from, "a quote is not closed")
	}
	end := strings.IndexFunc(p.text[p.at:], unicode.IsSpace)
	if end < 0 {
		end = len(p.text) - p.at
	}
	p.at += end
	return p.text[from:p.at], false, nil
}

// pattern reads a regular expression, if one stands here: from a slash to one before a blank. A path such as
// /srv/model.py is none.
func (p *parser) pattern() (*regexp.Regexp, error) {
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, "/") {
		return nil, nil
	}
	for i := 2; i < len(rest); i++ {
		if rest[i] != '/' || rest[i-1] == '\\' {
			continue
		}
		end, flags := i+1, ""
		if end < len(rest) && rest[end] == 'i' {
			end, flags = end+1, "(?i)"
		}
		if end < len(rest) {
			if r, _ := utf8.DecodeRuneInString(rest[end:]); !unicode.IsSpace(r) {
				continue
			}
		}
		from := p.at
		p.at += end
		re, err := regexp.Compile(flags + rest[1:i])
		if err != nil {
			what := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return nil, p.fail(from, "the regular expression is wrong: %s", what)
		}
		return re, nil
	}
	return nil, nil
}

// words reads a term without a key.
func (p *parser) words() (term, error) {
	from := p.at
	if re, err := p.pattern(); re != nil || err != nil {
		return term{kind: inFrames, re: re}, err
	}
	s, quoted, err := p.word()
	switch {
	case err != nil:
		return term{}, err
	case quoted:
	case strings.EqualFold(s, "never-freed"):
		return term{kind: neverFreed}, nil
	case strings.EqualFold(s, "before-recording"):
		return term{kind: beforeRecording}, nil
	default:
		if m := mistaken.FindStringSubmatch(s); m != nil {
			return term{}, p.fail(from, "there is no %q to compare; there are size and live. In quotes it is text to find", m[1])
		}
	}
	if s == "" {
		return term{}, p.fail(from, "there is nothing between the quotes")
	}
	return term{kind: inFrames, text: strings.ToLower(s)}, nil
}

// keyed reads the value of a term with a key.
func (p *parser) keyed(from int, key, op string) (term, error) {
	if op != ":" && op != "=" && key != "size" && key != "live" {
		return term{}, p.fail(from, "%s cannot be compared by %s; write %s:…", key, op, key)
	}
	if key == "phase" || key == "site" {
		return p.named(from, key)
	}
	s, _, err := p.word()
	if err != nil {
		return term{}, err
	}
	if s == "" {
		return term{}, p.fail(from, "%s%s needs a value, as in %s", key, op, example[key])
	}
	t := term{}
	switch key {
	case "size", "live":
		n, ok := quantity(s, key == "live")
		if !ok {
			return t, p.fail(from, "%q is no %s; write it as in %s", s, unitOf[key], example[key])
		}
		t.kind = bySize
		if key == "live" {
			t.kind = byLife
		}
		if t.least, t.most, ok = span(op, n); !ok {
			return t, p.fail(from, "%s cannot be compared by %s; use > >= < <= or =", key, op)
		}
		return t, nil
	case "addr":
		return p.address(from, s)
	case "pool":
		a, b, ok := strings.Cut(strings.Trim(s, "()[]"), ",")
		x, err1 := strconv.ParseInt(strings.TrimSpace(a), 10, 64)
		y, err2 := strconv.ParseInt(strings.TrimSpace(b), 10, 64)
		if !ok || err1 != nil || err2 != nil {
			return t, p.fail(from, "a pool is two numbers, as in pool:0,7")
		}
		return term{kind: byPool, pool: snapshot.Pool{A: x, B: y}}, nil
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if u, uerr := strconv.ParseUint(s, 0, 64); err != nil && uerr == nil {
		n, err = int64(u), nil
	}
	if err != nil {
		return t, p.fail(from, "%s %q is no number", key, s)
	}
	t.kind, t.least, t.most = byStream, n, n
	if key == "stack" {
		t.kind = byStack
	}
	return t, nil
}

var (
	example = map[string]string{"size": "size>=64MiB", "live": "live>1s", "addr": "addr:7f2a", "stream": "stream:2", "pool": "pool:0,7",
		"phase": "phase:backward", "site": "site:model.py:12", "stack": "stack:7"}
	unitOf = map[string]string{"size": "size", "live": "time"}
)

// named reads the text of a phase or site.
func (p *parser) named(from int, key string) (term, error) {
	t := term{kind: byPhase}
	if key == "site" {
		t.kind = inSite
	}
	var err error
	if t.re, err = p.pattern(); t.re != nil || err != nil {
		return t, err
	}
	if t.text, t.exact, err = p.word(); err != nil {
		return t, err
	}
	if t.text == "" {
		return t, p.fail(from, "%s: needs a text, as in %s", key, example[key])
	}
	if !t.exact {
		t.text = strings.ToLower(t.text)
	}
	return t, nil
}

// address reads what an address begins with.
func (p *parser) address(from int, s string) (term, error) {
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s), "…"), "*")
	digits = strings.TrimPrefix(digits, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return term{}, p.fail(from, "%q is no address; write some of its hexadecimal digits, as in addr:7f2a", s)
	}
	return term{kind: byAddr, text: strings.TrimLeft(digits, "0"), addr: n, hasAddr: true}, nil
}

// span is the numbers that compare so with n.
func span(op string, n int64) (least, most int64, ok bool) {
	least, most = math.MinInt64, math.MaxInt64
	switch op {
	case ">=":
		least = n
	case ">":
		least = n + 1
		if n == math.MaxInt64 {
			least, most = 1, 0
		}
	case "<=":
		most = n
	case "<":
		most = n - 1
	case "=", ":":
		least, most = n, n
	default:
		return 0, 0, false
	}
	return least, most, true
}

var sizes = map[string]float64{"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}

// times are in microseconds.
var times = map[string]float64{"": 1e6, "us": 1, "µs": 1, "μs": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "min": 60e6, "h": 3600e6}

// quantity reads a size in bytes or a time in microseconds.
func quantity(s string, isTime bool) (int64, bool) {
	i := strings.LastIndexAny(s, "0123456789.") + 1
	units := sizes
	if isTime {
		units = times
	}
	unit, ok := units[strings.ToLower(s[i:])]
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(s[:i], 10, 64); err == nil && n >= 0 && float64(n)*unit < 1<<62 {
		return n * int64(unit), true
	}
	f, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || f < 0 || math.IsNaN(f) || f*unit >= 1<<62 || strings.ContainsAny(s[:i], "eExXpP_") {
		return 0, false
	}
	return int64(math.Round(f * unit)), true
}
