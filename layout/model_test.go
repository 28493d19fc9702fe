package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

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

// program makes a device out of random choices: few addresses, so that blocks are reused, freed twice, allocated
// twice and freed unseen.
func program(choose func(n int) int, events int) (*snapshot.Snapshot, *snapshot.Device) {
	s := &snapshot.Snapshot{
		Streams: []int64{0}, Pools: make([]snapshot.Pool, 1), Metas: make([]snapshot.Meta, 1), Strings: []string{""},
		Stacks: snapshot.Stacks{Start: []uint32{0, 0}, Site: []snapshot.FrameID{0}},
	}
	d := snapshot.Device{}
	ev := &d.Events
	now := int64(1_700_000_000_000_000)
	for range events {
		addr := uint64(choose(24)) * 512
		action := []snapshot.Action{snapshot.ActionAlloc, snapshot.ActionAlloc, snapshot.ActionFree,
			snapshot.ActionFreeCompleted,
			snapshot.ActionFreeRequested, snapshot.ActionSnapshot}[choose(6)]
		now += int64(choose(4)) - int64(choose(5)/4)
		ev.Action = append(ev.Action, action)
		ev.Addr = append(ev.Addr, addr)
		ev.Size = append(ev.Size, int64(1+choose(7)*choose(300)))
		ev.Stream = append(ev.Stream, 0)
		ev.Time = append(ev.Time, now)
		ev.Stack = append(ev.Stack, 0)
	}
	b := &d.Blocks
	for i := range choose(9) {
		b.Addr = append(b.Addr, uint64(choose(48))*512)
		b.Size = append(b.Size, 512)
		b.Requested = append(b.Requested, int64(1+choose(512)))
		b.State = append(b.State, snapshot.BlockState(i%3))
		b.Stack = append(b.Stack, 0)
	}
	s.Devices = []snapshot.Device{d}
	return s, &s.Devices[0]
}

// agree compares a Timeline with the model in everything it answers.
func agree(choose func(n int) int, s *snapshot.Snapshot, d *snapshot.Device, maxEntries int) error {
	t := New(s, d, Options{MaxEntries: maxEntries})
	m := newModel(d, maxEntries, t.Anomalies.RequestFrees)
	if !slices.Equal(t.Total, m.totals) {
		return fmt.Errorf("totals %v, want %v", t.Total, m.totals)
	}
	if got := usage(t); !slices.Equal(got, m.usage) {
		return fmt.Errorf("usage %v, want %v", got, m.usage)
	}
	for r, id := range m.order {
		if t.Order[r] != ID(id) {
			return fmt.Errorf("place %d holds %d, want %d", r, t.Order[r], id)
		}
		steps, offsets := t.Polygon(ID(id))
		for i, c := range m.series[id] {
			if i >= len(steps) || int(steps[i]) != c.step || offsets[i] != c.offset {
				return fmt.Errorf("polygon of %d: %v %v, want %v", id, steps, offsets, m.series[id])
			}
		}
		if len(steps) != len(m.series[id]) {
			return fmt.Errorf("polygon of %d has %d corners, want %d", id, len(steps), len(m.series[id]))
		}
	}
	for state := range m.states {
		if err := agreeAt(choose, t, m, Moment{Step: int32(state)}); err != nil {
			return err
		}
		if state < len(m.actions) && m.actions[state] < 0 && t.Timestep[state+1]-t.Timestep[state] > 1 {
			if err := agreeAt(choose, t, m, Moment{Step: int32(state), Slide: uint32(1 + choose(65536))}); err != nil {
				return err
			}
		}
	}
	if err := agreeColumns(choose, t, m); err != nil {
		return err
	}
	return agreeBands(choose, t, m)
}

func agreeAt(choose func(n int) int, t *Timeline, m *model, at Moment) error {
	if at.Slide == 0 {
		live := t.Live(nil, at.Step)
		if len(live) != len(m.states[at.Step]) {
			return fmt.Errorf("state %d: live %v, want %v", at.Step, live, m.states[at.Step])
		}
	}
	for range 4 {
		y := int64(choose(int(m.totals[at.Step]) + 3))
		got, want := t.Hit(at, y), m.hit(at, y)
		if got != want {
			return fmt.Errorf("%+v byte %d: hit %d, want %d", at, y, got, want)
		}
		if got < 0 {
			continue
		}
		lo, ok := t.Offset(got, at)
		if !ok || y < lo || y >= lo+t.Size[got] {
			return fmt.Errorf("%+v: %d hit at byte %d lies at %d (%v)", at, got, y, lo, ok)
		}
	}
	return nil
}

// agreeColumns checks that a column shows the true maximum of its part.
func agreeColumns(choose func(n int) int, t *Timeline, m *model) error {
	if len(m.actions) == 0 {
		return nil
	}
	end := len(m.usage)
	for range 20 {
		x0 := float64(choose(end*8)) / 8
		x1 := x0 + float64(1+choose(40))/8
		got := float64(t.Height(t.Column(Events, x0, x1)))
		want := m.silhouette(x0)
		for x := int(x0) + 1; float64(x) < x1 && x < end; x++ {
			want = max(want, m.silhouette(float64(x)))
		}
		if got < want-0.01 || got > want+1 {
			return fmt.Errorf("column [%v, %v) is %v high, want %v", x0, x1, got, want)
		}
	}
	if !t.HasTime() {
		return nil
	}
	for range 20 {
		x0 := float64(choose(int(t.Extent(Time))*2)) / 2
		x1 := x0 + float64(1+choose(12))/2
		got := t.Height(t.Column(Time, x0, x1))
		want := int64(-1)
		for s, total := range m.totals {
			from, to := 0.0, t.Extent(Time) // the start shows where the axis begins
			if s > 0 {
				from = float64(t.TimeOf(s - 1))
			}
			if s < len(m.actions) {
				to = float64(t.TimeOf(s))
			}
			// State s holds in [from, to), and at from even if that is empty.
			if (from < x1 && to > x0) || (from >= x0 && from < x1) {
				want = max(want, total)
			}
		}
		if got != want {
			return fmt.Errorf("time column [%v, %v) is %d high, want %d", x0, x1, got, want)
		}
	}
	return nil
}

func TestModel(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 7))
		events := rng.IntN(90)
		if seed%50 == 0 {
			events = 6000 // several checkpoints
		}
		s, d := program(rng.IntN, events)
		for _, maxEntries := range []int{0, 1 + rng.IntN(20)} {
			if err := agree(rng.IntN, s, d, maxEntries); err != nil {
				t.Fatalf("seed %d, max-entries %d: %v", seed, maxEntries, err)
			}
		}
	}
}

// FuzzModel lets the fuzzer choose the program.
func FuzzModel(f *testing.F) {
	f.Add([]byte("alloc and free"), 3)
	f.Add([]byte{0, 1, 0, 5, 9, 0, 2, 1, 3, 3, 0, 1, 2}, 0)
	f.Fuzz(func(t *testing.T, data []byte, maxEntries int) {
		i := 0
		choose := func(n int) int {
			if len(data) == 0 {
				return 0
			}
			i++
			return (int(data[i%len(data)])*256 + int(data[(i*7+3)%len(data)])) % n
		}
		s, d := program(choose, min(len(data), 200))
		if err := agree(choose, s, d, max(0, maxEntries%64)); err != nil {
			t.Fatal(err)
		}
	})
}
