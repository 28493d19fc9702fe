// Package flame draws what call stacks held as an icicle: a row of cells for each level of calls, as wide as the bytes
// below them.
package flame

import (
	"image"
	"image/color"
	"slices"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"
	"gioui.org/unit"

	"strata/layout/breakdown"
	"strata/widgets/kit"
)

type (
	// C is Gio's, under a short name.
	C = giolayout.Context
	// D is Gio's, under a short name.
	D = giolayout.Dimensions
)

// None is no node.
const None int32 = -1

// State is what a Graph shows. It must not change: what differs is a new State.
type State struct {
	Tree    *breakdown.Tree
	Held    []breakdown.Weight           // by node; they are as wide as their bytes
	Before  []breakdown.Weight           // what is compared with, nil for none: colours say what grew and what shrank
	Matched []breakdown.Weight           // what a search found of Held, nil without one
	Colour  func(node int32) color.NRGBA // a node's colour, transparent where it has none of its own
}

// A Graph is an icicle that one zooms into. Its zero value shows all.
type Graph struct {
	of    *breakdown.Tree
	root  int32   // that is as wide as all
	past  []int32 // roots before
	next  []int32 // those that Back came from
	top   int     // the first row in sight
	focus int32   // chosen by keys, None without

	pointer f32.Point
	inside  bool
	tag     int8

	made  made
	cells []cell
	img   kit.Sprite
}

// rowHeight is that of a level of calls.
const rowHeight = unit.Dp(20)

// Update reads what was done since the frame before, in which s was drawn.
func (g *Graph) Update(gtx C, s *State) {
	g.follow(s)
	filter := pointer.Filter{Target: &g.tag, Kinds: pointer.Press | pointer.Move | pointer.Drag | pointer.Enter |
		pointer.Leave | pointer.Cancel | pointer.Scroll, ScrollY: kit.AnyScroll}
	for e := range kit.Events[pointer.Event](gtx, filter) {
		switch e.Kind {
		case pointer.Leave, pointer.Cancel:
			g.inside = false
			continue
		case pointer.Scroll:
			g.scroll(gtx, e.Scroll.Y)
		case pointer.Press:
			gtx.Execute(key.FocusCmd{Tag: &g.tag})
			g.press(e)
		}
		g.pointer, g.inside = e.Position, true
	}
}

// press zooms, or goes back with the buttons for that.
func (g *Graph) press(e pointer.Event) {
	g.pointer, g.inside = e.Position, true
	switch {
	case e.Buttons.Contain(pointer.ButtonQuaternary):
		g.Back()
	case e.Buttons.Contain(pointer.ButtonQuinary):
		g.Forward()
	case e.Buttons.Contain(pointer.ButtonPrimary):
		g.focus = None
		if c := g.under(); c != nil && c.node != None {
			g.zoom(c.node)
		}
	}
}

// scroll moves by rows: a notch of a wheel is one or more.
func (g *Graph) scroll(gtx C, y float32) {
	rows := int(y) / max(1, gtx.Dp(rowHeight))
	switch {
	case rows == 0 && y > 0:
		rows = 1
	case rows == 0 && y < 0:
		rows = -1
	}
	g.top = max(0, g.top+rows)
}

// follow forgets what belongs to another tree.
func (g *Graph) follow(s *State) {
	if s.Tree != g.of {
		*g = Graph{of: s.Tree, focus: None, pointer: g.pointer, inside: g.inside}
	}
}

// zoom makes a node as wide as all, and remembers where one was.
func (g *Graph) zoom(node int32) {
	if node == g.root {
		return
	}
	g.past, g.next = append(g.past, g.root), nil
	g.root = node
}

// Back returns to where one was before the last zoom; it reports whether there was one.
func (g *Graph) Back() bool { return turn(&g.root, &g.past, &g.next) }

// Forward undoes Back; it reports whether there was anything to undo.
func (g *Graph) Forward() bool { return turn(&g.root, &g.next, &g.past) }

func turn(root *int32, from, to *[]int32) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	*to = append(*to, *root)
	*root, *from = (*from)[n-1], (*from)[:n-1]
	return true
}

// Home shows all; it reports whether less was shown.
func (g *Graph) Home() bool {
	was := g.root != 0
	g.zoom(0)
	g.top = 0
	return was
}

// Zoomed reports whether less than all is shown.
func (g *Graph) Zoomed() bool { return g.root != 0 }

// Shown is the node that is pointed at, else the one chosen by keys, else the one that was zoomed into; None where all
// is shown.
func (g *Graph) Shown() int32 {
	switch c := g.under(); {
	case c != nil && c.node > 0:
		return c.node
	case g.focus != None:
		return g.focus
	case g.root > 0:
		return g.root
	}
	return None
}

// under is the cell under the pointer, nil for none.
func (g *Graph) under() *cell {
	if !g.inside {
		return nil
	}
	at := image.Pt(int(g.pointer.X), int(g.pointer.Y))
	for i := range g.cells {
		if at.In(g.cells[i].at) {
			return &g.cells[i]
		}
	}
	return nil
}

// keyNames are the keys that a Graph with the focus takes.
var keyNames = []key.Name{key.NameUpArrow, key.NameDownArrow, key.NameLeftArrow, key.NameRightArrow, key.NameReturn,
	key.NameEnter, key.NameDeleteBackward, key.NameHome, key.NamePageUp, key.NamePageDown}

// UpdateKeys reads the keys of a Graph with the focus: arrows choose a cell, Return zooms into it, Backspace goes back
// and Home shows all.
func (g *Graph) UpdateKeys(gtx C, s *State) {
	filters := []event.Filter{key.FocusFilter{Target: &g.tag}}
	for _, name := range keyNames {
		filters = append(filters, key.Filter{Focus: &g.tag, Name: name})
	}
	g.follow(s)
	for name := range kit.Pressed(gtx, filters...) {
		switch name {
		case key.NameReturn, key.NameEnter:
			if g.focus != None {
				g.zoom(g.focus)
			}
		case key.NameDeleteBackward:
			g.Back()
		case key.NameHome:
			g.focus = None
			g.Home()
		case key.NamePageUp:
			g.top = max(0, g.top-4)
		case key.NamePageDown:
			g.top += 4
		default:
			g.walk(s, name)
		}
	}
}

// Focused reports whether the Graph takes keys.
func (g *Graph) Focused(gtx C) bool { return gtx.Focused(&g.tag) }

// walk chooses the caller, the largest callee, or a neighbour.
func (g *Graph) walk(s *State, name key.Name) {
	g.inside = false // until the pointer moves
	if g.focus == None {
		g.focus = g.root
		return
	}
	if name == key.NameUpArrow {
		g.focus = max(0, s.Tree.Nodes[g.focus].Parent)
		g.top = min(g.top, int(s.Tree.Nodes[g.focus].Depth))
		return
	}
	parent := g.focus
	if name != key.NameDownArrow {
		parent = s.Tree.Nodes[g.focus].Parent
	}
	if parent == None {
		return
	}
	held := slices.DeleteFunc(slices.Clone(s.Tree.Children(parent)), func(n int32) bool { return s.Held[n].Bytes <= 0 })
	slices.SortFunc(held, s.order)
	i := slices.Index(held, g.focus)
	switch {
	case name == key.NameDownArrow, name == key.NameRightArrow:
		i++
	default:
		i--
	}
	if i >= 0 && i < len(held) {
		g.focus = held[i]
		g.top = max(g.top, int(s.Tree.Nodes[g.focus].Depth)+1-max(1, g.made.rows))
	}
}
