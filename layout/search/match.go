package search

import (
	"context"
	"math/bits"
	"regexp"
	"slices"
	"sort"
	"strings"

	"strata/layout"
	"strata/snapshot"
)

// SiteTerm is the term that finds the allocations of a line of code, as it can be typed: "find this call site", and
// with a minus before it "hide".
func SiteTerm(s *snapshot.Snapshot, f snapshot.FrameID) string {
	return "site:" + Quote(s.FrameText(f))
}

// Quote puts a text into quotes, in which it is all that a term asks for.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// FileTerm is the term that finds the allocations of all lines of code of a frame's file, "" where it has none.
func FileTerm(s *snapshot.Snapshot, f snapshot.FrameID) string {
	file := s.Strings[s.Frames.File[f]]
	if file == "" || file != s.FileOf(f) {
		return ""
	}
	return "site:/^" + plain(file) + `(:\d+)? /`
}

// FunctionTerm is the term that finds the allocations of all lines of code of a frame's function.
func FunctionTerm(s *snapshot.Snapshot, f snapshot.FrameID) string {
	file, name := s.Strings[s.Frames.File[f]], s.Strings[s.Frames.Name[f]]
	if file == "" {
		return "site:" + Quote(name)
	}
	return "site:/^" + plain(file) + `(:\d+)? ` + plain(name) + "$/"
}

// plain is a text as a regular expression between slashes.
func plain(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), "/", `\/`) }

// every is how many allocations, events or frames are looked at between two looks at the context.
const every = 1 << 14

// A condition reports whether a term holds for an allocation.
type condition func(id layout.ID) bool

// A Categorizer prepares to name the categories of a timeline's allocations. It is asked only for queries that have a
// term about them.
type Categorizer func() func(layout.ID) string

// Matcher tells which allocations of a timeline fit a query. Without a Categorizer none has a category. The error is
// ctx.Err(), or an *Error where the snapshot has not what a term asks about.
func Matcher(ctx context.Context, t *layout.Timeline, q *Query, c Categorizer) (func(layout.ID) bool, error) {
	conditions := make([]condition, len(q.terms))
	for i := range q.terms {
		var err error
		if conditions[i], err = q.terms[i].condition(ctx, t, c); err != nil {
			return nil, err
		}
	}
	return func(id layout.ID) bool {
		for i, holds := range conditions {
			if holds(id) == q.terms[i].not {
				return false
			}
		}
		return true
	}, nil
}

// Run finds the allocations of a timeline that fit a query, as Matcher tells them.
func Run(ctx context.Context, t *layout.Timeline, q *Query, c Categorizer) (*Result, error) {
	holds, err := Matcher(ctx, t, q, c)
	if err != nil {
		return nil, err
	}
	r := &Result{Query: q, Timeline: t, Matches: make(Set, (len(t.Size)+63)/64)}
	for id := range layout.ID(len(t.Size)) {
		if id%every == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !holds(id) {
			continue
		}
		r.Matches[id>>6] |= 1 << (id & 63)
		r.Count++
		r.Bytes += t.Size[id]
	}
	if err := r.sum(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// condition prepares a term, without its minus, for a timeline.
func (x *term) condition(ctx context.Context, t *layout.Timeline, c Categorizer) (condition, error) {
	switch x.kind {
	case inFrames, inSite:
		stacks, err := x.stacks(ctx, t.Snapshot)
		return func(id layout.ID) bool { return stacks[t.StackOf(id)] }, err
	case byStack:
		return func(id layout.ID) bool { return x.least > 0 && int64(t.StackOf(id)) == x.least }, nil
	case bySize:
		return func(id layout.ID) bool { return x.least <= t.Size[id] && t.Size[id] <= x.most }, nil
	case byLife:
		if !t.HasTime() {
			return nil, &Error{"no times were recorded, so no lifetime is known", x.offset, x.length}
		}
		return func(id layout.ID) bool {
			life := Lifetime(t, id)
			return x.least <= life && life <= x.most
		}, nil
	case byAddr:
		return func(id layout.ID) bool { return x.atAddress(t.AddrOf(id), t.Size[id]) }, nil
	case byStream:
		return func(id layout.ID) bool { return t.Snapshot.Streams[t.StreamOf(id)] == x.least }, nil
	case byPool:
		return func(id layout.ID) bool {
			pool := t.PoolOf(id)
			return pool != 0 && t.Snapshot.Pools[pool] == x.pool
		}, nil
	case byPhase:
		return x.during(t)
	case byMeta:
		return x.noted(t)
	case byCategory:
		if c == nil {
			return func(layout.ID) bool { return false }, nil
		}
		name := c()
		held := map[string]bool{}
		return func(id layout.ID) bool {
			of := name(id)
			holds, known := held[of]
			if !known {
				holds = x.holds(of)
				held[of] = holds
			}
			return holds
		}, nil
	case neverFreed:
		return func(id layout.ID) bool { return t.Death[id] == layout.Never }, nil
	}
	return t.BeforeRecording, nil
}

// stacks is the stacks that a term about them holds for, by ID.
func (x *term) stacks(ctx context.Context, s *snapshot.Snapshot) ([]bool, error) {
	frames := make([]bool, len(s.Frames.Name))
	for f := 1; f < len(frames); f++ {
		if f%every == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		frames[f] = x.holds(s.FrameText(snapshot.FrameID(f)))
	}
	held := make([]bool, s.Stacks.Len())
	for i := range held {
		if i%every == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if x.kind == inSite {
			held[i] = frames[s.Stacks.Site[i]]
		} else {
			held[i] = slices.ContainsFunc(s.Stacks.Of(snapshot.StackID(i)),
				func(f snapshot.FrameID) bool { return frames[f] })
		}
	}
	return held, nil
}

// holds compares a text with that of the term.
func (x *term) holds(text string) bool {
	switch {
	case x.re != nil:
		return x.re.MatchString(text)
	case x.exact:
		return text == x.text
	}
	return strings.Contains(strings.ToLower(text), x.text)
}

// Lifetime is how long an allocation was seen to live, in microseconds: from the first event where it was there
// before, to the last where it was never freed. Only on a timeline that HasTime.
func Lifetime(t *layout.Timeline, id layout.ID) int64 {
	begin, end := int64(0), t.End-t.Start
	if b := t.Birth[id]; b > 0 {
		begin = t.TimeOf(int(b - 1))
	}
	if d := t.Death[id]; d != layout.Never {
		end = t.TimeOf(int(d - 1))
	}
	return end - begin
}

// atAddress reports whether an address begins with the digits, or the block holds the byte there.
func (x *term) atAddress(addr uint64, size int64) bool {
	if x.addr-addr < uint64(max(1, size)) {
		return true
	}
	digits := (bits.Len64(addr)+3)/4 - len(x.text)
	return digits >= 0 && x.text != "" && addr>>(4*digits) == x.addr
}

// noted holds for allocations of which the program noted a text: in the metadata of their alloc, or by annotate events
// (FORMAT.md, section 5.2).
func (x *term) noted(t *layout.Timeline) (condition, error) {
	ev := &t.Device.Events
	if ev.Meta == nil {
		return nil, &Error{"nothing was noted of any allocation in this file", x.offset, x.length}
	}
	held := make([]bool, len(t.Snapshot.Metas))
	for i := range held {
		m := &t.Snapshot.Metas[i]
		for _, text := range [...]snapshot.StringID{m.User, m.CompileContext, m.Category, m.Internal,
			m.Op, m.Module, m.Step, m.Thread} {
			held[i] = held[i] || text != 0 && x.holds(t.Snapshot.Strings[text])
		}
	}
	later := map[uint64]bool{} // where an annotate event holds the text
	for _, e := range t.Device.Notes {
		if held[ev.Meta[e]] {
			later[ev.Addr[e]] = true
		}
	}
	return func(id layout.ID) bool {
		if o := t.Origin[id]; o >= 0 && held[ev.Meta[o]] {
			return true
		}
		return later[t.AddrOf(id)] && slices.ContainsFunc(t.Notes(id), func(m snapshot.MetaID) bool { return held[m] })
	}, nil
}

// during holds for allocations made in a phase of that name.
func (x *term) during(t *layout.Timeline) (condition, error) {
	if !t.HasTime() {
		return nil, &Error{"no times were recorded, so no phase is known", x.offset, x.length}
	}
	phases := layout.AllPhases(t).All // by Start
	if len(phases) == 0 {
		return nil, &Error{"the file has no annotations of this device, so there are no phases", x.offset, x.length}
	}
	held := make([]bool, len(t.Actions)) // the actions in a phase of the name
	done := 0                            // up to here
	for i := range phases {
		p := &phases[i]
		if !x.holds(p.Name) {
			continue
		}
		from := sort.Search(len(held), func(a int) bool { return t.TimeOf(a) >= p.Start })
		for done = max(done, from); done < len(held) && t.TimeOf(done) <= p.End; done++ {
			held[done] = true
		}
	}
	return func(id layout.ID) bool {
		// An allocation that an action a makes is live from state a+1 on.
		return !t.BeforeRecording(id) && held[t.Birth[id]-1]
	}, nil
}
