package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/search"
	"strata/render/colour"
	"strata/snapshot"
)

// A Finder is the search of a session. Typing starts a search on a goroutine and gives up the previous one; its result
// stays until there is a new one.
type Finder struct {
	Text   string         // that was typed
	Wrong  *search.Error  // what is wrong with Text, or with the query for this document; nil if nothing
	Result *search.Result // nil if there is none

	query    *search.Query      // that is wanted, nil if none
	timeline *layout.Timeline   // what is searched
	stop     context.CancelFunc // gives up the search at work, nil if there is none

	dimmed   *colour.Colouring // the colours with all but the matches dimmed
	dimmedOf *colour.Colouring // what dimmed was made of
}

// Running reports whether a search is at work.
func (f *Finder) Running() bool { return f.stop != nil }

// Wanted reports whether there is a query, found or not.
func (f *Finder) Wanted() bool { return f.query != nil }

// halt gives up the search at work.
func (f *Finder) halt() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// Search searches for a text in place of the previous one. What is wrong with it is in Find.Wrong.
func (s *Session) Search(text string) {
	f := &s.Find
	f.halt()
	q, err := search.Parse(text)
	f.Text, f.Wrong = text, nil
	if errors.As(err, &f.Wrong) {
		return // half typed: the previous result stays
	}
	if q.Empty() {
		*f = Finder{Text: text}
		return
	}
	f.query = q
	s.startSearch()
}

// SearchWithout adds to the search that a term must not match.
func (s *Session) SearchWithout(term string) { s.Search(strings.TrimSpace(s.Find.Text + " -" + term)) }

// ClearSearch ends the search.
func (s *Session) ClearSearch() { s.Search("") }

// startSearch starts the search that is wanted in what is shown.
func (s *Session) startSearch() {
	f, t, base := &s.Find, s.Timeline(), s.Doc.Stage.Colouring
	if f.timeline != t { // a result of another is of no use
		*f = Finder{Text: f.Text, query: f.query, timeline: t}
	}
	q, rules := f.query, s.all.Options.Categories
	f.stop = s.all.Background.Go(func(ctx context.Context) func() {
		r, err := search.Run(ctx, t, q, func() func(layout.ID) string {
			return category.New(t, layout.AllPhases(t), rules).Name
		})
		var dimmed *colour.Colouring
		if err == nil {
			dimmed = base.Highlighting(r.Matches.Has)
		}
		return func() {
			if f.query != q || f.timeline != t {
				return // no longer wanted
			}
			f.stop = nil
			if err != nil {
				errors.As(err, &f.Wrong)
				return
			}
			f.Result, f.dimmed, f.dimmedOf = r, dimmed, base
		}
	})
}

// refreshSearch searches another device or document anew.
func (s *Session) refreshSearch() {
	if f := &s.Find; f.query != nil && f.timeline != s.Timeline() {
		f.halt()
		f.Wrong = nil
		s.startSearch()
	}
}

// Colouring returns the colours of the picture: with a search, all but its matches are dimmed.
func (s *Session) Colouring() *colour.Colouring {
	f, base := &s.Find, s.Doc.Stage.Colouring
	if f.Result == nil || f.timeline != s.Timeline() {
		return base
	}
	if f.dimmedOf != base {
		f.dimmed, f.dimmedOf = base.Highlighting(f.Result.Matches.Has), base
	}
	return f.dimmed
}

// HasMatches reports whether a search has found something.
func (s *Session) HasMatches() bool {
	return s.Doc != nil && s.Find.Result != nil && s.Find.Result.Count > 0
}

// Matches returns the result of a search of what is shown, nil if there is none.
func (s *Session) Matches() *search.Result {
	if s.HasMatches() && s.Find.timeline == s.Timeline() {
		return s.Find.Result
	}
	return nil
}

// NextMatch pins the next match, or with by < 0 the previous one, around the ends, and brings it into view.
func (s *Session) NextMatch(by int, now time.Time) {
	if !s.HasMatches() {
		return
	}
	set := s.Find.Result.Matches
	id, first := set.Previous(s.Pinned-1), set.Previous(math.MaxInt32)
	if by > 0 {
		id, first = set.Next(s.Pinned+1), set.Next(0)
	}
	if id == layout.None {
		id = first
	}
	s.PinAndShow(id, now)
}

// PinAndShow pins an allocation and brings it into view.
func (s *Session) PinAndShow(id layout.ID, now time.Time) {
	s.Pin(id)
	s.ShowPinned(now)
}

// Place returns which match an allocation is, from 1, or 0 if it is none.
func (f *Finder) Place(id layout.ID) int {
	if f.Result == nil || !f.Result.Matches.Has(id) {
		return 0
	}
	n := bits.OnesCount64(f.Result.Matches[id>>6] << (63 - id&63))
	for _, word := range f.Result.Matches[:id>>6] {
		n += bits.OnesCount64(word)
	}
	return n
}

// FrameTerm returns the search for allocations whose stacks contain a frame.
func (s *Session) FrameTerm(f snapshot.FrameID) string {
	return strings.TrimPrefix(s.SiteTerm(f), "site:")
}

// SiteTerm returns the search for allocations that a line of code made.
func (s *Session) SiteTerm(f snapshot.FrameID) string { return search.SiteTerm(s.Doc.Snapshot, f) }

// SearchSite pins an allocation and searches for what the same line of code allocated.
func (s *Session) SearchSite(id layout.ID) {
	a := s.Timeline().At(id)
	s.Pin(id)
	stacks := &s.Doc.Snapshot.Stacks
	f := stacks.Site[a.Stack]
	if frames := stacks.Of(a.Stack); f == 0 && len(frames) > 0 {
		f = frames[0]
	}
	s.Search(s.SiteTerm(f))
}

// SearchGroup searches for the allocations of a group of the breakdown.
func (s *Session) SearchGroup(group int32) {
	if term := s.groupTerm(group); term != "" {
		s.Search(term)
	} else {
		s.Say("No search finds what is in this group alone")
	}
}

// groupTerm is the search that finds a group's allocations, "" where there is none.
func (s *Session) groupTerm(group int32) string {
	g, t := s.groups.grouping, s.Timeline()
	if t.Banded() { // there are no allocations to find
		return ""
	}
	id, name := g.First(group), g.Name(group)
	switch name {
	case breakdown.BeforeRecording:
		return "before-recording"
	case breakdown.NoStack, breakdown.NoPhase, breakdown.NotTold:
		return ""
	}
	frame := t.Snapshot.Stacks.Site[t.StackOf(id)]
	switch g.By {
	case breakdown.ByCallSite:
		return s.SiteTerm(frame)
	case breakdown.ByFunction:
		return search.FunctionTerm(t.Snapshot, frame)
	case breakdown.ByFile:
		return search.FileTerm(t.Snapshot, frame)
	case breakdown.ByStack:
		return fmt.Sprint("stack:", g.Stack(group))
	case breakdown.ByPhase:
		return "phase:" + search.Quote(name)
	case breakdown.ByCategory:
		return "category:" + search.Quote(name)
	case breakdown.BySize, breakdown.ByShape:
		return fmt.Sprint("size=", t.Size[id])
	case breakdown.ByOperator, breakdown.ByModule, breakdown.ByStep, breakdown.ByThread:
		return "meta:" + search.Quote(name)
	case breakdown.ByStream:
		return fmt.Sprint("stream:", t.Snapshot.Streams[t.StreamOf(id)])
	case breakdown.ByPool:
		if pool := t.PoolOf(id); pool != 0 {
			return fmt.Sprintf("pool:%d,%d", t.Snapshot.Pools[pool].A, t.Snapshot.Pools[pool].B)
		}
	}
	return ""
}
