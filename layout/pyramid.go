package layout

// Maxima answers where the first maximum between two indexes of a slice of values is: it looks at one number for
// every 64 values, so that a picture costs a 64th of a look at all of them.
type Maxima struct {
	values []int64
	blocks []int32 // of each block of values: the index of its first maximum
}

// maximaBlock is how many values a block has.
const maximaBlock = 64

// NewMaxima prepares values, of which there must be at least one and which must not change afterwards.
func NewMaxima(values []int64) Maxima {
	p := Maxima{values: values, blocks: make([]int32, (len(values)+maximaBlock-1)/maximaBlock)}
	for i := range p.blocks {
		lo := int32(i * maximaBlock)
		p.blocks[i] = p.scan(lo, lo, int32(min(len(values), (i+1)*maximaBlock)))
	}
	return p
}

// scan is the index of the first maximum of best and [lo, end), which comes after it.
func (p *Maxima) scan(best, lo, end int32) int32 {
	for i := lo; i < end; i++ {
		if p.values[i] > p.values[best] {
			best = i
		}
	}
	return best
}

// First is the index of the first maximum in [lo, hi], lo ≤ hi.
func (p *Maxima) First(lo, hi int32) int32 {
	end := hi + 1
	first, last := (lo+maximaBlock-1)/maximaBlock, end/maximaBlock // whole blocks [first, last)
	if first >= last {
		return p.scan(lo, lo, end)
	}
	best := p.scan(lo, lo, first*maximaBlock)
	for _, i := range p.blocks[first:last] {
		if p.values[i] > p.values[best] {
			best = i
		}
	}
	return p.scan(best, last*maximaBlock, end)
}

// Highest is the Maxima of Total.
func (t *Timeline) Highest() Maxima { return t.peaks }
