package compare

import (
	"strata/layout/breakdown"
)

// A Graft puts what the stacks of A hold into the tree of B, for a flame graph of their difference. It is immutable.
type Graft struct {
	a, b *breakdown.Tree
	to   []int32 // the node of b for each of a: where b has no such call, the last one that it has
}

// NewGraft finds the calls of tree a in tree b; both have the same options.
func NewGraft(code *Code, a, b *breakdown.Tree) *Graft {
	g := &Graft{a: a, b: b, to: make([]int32, len(a.Nodes))}
	type step struct {
		parent int32
		kind   breakdown.NodeKind
		key    int64
	}
	keyOf := func(d *side, n *breakdown.Node) int64 {
		if n.Frame == 0 {
			return 0
		}
		return code.keyOf(d, d.of[n.Frame], false)
	}
	known := map[step]int32{}
	for i := range b.Nodes {
		n := &b.Nodes[i]
		s := step{n.Parent, n.Kind, keyOf(code.b, n)}
		if _, is := known[s]; !is {
			known[s] = int32(i)
		}
	}
	lost := make([]bool, len(a.Nodes))
	for i := 1; i < len(a.Nodes); i++ {
		n := &a.Nodes[i]
		to, is := known[step{g.to[n.Parent], n.Kind, keyOf(code.a, n)}]
		if lost[i] = lost[n.Parent] || !is; lost[i] {
			to = g.to[n.Parent]
		}
		g.to[i] = to
	}
	return g
}

// Weights is what A holds in a state, by node of B's tree. Those of the root are all of A.
func (g *Graft) Weights(state int32) []breakdown.Weight {
	out, in := make([]breakdown.Weight, len(g.b.Nodes)), g.a.Weights(state)
	for i, w := range in {
		own := w.Blocks
		for _, child := range g.a.Children(int32(i)) {
			own -= in[child].Blocks
		}
		o := &out[g.to[i]]
		o.Self += w.Self
		o.Bytes += w.Self
		o.Blocks += own
	}
	for n := len(out) - 1; n > 0; n-- {
		p := &out[g.b.Nodes[n].Parent]
		p.Bytes += out[n].Bytes
		p.Blocks += out[n].Blocks
	}
	return out
}
