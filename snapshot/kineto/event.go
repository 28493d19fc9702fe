package kineto

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// An object walks the members of a JSON object that is known to be valid.
type object struct{ rest []byte }

func newObject(raw []byte) object { return object{raw[1:]} }

// next returns the next key, without quotes and as it stands, and its value; false at the end.
func (o *object) next() (key, value []byte, ok bool) {
	i := bytes.IndexByte(o.rest, '"')
	if i < 0 {
		return nil, nil, false
	}
	n := textEnd(o.rest[i:])
	key = o.rest[i+1 : i+n-1]
	b := o.rest[i+n:]
	b = b[bytes.IndexByte(b, ':')+1:]
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	n = valueEnd(b)
	value, o.rest = b[:n], b[n:]
	return key, value, true
}

// textEnd is the length of the JSON text that b begins with, quotes included.
func textEnd(b []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		end := i + n
		back := end
		for b[back-1] == '\\' {
			back--
		}
		i = end + 1
		if (end-back)%2 == 0 {
			return i
		}
	}
}

// valueEnd is the length of the JSON value that b begins with.
func valueEnd(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"':
		return textEnd(b)
	case '{', '[':
		depth := 0
		for i := 0; i < len(b); i++ {
			switch b[i] {
			case '"':
				i += textEnd(b[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(b)
	}
	for i, c := range b {
		if c == ',' || c == '}' || c == ']' || c <= ' ' {
			return i
		}
	}
	return len(b)
}

// bare is a value without the quotes around it, if it has some.
func bare(value []byte) []byte {
	if len(value) >= 2 && value[0] == '"' {
		return value[1 : len(value)-1]
	}
	return value
}

// integer reads a whole number, which may stand in quotes; None if it is none.
func integer(value []byte) int64 {
	n, err := strconv.ParseInt(string(bare(value)), 10, 64)
	if err != nil {
		return None
	}
	return n
}

// nanoseconds reads a number of microseconds digit by digit, as a float64 has not enough of them; it may stand in
// quotes. What lies below a nanosecond is left out.
func nanoseconds(value []byte) (ns int64, ok bool) {
	b := bare(value)
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	digits, after := 0, -1 // how many digits were taken, and how many of them after the point
	for _, c := range b {
		switch {
		case c == '.' && after < 0:
			after = 0
		case c < '0' || c > '9':
			f, err := strconv.ParseFloat(string(bare(value)), 64) // with an exponent
			return int64(f * 1000), err == nil && f > -1e15 && f < 1e15
		case after == 3:
		case ns > (1<<62)/10:
			return 0, false
		default:
			ns = ns*10 + int64(c-'0')
			digits++
			if after >= 0 {
				after++
			}
		}
	}
	for ; after < 3; after++ {
		if after < 0 {
			after = 0
		}
		if ns > 1<<62/10 {
			return 0, false
		}
		ns *= 10
	}
	if negative {
		ns = -ns
	}
	return ns, digits > 0
}

// text returns the number of a text as it stands in a file, without quotes.
func (r *reader) text(raw []byte) uint32 {
	if id, ok := r.texts[string(raw)]; ok {
		return id
	}
	id := uint32(len(r.t.Texts))
	r.t.Texts = append(r.t.Texts, decoded(raw))
	r.texts[string(raw)] = id
	r.kept += 2*int64(len(raw)) + 64
	return id
}

// decoded is what a text means. One with escapes that are none is taken as it stands.
func decoded(raw []byte) string {
	if bytes.IndexByte(raw, '\\') >= 0 {
		if b, err := jsontext.AppendUnquote(nil, slices.Concat([]byte{'"'}, raw, []byte{'"'})); err == nil {
			raw = b
		}
	}
	s := strings.ToValidUTF8(string(raw), "\uFFFD")
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7F {
			return ' '
		}
		return c
	}, s)
}

// thread returns the number of a thread by its raw pid and tid. Numbers in quotes are the same as without
// (profiler-files.md, rule B).
func (r *reader) thread(pid, tid []byte) uint32 {
	key := append(append(append(r.scratch[:0], bare(pid)...), 0), bare(tid)...)
	r.scratch = key
	if id, ok := r.threads[string(key)]; ok {
		return id
	}
	id := uint32(len(r.t.Threads))
	r.t.Threads = append(r.t.Threads, Thread{PID: decoded(bare(pid)), TID: decoded(bare(tid))})
	r.threads[string(key)] = id
	r.kept += int64(len(key)) + 128
	return id
}

// A rawEvent is the members of an event that matter, as they stand in the file.
type rawEvent struct{ ph, cat, name, pid, tid, ts, dur, id, args []byte }

// event takes one event.
func (r *reader) event(raw []byte) {
	r.t.Events++
	var e rawEvent
	for o := newObject(raw); ; {
		key, value, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "ph":
			e.ph = bare(value)
		case "cat":
			if e.cat = bare(value); len(e.ph) > 0 && !wanted(e.ph, e.cat) {
				return
			}
		case "name":
			e.name = bare(value)
		case "pid":
			e.pid = value
		case "tid":
			e.tid = value
		case "ts":
			e.ts = value
		case "dur":
			e.dur = value
		case "id":
			e.id = value
		case "args":
			e.args = value
		}
	}
	ts, ok := nanoseconds(e.ts)
	kind, is := spanKind(e.cat, e.name)
	if r.t.NoKineto && e.cat == nil {
		is = true // an operator, as all there is in such files
	}
	switch {
	case string(e.name) == "[memory]" || string(e.name) == "[OutOfMemory]":
		if ok {
			r.memory(&e, ts)
		} else {
			r.bad()
		}
	case len(e.ph) != 1:
	case e.ph[0] == 'X' && is && ok:
		r.span(&e, kind, ts)
	case (e.ph[0] == 's' || e.ph[0] == 'f') && string(e.cat) == "fwdbwd" && ok:
		r.t.Flows = append(r.t.Flows, Flow{integer(e.id), ts, r.thread(e.pid, e.tid), e.ph[0] == 's'})
		r.kept += 32
	case e.ph[0] == 'M' && string(e.name) == "thread_name":
		for o := newObject(e.args); len(e.args) > 0; {
			key, value, more := o.next()
			if !more {
				break
			}
			if string(key) == "name" {
				r.t.Threads[r.thread(e.pid, e.tid)].Name = decoded(bare(value))
			}
		}
	}
}

// wanted reports whether events of a category may matter.
func wanted(ph, cat []byte) bool {
	switch ph[0] {
	case 'X':
		_, is := spanKind(cat, nil)
		return is
	case 's', 'f':
		return string(cat) == "fwdbwd"
	}
	return true
}

// stepPrefix begins the names of the profiler's steps.
const stepPrefix = "ProfilerStep#"

// spanKind is the kind of a span by its category.
func spanKind(cat, name []byte) (Kind, bool) {
	switch string(cat) {
	case "cpu_op", "Operator":
		if bytes.HasPrefix(name, []byte(stepPrefix)) {
			return Annotation, true
		}
		return OpSpan, true
	case "user_annotation":
		return Annotation, true
	case "python_function":
		return Frame, true
	}
	return 0, false
}

// span keeps a span. One without an end lasts until that of the trace.
func (r *reader) span(e *rawEvent, kind Kind, ts int64) {
	s := Span{Start: ts, End: None, Text: r.text(e.name), Thread: r.thread(e.pid, e.tid), Op: -1, Kind: kind}
	if dur, ok := nanoseconds(e.dur); ok && dur >= 0 {
		s.End = ts + dur
	}
	if kind == OpSpan && len(e.args) > 1 {
		s.Op = r.op(e.args)
	}
	r.t.Spans = append(r.t.Spans, s)
	r.kept += 40
}

// op keeps what an operator says beyond its span, and returns its index, or -1 if that is nothing.
func (r *reader) op(args []byte) int32 {
	op := Op{Sequence: None, Forward: None}
	for o := newObject(args); ; {
		key, value, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "Sequence number":
			op.Sequence = integer(value)
		case "Fwd thread id":
			op.Forward = integer(value)
		case "Call stack":
			op.Stack = r.text(bare(value))
		case "Input Dims", "Input dims":
			op.Shapes = r.text(bare(value))
		}
	}
	if op == (Op{Sequence: None, Forward: None}) {
		return -1
	}
	r.t.Ops = append(r.t.Ops, op)
	r.kept += 32
	return int32(len(r.t.Ops) - 1)
}

// memory keeps an event about memory. Keys differ by version and order (profiler-files.md, section 1.3).
func (r *reader) memory(e *rawEvent, ts int64) {
	m := Memory{Time: ts, Order: None, Bytes: None, Addr: None, Total: None, Held: None, OOM: e.name[1] == 'O',
		Device: DeviceID{-1, -1}}
	if len(e.args) < 2 || e.args[0] != '{' {
		r.bad()
		return
	}
	for o := newObject(e.args); ; {
		key, value, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "Bytes":
			m.Bytes = integer(value)
		case "Addr":
			m.Addr = integer(value)
		case "Total Allocated":
			m.Total = integer(value)
		case "Total Reserved":
			m.Held = integer(value)
		case "Device Type":
			m.Device.Type = short(value)
		case "Device Id":
			m.Device.Index = short(value)
		case "Ev Idx", "Profiler Event Index":
			m.Order = integer(value)
		}
	}
	if m.Bytes == None || m.Bytes > 1<<50 || m.Bytes < -1<<50 {
		r.bad()
		return
	}
	if m.Order == None {
		m.Order = int64(r.t.Events)
	}
	m.Thread = r.thread(e.pid, e.tid)
	r.t.Memory = append(r.t.Memory, m)
	r.kept += 72
}

// short is a small number, -1 if it is none.
func short(value []byte) int16 {
	if n := integer(value); n >= 0 && n < 1<<15 {
		return int16(n)
	}
	return -1
}

// bad counts an event that cannot be used.
func (r *reader) bad() {
	if r.t.Skipped++; r.t.Skipped == 1 {
		r.t.FirstBad = r.offset()
	}
}
