package layout

import (
	"slices"

	"strata/snapshot"
)

// model is the naive layout: the rules of FORMAT.md, sections 9.2 and 9.4, in the order they are written, every
// polygon's corners stored, O(N·L).
type model struct {
	size    []int64
	birth   []int // by allocation: first state in which it is live
	death   []int // first state in which it is not, or -1
	drawn   []bool
	actions []int // id, or ^id for a free
	initial []int

	stack  []int // drawn, live, bottom to top
	height map[int]int64
	total  int64 // of drawn
	rest   int64

	series map[int][]corner
	order  []int
	usage  []int64 // per timestep
	states [][]int // drawn live ids bottom to top, per state
	totals []int64 // per state, undrawn included
	starts []int   // first timestep per action
}

type corner struct {
	step   int
	offset int64
}

// newModel lays out the blocks of one device.
func newModel(d *snapshot.Device, maxEntries int, requestFrees bool) *model {
	m := &model{height: map[int]int64{}, series: map[int][]corner{}}
	m.collect(d, requestFrees)
	m.chooseDrawn(maxEntries)
	slices.Reverse(m.initial)
	for _, id := range m.initial {
		m.place(id)
	}
	m.note()
	for _, x := range m.actions {
		m.starts = append(m.starts, len(m.usage))
		if x >= 0 {
			m.place(x)
			m.advance(1)
		} else {
			m.remove(^x)
		}
		m.note()
	}
	for _, id := range m.stack {
		m.corner(id, m.height[id])
	}
	return m
}

func (m *model) collect(d *snapshot.Device, requestFrees bool) {
	live := map[uint64]int{}
	add := func(size int64, birth int) int {
		m.size, m.birth, m.death = append(m.size, size), append(m.birth, birth), append(m.death, -1)
		return len(m.size) - 1
	}
	end := func(id int) {
		m.actions = append(m.actions, ^id)
		m.death[id] = len(m.actions)
	}
	ev := &d.Events
	for i, a := range ev.Action {
		if a == snapshot.ActionFreeRequested && requestFrees {
			a = snapshot.ActionFree
		}
		switch a {
		case snapshot.ActionAlloc:
			if id, ok := live[ev.Addr[i]]; ok {
				end(id)
			}
			id := add(ev.Size[i], len(m.actions)+1)
			m.actions = append(m.actions, id)
			live[ev.Addr[i]] = id
		case snapshot.ActionFree, snapshot.ActionFreeCompleted:
			id, ok := live[ev.Addr[i]]
			if !ok {
				id = add(ev.Size[i], 0)
				m.initial = append(m.initial, id)
			}
			delete(live, ev.Addr[i])
			end(id)
		}
	}
	for _, state := range []snapshot.BlockState{snapshot.BlockAllocated, snapshot.BlockPendingFree} {
		for i, s := range d.Blocks.State {
			asked := false // it ended with its request
			for k, a := range ev.Action {
				asked = asked || requestFrees && a == snapshot.ActionFreeRequested && ev.Addr[k] == d.Blocks.Addr[i]
			}
			if _, ok := live[d.Blocks.Addr[i]]; !ok && s == state && (s == snapshot.BlockAllocated || !asked) {
				m.initial = append(m.initial, add(d.Blocks.Requested[i], 0))
			}
		}
	}
	for i, a := range ev.Action { // the last of an address, where the file has no blocks
		if _, ok := live[ev.Addr[i]]; ok || a != snapshot.ActionFreeRequested || requestFrees || d.Blocks.Len() > 0 {
			continue
		}
		later := false
		for k := i + 1; k < ev.Len(); k++ {
			later = later || ev.Addr[k] == ev.Addr[i] && (ev.Action[k] == snapshot.ActionAlloc ||
				ev.Action[k] == snapshot.ActionFreeRequested || ev.Action[k] == snapshot.ActionFree ||
				ev.Action[k] == snapshot.ActionFreeCompleted)
		}
		if !later {
			m.initial = append(m.initial, add(ev.Size[i], 0))
		}
	}
	if len(m.actions) == 0 && len(m.initial) > 0 {
		m.actions = []int{m.initial[0]}
		m.birth[m.initial[0]] = 1
		m.initial = m.initial[1:]
	}
}

func (m *model) chooseDrawn(maxEntries int) {
	m.drawn = make([]bool, len(m.size))
	ids := make([]int, len(m.size))
	for i := range ids {
		ids[i] = i
	}
	slices.SortStableFunc(ids, func(a, b int) int { return int(min(1, max(-1, m.size[b]-m.size[a]))) })
	for i, id := range ids {
		m.drawn[id] = maxEntries <= 0 || i < maxEntries
	}
}

func (m *model) place(id int) {
	if !m.drawn[id] {
		m.rest += m.size[id]
		return
	}
	m.stack = append(m.stack, id)
	m.order = append(m.order, id)
	m.height[id] = m.total
	m.corner(id, m.total)
	m.total += m.size[id]
}

func (m *model) remove(id int) {
	m.advance(1)
	if !m.drawn[id] {
		m.rest -= m.size[id]
		return
	}
	m.corner(id, m.height[id])
	i := slices.Index(m.stack, id)
	m.stack = slices.Delete(m.stack, i, i+1)
	above := m.stack[i:]
	for _, x := range above {
		m.corner(x, m.height[x])
		m.height[x] -= m.size[id]
		m.series[x] = append(m.series[x], corner{len(m.usage) + 3, m.height[x]})
	}
	if len(above) > 0 {
		m.advance(3)
	}
	m.total -= m.size[id]
}

func (m *model) corner(id int, offset int64) {
	m.series[id] = append(m.series[id], corner{len(m.usage), offset})
}

func (m *model) advance(n int) {
	for range n {
		m.usage = append(m.usage, m.total+m.rest)
	}
}

func (m *model) note() {
	m.states = append(m.states, slices.Clone(m.stack))
	m.totals = append(m.totals, m.total+m.rest)
}

// hit walks the live set of a state; during a slide the freed block's place is a gap that closes.
func (m *model) hit(at Moment, y int64) ID {
	gone, down := -1, int64(0)
	if at.Slide > 0 {
		gone = ^m.actions[at.Step]
		down = at.slid(m.size[gone])
	}
	base := int64(0)
	for _, id := range m.states[at.Step] {
		top := base + m.size[id]
		if id == gone {
			top -= down
		}
		if y >= base && y < top {
			if id == gone {
				return None
			}
			return ID(id)
		}
		base = top
	}
	if y >= base && y < m.totals[at.Step]-down {
		return Rest
	}
	return None
}

// silhouette is the top of everything at timestep x: during a slide it comes down in a straight line.
func (m *model) silhouette(x float64) float64 {
	a := 0
	for a+1 < len(m.starts) && float64(m.starts[a+1]) <= x {
		a++
	}
	return m.during(a, x)
}

// during is the top of everything at timestep x of action a, or at its end.
func (m *model) during(a int, x float64) float64 {
	if m.actions[a] >= 0 {
		return float64(m.totals[a+1])
	}
	if since := x - float64(m.starts[a]) - 1; since > 0 {
		return float64(m.totals[a]) - float64(m.size[^m.actions[a]])*since/3
	}
	return float64(m.totals[a])
}
