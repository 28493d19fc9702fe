package render

import (
	"math"

	"strata/layout"
	"strata/layout/units"
)

// A Tick is a labelled place on an axis.
type Tick struct {
	At    float64 // bytes, timesteps, or microseconds
	Label string
}

// The least distance of ticks, pixels.
const (
	tickSpaceX = 80
	tickSpaceY = 44
)

// ByteTicks are round numbers of bytes between y0 and y1 for an axis px pixels high, ascending.
func ByteTicks(y0, y1 float64, px int) []Tick {
	step := byteStep(leastStep(y0, y1, px, tickSpaceY))
	return ticks(y0, y1, step, units.BytesAtStep)
}

// leastStep is the distance on the axis of space pixels.
func leastStep(a, b float64, px, space int) float64 {
	if px <= 0 || !(b > a) || math.IsInf(b-a, 0) {
		return 0
	}
	return (b - a) * float64(space) / float64(px)
}

// byteStep is the least of 1, 2, 4, … 512 of a binary unit that is at least step.
func byteStep(step float64) float64 {
	if step <= 0 {
		return 0
	}
	return math.Exp2(math.Max(0, math.Ceil(math.Log2(step))))
}

// StepTicks are round numbers of steps. As steps are not equally wide, some are left out where they lie close.
func StepTicks(t *layout.Timeline, x0, x1 float64, px int) []Tick {
	least := leastStep(x0, x1, px, tickSpaceX)
	first, last := float64(t.StepAt(x0)), float64(t.StepAt(x1))
	step := decimalStep(least * (last - first + 1) / (x1 - x0))
	if step > 0 {
		step = max(1, step)
	}
	var out []Tick
	for _, tick := range ticks(first, last, step, func(v, _ float64) string { return units.Count(int64(v)) }) {
		at := float64(t.Timestep[int(tick.At)])
		if at >= x0 && at <= x1 && (len(out) == 0 || at-out[len(out)-1].At >= least/2) {
			out = append(out, Tick{At: at, Label: tick.Label})
		}
	}
	return out
}

// decimalStep is the least of 1, 2, 5 times a power of ten that is at least step.
func decimalStep(step float64) float64 {
	if step <= 0 {
		return 0
	}
	p := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range [...]float64{1, 2, 5, 10} {
		if m*p >= step {
			return m * p
		}
	}
	return 10 * p
}

// TimeTicks are round times, for microseconds after the first event. All have one unit.
func TimeTicks(x0, x1 float64, px int) []Tick {
	step := timeStep(leastStep(x0, x1, px, tickSpaceX))
	return ticks(x0, x1, step, units.TimeAtStep)
}

// clockSteps are the round times above a minute, microseconds.
var clockSteps = [...]float64{
	60e6, 120e6, 300e6, 600e6, 1200e6, 1800e6, 3600e6, 7200e6, 14400e6, 21600e6, 43200e6, 86400e6,
}

func timeStep(step float64) float64 {
	if step <= 30e6 {
		return min(decimalStep(step), 60e6)
	}
	for _, s := range clockSteps {
		if s >= step {
			return s
		}
	}
	return decimalStep(step/86400e6) * 86400e6
}

// maxTicks is a guard: no axis has more.
const maxTicks = 1000

func ticks(a, b, step float64, label func(v, step float64) string) []Tick {
	if !(step > 0) || math.IsInf(step, 0) || (b-a)/step > maxTicks {
		return nil
	}
	var out []Tick
	for i := math.Ceil(a / step); i*step <= b; i++ {
		v := i*step + 0 // no negative zero
		out = append(out, Tick{At: v, Label: label(v, step)})
	}
	return out
}
