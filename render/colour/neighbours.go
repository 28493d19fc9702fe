package colour

import (
	"slices"

	"strata/layout"
)

// contacts lists which drawn allocations ever lie directly on one another, as pairs; one pair may occur several
// times.
//
// Two meet when one is pushed on top of the other, or when the last between them is freed.
func contacts(t *layout.Timeline) [][2]layout.ID {
	var pairs [][2]layout.ID
	// The live ones as a list, by ID + 1; 0 is the end on both sides.
	below, above := make([]int32, len(t.Size)+1), make([]int32, len(t.Size)+1)
	push := func(id layout.ID) {
		top := below[0]
		below[id+1], above[id+1] = top, 0
		above[top], below[0] = id+1, id+1
		if top != 0 {
			pairs = append(pairs, [2]layout.ID{top - 1, id})
		}
	}
	for _, id := range t.Order {
		if t.Birth[id] > 0 {
			break
		}
		push(id)
	}
	for _, a := range t.Actions {
		if a >= 0 {
			if t.Drawn(a) {
				push(a)
			}
			continue
		}
		if !t.Drawn(^a) {
			continue
		}
		b, o := below[^a+1], above[^a+1]
		above[b], below[o] = o, b
		if b != 0 && o != 0 {
			pairs = append(pairs, [2]layout.ID{b - 1, o - 1})
		}
	}
	return pairs
}

// A graph holds the neighbours of each vertex, each once, ascending.
type graph struct {
	start []int32
	near  []int32
}

func newGraph(n int, pairs [][2]layout.ID) graph {
	g := graph{start: make([]int32, n+1), near: make([]int32, 2*len(pairs))}
	for _, p := range pairs {
		g.start[p[0]]++
		g.start[p[1]]++
	}
	sum := int32(0)
	for i, c := range g.start {
		sum += c
		g.start[i] = sum
	}
	for _, p := range pairs { // filled from the end of each vertex' part
		for k, v := range p {
			g.start[v]--
			g.near[g.start[v]] = p[1-k]
		}
	}
	to := int32(0)
	for v := range n {
		part := g.near[g.start[v]:g.start[v+1]]
		slices.Sort(part)
		part = slices.Compact(part)
		g.start[v] = to
		to += int32(copy(g.near[to:], part))
	}
	g.start[n] = to
	return g
}

func (g *graph) of(v int32) []int32 { return g.near[g.start[v]:g.start[v+1]] }

// planarDegree: a planar graph always has a vertex with at most so many neighbours.
const planarDegree = 5

// colour gives each vertex a colour below n that no neighbour has. Time is one dimension and bytes the other,
// allocations are areas of that plane: the graph of their contacts is planar, so that peeling off vertices with at
// most five neighbours takes it apart altogether, and putting them back in reverse always finds one of six colours
// free.
func (g *graph) colour(n int) []uint8 {
	count := len(g.start) - 1
	degree := make([]int32, count)
	peeled := make([]int32, 0, count)
	gone := make([]bool, count)
	for v := range count {
		degree[v] = int32(len(g.of(int32(v))))
		if degree[v] <= planarDegree {
			peeled, gone[v] = append(peeled, int32(v)), true
		}
	}
	for i := 0; i < len(peeled); i++ {
		for _, u := range g.of(peeled[i]) {
			degree[u]--
			if degree[u] == planarDegree && !gone[u] {
				peeled, gone[u] = append(peeled, u), true
			}
		}
	}
	const none = 255
	colours := make([]uint8, count)
	for v := range colours {
		colours[v] = none
	}
	for i := len(peeled) - 1; i >= 0; i-- {
		v := peeled[i]
		var taken uint32
		for _, u := range g.of(v) {
			if c := colours[u]; c != none {
				taken |= 1 << c
			}
		}
		c := int(uint32(v) * 2654435761 >> 16 % uint32(n)) // any will do: spread them
		for taken>>c&1 == 1 {
			c = (c + 1) % n
		}
		colours[v] = uint8(c)
	}
	return colours
}
