package layout

import (
	"testing"

	"strata/snapshot"
)

// naiveCorners lays out blocks as the viewers before us do: every polygon's
// corners stored, each free sliding each block above it. It gives up, and
// returns the corners so far, when there are more than limit. It is the
// yardstick of BenchmarkNaive; the model is what correctness is held against.
func naiveCorners(d *snapshot.Device, limit int) int {
	type element struct {
		size   int64
		height int64
		steps  []int32
		offs   []int64
	}
	var (
		stack   []*element
		live    = map[uint64]*element{}
		total   int64
		step    int32
		corners int
	)
	note := func(e *element, at int32, off int64) {
		e.steps, e.offs = append(e.steps, at), append(e.offs, off)
		corners++
	}
	ev := &d.Events
	for i, a := range ev.Action {
		switch a {
		case snapshot.ActionAlloc:
			e := &element{size: ev.Size[i], height: total}
			note(e, step, total)
			stack, live[ev.Addr[i]] = append(stack, e), e
			total += e.size
			step++
		case snapshot.ActionFreeCompleted:
			e := live[ev.Addr[i]]
			delete(live, ev.Addr[i])
			step++
			note(e, step, e.height)
			k := len(stack) - 1
			for ; stack[k] != e; k-- {
				up := stack[k]
				note(up, step, up.height)
				up.height -= e.size
				note(up, step+slideSteps, up.height)
			}
			if k < len(stack)-1 {
				step += slideSteps
			}
			stack = append(stack[:k], stack[k+1:]...)
			total -= e.size
			if corners > limit {
				return corners
			}
		}
	}
	return corners
}

// BenchmarkNaive beside BenchmarkNew: the ratio is what the compact form is
// worth. First in, first out it would need billions of corners and is given
// up on at 100 million.
func BenchmarkNaive(b *testing.B) {
	for _, c := range []struct {
		name string
		make func() (*snapshot.Snapshot, *snapshot.Device)
	}{
		{"training-2.7M", func() (*snapshot.Snapshot, *snapshot.Device) { return training(2_700_000) }},
		{"fifo-200k-20k-live", func() (*snapshot.Snapshot, *snapshot.Device) { return fifo(200_000, 20_000) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			_, d := c.make()
			corners := 0
			for b.Loop() {
				corners = naiveCorners(d, 100_000_000)
			}
			b.ReportMetric(float64(corners), "corners")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(d.Events.Len()), "ns/event")
		})
	}
}
