package breakdown

import (
	"strata/layout"
	"strata/snapshot"
)

// A Tree is all call stacks of a timeline's allocations as one tree, for flame graphs. Its shape does not depend on a
// moment. It is immutable.
type Tree struct {
	// Nodes holds parents before their children; Nodes[0] is the root, all memory.
	Nodes  []Node
	stacks *Grouping
	leaf   []int32 // the node of each group of stacks
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

// A node is a frame, a run of framework frames folded into one, or memory whose stack is not known.
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
	// Frames shows framework frames; otherwise neighbouring ones are folded into one node.
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
	tree := &Tree{Nodes: []Node{{Parent: -1}}, stacks: stacks, leaf: make([]int32, stacks.Len())}
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
		switch stacks.keys[group].kind {
		case beforeRecording:
			tree.leaf[group] = enter(0, NodeBeforeRecording, 0)
			continue
		case noStack:
			tree.leaf[group] = enter(0, NodeNoStack, 0)
			continue
		}
		frames := s.Stacks.Of(stacks.Stack(int32(group)))
		at := int32(0)
		for i := range frames {
			f := frames[i]
			if !opt.LeavesUp {
				f = frames[len(frames)-1-i]
			}
			switch {
			case !framework[f]:
				at = enter(at, Code, f)
			case tree.Nodes[at].Kind != Framework || at == 0:
				at = enter(at, Framework, 0)
			}
		}
		tree.leaf[group] = at
	}
	return tree
}

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

// Contains reports whether an allocation's stack goes through a node.
func (t *Tree) Contains(node int32, id layout.ID) bool {
	group := t.stacks.Of[id]
	if group == Excluded {
		return false
	}
	for n := t.leaf[group]; n >= node; n = t.Nodes[n].Parent {
		if n == node {
			return true
		}
	}
	return false
}
