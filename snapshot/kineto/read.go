package kineto

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Options steer Read.
type Options struct {
	Tick   func(read int64) error // called now and then with the bytes read so far; its error ends reading
	Memory int64                  // the most bytes that what is kept may take
}

// heads are how traces begin: as kineto, tools that rewrite them, and PyTorch without kineto write them.
var heads = regexp.MustCompile(`(?s)^\s*(\{.*"(traceEvents|schemaVersion|deviceProperties)"\s*:|` +
	`\[\s*\{\s*"(ph|name|cat)"\s*:)`)

// Is reports whether JSON that begins so may be a trace. Read says for certain.
func Is(head []byte) bool { return heads.Match(head) }

// maxValue bounds the bytes of one event, and of one value of the header.
const maxValue = 64 << 20

// Read reads a trace, of which it returns also how many bytes were read. The error is ErrNotTrace, ErrMemory, that of
// r or that of Tick; damage is no error, Trace tells of it.
func Read(in io.Reader, opt Options) (*Trace, int64, error) {
	r := &reader{t: &Trace{Texts: []string{""}}, in: in, opt: opt, texts: map[string]uint32{"": 0},
		threads: map[string]uint32{}}
	r.t.Header = Header{Rank: -1, Recorded: map[string]bool{}}
	r.dec = jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := r.document()
	if r.err != nil {
		err = r.err
	}
	if err != nil {
		return nil, r.read, err
	}
	r.finish()
	return r.t, r.read, nil
}

// A reader is the state of reading a trace.
type reader struct {
	t    *Trace
	dec  *jsontext.Decoder
	in   io.Reader
	opt  Options
	read int64  // bytes from in
	pre  []byte // what Read returns before in
	err  error  // of Tick, in or the limit

	texts   map[string]uint32
	threads map[string]uint32
	scratch []byte
	kept    int64 // bytes of what is kept
	found   bool  // the list of events was found
}

// Read implements io.Reader for the decoder.
func (r *reader) Read(b []byte) (int, error) {
	if len(r.pre) > 0 {
		n := copy(b, r.pre)
		r.pre = r.pre[n:]
		return n, nil
	}
	if r.err == nil && r.opt.Tick != nil {
		r.err = r.opt.Tick(r.read)
	}
	if r.err == nil && r.kept+int64(len(b)) > r.opt.Memory {
		r.err = ErrMemory
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.in.Read(b)
	r.read += int64(n)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		r.t.CutReason = err.Error() // a damaged gzip, for instance
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// offset is about where reading is.
func (r *reader) offset() int64 { return r.read - int64(len(r.pre)) - int64(len(r.dec.UnreadBuffer())) }

// document reads the whole.
func (r *reader) document() error {
	switch r.dec.PeekKind() {
	case '{':
		_, _ = r.dec.ReadToken()
		if err := r.members(); r.err == nil && !r.found && damaged(err) && r.seek(eventsKey, maxValue) {
			r.events() // what stands before the list is damaged
		}
	case '[':
		_, _ = r.dec.ReadToken()
		if r.dec.PeekKind() != '{' {
			return ErrNotTrace
		}
		r.t.NoKineto = true
		r.events()
		r.found = len(r.t.Spans)+len(r.t.Memory) > 0
	}
	if r.err == nil && !r.found {
		return ErrNotTrace
	}
	return nil
}

// damaged reports whether an error is about the syntax.
func damaged(err error) bool {
	var syntax *jsontext.SyntacticError
	return errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// members reads the members of the outermost object.
func (r *reader) members() error {
	for {
		key, err := r.dec.ReadToken()
		if err != nil || key.Kind() != '"' {
			return r.cut(err)
		}
		name := key.String()
		switch kind := r.dec.PeekKind(); {
		case name == "traceEvents" && kind == '[':
			if _, err := r.dec.ReadToken(); err != nil {
				return err
			}
			if !r.events() {
				return nil
			}
		case headerKeys[name]:
			value, err := r.dec.ReadValue()
			if err != nil {
				return r.cut(err)
			}
			r.t.Header.take(name, value)
		default:
			if err := r.dec.SkipValue(); err != nil {
				return r.cut(err)
			}
		}
	}
}

// cut notes that the file ends too early, if that is what an error says; it returns the error.
func (r *reader) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.t.Cut = true
	}
	return err
}

// eventsKey begins the list of events; nextEvent begins one that is not the first.
var (
	eventsKey = regexp.MustCompile(`"traceEvents"\s*:\s*\[`)
	nextEvent = regexp.MustCompile(`,\s*\{\s*"(ph|name|cat)"\s*:`)
)

// events reads the list of events, whose bracket has been read. It reports whether that ended as it should.
func (r *reader) events() bool {
	r.found = true
	for {
		if r.dec.PeekKind() == ']' {
			_, err := r.dec.ReadToken()
			return err == nil
		}
		raw, err := r.dec.ReadValue()
		switch {
		case r.err != nil:
			return false
		case err == nil && raw.Kind() == '{':
			r.event(raw)
		case err == nil:
			r.bad()
		case !damaged(err):
			r.t.Cut = true
			return false
		case !r.mend():
			return false
		}
	}
}

// mend takes the event in which the decoder stopped, if it can be mended, and goes on behind it. It reports whether
// there is more.
func (r *reader) mend() bool {
	begin := bytes.IndexByte(r.dec.UnreadBuffer(), '{')
	rest, at := r.window(nextEvent, begin+1, maxValue)
	if r.err != nil {
		return false
	}
	if at == nil {
		r.bad()
		r.t.Cut = true
		return false
	}
	r.t.Events++
	if begin < 0 {
		r.bad()
	} else if raw, ok := mended(rest[begin:at[0]]); ok {
		r.t.Mended++
		r.t.Events--
		r.event(raw)
	} else {
		r.bad()
	}
	r.resume(rest[at[0]+1:])
	return true
}

// seek goes on behind what a pattern finds, as in a list.
func (r *reader) seek(pattern *regexp.Regexp, limit int) bool {
	rest, at := r.window(pattern, 0, limit)
	if at == nil {
		return false
	}
	r.resume(rest[at[1]:])
	return true
}

// window reads on from where the decoder stopped until a pattern is found, from a byte on, and returns what was read
// and where it is; nil if it is not within limit bytes.
func (r *reader) window(pattern *regexp.Regexp, from, limit int) (rest []byte, at []int) {
	rest = slices.Clone(r.dec.UnreadBuffer())
	for {
		if at = pattern.FindIndex(rest[from:]); at != nil {
			return rest, []int{from + at[0], from + at[1]}
		}
		from = max(from, len(rest)-256)
		if len(rest) > limit {
			return rest, nil
		}
		n := len(rest)
		rest = slices.Grow(rest, 1<<16)[:n+1<<16]
		got, err := r.Read(rest[n:])
		if rest = rest[:n+got]; err != nil && got == 0 {
			return rest, nil
		}
	}
}

// resume lets the decoder go on with rest and what follows it, as within a list.
func (r *reader) resume(rest []byte) {
	r.pre = slices.Concat([]byte("["), rest, r.pre)
	r.dec.Reset(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = r.dec.ReadToken()
}

var (
	nameBegin = regexp.MustCompile(`"name"\s*:\s*"`)
	nameEnd   = regexp.MustCompile(`",\s*"pid"`)
	noJSON    = regexp.MustCompile(`(:\s*)(N/A|NaN|-?Infinity|-?nan|-?inf)\b`)
)

// mended makes JSON of an event whose name has quotes or control characters in it (profiler-files.md, rule F): kineto
// writes the pid after the name. Words that are no values become null.
func mended(raw []byte) ([]byte, bool) {
	raw = bytes.TrimRight(raw, " \t\r\n,")
	if a := nameBegin.FindIndex(raw); a != nil {
		if b := nameEnd.FindIndex(raw[a[1]:]); b != nil {
			name, err := json.Marshal(string(raw[a[1] : a[1]+b[0]]))
			if err == nil {
				raw = slices.Concat(raw[:a[1]-1], name, raw[a[1]+b[0]+1:])
			}
		}
	}
	if v := jsontext.Value(raw); v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return raw, true
	}
	raw = noJSON.ReplaceAll(raw, []byte("${1}null"))
	return raw, jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// headerKeys are the members beside the events that are read.
var headerKeys = map[string]bool{"deviceProperties": true, "distributedInfo": true, "baseTimeNanoseconds": true,
	"host_name": true, "record_shapes": true, "profile_memory": true, "with_stack": true, "with_modules": true}

// take reads a member of the header. What is not as it should be is left out.
func (h *Header) take(name string, value jsontext.Value) {
	switch name {
	case "deviceProperties":
		var list []json.RawMessage
		_ = json.Unmarshal(value, &list)
		for _, text := range list {
			var p Properties
			if json.Unmarshal(text, &p) == nil {
				h.Devices = append(h.Devices, p)
			}
		}
	case "distributedInfo":
		var d struct {
			Rank  *int `json:"rank"`
			World int  `json:"world_size"`
		}
		if json.Unmarshal(value, &d); d.Rank != nil {
			h.Rank, h.World = *d.Rank, d.World
		}
	case "baseTimeNanoseconds":
		if n := integer(value); n != None && n > 0 && n < 1<<62 {
			h.base, h.hasBase = n, true
		}
	case "host_name":
		h.Host = decoded(bare(value))
	default:
		h.Recorded[name] = string(value) == "true" || integer(value) > 0
	}
}

// absolute is the least time of a trace that says itself when it was: in 1973.
const absolute = 1e17

// finish gives all times the same beginning, and ends to spans that have none.
func (r *reader) finish() {
	t, last := r.t, int64(-1<<62)
	for i := range t.Memory {
		last = max(last, t.Memory[i].Time)
	}
	for i := range t.Spans {
		last = max(last, t.Spans[i].Start, t.Spans[i].End)
	}
	base := t.Header.base
	t.Relative = !t.Header.hasBase && last < absolute
	for i := range t.Memory {
		t.Memory[i].Time += base
	}
	for i := range t.Flows {
		t.Flows[i].Time += base
	}
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.End == None {
			s.End = last
		}
		s.Start, s.End = s.Start+base, s.End+base
	}
}

// String describes a device as the reference does: "cpu", "cuda:0".
func (d DeviceID) String() string {
	name, known := deviceTypes[d.Type]
	if !known {
		name = fmt.Sprintf("type%d", d.Type)
	}
	if d.Index < 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, d.Index)
}

// deviceTypes are c10's names of its device types.
var deviceTypes = map[int16]string{0: "cpu", 1: "cuda", 6: "hip", 12: "xpu", 13: "mps", 15: "hpu", 19: "mtia",
	20: "privateuse1"}
