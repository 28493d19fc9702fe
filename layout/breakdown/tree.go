package breakdown

import (
	"slices"

	"strata/layout"
	"strata/snapshot"
)

// A Tree is all call stacks of a timeline's allocations as one tree, for flame graphs. Its shape does not depend on a
// moment. It is immutable.
type Tree struct {
	TreeOptions
	// Nodes holds parents before their children; Nodes[0] is the root, all memory.
	Nodes  []Node
	stacks *Grouping
	leaf   []int32 // the node of each group of stacks

	children []int32 // of all nodes, those of node n from below[n] to below[n+1]
	below    []int32
}

// A Node is a frame below its caller, or above what it calls in a tree from the leaves up.
type Node struct {
	Parent int32            // index into Nodes, -1 of the root
	Depth  int32            // 0 of the root
	Frame  snapshot.FrameID // 0 where Kind is not Code
	Kind   NodeKind
}

// NodeKind says what a node stands for.
type NodeKind uint8

// A node is a frame, framework frames folded into one, or memory whose stack is not known.
const (
	Code NodeKind = iota
	Framework
	NodeBeforeRecording
	NodeNoStack
)

// TreeOptions steer NewTree.
type TreeOptions struct {
	// LeavesUp puts the allocating frames at the top and their callers below them.
	LeavesUp bool
	// Frames shows framework frames. Otherwise a stack is its own code; one without any is its call site, with all
	// callers folded into one node.
	Frames bool
}

// edge is how a node is reached.
type edge struct {
	parent int32
	kind   NodeKind
	frame  snapshot.FrameID
}

// NewTree makes the tree of a grouping ByStack, in time linear in the frames of its stacks.
func NewTree(stacks *Grouping, opt TreeOptions) *Tree {
	s := stacks.Timeline.Snapshot
	tree := &Tree{TreeOptions: opt, Nodes: []Node{{Parent: -1}}, stacks: stacks, leaf: make([]int32, stacks.Len())}
	place := map[edge]int32{}
	enter := func(at int32, kind NodeKind, frame snapshot.FrameID) int32 {
		e := edge{at, kind, frame}
		n, is := place[e]
		if !is {
			n = int32(len(tree.Nodes))
			place[e] = n
			tree.Nodes = append(tree.Nodes, Node{Parent: at, Depth: tree.Nodes[at].Depth + 1, Frame: frame, Kind: kind})
		}
		return n
	}
	framework := make([]bool, len(s.Frames.Name))
	for f := 1; f < len(framework); f++ {
		framework[f] = !opt.Frames && s.IsFramework(snapshot.FrameID(f))
	}
	for group := range tree.leaf {
		kind := stacks.keys[group].kind
		if stacks.Timeline.Banded() {
			kind = noStack
		}
		switch kind {
		case beforeRecording:
			tree.leaf[group] = enter(0, NodeBeforeRecording, 0)
			continue
		case noStack:
			tree.leaf[group] = enter(0, NodeNoStack, 0)
			continue
		}
		at := int32(0)
		frames := tree.shown(stacks.Stack(int32(group)), framework)
		for i := range frames {
			if !opt.LeavesUp {
				i = len(frames) - 1 - i
			}
			kind := Code
			if frames[i] == 0 {
				kind = Framework
			}
			at = enter(at, kind, frames[i])
		}
		tree.leaf[group] = at
	}
	tree.link()
	return tree
}

// shown is the frames of a stack that the tree has, innermost first, with a 0 for framework frames folded into one.
func (t *Tree) shown(stack snapshot.StackID, framework []bool) []snapshot.FrameID {
	stacks := &t.stacks.Timeline.Snapshot.Stacks
	frames, site := stacks.Of(stack), stacks.Site[stack]
	if t.Frames {
		return frames
	}
	own := slices.DeleteFunc(slices.Clone(frames), func(f snapshot.FrameID) bool { return framework[f] })
	switch {
	case len(own) > 0:
		return own
	case site == 0 || len(frames) == 1:
		return []snapshot.FrameID{site}
	}
	return []snapshot.FrameID{site, 0}
}

// link lists the children of each node.
func (t *Tree) link() {
	t.below = make([]int32, len(t.Nodes)+1)
	for _, n := range t.Nodes[1:] {
		t.below[n.Parent+1]++
	}
	for i := range t.Nodes {
		t.below[i+1] += t.below[i]
	}
	t.children = make([]int32, len(t.Nodes)-1)
	next := slices.Clone(t.below)
	for n := range t.children {
		p := &next[t.Nodes[n+1].Parent]
		t.children[*p] = int32(n + 1)
		*p++
	}
}

// Children is the nodes right below a node.
func (t *Tree) Children(node int32) []int32 { return t.children[t.below[node]:t.below[node+1]] }

// A Weight is what a node and all below it hold.
type Weight struct {
	Bytes  int64
	Self   int64 // without what its children hold
	Blocks int32
}

// Weights is what the nodes hold in a state, by node. Those of the root are all of the grouping's.
func (t *Tree) Weights(state int32) []Weight { return t.WeightsOf(t.stacks.Sums(nil, state)) }

// WeightsOf is Weights of sums of the tree's grouping.
func (t *Tree) WeightsOf(s *Sums) []Weight {
	w := make([]Weight, len(t.Nodes))
	for group, n := range t.leaf {
		w[n].Self += s.Bytes[group]
		w[n].Bytes += s.Bytes[group]
		w[n].Blocks += s.Blocks[group]
	}
	for n := len(w) - 1; n > 0; n-- {
		p := &w[t.Nodes[n].Parent]
		p.Bytes += w[n].Bytes
		p.Blocks += w[n].Blocks
	}
	return w
}

// Leaf is the node that an allocation's stack ends at, or begins at in a tree from the leaves up; 0 where the tree's
// grouping leaves it out.
func (t *Tree) Leaf(id layout.ID) int32 {
	if group := t.stacks.Of[id]; group != Excluded {
		return t.leaf[group]
	}
	return 0
}

// Within returns a function that reports whether an allocation's stack goes through a node.
func (t *Tree) Within(node int32) func(layout.ID) bool {
	in := make([]bool, len(t.Nodes))
	in[node] = true
	for n := node + 1; int(n) < len(in); n++ {
		in[n] = in[t.Nodes[n].Parent]
	}
	return func(id layout.ID) bool {
		group := t.stacks.Of[id]
		return group != Excluded && in[t.leaf[group]]
	}
}

// Only is the sums in a state of the allocations that keep reports true for, in time linear in the allocations.
func (g *Grouping) Only(state int32, keep func(layout.ID) bool) *Sums {
	s := newSums(len(g.keys))
	s.state = state
	for id, group := range g.Of {
		if t := g.Timeline; t.Birth[id] <= state && t.Death[id] > state && keep(layout.ID(id)) {
			s.add(group, t.Size[id], 1)
		}
	}
	return s
}

// Sites is the first allocation of the call site that a node is, else of the one that all stacks through it share, by
// node; layout.None where there are several.
func (t *Tree) Sites() []layout.ID {
	sites := make([]layout.ID, len(t.Nodes))
	const unseen = layout.None - 1
	for n := range sites {
		sites[n] = unseen
	}
	first := map[key]layout.ID{} // of each call site
	s := t.stacks.Timeline.Snapshot
	for group, n := range t.leaf {
		k := t.stacks.keys[group]
		if k.kind == 0 {
			k.id = int64(s.Stacks.Site[t.stacks.Stack(int32(group))])
		}
		if _, known := first[k]; !known {
			first[k] = t.stacks.first[group]
		}
		join(&sites[n], first[k], unseen)
	}
	ends := slices.Clone(sites)
	for n := len(sites) - 1; n > 0; n-- {
		join(&sites[t.Nodes[n].Parent], sites[n], unseen)
	}
	if !t.LeavesUp && !t.Frames {
		for n, id := range ends {
			if id != unseen {
				sites[n] = id
			}
		}
	}
	return sites
}

// join is a value that is none where two differ.
func join(into *layout.ID, id, unseen layout.ID) {
	switch {
	case id == unseen:
	case *into == unseen:
		*into = id
	case *into != id:
		*into = layout.None
	}
}

// Timeline is what the stacks are of.
func (t *Tree) Timeline() *layout.Timeline { return t.stacks.Timeline }
