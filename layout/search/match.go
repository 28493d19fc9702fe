package search

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"

	"strata/layout"
	"strata/snapshot"
)

// A Searcher finds allocations in one timeline. It remembers which stacks hold a text, so that typing on costs
// little. It is safe for several goroutines.
type Searcher struct {
	t      *layout.Timeline
	phases func() *layout.Phases

	// Columns by allocation, made when a term asks for them first.
	stackOf  column[snapshot.StackID]
	streamOf column[snapshot.StreamID]
	poolOf   column[snapshot.PoolID]
	lifeOf   column[int64]

	mu     sync.Mutex
	lower  []string          // text of each frame in lower case
	stacks map[string][]bool // by term, the stacks it holds for
	recent []string
}

// New makes a searcher; it takes no time.
func New(t *layout.Timeline) *Searcher {
	return &Searcher{t: t, stacks: map[string][]bool{},
		phases: sync.OnceValue(func() *layout.Phases { return layout.AllPhases(t) })}
}

// FrameText is what a search sees of a frame: file:line function.
func FrameText(s *snapshot.Snapshot, f snapshot.FrameID) string {
	file, name := s.Strings[s.Frames.File[f]], s.Strings[s.Frames.Name[f]]
	if line := s.Frames.Line[f]; line > 0 {
		return fmt.Sprintf("%s:%d %s", file, line, name)
	}
	return strings.TrimLeft(file+" "+name, " ")
}

// SiteTerm is the term that finds the allocations of a line of code, as it can be typed: "find this call site", and
// with a minus before it "hide".
func SiteTerm(s *snapshot.Snapshot, f snapshot.FrameID) string {
	return `site:"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(FrameText(s, f)) + `"`
}

// every is how many allocations are looked at between two looks at the context.
const every = 1 << 14

// workers look at parts of the allocations at the same time.
const workers = 2

// spread has f look at all of [0, n), in parts that begin at multiples of every, on two cores where that pays. The
// error is that of ctx.
func spread(ctx context.Context, n int, f func(from, to int)) error {
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			from := int(next.Add(every)) - every
			if from >= n {
				return
			}
			f(from, min(n, from+every))
		}
	}
	if n > 4*every {
		var wg sync.WaitGroup
		for range workers - 1 {
			wg.Go(work)
		}
		work()
		wg.Wait()
	} else {
		work()
	}
	return ctx.Err()
}

// Run finds what fits a query. The error is ctx.Err(), or an *Error where the snapshot has not what a term asks
// about.
func (s *Searcher) Run(ctx context.Context, q *Query) (*Result, error) {
	var sieves []sieve
	for i := range q.terms {
		f, err := s.sieve(ctx, &q.terms[i])
		if err != nil {
			return nil, err
		}
		sieves = append(sieves, f)
	}
	n := len(s.t.Size)
	r := &Result{Query: q, Timeline: s.t, Matches: make(Set, (n+63)/64)}
	var count, size atomic.Int64
	err := spread(ctx, n, func(from, to int) {
		words := r.Matches[from>>6 : (to+63)>>6]
		for i := range words {
			words[i] = ^uint64(0)
		}
		if to&63 != 0 {
			words[len(words)-1] = 1<<(to&63) - 1
		}
		for _, f := range sieves {
			f(words, from)
		}
		found, all := 0, int64(0)
		for i, w := range words {
			found += bits.OnesCount64(w)
			for at := from + i<<6; w != 0; w &= w - 1 {
				all += s.t.Size[at+bits.TrailingZeros64(w)]
			}
		}
		count.Add(int64(found))
		size.Add(all)
	})
	if err != nil {
		return nil, err
	}
	r.Count, r.Bytes = int(count.Load()), size.Load()
	if err := r.sum(ctx, s); err != nil {
		return nil, err
	}
	return r, nil
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
	err = spread(ctx, len(held), func(from, to int) {
		if t.kind == inSite {
			for i := from; i < to; i++ {
				held[i] = frames[stacks.Site[i]]
			}
			return
		}
		for i := from; i < to; i++ {
			for _, f := range stacks.Frame[stacks.Start[i]:stacks.Start[i+1]] {
				if frames[f] {
					held[i] = true
					break
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	s.stacks[key] = held
	if s.recent = append(s.recent, key); len(s.recent) > remembered {
		delete(s.stacks, s.recent[0])
		s.recent = s.recent[1:]
	}
	return held, nil
}

// Prepare makes what the first search would have to make itself, what most ask for first, until ctx is done: while
// somebody still looks for the keys.
func (s *Searcher) Prepare(ctx context.Context) {
	t, n := s.t, len(s.t.Size)
	s.mu.Lock()
	err := s.fold(ctx)
	s.mu.Unlock()
	if err != nil {
		return
	}
	for _, column := range []func(){
		func() { s.stacksOf() },
		func() { s.lives() },
		func() { s.streamOf.of(n, t.StreamOf) },
		func() { s.poolOf.of(n, t.PoolOf) },
	} {
		if ctx.Err() != nil {
			return
		}
		column()
	}
}

// fold makes the text of each frame in lower case, once.
func (s *Searcher) fold(ctx context.Context) error {
	if s.lower != nil {
		return nil
	}
	snap := s.t.Snapshot
	lower := make([]string, len(snap.Frames.Name))
	for f := 1; f < len(lower); f++ {
		if f%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		lower[f] = strings.ToLower(FrameText(snap, snapshot.FrameID(f)))
	}
	s.lower = lower
	return nil
}

// frames is the frames whose text a term holds for.
func (s *Searcher) frames(ctx context.Context, t *term) ([]bool, error) {
	snap := s.t.Snapshot
	held := make([]bool, len(snap.Frames.Name))
	fold := t.re == nil && !t.exact
	if fold {
		if err := s.fold(ctx); err != nil {
			return nil, err
		}
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
