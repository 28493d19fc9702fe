package render

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/layout/units"
)

func labels(ticks []Tick) []string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return out
}

func TestTickLabels(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	allocs := laidOut(traces.FIFO(40_000, 40_000, traces.Mixed), layout.Options{})
	tests := []struct {
		name string
		got  []Tick
		want []string
	}{
		{"gib", ByteTicks(0, 2*gib, 200), []string{"0 B", "512 MiB", "1 GiB", "1.5 GiB", "2 GiB"}},
		{"mib", ByteTicks(100*mib, 900*mib, 150), []string{"256 MiB", "512 MiB", "768 MiB"}},
		{"deep", ByteTicks(9*gib, 9*gib+3*mib, 150), []string{"9216 MiB", "9217 MiB", "9218 MiB", "9219 MiB"}},
		{"kib", ByteTicks(16*gib, 16*gib+20*1024, 120), []string{"16,777,216 KiB", "16,777,224 KiB", "16,777,232 KiB"}},
		{"bytes", ByteTicks(0, 64, 100), []string{"0 B", "32 B", "64 B"}},
		{"steps", StepTicks(allocs, 0, 33000, 600), []string{"0", "5,000", "10,000", "15,000", "20,000",
			"25,000", "30,000"}},
		{"few steps", StepTicks(allocs, 3, 9, 1600), []string{"3", "4", "5", "6", "7", "8", "9"}},
		{"seconds", TimeTicks(0, 9.8e6, 500), []string{"0 s", "2 s", "4 s", "6 s", "8 s"}},
		{"tenths", TimeTicks(1e6, 2e6, 200), []string{"1.0 s", "1.5 s", "2.0 s"}},
		{"ms", TimeTicks(0, 400e3, 400), []string{"0 s", "0.1 s", "0.2 s", "0.3 s", "0.4 s"}},
		{"small ms", TimeTicks(5e6, 5e6+40e3, 200), []string{"5,000 ms", "5,020 ms", "5,040 ms"}},
		{"µs", TimeTicks(12, 13, 200), []string{"12.0 µs", "12.5 µs", "13.0 µs"}},
		{"minutes", TimeTicks(0, 900e6, 400), []string{"0 min", "5 min", "10 min", "15 min"}},
		{"hours", TimeTicks(0, 3*3600e6, 400), []string{"0 h", "1 h", "2 h", "3 h"}},
	}
	for _, test := range tests {
		if got := labels(test.got); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestStepTicks: in any part of a run with slides ticks lie at the steps that they name, far enough apart, and do not
// depend on how many allocations are drawn.
func TestStepTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	trace := traces.Random(rng, 5000, 100)
	for _, tl := range []*layout.Timeline{laidOut(trace, layout.Options{}),
		laidOut(trace, layout.Options{MaxEntries: 5})} {
		for range 2000 {
			a := rng.Float64() * tl.Extent(layout.Events)
			b := a + 8 + rng.Float64()*(tl.Extent(layout.Events)-a)
			px := 200 + rng.IntN(2000)
			ticks := StepTicks(tl, a, b, px)
			if len(ticks) == 0 && b < tl.Extent(layout.Events) && px > 400 {
				t.Fatalf("no tick in %g…%g", a, b)
			}
			for i, tick := range ticks {
				if got := units.Count(tl.StepAt(tick.At)); got != tick.Label || tick.At < a || tick.At > b {
					t.Fatalf("%g…%g: %+v is at step %s", a, b, tick, got)
				}
				if i > 0 && (tick.At-ticks[i-1].At)/(b-a)*float64(px) < 39.9 {
					t.Fatalf("%g…%g: %+v and %+v", a, b, ticks[i-1], tick)
				}
			}
		}
	}
}

// TestTicksAreSpaced: in any range ticks ascend inside it, are far enough apart, and no two have one label.
func TestTicksAreSpaced(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		length := math.Exp(rng.Float64() * 40)
		a := rng.Float64() * math.Exp(rng.Float64()*28)
		px := 1 + rng.IntN(4000)
		axes := map[string]func(a, b float64, px int) []Tick{"bytes": ByteTicks, "times": TimeTicks}
		for name, f := range axes {
			ticks := f(a, a+length, px)
			for i, tick := range ticks {
				if tick.At < a || tick.At > a+length {
					t.Fatalf("%s: tick at %g outside %g…%g", name, tick.At, a, a+length)
				}
				if i == 0 {
					continue
				}
				if d := (tick.At - ticks[i-1].At) / length * float64(px); d < 40 {
					t.Fatalf("%s: %g px between two ticks of %g…%g", name, d, a, a+length)
				}
				if tick.Label == ticks[i-1].Label {
					t.Fatalf("%s: %q twice in %g…%g", name, tick.Label, a, a+length)
				}
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 0, -1} {
		if got := ByteTicks(0, bad, 100); got != nil {
			t.Errorf("ticks up to %g: %v", bad, got)
		}
	}
}
