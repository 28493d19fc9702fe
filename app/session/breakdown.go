package session

import (
	"context"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/growth"
	"strata/layout/search"
	"strata/render"
	"strata/render/colour"
)

// Groups is the live set of a session at its moment, or the difference of two, by group. The grouping is made on a
// goroutine; what it holds at a moment is worked out in the frame that asks, or where there are many groups on a
// goroutine too: until that is done, what was worked out last is shown.
type Groups struct {
	wanted, making, made groupsKey
	grouping             *breakdown.Grouping // for made, nil before the first

	sums    *breakdown.Sums
	rows    []breakdown.Row    // at span.at, of grouping; most bytes first
	changes []breakdown.Change // of a span of two moments
	span    span
	working bool // on rows and changes, on a goroutine

	curves   map[int32][]int64 // what groups hold in the columns of curvesOf
	curvesOf curvesKey
	drawing  curvesKey // being made

	growth  *growth.Result // of grouping, nil while that is not known
	growing *breakdown.Grouping

	lit   litKey // what light was made for
	light *colour.Colouring
}

// groupsKey is what a grouping depends on.
type groupsKey struct {
	timeline *layout.Timeline
	by       breakdown.By
	phases   *layout.Phases
	result   *search.Result
	shape    any
}

// A span is the moments that are broken down, as states.
type span struct {
	at, against int32
	two         bool
}

// manyGroups is from how many groups on they are summed up and sorted on a goroutine: so many take some milliseconds.
const manyGroups = 1 << 14

// litKey is what a colouring that lights a group depends on.
type litKey struct {
	grouping any // or a tree
	group    int32
	base     *colour.Colouring
}

// Grouping returns what breakdowns of the session are made with, nil while there is none of what is shown. One of
// another grouping or search stays until the new one is ready.
func (s *Session) Grouping() *breakdown.Grouping {
	g := &s.groups
	t := s.Timeline()
	g.wanted = groupsKey{timeline: t, by: s.all.Options.GroupBy, result: s.Matches()}
	switch g.wanted.by {
	case breakdown.ByPhase:
		g.wanted.phases = s.Doc.Stage.Lane.Phases
	case breakdown.ByShape:
		g.wanted.shape = s.all.Naming.Version()
	}
	if g.wanted != g.made && g.wanted != g.making {
		s.makeGroups(g.wanted)
	}
	if g.grouping == nil || g.grouping.Timeline != t {
		return nil
	}
	return g.grouping
}

// makeGroups groups on a goroutine.
func (s *Session) makeGroups(key groupsKey) {
	g := &s.groups
	g.making = key
	naming := s.all.Naming // that of now
	opt := breakdown.Options{Phases: key.phases, Shape: naming.Name}
	if key.result != nil {
		opt.Only = key.result.Matches.Has
	}
	rules := s.all.Options.Categories
	s.all.Background.Go(func(context.Context) func() {
		if key.by == breakdown.ByCategory {
			category.New(key.timeline, layout.AllPhases(key.timeline), rules).Group(&opt)
		}
		grouping := breakdown.New(key.timeline, key.by, opt)
		return func() {
			if g.making == key && s.Timeline() == key.timeline {
				*g = Groups{wanted: key, making: key, made: key, grouping: grouping, span: span{at: -1}}
			}
		}
	})
}

// breakDown brings rows and changes up to date; it reports whether anything is known.
func (s *Session) breakDown() bool {
	grouping, g := s.Grouping(), &s.groups
	if grouping == nil {
		return false
	}
	want := span{at: s.Moment().State}
	if against, two := s.Against(); two {
		want.two, want.against = true, against.State
	}
	switch {
	case want == g.span:
	case grouping.Len() < manyGroups:
		g.sums = grouping.Sums(g.sums, want.at)
		g.rows, g.changes, g.span = g.sums.Rows(g.rows[:0]), changesOf(grouping, want), want
	case !g.working:
		g.working = true
		s.all.Background.Go(func(context.Context) func() {
			rows, changes := grouping.At(want.at), changesOf(grouping, want)
			return func() {
				if g.grouping == grouping {
					g.rows, g.changes, g.span, g.working = rows, changes, want, false
				}
			}
		})
	}
	return g.span.at >= 0
}

// changesOf is how groups differ between two moments, nil where there are not two.
func changesOf(g *breakdown.Grouping, s span) []breakdown.Change {
	if !s.two {
		return nil
	}
	return g.Between(s.against, s.at)
}

// BrokenDown returns the state that Rows are of, and the one that Changes are compared with.
func (s *Session) BrokenDown() (at, against int32) { return s.groups.span.at, s.groups.span.against }

// Rows returns the groups that hold memory at the moment, most bytes first; ok is false while that is not known.
func (s *Session) Rows() (rows []breakdown.Row, ok bool) {
	if !s.breakDown() {
		return nil, false
	}
	return s.groups.rows, true
}

// Changes returns how the groups differ between the two moments, the largest difference first; ok is false where there
// are no two, or they are not known yet.
func (s *Session) Changes() (changes []breakdown.Change, ok bool) {
	if !s.breakDown() || !s.groups.span.two {
		return nil, false
	}
	return s.groups.changes, true
}

// Lit returns the colours of the picture with all but a group dimmed.
func (s *Session) Lit(group int32) *colour.Colouring {
	of := s.groups.grouping.Of
	return s.light(litKey{s.groups.grouping, group, s.Doc.Stage.Colouring}, func() func(layout.ID) bool {
		return func(id layout.ID) bool { return of[id] == group }
	})
}

// light returns colours with all but what keep reports true for dimmed.
func (s *Session) light(key litKey, keep func() func(layout.ID) bool) *colour.Colouring {
	if g := &s.groups; key != g.lit {
		g.lit, g.light = key, key.base.Highlighting(keep())
	}
	return s.groups.light
}

// CurveColumns is how many columns the curves of groups have.
const CurveColumns = 60

// curvesKey is what curves depend on. They are made for a run of rows, as long as a table shows.
type curvesKey struct {
	grouping *breakdown.Grouping
	view     render.View
	first    int32
	n        int
}

// Curves returns the course of groups over what is in view, CurveColumns values each, in bytes. Those of another view
// stay until the new ones are ready; what is not known yet is not in the map.
func (s *Session) Curves(groups []int32) map[int32][]int64 {
	grouping, g := s.Grouping(), &s.groups
	if grouping == nil || len(groups) == 0 {
		return nil
	}
	key := curvesKey{grouping, s.View, groups[0], len(groups)}
	if key == g.curvesOf || g.drawing.grouping != nil {
		return g.curves
	}
	g.drawing = key
	t, v := s.Timeline(), s.View
	s.all.Background.Go(func(context.Context) func() {
		moments := t.ColumnsBetween(nil, nil, v.Axis, CurveColumns, func(i int) float64 {
			return v.X0 + (v.X1-v.X0)*float64(i)/CurveColumns
		})
		states := make([]int32, len(moments))
		for i, m := range moments {
			states[i] = max(0, m.Step)
			if i > 0 {
				states[i] = max(states[i], states[i-1]) // behind the end there is none
			}
		}
		curves := map[int32][]int64{}
		for i, curve := range grouping.Series(groups, states) {
			curves[groups[i]] = curve
		}
		return func() {
			if g.grouping == grouping {
				g.curves, g.curvesOf, g.drawing = curves, key, curvesKey{}
			}
		}
	})
	return g.curves
}

// Growth returns what grows with each repetition, nil while that is not known.
func (s *Session) Growth() *growth.Result {
	grouping, g := s.Grouping(), &s.groups
	if grouping == nil { // what is there is of another timeline
		return nil
	}
	if g.growth != nil || g.growing == grouping {
		return g.growth
	}
	g.growing = grouping
	s.all.Background.Go(func(context.Context) func() {
		found := growth.Find(grouping, nil)
		return func() {
			if g.grouping == grouping {
				g.growth = found
			}
		}
	})
	return nil
}

// Stacks is what call stacks hold at the moment, or the two. It is immutable.
type Stacks struct {
	Tree    *breakdown.Tree
	Sites   []layout.ID        // as breakdown.Tree.Sites
	Held    []breakdown.Weight // by node
	Before  []breakdown.Weight // at the moment that is compared with, nil for none
	Matched []breakdown.Weight // what a search found of Held, nil without one

	of stacksKey
}

// stacksKey is what Stacks depend on.
type stacksKey struct {
	tree        *breakdown.Tree
	at, against int32
	result      *search.Result
}

// trees is the tree of a session, which is made on a goroutine.
type trees struct {
	wanted, made treeKey
	grouping     *breakdown.Grouping // by stack
	tree         *breakdown.Tree     // for made
	sites        []layout.ID
	shown        *Stacks
	weighing     bool // on a goroutine
}

// treeKey is what a tree depends on.
type treeKey struct {
	timeline *layout.Timeline
	opt      breakdown.TreeOptions
}

// Stacks returns what stacks hold, nil while that is not known. A tree of other options stays until the new one is
// ready, and where there are many stacks another moment until that is.
func (s *Session) Stacks(opt breakdown.TreeOptions) *Stacks {
	t, k := s.Timeline(), &s.trees
	if want := (treeKey{t, opt}); want != k.wanted {
		s.growTree(want)
	}
	if k.tree == nil || k.made.timeline != t {
		return nil
	}
	key := stacksKey{k.tree, s.Moment().State, -1, s.Matches()}
	if against, two := s.Against(); two {
		key.against = against.State
	}
	switch {
	case k.shown != nil && k.shown.of == key:
	case len(k.tree.Nodes) < manyGroups:
		k.shown = k.weigh(key)()
	case !k.weighing:
		k.weighing = true
		weigh := k.weigh(key)
		s.all.Background.Go(func(context.Context) func() {
			shown := weigh()
			return func() {
				k.weighing = false
				if k.tree == key.tree {
					k.shown = shown
				}
			}
		})
	}
	return k.shown
}

// growTree makes a tree on a goroutine.
func (s *Session) growTree(want treeKey) {
	k := &s.trees
	k.wanted = want
	grouping := k.grouping
	s.all.Background.Go(func(context.Context) func() {
		if grouping == nil || grouping.Timeline != want.timeline {
			grouping = breakdown.New(want.timeline, breakdown.ByStack, breakdown.Options{})
		}
		tree := breakdown.NewTree(grouping, want.opt)
		sites := tree.Sites()
		return func() {
			if k.wanted == want {
				k.made, k.grouping, k.tree, k.sites, k.shown = want, grouping, tree, sites, nil
			}
		}
	})
}

// weigh returns a function that works out what stacks hold.
func (k *trees) weigh(key stacksKey) func() *Stacks {
	grouping, sites := k.grouping, k.sites
	return func() *Stacks {
		s := &Stacks{Tree: key.tree, Sites: sites, Held: key.tree.Weights(key.at), of: key}
		if key.against >= 0 {
			s.Before = key.tree.Weights(key.against)
		}
		if key.result != nil {
			s.Matched = key.tree.WeightsOf(grouping.Only(key.at, key.result.Matches.Has))
		}
		return s
	}
}

// LitStacks returns the colours of the picture with all but what was allocated through a node dimmed.
func (s *Session) LitStacks(tree *breakdown.Tree, node int32) *colour.Colouring {
	return s.light(litKey{tree, node, s.Doc.Stage.Colouring}, func() func(layout.ID) bool { return tree.Within(node) })
}
