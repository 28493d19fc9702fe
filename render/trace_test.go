package render

import (
	"math/rand/v2"

	"strata/layout"
	"strata/layout/traces"
)

// trace is a program that can be laid out.
type trace struct{ *traces.Trace }

func (t trace) timeline(opt layout.Options) *layout.Timeline {
	s, d := t.Snapshot()
	return layout.New(s, d, opt)
}

func newTrace() trace { return trace{traces.New()} }

func training(events int) trace { return trace{traces.Training(events)} }

func random(rng *rand.Rand, actions, live int) trace {
	return trace{traces.Random(rng, actions, live)}
}

func fifo(allocations, live int, size func(i int) int64) trace {
	return trace{traces.FIFO(allocations, live, size)}
}

func shuffled(rng *rand.Rand, allocations, live int) trace {
	return trace{traces.Shuffled(rng, allocations, live, mixed)}
}
