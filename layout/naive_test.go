package layout

import (
	"slices"
	"testing"
	"time"

	"strata/snapshot"
)

// A naive layout is what the viewers before us make: every allocation's polygon with all of its corners, each free
// sliding each block above it, and the usage at every timestep. It is the yardstick of BenchmarkNaive, with nothing
// in it that those do not do; the model is what correctness is held against.
type naive struct {
	elements []*polygon
	usage    []int64 // by timestep
	corners  int
}

type polygon struct {
	size   int64
	height int64
	steps  []int32
	offs   []int64
}

func (n *naive) corner(e *polygon, at int32, off int64) {
	e.steps, e.offs = append(e.steps, at), append(e.offs, off)
	n.corners++
}

// naively lays out the blocks of a trace whose frees all have their allocs. It gives up when there are more corners
// than limit.
func naively(d *snapshot.Device, limit int) *naive {
	var (
		n     = &naive{}
		stack []*polygon
		live  = map[uint64]*polygon{}
		total int64
	)
	ev := &d.Events
	for i, a := range ev.Action {
		switch a {
		case snapshot.ActionAlloc:
			e := &polygon{size: ev.Size[i], height: total}
			n.corner(e, int32(len(n.usage)), total)
			n.elements = append(n.elements, e)
			stack, live[ev.Addr[i]] = append(stack, e), e
			total += e.size
			n.usage = append(n.usage, total)
		case snapshot.ActionFreeCompleted:
			e := live[ev.Addr[i]]
			delete(live, ev.Addr[i])
			n.usage = append(n.usage, total)
			step := int32(len(n.usage))
			n.corner(e, step, e.height)
			k := len(stack) - 1
			for ; stack[k] != e; k-- {
				up := stack[k]
				n.corner(up, step, up.height)
				up.height -= e.size
				n.corner(up, step+slideSteps, up.height)
			}
			if k < len(stack)-1 {
				for range slideSteps {
					n.usage = append(n.usage, total)
				}
			}
			stack = append(stack[:k], stack[k+1:]...)
			total -= e.size
			if n.corners > limit {
				return n
			}
		}
	}
	for _, e := range stack {
		n.corner(e, int32(len(n.usage)), e.height)
	}
	return n
}

// TestNaive: the yardstick measures the same work, as its polygons are ours.
func TestNaive(t *testing.T) {
	s, d := training(20_000)
	tl := New(s, d, Options{})
	n := naively(d, 1<<30)
	if len(n.elements) != len(tl.Size) || len(n.usage) != int(tl.Extent(Events)) {
		t.Fatalf("%d polygons in %d timesteps, want %d in %g", len(n.elements), len(n.usage), len(tl.Size),
			tl.Extent(Events))
	}
	for id, e := range n.elements {
		if steps, offs := tl.Polygon(ID(id)); !slices.Equal(steps, e.steps) || !slices.Equal(offs, e.offs) {
			t.Fatalf("polygon %d is %v, %v, want %v, %v", id, e.steps, e.offs, steps, offs)
		}
	}
	if got := slices.Max(n.usage); got != tl.PeakBytes {
		t.Errorf("peak %d, want %d", got, tl.PeakBytes)
	}
}

// BenchmarkNaive is the naive layout, and how many times longer it takes than New on the same trace. First in,
// first out it would need billions of corners and is given up on at 100 million.
func BenchmarkNaive(b *testing.B) {
	for _, c := range []struct {
		name string
		make func() (*snapshot.Snapshot, *snapshot.Device)
	}{
		{"training-2.7M", func() (*snapshot.Snapshot, *snapshot.Device) { return training(2_700_000) }},
		{"fifo-200k-20k-live", func() (*snapshot.Snapshot, *snapshot.Device) { return fifo(200_000, 20_000) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, d := c.make()
			corners := 0
			for b.Loop() {
				corners = naively(d, 100_000_000).corners
			}
			var ours [5]float64
			for i := range ours {
				start := time.Now()
				New(s, d, Options{})
				ours[i] = float64(time.Since(start).Nanoseconds())
			}
			slices.Sort(ours[:])
			took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(float64(corners), "corners")
			b.ReportMetric(took/float64(d.Events.Len()), "ns/event")
			b.ReportMetric(took/ours[len(ours)/2], "times-Strata")
		})
	}
}
