package pages

import (
	"context"

	"strata/layout/breakdown"
	"strata/layout/compare"
)

// stacks is the call stacks of both as one tree, which is made on a goroutine.
type stacks struct {
	wanted, made stacksKey
	tree         *breakdown.Tree // of B
	graft        *compare.Graft
	shown        *Stacks
}

// stacksKey is what the tree depends on.
type stacksKey struct {
	code *compare.Code
	opt  breakdown.TreeOptions
}

// Stacks is what call stacks hold in B, and what the same ones hold in A. It is immutable.
type Stacks struct {
	Tree         *breakdown.Tree
	Held, Before []breakdown.Weight // of B and of A, by node

	at [2]int32
}

// Stacks returns what stacks hold at the moments, nil while that is not known.
func (p *Pair) Stacks(opt breakdown.TreeOptions) *Stacks {
	s, m := &p.stacks, p.made
	want := stacksKey{m.Code, opt}
	if want != s.wanted {
		s.wanted = want
		p.sessions.Background.Go(func(context.Context) func() {
			var trees [2]*breakdown.Tree
			for i, t := range m.Timelines {
				trees[i] = breakdown.NewTree(breakdown.New(t, breakdown.ByStack, breakdown.Options{}), opt)
			}
			graft := compare.NewGraft(m.Code, trees[0], trees[1])
			return func() {
				if s.wanted == want {
					s.made, s.tree, s.graft, s.shown = want, trees[1], graft, nil
				}
			}
		})
	}
	if s.tree == nil || s.made.code != m.Code {
		return nil
	}
	at := [2]int32{p.Moment(0).State, p.Moment(1).State}
	if s.shown == nil || s.shown.at != at {
		s.shown = &Stacks{Tree: s.tree, Held: s.tree.Weights(at[1]), Before: s.graft.Weights(at[0]), at: at}
	}
	return s.shown
}
