package flame

import (
	"cmp"
	"image"
	"math"
	"slices"

	"strata/layout"
)

// made is what cells depend on.
type made struct {
	state *State
	size  image.Point
	high  int // of a row, px
	root  int32
	top   int
	dark  bool
	rows  int // that are in sight
}

// A cell is a node in sight, or the callees of one that are too small for a pixel.
type cell struct {
	node int32 // None for small ones
	of   int32 // whose callees are small
	at   image.Rectangle

	count   int   // of small ones
	held    int64 // by small ones
	matched int64
	text    string // that fits, "" where none does
}

// order puts the largest before others.
func (s *State) order(a, b int32) int {
	return cmp.Or(cmp.Compare(s.Held[b].Bytes, s.Held[a].Bytes), cmp.Compare(a, b))
}

// arrange finds the cells in sight. Where fewer levels are than one scrolled by, it scrolls back.
func (g *Graph) arrange(s *State) {
	m := &g.made
	for {
		g.cells = g.cells[:0]
		deepest := 0
		for n := s.Tree.Nodes[m.root].Parent; n != None; n = s.Tree.Nodes[n].Parent {
			g.put(cell{node: n, at: image.Rect(0, 0, m.size.X, 0)}, s, int(s.Tree.Nodes[n].Depth))
		}
		if s.Held[m.root].Bytes > 0 {
			deepest = g.descend(s, m.root, 0, float64(m.size.X)/float64(s.Held[m.root].Bytes), 0)
		}
		most := max(0, deepest-m.rows+1)
		if m.top <= most {
			return
		}
		m.top, g.top = most, most
	}
}

// put adds a cell in a row, if that is in sight.
func (g *Graph) put(c cell, s *State, depth int) {
	m := &g.made
	row := depth - m.top
	if row < 0 || row > m.rows {
		return
	}
	c.at.Min.Y, c.at.Max.Y = row*m.high, (row+1)*m.high
	if c.node != None && s.Matched != nil {
		c.matched = s.Matched[c.node].Bytes
	}
	g.cells = append(g.cells, c)
}

// descend adds the cell of a node, which begins at x, and all below it, scale pixels a byte; it returns the deepest row
// there is, or one that is out of sight. Callees that are narrower than a pixel share one cell.
func (g *Graph) descend(s *State, node int32, x, scale float64, deepest int) int {
	depth, held := int(s.Tree.Nodes[node].Depth), s.Held[node].Bytes
	deepest = max(deepest, depth)
	g.put(cell{node: node, at: image.Rect(pixel(x), 0, pixel(x+float64(held)*scale), 0)}, s, depth)
	if depth-g.made.top > g.made.rows {
		return deepest
	}
	var wide []int32
	small := cell{node: None, of: node}
	for _, child := range s.Tree.Children(node) {
		switch bytes := s.Held[child].Bytes; {
		case float64(bytes)*scale >= 1:
			wide = append(wide, child)
		case bytes > 0:
			small.held += bytes
			small.count++
			if s.Matched != nil {
				small.matched += s.Matched[child].Bytes
			}
		}
	}
	slices.SortFunc(wide, s.order)
	for _, child := range wide {
		deepest = g.descend(s, child, x, scale, deepest)
		x += float64(s.Held[child].Bytes) * scale
	}
	if width := float64(small.held) * scale; width >= 1 {
		small.at = image.Rect(pixel(x), 0, pixel(x+width), 0)
		g.put(small, s, depth+1)
		deepest = max(deepest, depth+1)
	}
	return deepest
}

func pixel(x float64) int { return int(math.Round(x)) }

// bytes is what a cell holds, and what it held before.
func (s *State) bytes(c *cell) (held, before int64) {
	if c.node == None {
		return c.held, c.held
	}
	held = s.Held[c.node].Bytes
	if s.Before != nil {
		before = s.Before[c.node].Bytes
	}
	return held, before
}

// CellOf is the node of an allocation's cell.
func (s *State) CellOf(id layout.ID) int32 {
	if id == layout.None {
		return None
	}
	if n := s.Tree.Leaf(id); n != 0 {
		return n
	}
	return None
}
