package layout

// Maxima answers where the first maximum between two indexes of a slice of values is, in O(log n) with n/32 numbers of
// memory.
type Maxima struct {
	values []int64
	levels [][]int32 // levels[k][i]: index of the first maximum of values[i<<(base+k) : (i+1)<<(base+k)]
}

// base: the lowest level spans 1<<base values; below it a scan is as fast.
const base = 6

// NewMaxima prepares values, of which there must be at least one and which must not change afterwards.
func NewMaxima(values []int64) Maxima {
	p := Maxima{values: values}
	n := (len(values) + 1<<base - 1) >> base
	level := make([]int32, n)
	for i := range level {
		level[i] = p.scan(int32(i<<base), int32(min(len(values), (i+1)<<base)-1))
	}
	p.levels = append(p.levels, level)
	for len(level) > 1 {
		up := make([]int32, (len(level)+1)/2)
		for i := range up {
			up[i] = level[2*i]
			if 2*i+1 < len(level) {
				up[i] = p.better(up[i], level[2*i+1])
			}
		}
		p.levels = append(p.levels, up)
		level = up
	}
	return p
}

// better is the index with the larger value, a if they are equal.
func (p *Maxima) better(a, b int32) int32 {
	if p.values[b] > p.values[a] {
		return b
	}
	return a
}

// scan looks at every value of [lo, hi].
func (p *Maxima) scan(lo, hi int32) int32 {
	best := lo
	for i := lo + 1; i <= hi; i++ {
		if p.values[i] > p.values[best] {
			best = i
		}
	}
	return best
}

// First is the index of the first maximum in [lo, hi], lo ≤ hi.
func (p *Maxima) First(lo, hi int32) int32 {
	const width = 1 << base
	if hi-lo < 2*width {
		return p.scan(lo, hi)
	}
	first, last := (lo+width-1)>>base, (hi+1)>>base // whole blocks [first, last)
	best := lo
	if edge := first << base; edge > lo {
		best = p.scan(lo, edge-1)
	}
	best = p.blocks(best, first, last)
	if edge := last << base; edge <= hi {
		best = p.better(best, p.scan(edge, hi))
	}
	return best
}

// blocks is the better of best and the maximum of the lowest-level blocks [i, j), climbing while the ends are
// aligned.
func (p *Maxima) blocks(best, i, j int32) int32 {
	// The right ends are met from coarse to fine only after the climb; keep them to be compared in order, so that
	// the first of equals wins.
	var right [32]int32
	n := 0
	for k := 0; i < j; k++ {
		if i&1 == 1 {
			best = p.better(best, p.levels[k][i])
			i++
		}
		if i < j && j&1 == 1 {
			j--
			right[n] = p.levels[k][j]
			n++
		}
		i, j = i>>1, j>>1
	}
	for n--; n >= 0; n-- {
		best = p.better(best, right[n])
	}
	return best
}

// Highest is the Maxima of Total.
func (t *Timeline) Highest() Maxima { return t.peaks }
