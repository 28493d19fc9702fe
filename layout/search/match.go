package search

import (
	"context"
	"fmt"
	"math/bits"
	"sort"
	"strings"
	"sync"

	"strata/layout"
	"strata/snapshot"
)

// A Set is allocations of one timeline, by ID.
type Set []uint64

// Has reports whether an allocation is in the set; none is in a nil one.
func (s Set) Has(id layout.ID) bool {
	return id >= 0 && int(id>>6) < len(s) && s[id>>6]>>(id&63)&1 == 1
}

// Next is the first allocation of the set from id on, or layout.None.
func (s Set) Next(id layout.ID) layout.ID {
	id = max(id, 0)
	for w := int(id >> 6); w < len(s); w++ {
		word := s[w]
		if w == int(id>>6) {
			word &= ^uint64(0) << (id & 63)
		}
		if word != 0 {
			return layout.ID(w<<6 + bits.TrailingZeros64(word))
		}
	}
	return layout.None
}

// Previous is the last allocation of the set up to id, or layout.None.
func (s Set) Previous(id layout.ID) layout.ID {
	id = min(id, layout.ID(len(s)<<6-1))
	for w := int(id >> 6); w >= 0 && id >= 0; w-- {
		word := s[w]
		if w == int(id>>6) {
			word &= ^uint64(0) >> (63 - id&63)
		}
		if word != 0 {
			return layout.ID(w<<6 + 63 - bits.LeadingZeros64(word))
		}
	}
	return layout.None
}

// A Searcher finds allocations in one timeline. It remembers which stacks hold
// a text, so that typing on costs little. It is safe for several goroutines.
type Searcher struct {
	t      *layout.Timeline
	phases func() *layout.Phases

	mu     sync.Mutex
	lower  []string          // text of each frame in lower case
	stacks map[string][]bool // by term, the stacks it holds for
	recent []string
}

// New makes a searcher; it takes no time.
func New(t *layout.Timeline) *Searcher {
	return &Searcher{t: t, stacks: map[string][]bool{}, phases: sync.OnceValue(func() *layout.Phases { return layout.NewPhases(t, nil) })}
}

// FrameText is what a search sees of a frame: file:line function.
func FrameText(s *snapshot.Snapshot, f snapshot.FrameID) string {
	file, name := s.Strings[s.Frames.File[f]], s.Strings[s.Frames.Name[f]]
	if line := s.Frames.Line[f]; line > 0 {
		return fmt.Sprintf("%s:%d %s", file, line, name)
	}
	return strings.TrimLeft(file+" "+name, " ")
}

// SiteTerm is the term that finds the allocations of a line of code, as it can
// be typed: "find this call site", and with a minus before it "hide".
func SiteTerm(s *snapshot.Snapshot, f snapshot.FrameID) string {
	return `site:"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(FrameText(s, f)) + `"`
}

// every is how many allocations are looked at between two looks at the context.
const every = 1 << 14

// Run finds what fits a query. The error is ctx.Err(), or an *Error where the
// snapshot has not what a term asks about.
func (s *Searcher) Run(ctx context.Context, q *Query) (*Result, error) {
	var tests, slow []func(id layout.ID) bool
	for i := range q.terms {
		f, err := s.test(ctx, &q.terms[i])
		if err != nil {
			return nil, err
		}
		if q.terms[i].not {
			yes := f
			f = func(id layout.ID) bool { return !yes(id) }
		}
		if k := q.terms[i].kind; k == byPool || k == byStream {
			slow = append(slow, f) // asked of those only that are left
		} else {
			tests = append(tests, f)
		}
	}
	tests = append(tests, slow...)
	n := len(s.t.Size)
	r := &Result{Query: q, Timeline: s.t, Matches: make(Set, (n+63)/64)}
	for from := 0; from < n; from += every {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	next:
		for id := layout.ID(from); int(id) < min(n, from+every); id++ {
			for _, f := range tests {
				if !f(id) {
					continue next
				}
			}
			r.Matches[id>>6] |= 1 << (id & 63)
			r.Count++
			r.Bytes += s.t.Size[id]
		}
	}
	if err := r.sum(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// test is a term as a condition on an allocation.
func (s *Searcher) test(ctx context.Context, t *term) (func(layout.ID) bool, error) {
	tl := s.t
	switch t.kind {
	case inFrames, inSite, byStack:
		held, err := s.held(ctx, t)
		return func(id layout.ID) bool { return held[stackOf(tl, id)] }, err
	case bySize:
		return func(id layout.ID) bool { return tl.Size[id] >= t.least && tl.Size[id] <= t.most }, nil
	case byLife:
		if !tl.HasTime() {
			return nil, &Error{"no times were recorded, so no lifetime is known", t.offset, t.length}
		}
		return func(id layout.ID) bool {
			l := Lifetime(tl, id)
			return l >= t.least && l <= t.most
		}, nil
	case byAddr:
		return func(id layout.ID) bool { return t.atAddress(addrOf(tl, id), tl.Size[id]) }, nil
	case byStream:
		return func(id layout.ID) bool { return tl.Snapshot.Streams[tl.At(id).Stream] == t.least }, nil
	case byPool:
		return func(id layout.ID) bool {
			p := tl.At(id).Pool
			return p != 0 && tl.Snapshot.Pools[p] == t.pool
		}, nil
	case byPhase:
		return s.during(t)
	case neverFreed:
		return func(id layout.ID) bool { return tl.Death[id] == layout.Never }, nil
	}
	return func(id layout.ID) bool { return tl.Birth[id] == 0 || tl.Origin[id] < 0 }, nil
}

// stackOf is where an allocation was made; of the free if that is all there is.
func stackOf(t *layout.Timeline, id layout.ID) snapshot.StackID {
	if o := t.Origin[id]; o >= 0 {
		return t.Device.Events.Stack[o]
	} else if t.Options.Mode == layout.Segments {
		return t.Device.Segments[^o].Stack
	} else {
		return t.Device.Blocks.Stack[^o]
	}
}

func addrOf(t *layout.Timeline, id layout.ID) uint64 {
	if o := t.Origin[id]; o >= 0 {
		return t.Device.Events.Addr[o]
	} else if t.Options.Mode == layout.Segments {
		return t.Device.Segments[^o].Addr
	} else {
		return t.Device.Blocks.Addr[^o]
	}
}

// Lifetime is how long an allocation was seen to live, in microseconds: from
// the first event where it was there before, to the last where it was never
// freed. Only on a timeline that HasTime.
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

// atAddress reports whether an address begins with the digits, or the block
// holds the byte there.
func (t *term) atAddress(addr uint64, size int64) bool {
	if t.addr-addr < uint64(max(1, size)) {
		return true
	}
	shift := bits.Len64(addr)
	digits := (shift+3)/4 - len(t.text)
	return digits >= 0 && t.text != "" && addr>>(4*digits) == t.addr
}

// during holds for allocations made in a phase of that name.
func (s *Searcher) during(t *term) (func(layout.ID) bool, error) {
	tl := s.t
	switch {
	case !tl.HasTime():
		return nil, &Error{"no times were recorded, so no phase is known", t.offset, t.length}
	case len(s.phases().All) == 0:
		return nil, &Error{"the file has no annotations of this device, so there are no phases", t.offset, t.length}
	}
	// Where some phase of the name is in force: begins and ends in turn.
	var edges []int64
	for _, p := range s.phases().All { // by Start
		if !t.holds(p.Name) {
			continue
		}
		if n := len(edges); n > 0 && p.Start <= edges[n-1] {
			edges[n-1] = max(edges[n-1], p.End)
		} else {
			edges = append(edges, p.Start, p.End)
		}
	}
	return func(id layout.ID) bool {
		if tl.Birth[id] == 0 || tl.Origin[id] < 0 {
			return false
		}
		at := tl.TimeOf(int(tl.Birth[id] - 1))
		i := sort.Search(len(edges), func(i int) bool { return edges[i] >= at })
		return i < len(edges) && (i%2 == 1 || edges[i] == at)
	}, nil
}

// holds compares a text with that of the term.
func (t *term) holds(text string) bool {
	switch {
	case t.re != nil:
		return t.re.MatchString(text)
	case t.exact:
		return text == t.text
	}
	return strings.Contains(strings.ToLower(text), t.text)
}

// remembered terms are kept.
const remembered = 8

// held is the stacks that a term about them holds for.
func (s *Searcher) held(ctx context.Context, t *term) ([]bool, error) {
	key := fmt.Sprint(t.kind, t.exact, t.re, t.least, "\x00", t.text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.stacks[key]; ok {
		return h, nil
	}
	stacks := &s.t.Snapshot.Stacks
	held := make([]bool, stacks.Len())
	if t.kind == byStack {
		if t.least > 0 && t.least < int64(len(held)) {
			held[t.least] = true
		}
		return held, nil
	}
	frames, err := s.frames(ctx, t)
	if err != nil {
		return nil, err
	}
	for i := range held {
		if i%every == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if t.kind == inSite {
			held[i] = frames[stacks.Site[i]]
			continue
		}
		for _, f := range stacks.Of(snapshot.StackID(i)) {
			if frames[f] {
				held[i] = true
				break
			}
		}
	}
	s.stacks[key] = held
	if s.recent = append(s.recent, key); len(s.recent) > remembered {
		delete(s.stacks, s.recent[0])
		s.recent = s.recent[1:]
	}
	return held, nil
}

// frames is the frames whose text a term holds for.
func (s *Searcher) frames(ctx context.Context, t *term) ([]bool, error) {
	snap := s.t.Snapshot
	held := make([]bool, len(snap.Frames.Name))
	fold := t.re == nil && !t.exact
	if fold && s.lower == nil {
		lower := make([]string, len(held))
		for f := 1; f < len(lower); f++ {
			if f%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			lower[f] = strings.ToLower(FrameText(snap, snapshot.FrameID(f)))
		}
		s.lower = lower
	}
	for f := 1; f < len(held); f++ {
		if f%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fold {
			held[f] = strings.Contains(s.lower[f], t.text)
		} else {
			held[f] = t.holds(FrameText(snap, snapshot.FrameID(f)))
		}
	}
	return held, nil
}
