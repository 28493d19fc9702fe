package shape

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// rounding is what PyTorch's caching allocator rounds sizes up to (kMinBlockSize of
// c10/cuda/CUDACachingAllocator.cpp).
const rounding = 512

// A Reading is one way to see an allocation as a tensor.
type Reading struct {
	Type  string // "bf16" (fp16 looks the same), "fp32", and if quantized "int8/fp8" and "4-bit"
	Shape string // "2 x h x i"
	Bytes int64  // that such a tensor takes, at most rounding-1 less than the allocation
	Exact bool   // it takes the allocation to the byte
	Plain bool   // only numbers, none of the model's dimensions
	cost  float64
}

// String is the reading as people see it; a near one has a sign for it.
func (r Reading) String() string {
	if r.Exact {
		return r.Type + ": " + r.Shape
	}
	return r.Type + ": ≈ " + r.Shape
}

// Join is the first readings of a list in one line, at most n.
func Join(readings []Reading, n int) string {
	var texts []string
	for _, r := range readings[:min(n, len(readings))] {
		texts = append(texts, r.String())
	}
	return strings.Join(texts, " · ")
}

// A dtype is a width of elements.
type dtype struct {
	name string
	bits int64
	cost float64
}

var (
	floats    = []dtype{{"bf16", 16, 0}, {"fp32", 32, .5}}
	quantized = []dtype{{"int8/fp8", 8, 1}, {"4-bit", 4, 1.5}}
)

// A Namer finds readings of sizes. It is immutable and safe for concurrent use. The zero value knows no model.
type Namer struct {
	terms     []term
	quantized bool
}

// NewNamer makes a Namer of a model; the zero Model stands for none. quantized looks for elements of 8 and 4 bits, too.
func NewNamer(m Model, quantized bool) *Namer { return &Namer{terms: m.terms(), quantized: quantized} }

// How many readings of one type, and of all, are worth showing.
const (
	maxOfType = 3
	maxAll    = 8
	maxDearer = 4 // than the likeliest: what costs more is not worth reading
)

// Name returns readings of an allocation of size bytes: exact ones first, then near ones, each group most likely
// first; plain ones where the model has no exact one. It takes some microseconds.
func (n *Namer) Name(size int64) []Reading {
	if size <= 0 || size > maxElements {
		return nil
	}
	var exact, near []Reading
	for _, d := range n.types() {
		e, a := n.ofType(size, d)
		exact, near = append(exact, e...), append(near, a...)
	}
	byCost := func(x, y Reading) int { return cmp.Compare(x.cost, y.cost) }
	slices.SortStableFunc(exact, byCost)
	slices.SortStableFunc(near, byCost)
	exact, near = likely(exact), likely(near)
	all := append(exact, near...)
	if len(exact) == 0 {
		all = append(all, n.plain(size)...)
	}
	return all[:min(len(all), maxAll)]
}

// likely drops what is far less likely than the first of a sorted list.
func likely(rs []Reading) []Reading {
	for i := range rs {
		if rs[i].cost > rs[0].cost+maxDearer {
			return rs[:i]
		}
	}
	return rs
}

func (n *Namer) types() []dtype {
	if n.quantized {
		return append(slices.Clone(floats), quantized...)
	}
	return floats
}

// A match is a term that explains a size.
type match struct {
	*term
	shape string
	bytes int64   // that such a tensor takes
	cost  float64 // with that of how often the term is there
	times int64   // how often it is, 0 for a part of it
}

// ofType finds the readings of one type.
func (n *Namer) ofType(size int64, d dtype) (exact, near []Reading) {
	var exacts, nears []match
	for i := range n.terms {
		t := &n.terms[i]
		if size*8%d.bits == 0 {
			if m, ok := t.exact(size * 8 / d.bits); ok {
				m.bytes = size
				exacts = append(exacts, m)
			}
		}
		if size%rounding == 0 {
			if m, ok := t.near(size, d); ok {
				nears = append(nears, m)
			}
		}
	}
	for _, m := range best(exacts) {
		exact = append(exact, Reading{Type: d.name, Shape: m.shape, Bytes: m.bytes, Exact: true, cost: m.cost + d.cost})
	}
	for _, m := range best(nears) {
		near = append(near, Reading{Type: d.name, Shape: m.shape, Bytes: m.bytes, cost: m.cost + d.cost})
	}
	return exact, near
}

// best sorts matches of one type and drops those that another says better.
func best(ms []match) []match {
	slices.SortStableFunc(ms, func(x, y match) int { return cmp.Compare(x.cost, y.cost) })
	var kept []match
	for _, m := range ms {
		if !slices.ContainsFunc(kept, m.within) {
			kept = append(kept, m)
		}
	}
	return kept[:min(len(kept), maxOfType)]
}

// within reports whether m only hides dimensions of a likelier k in a number. A number that may be a count of
// tokens hides nothing: 8192 x h is not only 2 x h x h.
func (m match) within(k match) bool {
	switch {
	case m.kind == small:
		return k.value%m.value == 0
	case m.kind == large && oddPart(m.times) == 1 && m.times >= 256:
		return false
	case m.symbols&^k.symbols == 0:
		return true
	}
	return oddPart(m.times) > 15 && k.value%m.value == 0 // strange, and no less so in k
}

// A matrix may be spread over devices: over how many at most, and how many elements at least remain for each.
const (
	maxShards = 256
	minShard  = 1 << 16
)

// exact matches the term with a number of elements: a multiple of it, or a part of it where a matrix is sharded.
func (t *term) exact(elements int64) (match, bool) {
	m := match{term: t, cost: t.cost}
	if elements < t.value {
		shards := t.value / elements
		if t.kind != matrix || shards > maxShards || elements < minShard || shards&(shards-1) != 0 ||
			t.value%elements != 0 {
			return m, false
		}
		m.shape = t.text + " / " + strconv.FormatInt(shards, 10)
		m.cost += 2 + float64(bits.TrailingZeros64(uint64(shards)))/2
		return m, true
	}
	c := elements / t.value
	if c*t.value != elements {
		return m, false
	}
	m.times = c
	m.cost += t.costOf(c)
	switch {
	case t.kind == scores:
		batch, s := square(c)
		if s == 0 || oddPart(batch) != 1 {
			return m, false
		}
		m.shape = t.text + " x " + strconv.FormatInt(s, 10) + " x " + strconv.FormatInt(s, 10)
		m.cost = t.cost + 3 + costOf(batch)
		if batch > 1 {
			m.shape = strconv.FormatInt(batch, 10) + " x " + m.shape
		}
	case t.kind == small && oddPart(c) > 15:
		// Nearly every rounded size is a multiple of it: no evidence.
		return m, false
	default:
		m.shape = t.multiple(c)
	}
	return m, true
}

// near matches the term with a size that the allocator has rounded up.
func (t *term) near(size int64, d dtype) (match, bool) {
	m := match{term: t}
	if t.value > maxElements/32 || t.kind == scores || t.kind == small {
		return m, false
	}
	unit := t.value * d.bits // in bits: 4-bit elements have no whole bytes
	c := size * 8 / unit
	if c == 0 {
		return m, false
	}
	bytes := (c*unit + 7) / 8
	if gap := size - bytes; gap <= 0 || gap >= rounding {
		return m, false
	}
	// Of random sizes, one in unit/4096 lies this near to a multiple by chance. That must be rare, the rarer the
	// stranger the multiple is.
	cost := t.costOf(c)
	if least := int64(rounding << 7); unit/8 < least || cost > 5 && unit/8 < 128*least {
		return m, false
	}
	m.shape, m.bytes, m.times, m.cost = t.multiple(c), bytes, c, t.cost+cost
	return m, true
}

// multiple is c of the term.
func (t *term) multiple(c int64) string {
	switch {
	case c == 1:
		return t.text
	case c > 1<<17 && oddPart(c) < 64:
		if x, y := split(c); y > 1 {
			return strconv.FormatInt(x, 10) + " x " + strconv.FormatInt(y, 10) + " x " + t.text
		}
	}
	return strconv.FormatInt(c, 10) + " x " + t.text
}

// costOf is the cost of a multiple of the term. Weights are fused by twos and threes, hardly by more.
func (t *term) costOf(c int64) float64 {
	if t.kind == matrix && c > 4 {
		return costOf(c) + 2.5
	}
	return costOf(c)
}

// costOf says how much a number asks one to believe: the bits of its odd part, powers of two being what batches and
// lengths are made of.
func costOf(c int64) float64 {
	if c <= 1 {
		return 0
	}
	return 1 + math.Log2(float64(oddPart(c))) + .25*float64(bits.TrailingZeros64(uint64(c)))
}

func oddPart(c int64) int64 { return c >> bits.TrailingZeros64(uint64(c)) }

// square finds the batch and the length s in c = batch·s·s: the longest s that is a multiple of 64. s is 0 where
// there is none.
func square(c int64) (batch, s int64) {
	odd := oddPart(c)
	two := int64(1) << (bits.TrailingZeros64(uint64(c)) / 2)
	for _, f := range [...]int64{15, 13, 11, 9, 7, 5, 3, 1} {
		if s = two * f; odd%(f*f) == 0 && s >= 64 && s%64 == 0 {
			return c / (s * s), s
		}
	}
	return 0, 0
}
