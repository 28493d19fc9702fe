package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"strata/snapshot"
)

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
