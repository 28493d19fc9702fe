package layout

import (
	"fmt"
	"math"
)

// agreeBands checks the least height and the mean of parts of both axes: those of samples of the model on the Events
// axis, those of the totals weighted by their time on the Time axis.
func agreeBands(choose func(n int) int, t *Timeline, m *model) error {
	if len(m.actions) == 0 {
		return nil
	}
	for k := range 12 {
		axis := Axis(k % 2)
		if axis == Time && !t.HasTime() {
			continue
		}
		extent := t.Extent(axis)
		x0 := float64(choose(int(extent)*8)) / 8
		x1 := x0 + float64(1+choose(20))/8
		if k > 5 {
			x1 = x0 + float64(1+choose(int(extent)*8))/8
		}
		got := t.Range(axis, x0, x1)
		low, mean := m.band(t, axis, x0, min(x1, extent))
		if math.Abs(float64(got.Low)-low) > 1 || math.Abs(float64(got.Mean)-mean) > 1 || got.High < got.Mean {
			return fmt.Errorf("axis %d, [%v, %v): %+v, want %v and %v", axis, x0, x1, got, low, mean)
		}
	}
	return nil
}

// band is the least height in [x0, x1), both multiples of an eighth, and the mean.
func (m *model) band(t *Timeline, axis Axis, x0, x1 float64) (low, mean float64) {
	low = math.Inf(1)
	if axis == Time {
		for s, total := range m.totals {
			from, to := 0., t.Extent(Time)
			if s > 0 {
				from = float64(t.TimeOf(s - 1))
			}
			if s < len(m.actions) {
				to = float64(t.TimeOf(s))
			}
			if width := min(to, x1) - max(from, x0); width > 0 {
				low, mean = min(low, float64(total)), mean+float64(total)*width
			}
		}
		return low, mean / (x1 - x0)
	}
	for a, start := range m.starts {
		end := len(m.usage)
		if a+1 < len(m.starts) {
			end = m.starts[a+1]
		}
		for x := max(float64(start), x0); x < min(float64(end), x1); x += 1. / 8 {
			low = min(low, m.during(a, x), m.during(a, x+1./8))
			mean += (m.during(a, x) + m.during(a, x+1./8)) / 16 // straight between the two
		}
	}
	return low, mean / (x1 - x0)
}
