package pickle

// A Growth remembers how a slice grows while a file is read: its length, and the share of the file that had been
// read, the last time it grew.
type Growth struct {
	n    int
	done float64
}

// Estimate says to what length a slice of n items should grow, if items of size bytes keep coming as they did since
// the last time. It trusts no number in the file, and asks for no more than 64 times of few items, nor for more than a
// quarter of the budget that is left. The rate of many items is trusted: to grow once more near the end of a giant
// would need its memory twice.
func (h *Heap) Estimate(g *Growth, n, size int) int {
	done := 0.0
	if h.Progress != nil {
		done = h.Progress()
	}
	before := *g
	*g = Growth{n, done}
	if n < 4096 {
		return 4096
	}
	more := float64(n) / 2
	if done > before.done && n > before.n {
		rate := float64(n-before.n) / (done - before.done)
		if more = rate * (1 - done) * 1.02; n < 100_000 {
			more = min(more, 63*float64(n))
		}
	}
	more = min(more, float64(max(h.budget, 0)/4)/float64(size))
	return n + max(int(more), n/8) + 1024
}
