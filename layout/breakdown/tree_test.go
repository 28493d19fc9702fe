package breakdown

import (
	"math/rand/v2"
	"slices"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// TestTree: in each direction, folded or not, a node holds what its children and it itself hold, and the root all there
// is; a node contains an allocation if the frame is in its stack.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	timelines(t, func(t *testing.T, tl *layout.Timeline) {
		stacks := New(tl, ByStack, Options{})
		for _, opt := range []TreeOptions{{}, {LeavesUp: true}, {Frames: true}, {LeavesUp: true, Frames: true}} {
			tree := NewTree(stacks, opt)
			for _, state := range moments(rng, tl) {
				w := tree.Weights(state)
				if w[0].Bytes != tl.Total[state] {
					t.Fatalf("%v: the root holds %d, the total is %d", opt, w[0].Bytes, tl.Total[state])
				}
				rest := slices.Clone(w)
				for n := len(w) - 1; n > 0; n-- {
					rest[tree.Nodes[n].Parent].Bytes -= w[n].Bytes
				}
				for n := range w {
					if rest[n].Bytes != w[n].Self {
						t.Fatalf("%v, node %d: children leave %d, itself holds %d", opt, n, rest[n].Bytes, w[n].Self)
					}
				}
			}
			if len(tree.Nodes) > 1 {
				n := int32(len(tree.Nodes) - 1)
				within := tree.Within(n)
				for id := range tl.Size {
					path := naivePath(tree, layout.ID(id))
					if has := within(layout.ID(id)); has != slices.Contains(path, n) {
						t.Fatalf("%v: node %d contains %d: %v", opt, n, id, has)
					}
				}
			}
		}
	})
}

// TestSitesOfNodes: a node has the call site that all allocations through it share, whatever they hold, and one of own
// code that allocates has its own; children are those that name the node as their parent.
func TestSitesOfNodes(t *testing.T) {
	timelines(t, func(t *testing.T, tl *layout.Timeline) {
		sites := New(tl, ByCallSite, Options{})
		stacks := New(tl, ByStack, Options{})
		for _, opt := range []TreeOptions{{}, {LeavesUp: true}} {
			tree := NewTree(stacks, opt)
			through, at := make([]map[int32]bool, len(tree.Nodes)), make([]map[int32]bool, len(tree.Nodes))
			for n := range at {
				through[n], at[n] = map[int32]bool{}, map[int32]bool{}
			}
			for id := range tl.Size {
				for _, n := range naivePath(tree, layout.ID(id)) {
					through[n][sites.Of[id]] = true
				}
				at[tree.Leaf(layout.ID(id))][sites.Of[id]] = true
			}
			for n, first := range tree.Sites() {
				want := through[n]
				if !opt.LeavesUp && len(at[n]) > 0 {
					want = at[n]
				}
				if len(want) == 1 && !want[sites.Of[first]] || len(want) > 1 && first != layout.None {
					t.Fatalf("%v: node %d is of %d sites, the first allocation is %d", opt, n, len(want), first)
				}
				for _, child := range tree.Children(int32(n)) {
					if tree.Nodes[child].Parent != int32(n) {
						t.Fatalf("%d is no child of %d", child, n)
					}
				}
			}
			if len(tree.children) != len(tree.Nodes)-1 {
				t.Errorf("%d children of %d nodes", len(tree.children), len(tree.Nodes))
			}
		}
	})
}

// naivePath is the nodes of an allocation's stack.
func naivePath(t *Tree, id layout.ID) (path []int32) {
	for n := t.leaf[t.stacks.Of[id]]; n >= 0; n = t.Nodes[n].Parent {
		path = append(path, n)
	}
	return path
}

// TestDeepStacks: recursion thousands of frames deep makes a tree as deep, and one of framework frames alone two
// cells: the call site and its callers.
func TestDeepStacks(t *testing.T) {
	s := shuffledTrace(300).Deep(10)
	const depth = 5000
	for i := range s.Stacks.Start {
		s.Stacks.Start[i] = uint32(max(0, i-1) * depth)
	}
	s.Stacks.Frame = slices.Repeat([]snapshot.FrameID{1}, (len(s.Stacks.Start)-2)*depth)
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	for _, c := range []struct {
		opt  TreeOptions
		file string
		want int32
	}{{TreeOptions{Frames: true}, "train.py", depth}, {TreeOptions{}, "train.py", depth},
		{TreeOptions{}, "/site-packages/torch/nn/functional.py", 2}} {
		s.Strings = append(s.Strings, c.file)
		s.Frames.File[1] = snapshot.StringID(len(s.Strings) - 1)
		tree := NewTree(New(tl, ByStack, Options{}), c.opt)
		deepest := int32(0)
		for _, n := range tree.Nodes {
			deepest = max(deepest, n.Depth)
		}
		if deepest != c.want || tree.Weights(tl.PeakState)[0].Bytes != tl.PeakBytes {
			t.Errorf("%s, %v: %d levels, the root holds %d of %d bytes", c.file, c.opt, deepest,
				tree.Weights(tl.PeakState)[0].Bytes, tl.PeakBytes)
		}
	}
}
