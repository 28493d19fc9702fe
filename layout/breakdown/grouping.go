// Package breakdown says what held a timeline's memory at a moment: the live set, grouped by call site, function,
// phase, size and so on, exact to the byte. It shows one moment, the difference of two, and how groups went over time.
package breakdown

import (
	"cmp"
	"math"
	"slices"

	"strata/layout"
)

// Excluded is the group of allocations that a Grouping leaves out.
const Excluded int32 = -1

// A Grouping puts every allocation of a timeline into one group, those that are not drawn too. It is immutable.
type Grouping struct {
	Timeline *layout.Timeline
	By       By
	// Of is the group of each allocation, none of which a banded timeline has: 0 ≤ Of[id] < Len, or Excluded.
	Of []int32

	keys        []key
	first       []layout.ID // of each group
	names       namer
	checkpoints []checkpoint
	entries     []Row // of all checkpoints, one after another
}

// Options steer New; the zero value groups all allocations.
type Options struct {
	// Only leaves out allocations that it reports false for; nil leaves out none.
	Only func(layout.ID) bool
	// Phases is needed to group ByPhase.
	Phases *layout.Phases
	// Shape names a size in bytes; it is needed to group ByShape.
	Shape func(size int64) string
	// Category is the category of an allocation as an index of Categories; needed to group ByCategory.
	Category   func(layout.ID) int32
	Categories []string
	// CategoryTold is how a category was told, such as "inferred"; nil, or "", says nothing of it.
	CategoryTold func(category int32) string
}

// A Row is a group and what it holds at a moment.
type Row struct {
	Group  int32
	Blocks int32
	Bytes  int64
}

// New groups the allocations of a timeline, or the categories of a banded one whatever is asked for, in
// time linear in their number and that of the actions.
func New(t *layout.Timeline, by By, opt Options) *Grouping {
	g := &Grouping{Timeline: t, By: by, Of: make([]int32, len(t.Size)), names: namer{t: t, by: by, opt: &opt}}
	if t.Banded() {
		g.byBand()
		return g
	}
	keyOf := g.names.keyOf()
	place := map[key]int32{}
	last, group := key{}, Excluded // neighbours are often alike
	for i := range g.Of {
		id := layout.ID(i)
		if opt.Only != nil && !opt.Only(id) {
			g.Of[i] = Excluded
			continue
		}
		if k := keyOf(id); k != last || group == Excluded {
			var known bool
			if group, known = place[k]; !known {
				group = int32(len(g.keys))
				place[k] = group
				g.keys = append(g.keys, k)
				g.first = append(g.first, id)
			}
			last = k
		}
		g.Of[i] = group
	}
	g.index()
	return g
}

// Len is the number of groups.
func (g *Grouping) Len() int { return len(g.keys) }

// First is the first allocation of a group: where colours have the same meaning as the Grouping, its colour is the
// group's.
func (g *Grouping) First(group int32) layout.ID { return g.first[group] }

// A checkpoint is what the groups hold in a state, so that a later state is found without replaying the trace.
type checkpoint struct {
	state, first, end int32 // entries[first:end] holds the groups that are not empty
}

// The fewest actions between two checkpoints, and for each entry of the one before: they take at most two bytes an
// action, and going from one to a state between costs a small multiple of reading it.
const (
	spacing      = 1024
	entrySpacing = 8
)

// index takes the checkpoints.
func (g *Grouping) index() {
	t := g.Timeline
	s := newSums(len(g.keys))
	for id, birth := range t.Birth {
		if birth == 0 {
			s.add(g.Of[id], t.Size[id], 1)
		}
	}
	due := int32(0)
	for state := int32(0); ; state++ {
		if state >= due {
			first := len(g.entries)
			g.entries = s.appendRows(g.entries)
			g.checkpoints = append(g.checkpoints, checkpoint{state, int32(first), int32(len(g.entries))})
			next := int64(state) + max(spacing, entrySpacing*int64(len(g.entries)-first))
			due = int32(min(next, math.MaxInt32))
		}
		if int(state) == len(t.Actions) {
			break
		}
		g.apply(s, t.Actions[state])
	}
	g.entries = slices.Clip(g.entries)
}

// apply does one action.
func (g *Grouping) apply(s *Sums, action layout.ID) {
	if action >= 0 {
		s.add(g.Of[action], g.Timeline.Size[action], 1)
	} else {
		s.add(g.Of[^action], -g.Timeline.Size[^action], -1)
	}
}

// Sums is what each group holds in one state, by group.
type Sums struct {
	Bytes  []int64
	Blocks []int32
	state  int32
}

func newSums(groups int) *Sums {
	return &Sums{Bytes: make([]int64, groups), Blocks: make([]int32, groups), state: -1}
}

func (s *Sums) add(group int32, bytes int64, blocks int32) {
	if group != Excluded {
		s.Bytes[group] += bytes
		s.Blocks[group] += blocks
	}
}

// appendRows appends the groups that have blocks.
func (s *Sums) appendRows(dst []Row) []Row {
	for i, n := range s.Blocks {
		if n != 0 || s.Bytes[i] != 0 {
			dst = append(dst, Row{int32(i), n, s.Bytes[i]})
		}
	}
	return dst
}

// Sums returns what each group holds in a state of the timeline. It may use what prev holds, the result of an earlier
// call, or nil.
func (g *Grouping) Sums(prev *Sums, state int32) *Sums {
	if prev == nil {
		prev = newSums(len(g.keys))
	}
	g.move(prev, state)
	return prev
}

// move brings sums to a state: by the actions between if they are few, else from the checkpoint before.
func (g *Grouping) move(s *Sums, state int32) {
	if g.Timeline.Banded() {
		for i := range s.Bytes {
			s.Bytes[i] = g.Timeline.Device.Bands.All[i].Bytes[state]
		}
		return
	}
	i, exact := slices.BinarySearchFunc(g.checkpoints, state, func(c checkpoint, state int32) int {
		return cmp.Compare(c.state, state)
	})
	if !exact {
		i--
	}
	c := &g.checkpoints[i]
	if s.state < 0 || s.state < c.state || s.state > state {
		clear(s.Bytes)
		clear(s.Blocks)
		for _, r := range g.entries[c.first:c.end] {
			s.Bytes[r.Group], s.Blocks[r.Group] = r.Bytes, r.Blocks
		}
		s.state = c.state
	}
	for _, action := range g.Timeline.Actions[s.state:state] {
		g.apply(s, action)
	}
	s.state = state
}

// Rows appends the groups that hold blocks to dst, most bytes first, then most blocks. Their bytes sum up to
// Timeline.Total of the state when no allocation is left out.
func (s *Sums) Rows(dst []Row) []Row {
	n := len(dst)
	dst = s.appendRows(dst)
	slices.SortFunc(dst[n:], func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Blocks, a.Blocks), cmp.Compare(a.Group, b.Group))
	})
	return dst
}

// At is the groups that hold blocks in a state, most bytes first.
func (g *Grouping) At(state int32) []Row { return g.Sums(nil, state).Rows(nil) }

// Series is the bytes that some groups hold in ascending states: a row for each of the groups, a column for each state.
func (g *Grouping) Series(groups []int32, states []int32) [][]int64 {
	out := make([][]int64, len(groups))
	for i := range out {
		out[i] = make([]int64, len(states))
	}
	s := newSums(len(g.keys))
	for x, state := range states {
		g.move(s, state)
		for i, group := range groups {
			out[i][x] = s.Bytes[group]
		}
	}
	return out
}
